#include "provisioner/cli/explain_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "provisioner/cli/html_page.h"
#include "provisioner/cli/own_file.h"
#include "provisioner/egress/dialect_disagreement.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/egress/review.h"
#include "provisioner/node/settings.h"

namespace prov::cli {
namespace {

using egress::ClientDecision;
using egress::Dialect;
using egress::Explainer;
using egress::NoProxyEntry;
using router::RequestPath;

// A browser needs seconds for these, and minutes for five times as many.
constexpr std::size_t kMostRows = 2'000;
constexpr std::size_t kMostEntries = 5'000;
constexpr OwnFile kPageFile{"a page", "--html", 512ULL << 20U, IsExplainPage, DescribeHtmlPage};

std::string_view KindOfEntry(const NoProxyEntry& entry) {
  switch (entry.kind) {
    case NoProxyEntry::Kind::kAll:
      return "every destination";
    case NoProxyEntry::Kind::kHost:
      return "the name and all names below it";
    case NoProxyEntry::Kind::kSuffix:
      return "all names below it";
    case NoProxyEntry::Kind::kAddress:
      return entry.address->IsIpv4() ? "an IPv4 address" : "an IPv6 address";
    case NoProxyEntry::Kind::kNetwork:
      return entry.network->IsIpv4() ? "an IPv4 network" : "an IPv6 network";
    case NoProxyEntry::Kind::kInert:
      break;
  }
  return "nothing";
}

// The end of a request behind the client, in a few words.
std::string EndOf(const RequestPath& way) {
  if (way.end != RequestPath::End::kRouter) return {};
  if (!way.source.empty() && way.Passes()) return "seen as " + way.source;
  if (way.line != 0) return fmt::format("line {}", way.line);
  return way.verdict == router::Verdict::kNone ? "no line has it" : "";
}

PageCell CellOf(const Explainer& explainer, const Question& question, const ExplainedUrl& asked, Dialect client,
                egress::Route go) {
  const ClientDecision decision = explainer.Decide(client, asked.to);
  PageCell out{.word = question.through.EndOf(asked.to, decision), .differs = decision.route != go};
  // Redact it: an entry may be a proxy's URL with a password.
  out.entry = egress::RedactNoProxyEntry(decision.entry);
  out.proxy = decision.proxy;
  out.note = explainer.Note(client, asked.to, decision);
  if (decision.answered_407) out.end = "the proxy answers 407";
  if (const auto way = question.through.Follow(asked.to, decision)) {
    out.end = EndOf(*way);
    out.way = way->end == RequestPath::End::kInvalid ? "" : DescribePath(*way);
  }
  return out;
}

PageRow RowOf(const Explainer& explainer, const Question& question, const ExplainedUrl& asked) {
  PageRow out{.shown = asked.shown, .fault = asked.fault, .cells = {}};
  if (!asked.fault.empty()) return out;
  const egress::Route go = explainer.Decide(Dialect::kGo, asked.to).route;
  out.cells.reserve(question.clients.size());
  for (const Dialect client : question.clients) out.cells.push_back(CellOf(explainer, question, asked, client, go));
  return out;
}

// The number of destinations that each entry decides, by the entry's text.
std::map<std::string, std::size_t, std::less<>> CountDecided(const std::vector<PageRow>& rows) {
  std::map<std::string, std::size_t, std::less<>> out;
  for (const PageRow& row : rows) {
    std::set<std::string_view> decided;
    for (const PageCell& cell : row.cells) {
      if (!cell.entry.empty() && decided.insert(cell.entry).second) ++out[cell.entry];
    }
  }
  return out;
}

void AddEntries(const egress::NoProxy& list, const std::vector<std::string>& added, ExplainPage& page) {
  const auto decided = CountDecided(page.rows);
  const std::size_t shown = std::min(list.entries().size(), kMostEntries);
  // --augment adds its entries at the end.
  const std::size_t own = list.entries().size() - std::min(added.size(), list.entries().size());
  page.entries.reserve(shown);
  for (std::size_t at = 0; at < shown; ++at) {
    const NoProxyEntry& entry = list.entries()[at];
    PageEntry& out = page.entries.emplace_back();
    out.text = egress::RedactNoProxyEntry(entry.text);
    out.kind = KindOfEntry(entry);
    out.reason = entry.port ? fmt::format("to port {} only", *entry.port) : entry.reason;
    out.is_added = at >= own;
    const auto count = decided.find(out.text);
    out.destinations = count == decided.end() ? 0 : count->second;
  }
  page.entries_left_out = list.entries().size() - shown;
}

std::string Wanted(const router::Requirement& one) {
  std::string out = !one.route                            ? "proxy or direct"
                    : *one.route == egress::Route::kProxy ? "through the proxy"
                                                          : "direct";
  if (one.source) out += fmt::format(", seen as {}", one.source->ToString());
  return out;
}

// Findings about the source's own list, and about how clients read `list`, which may have added entries.
Result<Findings> FindingsOf(const egress::EgressConfig& config, const egress::ClientSettings& settings,
                            const egress::NoProxy& list, const std::string& where) {
  Findings out = config.findings;
  std::ranges::move(PROV_TRY(egress::ReviewProxySettings(config)), std::back_inserter(out));
  if (!settings.http_proxy.empty() || !settings.https_proxy.empty())
    std::ranges::move(egress::ReviewDisagreements(list, where), std::back_inserter(out));
  return out;
}

}  // namespace

OptionSpec HtmlOption() {
  return {
      "html", "FILE",
      "also write the answers as one page for a browser, with the list, its findings and a filter; it loads nothing "
      "from elsewhere",
      Group::kOutput};
}

Result<std::string> ParseHtml(const Arguments& arguments, const Question& question) {
  std::string path = PROV_TRY(ParsePagePath(arguments));
  if (path.empty()) return path;
  if (const std::size_t asked = question.destinations(); asked > kMostRows) {
    return Fail(Code::kTooLarge,
                fmt::format("shows {} destinations at most, and {} are asked for; split the list", kMostRows, asked),
                "--html");
  }
  return path;
}

Result<ExplainPage> MakeExplainPage(const egress::EgressConfig& config, const egress::ClientSettings& settings,
                                    const std::optional<egress::AugmentedNoProxy>& augmented,
                                    const Explainer& explainer, const Question& question,
                                    const std::vector<RequiredResult>& required) {
  const std::string where = config.proxy_file.path + ": NO_PROXY";
  const egress::NoProxy list = PROV_TRY(egress::NoProxy::Parse(settings.no_proxy, where));
  ExplainPage out;
  out.source = node::NameOf(config.source);
  out.settings = {{"HTTP_PROXY", egress::RedactUrl(settings.http_proxy.Reveal())},
                  {"HTTPS_PROXY", egress::RedactUrl(settings.https_proxy.Reveal())}};
  for (const Dialect client : question.clients)
    out.clients.emplace_back(egress::NameOf(client), egress::TitleOf(client));
  out.rows.reserve(question.destinations());
  for (const std::vector<ExplainedUrl>* asked : {&question.urls, &question.hosts, &question.required}) {
    for (const ExplainedUrl& one : *asked) out.rows.push_back(RowOf(explainer, question, one));
  }
  for (const RequiredResult& one : required)
    out.required.push_back({one.required->shown, Wanted(*one.required), GroupObjections(one)});
  AddEntries(list, augmented ? augmented->added : std::vector<std::string>(), out);
  out.findings = PROV_TRY(FindingsOf(config, settings, list, where));
  return out;
}

Result<void> WriteExplainPage(const std::string& path, const ExplainPage& page) {
  return WriteOwnFile(path, RenderExplainPage(page), 0644, kPageFile);
}

}  // namespace prov::cli
