#include "provisioner/cli/check_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/command_output.h"
#include "provisioner/base/file.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/image_hosts.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/net/http_status.h"
#include "provisioner/node/present_settings.h"

namespace prov::cli {
namespace {

constexpr std::uint64_t kMostSecretBytes = 4ULL << 20U;

Result<pull::PullSecret> ReadPullSecret(const std::string& path) {
  std::string text = PROV_TRY(ReadFile(path, kMostSecretBytes));
  if (TrimBlanks(text).empty()) return Fail(Code::kKind, "is empty, so it is no pull secret", path);
  if (auto output = DescribeCommandOutput(text)) return Fail(Code::kKind, *std::move(output), path);
  if (!ignition::BeginsAsJson(text)) {
    auto document = ignition::ParseJsonOrYaml(std::move(text), {});
    if (!document && document.error().file.empty()) document.error().file = path;
    text = WriteJson(PROV_TRY(std::move(document))->root(), 0);
  }
  return pull::PullSecret::Parse(text, path);
}

// The builds of Windows Server, by the names of its releases and of base images.
struct ServerRelease {
  std::string_view year;
  std::string_view build;
};
constexpr std::array kReleases = {ServerRelease{"2016", "14393"}, ServerRelease{"2019", "17763"},
                                  ServerRelease{"2022", "20348"}, ServerRelease{"2025", "26100"}};

// "10.0.20348" of a release ("2022", "ltsc2022"), of a build's number, or of a version with three numbers or four.
Result<std::string> ParseOsVersion(const Arguments& arguments) {
  constexpr std::size_t kFewestBuildDigits = 5;
  std::string text = AsciiLower(arguments.Get("os-version"));
  if (text.empty()) return text;
  for (const ServerRelease& release : kReleases) {
    if (text == release.year || text == fmt::format("ltsc{}", release.year)) text = release.build;
  }
  const bool numbers = text.find_first_not_of("0123456789.") == std::string::npos;
  const std::size_t dots = static_cast<std::size_t>(std::ranges::count(text, '.'));
  const bool is_short = dots == 0 && text.size() < kFewestBuildDigits;
  if (numbers && dots == 0) text.insert(0, "10.0.");
  if (!numbers || is_short || dots == 1 || dots > 3 || text.starts_with('.') || text.ends_with('.')) {
    return Fail(Code::kUsage, "takes a release of Windows Server (2019, 2022, 2025) or its build, such as 10.0.20348",
                "--os-version");
  }
  if (!arguments.Get("platform", "windows/").starts_with("windows/"))
    return Fail(Code::kUsage, "is for nodes of Windows; leave it out for another --platform", "--os-version");
  return text;
}

void WriteStep(JsonWriter& json, const pull::Step& step) {
  json.BeginObject().Member("purpose", pull::NameOf(step.purpose)).Member("url", step.url).Member("host", step.host);
  json.Member("via", step.via).Member("ok", step.ok()).Member("status", step.status);
  if (step.error) json.Member("error", step.error->message).Member("code", InfoOf(step.error->code).name);
  if (!step.redirected_to.empty()) json.Member("redirectedTo", step.redirected_to);
  json.EndObject();
}

// Digests as git shows them: so many digits are enough to tell one from another.
constexpr std::size_t kShownDigits = 12;
constexpr std::size_t kFewestDigits = 40;  // of what is taken for a digest

std::string WithShortDigests(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdef", at), text.size());
    const std::size_t digits = end - at;
    if (digits >= kFewestDigits) {
      out.append(text.substr(at, kShownDigits)).append("...");
    } else {
      out.append(text.substr(at, digits));
    }
    if (end < text.size()) out += text[end];
    at = end + 1;
  }
  return out;
}

std::string StepText(const pull::Step& step) {
  std::string result;
  if (step.status) result = fmt::format("{}", *step.status);
  if (step.status == net::http_status::kUnauthorized && step.ok()) result += ", asks for a login";
  if (!step.redirected_to.empty()) result += ", leads on";
  if (!step.ok()) result += step.status ? ", FAILED" : "FAILED";
  if (!step.of_entry.empty()) result += fmt::format(", for {}", Printable(step.of_entry));
  return fmt::format("  {:<9} {}: {}\n", pull::NameOf(step.purpose), Printable(WithShortDigests(step.url)), result);
}

// Why an image does not arrive: a line for each endpoint that failed, and one for what ended the pull.
std::string ReasonText(const pull::Pulled& image) {
  std::string out;
  bool said = false;
  for (const pull::EndpointFailure& one : image.failures) {
    said = said || one.error.message == image.error->message;
    out += fmt::format("  {}\n", Printable(DescribeFault(one.error)));
  }
  if (!said) out += fmt::format("  {}\n", Printable(DescribeFault(*image.error)));
  return out;
}

std::string SourcesText(const pull::Pulled& image) {
  std::vector<std::string_view> out;
  out.reserve(image.sources.size());
  for (const std::string& one : image.sources) out.push_back(UrlHost(one));
  return fmt::format("{}", fmt::join(out, " and "));
}

void AddNote(std::string_view text, std::string& note) {
  if (!note.empty()) note += "; ";
  note += text;
}

// Says which endpoints others had to stand in for.
void ReportFailures(const pull::Pulled& image, Findings& findings) {
  if (!image.arrives()) return;
  for (const pull::EndpointFailure& failed : image.failures) {
    AddWarning(findings, "mirror-failed",
               fmt::format("{} came from {}, as an endpoint before that failed: {}", image.image, SourcesText(image),
                           DescribeFault(failed.error)),
               failed.error.where);
  }
}

// Comments that keep a list with missing hosts from being taken for a whole one.
std::string Incomplete(const std::vector<pull::Pulled>& pulled) {
  std::string out;
  for (const pull::Pulled& one : pulled) {
    if (one.arrives()) continue;
    out += fmt::format("# INCOMPLETE: {} does not arrive, so the hosts after the failed request are not known: {}\n",
                       Printable(one.image), Printable(DescribeFault(*one.error)));
  }
  return out;
}

}  // namespace

