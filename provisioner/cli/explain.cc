// `explain`: what each client does with a request, which entry of NO_PROXY decides, and why.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "provisioner/base/file.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/explain_html.h"
#include "provisioner/cli/explain_image.h"
#include "provisioner/cli/explain_question.h"
#include "provisioner/cli/machine_source.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/cli/through_options.h"
#include "provisioner/egress/augment.h"
#include "provisioner/egress/dialect_explain.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/review.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/router/destination_list.h"

namespace prov::cli {
namespace {

using egress::ClientDecision;
using egress::Dialect;
using egress::Explainer;
using egress::Route;

constexpr std::uint64_t kHostsLimit = 16ULL << 20U;
constexpr std::size_t kWidestHost = 50;

// Programs, with the clients that are in them.
constexpr std::array<std::pair<std::string_view, Dialect>, 4> kPrograms = {{{"kubelet", Dialect::kGo},
                                                                            {"containerd", Dialect::kGo},
                                                                            {"node", Dialect::kNodeHttp},
                                                                            {"node", Dialect::kNodeFetch}}};

// All names of clients; of programs only the first, where they have several.
std::vector<std::string_view> ClientNames() {
  std::vector<std::string_view> out;
  out.reserve(egress::kDialectCount + kPrograms.size());
  for (std::size_t i = 0; i < egress::kDialectCount; ++i) out.push_back(egress::NameOf(static_cast<Dialect>(i)));
  for (const auto& [name, client] : kPrograms) {
    if (out.back() != name) out.push_back(name);
  }
  return out;
}

Result<std::vector<Dialect>> ParseClients(const Arguments& arguments) {
  std::vector<Dialect> out;
  const auto add = [&](Dialect client) {
    if (std::ranges::find(out, client) == out.end()) out.push_back(client);
  };
  for (const std::string& name : arguments.List("for")) {
    const auto dialect = egress::DialectOf(name);
    if (dialect) add(*dialect);
    bool known = dialect.has_value();
    for (const auto& [program, client] : kPrograms) {
      if (program != name) continue;
      add(client);
      known = true;
    }
    if (!known) return RefuseValue("--for", "a list of", name, ClientNames());
  }
  if (out.empty()) out.assign(egress::kDialects.begin(), egress::kDialects.end());
  return out;
}

Result<std::vector<ExplainedUrl>> ReadHosts(const std::string& path) {
  std::vector<ExplainedUrl> out;
  for (const router::ListedDestination& line :
       PROV_TRY(router::ReadDestinationList(PROV_TRY(ReadFile(path, kHostsLimit)), path))) {
    out.push_back({egress::RedactRequest(line.text), PROV_TRY(router::ParseListed(line.text, line.place)), {}});
  }
  if (out.empty()) return Fail(Code::kRow, "names no destination; write one on each line", path);
  return out;
}

// What to do if the text is no URL, but the name of an image.
std::string_view ImageHint(const std::string& url) {
  const bool is_image = url.find('/') != std::string::npos && registries::ParseImageReference(url, "--url");
  return is_image ? "; an image is given to --image" : "";
}

// An invalid URL is fatal only if none is valid.
Result<std::vector<ExplainedUrl>> ReadUrls(const std::vector<std::string>& urls) {
  std::vector<ExplainedUrl> out;
  std::optional<Error> first;
  for (const std::string& url : urls) {
    auto to = egress::ParseRequest(url);
    if (to) {
      out.push_back({egress::RedactRequest(url), *std::move(to), {}});
      continue;
    }
    out.push_back({egress::RedactUrl(url), {}, fmt::format("{}{}", to.error().message, ImageHint(url))});
    if (!first) first = Error{to.error().code, out.back().fault, "--url " + out.back().shown};
  }
  const bool any = std::ranges::any_of(out, [](const ExplainedUrl& one) { return one.fault.empty(); });
  if (first && !any) return std::unexpected(*first);
  return out;
}

Result<Question> ParseQuestion(const Arguments& arguments) {
  Question out;
  out.clients = PROV_TRY(ParseClients(arguments));
  out.urls = PROV_TRY(ReadUrls(arguments.All("url")));
  if (arguments.Has("hosts")) out.hosts = PROV_TRY(ReadHosts(arguments.Get("hosts")));
  out.through = PROV_TRY(ThroughOptions::Read(arguments));
  for (const router::Requirement& one : out.through.required()) out.required.push_back({one.shown, one.to, {}});
  out.images = PROV_TRY(PulledImages::Read(arguments));
  out.html = PROV_TRY(ParseHtml(arguments, out));
  if (!out.html.empty() && out.images.asked() && out.destinations() == 0)
    return Fail(Code::kUsage, "shows requests, and not images; give --url or --hosts, too", "--html");
  if (out.images.asked() || arguments.Has("url") || arguments.Has("hosts") || arguments.Has("augment") ||
      arguments.Has("required"))
    return out;
  return Fail(
      Code::kUsage,
      "--url URL, --image REF, --hosts FILE, --required FILE or --augment is missing; provisioner explain --help "
      "shows an example",
      "provisioner explain");
}

// Findings about the URLs that are invalid.
Findings FaultsOf(const Question& question) {
  Findings out;
  for (const ExplainedUrl& one : question.urls) {
    if (!one.fault.empty()) AddError(out, "request-url", one.fault, "--url " + one.shown);
  }
  return out;
}

void WriteDecisions(JsonWriter& json, const Explainer& explainer, const std::vector<ExplainedUrl>& asked,
                    const Question& question) {
  for (const ExplainedUrl& one : asked) {
    for (const Dialect client : question.clients) {
      json.BeginObject().Member("url", one.shown).Member("client", egress::NameOf(client));
      if (!one.fault.empty()) {
        json.Member("decision", NameOf(Route::kInvalid)).Key("proxy").Null().Key("entry").Null();
        json.Member("note", one.fault);
        if (question.through.has_routers()) WriteRoute(json, nullptr);
        json.EndObject();
        continue;
      }
      const ClientDecision decision = explainer.Decide(client, one.to);
      json.Member("decision", NameOf(decision.route));
      WriteTextOrNull(json, "proxy", decision.proxy);
      WriteTextOrNull(json, "entry", decision.entry);
      json.Member("note", explainer.Note(client, one.to, decision));
      if (const auto way = question.through.Follow(one.to, decision)) WriteRoute(json, &*way);
      json.EndObject();
    }
  }
}

std::string ExplainJson(const Explainer& explainer, const Question& question,
                        const std::optional<egress::AugmentedNoProxy>& augmented, const Findings& findings,
                        const std::vector<RequiredResult>& required,
                        const std::vector<registries::ImageEndpoints>& images) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  if (augmented) {
    json.Key("augmented")
        .BeginObject()
        .Member("noProxy", egress::RedactNoProxy(augmented->text))
        .Strings("added", augmented->added)
        .EndObject();
  }
  if (question.destinations() > 0 || !question.images.asked()) {
    json.Key("decisions").BeginArray();
    WriteDecisions(json, explainer, question.urls, question);
    WriteDecisions(json, explainer, question.hosts, question);
    WriteDecisions(json, explainer, question.required, question);
    json.EndArray();
  }
  if (question.images.asked()) WriteImages(json, explainer, images, question.through);
  if (!required.empty()) WriteRequired(json, required);
  if (!question.html.empty()) json.Member("html", question.html);
  WriteFindings(json, findings);
  if (const Findings faults = FaultsOf(question); !faults.empty()) {
    WriteError(json, {Code::kUsage, faults.front().message, faults.front().where});
  }
  return json.EndObject().Text();
}

std::string DescribeUrl(const Explainer& explainer, const ExplainedUrl& asked, const Question& question, bool colour) {
  std::string out = Printable(asked.shown) + "\n";
  std::size_t width = 9;
  for (const Dialect client : question.clients) width = std::max(width, egress::NameOf(client).size());
  if (!asked.fault.empty()) {
    return out + fmt::format("  {:<9} {} {}\n", "-", ColouredCell(Route::kInvalid, NameOf(Route::kInvalid), 8, colour),
                             Printable(asked.fault));
  }
  for (const Dialect client : question.clients) {
    const ClientDecision decision = explainer.Decide(client, asked.to);
    std::string detail(decision.route == Route::kDirect ? decision.entry : decision.proxy);
    if (!detail.empty()) detail = Printable(detail) + ": ";
    out += fmt::format("  {:<{}} {} {}{}\n", egress::NameOf(client), width,
                       ColouredCell(decision.route, NameOf(decision.route), 8, colour), detail,
                       Printable(explainer.Note(client, asked.to, decision)));
    const auto way = question.through.Follow(asked.to, decision);
    if (way && way->end != router::RequestPath::End::kInvalid)
      out += fmt::format("  {:<{}} {}\n", "", width, DescribePath(*way));
  }
  return out;
}

std::string Table(const Explainer& explainer, const Question& question, bool colour) {
  const std::vector<ExplainedUrl>& hosts = question.hosts;
  const std::vector<Dialect>& clients = question.clients;
  std::size_t widest = 11;
  for (const ExplainedUrl& one : hosts) widest = std::max(widest, std::min(Printable(one.shown).size(), kWidestHost));
  std::string out = fmt::format("{:<{}}", "destination", widest);
  const auto answered_407 = [&](Dialect client) {
    return std::ranges::any_of(hosts, [&](const auto& one) { return explainer.Decide(client, one.to).answered_407; });
  };
  std::vector<std::size_t> widths;
  widths.reserve(clients.size());
  for (const Dialect client : clients) widths.push_back(answered_407(client) ? 10 : 8);
  widths.back() = 0;  // the last column has no padding
  const auto width = [&](const Dialect& client) { return widths[static_cast<std::size_t>(&client - clients.data())]; };
  for (const Dialect& client : clients) out += fmt::format("  {:<{}}", egress::NameOf(client), width(client));
  out += "\n";
  bool differ = false;
  bool refused = false;
  for (const ExplainedUrl& one : hosts) {
    out += fmt::format("{:<{}}", Printable(one.shown), widest);
    const Route go = explainer.Decide(Dialect::kGo, one.to).route;
    for (const Dialect& client : clients) {
      const ClientDecision decision = explainer.Decide(client, one.to);
      const Route route = decision.route;
      differ = differ || route != go;
      const std::string_view text = question.through.EndOf(one.to, decision);
      const Route shown = text == "refused" || decision.answered_407 ? Route::kInvalid : route;
      const std::string cell = fmt::format("{}{}{}", text, decision.answered_407 ? " 407" : "", route == go ? "" : "*");
      refused = refused || decision.answered_407;
      out += "  " + ColouredCell(shown, cell, width(client), colour);
    }
    out += "\n";
  }
  if (differ) out += "* differs from Go, whose reading the cluster uses; --url shows why\n";
  if (refused) out += "407 the proxy's answer: the client's settings can't hold user and password\n";
  return out;
}

std::string ExplainText(const Explainer& explainer, const Question& question,
                        const std::optional<egress::AugmentedNoProxy>& augmented,
                        const std::vector<RequiredResult>& required,
                        const std::vector<registries::ImageEndpoints>& images) {
  const bool colour = SupportsColour(stdout);
  std::string out;
  if (augmented) {
    out += fmt::format("NO_PROXY={}\n", Printable(egress::RedactNoProxy(augmented->text)));
    out += augmented->added.empty()
               ? "  nothing to add\n"
               : fmt::format("  added: {}\n", Printable(fmt::format("{}", fmt::join(augmented->added, ", "))));
  }
  for (const ExplainedUrl& one : question.urls) out += DescribeUrl(explainer, one, question, colour);
  if (!question.hosts.empty()) out += Table(explainer, question, colour);
  out += DescribeImages(explainer, images, question.through, colour);
  out += DescribeRequired(required, colour);
  if (!question.html.empty()) out += fmt::format("wrote  {}\n", Printable(question.html));
  return out;
}

struct ExplainOptions {
  bool json = false;
  Question question;
  source::SourceSpec source;
  bool win_http_octets = false;
  bool augment = false;
};

Result<ExplainOptions> ParseExplainOptions(const Arguments& arguments) {
  ExplainOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.question = PROV_TRY(ParseQuestion(arguments));
  out.source = PROV_TRY(ParseSourceSpec(arguments));
  out.win_http_octets = arguments.Has("winhttp-octets");
  out.augment = arguments.Has("augment");
  return out;
}

// Node.js uses the three variables only where a fourth is set, which provisioner does not set.
void ReportNode(const std::vector<Dialect>& clients, egress::EgressConfig& config) {
  const bool proxied = !config.http_proxy.value_or(Secret()).empty() || !config.https_proxy.value_or(Secret()).empty();
  if (!proxied || config.node_env_proxy || std::ranges::none_of(clients, egress::IsNode)) return;
  AddWarning(config.findings, "node-env-proxy",
             "Node.js goes direct unless NODE_USE_ENV_PROXY=1 is set, too (it counts from 22.21 and 24.5 on), and the "
             "settings do not have it; set it where the program is started",
             config.proxy_file.path);
}

Result<Outcome> RunExplain(const Arguments& arguments, machine::Host& host) {
  const ExplainOptions options = PROV_TRY(ParseExplainOptions(arguments));
  const Question& question = options.question;
  node::SourceContent content = PROV_TRY(ReadSourceOrMachine(arguments, options.source, host));
  egress::EgressConfig& config = content.config;
  DropFindings(config.findings, "no-trust-file");  // the certificates have no effect on a route
  egress::ClientSettings settings{config.http_proxy.value_or(Secret()), config.https_proxy.value_or(Secret()),
                                  config.no_proxy.value_or(""),
                                  content.options.win_http_octets || options.win_http_octets, config.node_env_proxy};
  std::optional<egress::AugmentedNoProxy> augmented;
  if (options.augment) {
    augmented =
        egress::Augment(PROV_TRY(egress::NoProxy::Parse(settings.no_proxy, config.proxy_file.path + ": NO_PROXY")));
    settings.no_proxy = augmented->text;
  }
  const Explainer explainer = PROV_TRY(Explainer::Make(settings));
  const std::vector<registries::ImageEndpoints> images = PROV_TRY(question.images.EndpointsOf(config, config.findings));
  Findings told = FaultsOf(question);
  const std::vector<RequiredResult> required = question.through.Judge(explainer, question.clients);
  const bool differs = std::ranges::any_of(required, [](const RequiredResult& one) { return !one.objections.empty(); });
  const int exit = !told.empty() ? InfoOf(Code::kUsage).exit : differs ? kExitDifferences : 0;
  std::ranges::move(question.through.FindingsOf(settings, config.proxy_file.path), std::back_inserter(config.findings));
  ReportNode(question.clients, config);
  if (!question.html.empty()) {
    PROV_TRY(WriteExplainPage(question.html,
                              PROV_TRY(MakeExplainPage(config, settings, augmented, explainer, question, required))));
  }
  egress::ReportDirect(!settings.http_proxy.empty(), !settings.https_proxy.empty(), config.proxy_file.path,
                       config.findings);
  if (options.json)
    return Outcome{exit, ExplainJson(explainer, question, augmented, config.findings, required, images),
                   std::move(told)};
  std::ranges::move(config.findings, std::back_inserter(told));
  return Outcome{exit, ExplainText(explainer, question, augmented, required, images), std::move(told)};
}

}  // namespace

