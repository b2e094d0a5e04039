#include "provisioner/cli/check_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "ignition/yaml.h"
#include "provisioner/base/file.h"
#include "provisioner/base/json.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/request_way.h"
#include "provisioner/node/present_settings.h"

namespace prov::cli {
namespace {

constexpr std::uint64_t kMostSecretBytes = 4ULL << 20U;

Result<pull::PullSecret> ReadPullSecret(const std::string& path) {
  std::string text = PROV_TRY(ReadFile(path, kMostSecretBytes));
  if (!ignition::BeginsAsJson(text)) {
    const auto document = PROV_TRY(ignition::ParseJsonOrYaml(std::move(text), {}));
    text = WriteJson(document->root(), 0);
  }
  return pull::PullSecret::Parse(text, path);
}

// "10.0.20348" of a build's number, or of a version with three numbers or four.
Result<std::string> ParseOsVersion(const Arguments& arguments) {
  std::string text = arguments.Get("os-version");
  if (text.empty()) return text;
  const bool numbers = text.find_first_not_of("0123456789.") == std::string::npos;
  const std::size_t dots = static_cast<std::size_t>(std::ranges::count(text, '.'));
  if (numbers && dots == 0) text.insert(0, "10.0.");
  if (!numbers || dots == 1 || dots > 3 || text.starts_with('.') || text.ends_with('.'))
    return Fail(Code::kUsage, "takes the build of a Windows, such as 10.0.20348", "--os-version");
  if (!arguments.Get("platform", "windows/").starts_with("windows/"))
    return Fail(Code::kUsage, "is for nodes of Windows; leave it out for another --platform", "--os-version");
  return text;
}

// Every host that was asked, with the purposes of the requests, and whether the proxy leads to it.
struct AskedHost {
  std::vector<pull::Purpose> purposes;
  bool tls = true;
  bool direct = false;
};
using AskedHosts = std::map<std::pair<std::string, unsigned>, AskedHost>;

AskedHosts HostsOf(const std::vector<pull::Pulled>& pulled) {
  AskedHosts out;
  for (const pull::Pulled& image : pulled) {
    for (const pull::Step& step : image.steps) {
      if (step.host.empty()) continue;
      AskedHost& host = out[{step.host, step.port}];
      host.tls = step.url.starts_with("https://");
      host.direct = step.via == "direct";
      if (std::ranges::find(host.purposes, step.purpose) == host.purposes.end()) host.purposes.push_back(step.purpose);
    }
  }
  for (auto& [name, host] : out) std::ranges::sort(host.purposes);
  return out;
}

std::vector<std::string_view> NamesOf(const std::vector<pull::Purpose>& purposes) {
  std::vector<std::string_view> out;
  out.reserve(purposes.size());
  for (const pull::Purpose one : purposes) out.push_back(pull::NameOf(one));
  return out;
}

std::string Bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

void WriteStep(JsonWriter& json, const pull::Step& step) {
  json.BeginObject().Member("purpose", pull::NameOf(step.purpose)).Member("url", step.url).Member("host", step.host);
  json.Member("via", step.via).Member("ok", step.ok()).Member("status", step.status);
  if (step.error) json.Member("error", step.error->message).Member("code", InfoOf(step.error->code).name);
  if (!step.redirected_to.empty()) json.Member("redirectedTo", step.redirected_to);
  json.EndObject();
}

std::string StepText(const pull::Step& step) {
  std::string result = step.status ? fmt::format("status {}", *step.status) : std::string("no answer");
  if (!step.redirected_to.empty()) result += ", leads on";
  if (!step.ok()) result += ", FAILED";
  return fmt::format("  {:<9} {} {}: {}\n", pull::NameOf(step.purpose), Printable(step.url),
                     Printable(step.via == "direct" ? step.via : "through " + step.via), result);
}

// A file for --required of `explain`.
std::string RequiredList(const AskedHosts& hosts) {
  std::string out;
  for (const auto& [place, host] : hosts) {
    out += fmt::format("{}://{}:{}/ {}  # {}\n", host.tls ? "https" : "http", Bracketed(place.first), place.second,
                       host.direct ? "direct" : "proxy", fmt::join(NamesOf(host.purposes), ", "));
  }
  return out;
}

// Destinations of an HTTP egress router: names, each once. What goes direct does not pass a router.
std::string RouterList(const AskedHosts& hosts) {
  std::string out, last;
  for (const auto& [place, host] : hosts) {
    if (host.direct || place.first == last) continue;
    last = place.first;
    out += place.first + "\n";
  }
  return out;
}

// Comments that keep a list with missing hosts from being taken for a whole one.
std::string Incomplete(const std::vector<pull::Pulled>& pulled) {
  std::string out;
  for (const pull::Pulled& one : pulled) {
    if (one.arrives()) continue;
    out += fmt::format("# INCOMPLETE: {} does not arrive, so the hosts after the failed request are not known\n",
                       Printable(one.image));
  }
  return out;
}

}  // namespace

OptionGroup ImageCheckOptionSpecs() {
  return JoinOptions(
      {PulledImageOptionSpecs(),
       {{"pull-secret", "FILE",
         "the logins for --image: a pull secret, or the config.json of docker, podman or skopeo (default: that of the "
         "source's config)",
         Group::kRequests},
        {"os-version", "VERSION",
         "the build of the nodes, such as 10.0.20348: only what containerd takes there is asked for (default: all of "
         "the platform)",
         Group::kRequests},
        {"format", "required|router",
         "print only the hosts of --image: required: a file for explain --required; router: destinations of an HTTP "
         "egress router",
         Group::kOutput}}});
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
  if (arguments.Has("format")) out.format_ = PROV_TRY(OneOf(arguments, "format"));
  if (arguments.Has("pull-secret")) out.logins_ = PROV_TRY(ReadPullSecret(arguments.Get("pull-secret")));
  return out;
}

Result<void> ImageCheck::Run(machine::Host& host, const egress::EgressConfig& config,
                             const pki::TrustedDigests& trusted, Findings& findings) {
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
  options_.of_machine = machine || config.source.kind == node::kImageKind;
  if (!machine) options_.roots = egress::RootsOf(config, trusted);
  if (options_.roots.empty() && !machine) {
    AddInfo(findings, "probe-trust",
            "the source has no certificates: the requests trust what this machine trusts, and a node may trust others");
  }
  std::vector<registries::ImageEndpoints> images = PROV_TRY(
      images_.EndpointsOf(config.mirrors, findings, logins_ ? logins_->OfHosts() : registries::RegistryLogins()));
  for (registries::ImageEndpoints& image : images) {
    for (registries::Endpoint& endpoint : image.endpoints) {
      // containerd does not pull without them, either.
      if (auto read = registries::ReadRoots(endpoint, findings); !read) image.refusal = read.error().message;
    }
    pulled_.push_back(PROV_TRY(pull::Pull(host.http(), host.clock(), config, image, options_)));
  }
  return {};
}

bool ImageCheck::all_arrive() const { return std::ranges::all_of(pulled_, &pull::Pulled::arrives); }

std::string ImageCheck::Summary() const {
  const auto failed = std::ranges::count(pulled_, false, &pull::Pulled::arrives);
  if (failed == 0) return {};
  return fmt::format("{} of {} image(s) do not arrive; the settings are ", failed, pulled_.size());
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
      json.String(one.error->message).Member("code", InfoOf(one.error->code).name);
    } else {
      json.Null();
    }
    json.Key("requests").BeginArray();
    for (const pull::Step& step : one.steps) WriteStep(json, step);
    json.EndArray().EndObject();
  }
  json.EndArray().Key("hosts").BeginArray();
  for (const auto& [place, host] : HostsOf(pulled_)) {
    json.BeginObject().Member("host", place.first).Member("port", std::int64_t{place.second});
    json.Key("purposes").BeginArray();
    for (const std::string_view name : NamesOf(host.purposes)) json.String(name);
    json.EndArray().EndObject();
  }
  json.EndArray();
}

std::string ImageCheck::Text() const {
  if (format_ == "required") return Incomplete(pulled_) + RequiredList(HostsOf(pulled_));
  if (format_ == "router") return Incomplete(pulled_) + RouterList(HostsOf(pulled_));
  std::string out;
  for (const pull::Pulled& one : pulled_) {
    out += fmt::format("image {}: {}\n", Printable(one.image), one.arrives() ? "arrives" : "does NOT arrive");
    for (const pull::Step& step : one.steps) out += StepText(step);
    if (one.error) out += fmt::format("  {}\n", Printable(one.error->message));
  }
  return out;
}

}  // namespace prov::cli