std::string DescribeFault(const Error& error) {
  const std::string_view host = UrlHost(error.where);
  const bool names_it = host.empty() || error.message.find(host) != std::string::npos;
  return fmt::format("{}{}{}", names_it ? "" : host, names_it ? "" : ": ", WithShortDigests(error.message));
}

OptionGroup ImageCheckOptionSpecs() {
  return JoinOptions(
      {PulledImageOptionSpecs(),
       {{"pull-secret", "FILE",
         "the logins for --image: a pull secret, or the config.json of docker, podman or skopeo (default: that of the "
         "source's config)",
         Group::kRequests},
        {"os-version", "VERSION",
         "the Windows Server of the nodes (2019, 2022, 2025) or its build, such as 10.0.20348: only what containerd "
         "takes there is asked for (default: all of the platform)",
         Group::kRequests}}});
}

OptionSpec ImageFormatOption() {
  return {"format", "required|router",
          "print only the hosts of --image: required: a file for explain --required; router: destinations of an HTTP "
          "egress router",
          Group::kOutput};
}

Result<ImageCheck> ImageCheck::Read(const Arguments& arguments, int timeout_seconds) {
  ImageCheck out;
  out.images_ = PROV_TRY(PulledImages::Read(arguments));
  for (const char* name : {"pull-secret", "os-version", "format"}) {
    if (arguments.Has(name) && !out.asked())
      return Fail(Code::kUsage, "is for the images that --image names", fmt::format("--{}", name));
  }
  if (!out.asked()) return out;
  out.options_.platform = PROV_TRY(pull::ParsePlatform(arguments.Get("platform", "windows/amd64"), "--platform"));
  out.options_.platform.os_version = PROV_TRY(ParseOsVersion(arguments));
  out.options_.timeout_seconds = timeout_seconds;
  if (arguments.Has("format") && arguments.Get("output") == "json") {
    return Fail(Code::kUsage,
                "prints a list as text; with --output json the hosts are in the document, so leave it out", "--format");
  }
  if (arguments.Has("format")) out.format_ = PROV_TRY(OneOf(arguments, "format"));
  if (arguments.Has("pull-secret")) out.logins_ = PROV_TRY(ReadPullSecret(arguments.Get("pull-secret")));
  return out;
}