Command ExplainCommand() {
  CommandSpec spec = {
      "explain",
      "Show what each client does with a request (proxy, direct or invalid), by which entry, and why.",
      "SOURCE",
      "The clients are: go (kubelet, containerd), curl (8.18 and later), curl8 (8.14), curl7 (7.88), dotnet (up to "
      "10),\n"
      "winhttp and wininet (with the bypass lists that this program writes), python (urllib), requests, java\n"
      "(nonProxyHosts with '|' for ','); only when asked for: dotnet11, and of Node.js nodehttp, nodefetch (26.12 and\n"
      "later) and nodefetch24 (24.15 to 26.10). Clients read the same NO_PROXY differently. The cluster's own\n"
      "components read it as go does.",
      "  $ provisioner explain rendered-worker.json --url https://quay.io/ --for go,dotnet\n"
      "  https://quay.io/\n"
      "    go        proxy    http://user:***@proxy.example.com:3128: HTTPS_PROXY applies\n"
      "    dotnet    proxy    http://user:***@proxy.example.com:3128: HTTPS_PROXY applies",
      JoinOptions(
          {{{"url", "URL...", "a request to explain; several may follow, up to the next option", Group::kRequests},
            {"hosts", "FILE", "destinations, one a line (host, host:port or URL; # begins a comment), as a table",
             Group::kRequests},
            {"for", "LIST",
             "clients to ask, e.g. go (also kubelet, containerd),dotnet,winhttp,node (nodehttp and nodefetch); "
             "default: "
             "all but dotnet11 and Node.js",
             Group::kRequests, false,
             "go kubelet containerd curl curl8 curl7 dotnet dotnet11 winhttp wininet python requests java node "
             "nodehttp "
             "nodefetch nodefetch24"}},
           PulledImageOptionSpecs(),
           ThroughOptionSpecs(),
           {{"augment", "",
             "first add entries so that other clients agree with Go, and print the list; the decisions of Go stay the "
             "same",
             Group::kRequests},
            OctetsOption()},
           SourceOptionSpecs(),
           MachineSourceOptionSpecs(),
           {HtmlOption()},
           OutputOptionSpecs()})};
  spec.instead = kMachineSource;
  return {.spec = std::move(spec), .run = RunExplain};
}

}  // namespace prov::cli