Result<void> ImageCheck::Run(machine::Host& host, const egress::EgressConfig& config,
                             const pki::TrustedDigests& trusted, Findings& findings) {
  was_run_ = true;
  given_logins_ = logins_.has_value();
  if (!given_logins_ && config.pull_secret)
    logins_ = PROV_TRY(pull::PullSecret::Parse(config.pull_secret->Reveal(), "the source's pull secret"));
  if (logins_) options_.logins = &*logins_;
  const bool of_linux = config.pull_secret && !given_logins_ && images_.windows();
  if (of_linux &&
      std::ranges::any_of(images_.images(), [&](const auto& one) { return logins_->Find(one) != nullptr; })) {
    AddWarning(findings, "pull-secret-source",
               "the login is that of the cluster's Linux nodes; Windows nodes do not have it, so a pod there needs "
               "imagePullSecrets");
  }
  const bool machine = config.source.kind == node::kMachineKind;
  if (images_.windows() && options_.platform.os_version.empty()) options_.platform.os_version = config.windows_version;
  options_.of_machine = machine || config.source.kind == node::kImageKind;
  if (!machine) options_.roots = egress::RootsOf(config, trusted);
  if (options_.roots.empty() && !machine) {
    AddInfo(findings, "probe-trust",
            "the source has no certificates: the requests trust what this machine trusts, and a node may trust others");
  }
  std::vector<registries::ImageEndpoints> images =
      PROV_TRY(images_.EndpointsOf(config, findings, logins_ ? logins_->OfHosts() : registries::RegistryLogins()));
  for (registries::ImageEndpoints& image : images) {
    for (registries::Endpoint& endpoint : image.endpoints) {
      // containerd does not pull without them, either.
      if (auto read = registries::ReadRoots(endpoint, findings); !read) image.refusal = read.error().message;
    }
    pulled_.push_back(PROV_TRY(pull::Pull(host.http(), host.clock(), config, image, options_)));
    ReportFailures(pulled_.back(), findings);
    if (pulled_.back().arrives() && pulled_.back().used_login && images_.windows() && options_.platform.os == "windows")
      AddNote("a login was used, which a node has only from the pod's imagePullSecrets or its own credential provider",
              pulled_.back().note);
  }
  return {};
}

bool ImageCheck::all_arrive() const {
  return (was_run_ || !asked()) && std::ranges::all_of(pulled_, &pull::Pulled::arrives);
}

std::string ImageCheck::Summary() const {
  const auto failed = std::ranges::count(pulled_, false, &pull::Pulled::arrives);
  if (failed == 0) return {};
  return fmt::format("{} of {} image(s) do not arrive", failed, pulled_.size());
}

bool ImageCheck::reached_nothing() const {
  const bool asked = std::ranges::any_of(pulled_, [](const pull::Pulled& one) { return !one.steps.empty(); });
  return asked && std::ranges::none_of(pulled_, &pull::Pulled::reached);
}

void ImageCheck::Write(JsonWriter& json) const {
  json.Key("images").BeginArray();
  for (const pull::Pulled& one : pulled_) {
    json.BeginObject().Member("image", one.image).Member("arrives", one.arrives());
    WriteTextOrNull(json, "endpoint", one.endpoint);
    WriteTextOrNull(json, "digest", one.digest);
    json.Key("error");
    if (one.error) {
      json.String(one.error->message).Member("code", InfoOf(one.error->code).name).Member("where", one.error->where);
    } else {
      json.Null();
    }
    json.Key("requests").BeginArray();
    for (const pull::Step& step : one.steps) WriteStep(json, step);
    json.EndArray().Key("failedEndpoints").BeginArray();
    for (const pull::EndpointFailure& failed : one.failures) {
      json.BeginObject().Member("endpoint", failed.endpoint).Member("error", failed.error.message);
      json.Member("code", InfoOf(failed.error.code).name).Member("where", failed.error.where).EndObject();
    }
    json.EndArray();
    if (!one.note.empty()) json.Member("note", one.note);
    json.EndObject();
  }
  const auto failed = std::ranges::count(pulled_, false, &pull::Pulled::arrives);
  json.EndArray().Member("imagesFailed", was_run_ ? failed : std::ssize(images_.images()));
  WriteHosts(json, pulled_);
}

std::string ImageCheck::Text(bool verbose) const {
  if (asked() && !was_run_) {
    return fmt::format("{}no image was asked, because the settings are not valid; correct them first\n",
                       only_hosts() ? "# INCOMPLETE: " : "");
  }
  if (format_ == "required") return Incomplete(pulled_) + RequiredList(pulled_);
  if (format_ == "router") return Incomplete(pulled_) + RouterList(pulled_);
  std::string out;
  for (const pull::Pulled& one : pulled_) {
    out += fmt::format("image {}: {}\n", Printable(one.image),
                       one.arrives() ? fmt::format("arrives from {}", Printable(SourcesText(one))) : "does NOT arrive");
    out += DescribeHosts(one);
    if (verbose || !one.arrives()) {
      for (const pull::Step& step : one.steps) out += StepText(step);
    }
    if (!one.arrives()) out += ReasonText(one);
    if (!one.note.empty()) out += fmt::format("  note: {}\n", Printable(one.note));
  }
  return out;
}

}  // namespace prov::cli
