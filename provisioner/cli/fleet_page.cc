#include "provisioner/cli/fleet_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "provisioner/base/clock.h"
#include "provisioner/cli/fleet_rollout.h"
#include "provisioner/cli/fleet_text.h"
#include "provisioner/cli/html_page.h"
#include "provisioner/cli/own_file.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/settings.h"

namespace prov::cli {
namespace {

constexpr std::string_view kFleetGenerator = "provisioner fleet status";
constexpr std::size_t kMostFleetRows = 2'000;  // a browser shows more of them slowly
constexpr std::uint64_t kMostPageBytes = 64ULL << 20U;

struct StateWord {
  std::string_view word;   // as CurrentWord() says it
  std::string_view style;  // a class of the style sheet
  std::string_view meaning;
};

constexpr std::array<StateWord, 7> kStateWords = {
    {{"yes", "direct", "has the wanted settings"},
     {"trial", "proxy", "tries settings that a rollout approved"},
     {"pending", "unsure", "waits for a rollout to approve the wanted settings"},
     {"held", "unsure", "follows nothing, as a rollback or a trial holds"},
     {"password", "stop", "has the wanted settings with another password"},
     {"reverted", "stop", "tried the wanted settings and took them back"},
     {"no", "stop", "has other settings, or reports none"}}};

const StateWord& WordOf(const fleet::NodeRow& row, const std::string& wanted) {
  const auto* const found = std::ranges::find(kStateWords, CurrentWord(row, wanted), &StateWord::word);
  return found == kStateWords.end() ? kStateWords.back() : *found;
}

bool IsFleetPage(std::string_view bytes) { return IsHtmlPage(kFleetGenerator, bytes); }

std::string Fact(std::string_view name, std::string_view html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

std::string FleetFacts(const fleet::FleetStatus& fleet, std::int64_t now) {
  std::string out = "<h1>Egress settings of the Windows nodes</h1>\n<dl>\n";
  out += Fact("Wanted",
              fmt::format("{} of {}", CodeElement(ShortDigest(fleet.wanted)), HtmlText(node::NameOf(fleet.source))));
  out += Fact("Nodes", fmt::format("{} of {} are current", CountCurrent(fleet.rows), fleet.rows.size()));
  if (!fleet.secrets.empty()) {
    out += Fact("User data", fmt::format("{} of {} are current", CountCurrent(fleet.secrets),
                                         Counted(fleet.secrets.size(), "Secret", "Secrets")));
  }
  out += Fact("Findings",
              fmt::format("<a href=\"#findings\">{}</a>", Counted(fleet.findings.size(), "finding", "findings")));
  return out + Fact("As of", FormatUtc(now)) + "</dl>\n";
}

std::string RolloutSection(const fleet::FleetStatus& fleet) {
  if (!fleet.rollout) return {};
  const auto& [order, progress, approval] = fleet.rollout->record;
  const bool failed =
      progress.phase == fleet::RolloutPhase::kFailed || progress.phase == fleet::RolloutPhase::kTakingBack;
  const bool done = progress.phase == fleet::RolloutPhase::kDone;
  std::map<fleet::RolloutStanding, std::size_t> counts;
  for (const auto& [node, standing] : fleet.rollout->standings) ++counts[standing];
  std::string out = "<section id=\"rollout\">\n<h2>Rollout</h2>\n<dl>\n";
  out += Fact("Settings", CodeElement(ShortDigest(order.digest)));
  out += Fact("Phase", fmt::format("<span class=\"tag {}\">{}</span>, wave {}",
                                   failed ? "stop"
                                   : done ? "direct"
                                          : "unsure",
                                   fleet::NameOf(progress.phase), progress.wave));
  for (const auto& [standing, count] : counts) out += Fact(fleet::NameOf(standing), Counted(count, "node", "nodes"));
  if (!progress.reason.empty()) out += Fact("Why it failed", HtmlText(progress.reason));
  return out + "</dl>\n</section>\n";
}

// Explains the words that occur on this page.
std::string StateLegend(const fleet::FleetStatus& fleet) {
  std::string out = "<ul class=\"legend\">\n";
  for (const StateWord& word : kStateWords) {
    const auto has = [&](const fleet::NodeRow& row) { return WordOf(row, fleet.wanted).word == word.word; };
    if (std::ranges::any_of(fleet.rows, has) || std::ranges::any_of(fleet.secrets, has))
      out += fmt::format("<li><span class=\"tag {}\">{}</span> {}</li>\n", word.style, word.word, word.meaning);
  }
  return out + "</ul>\n";
}

std::string RowElement(const fleet::NodeRow& row, const std::string& wanted, std::int64_t now) {
  const fleet::NodeState state = row.node.state.value_or(fleet::NodeState());
  const StateWord& word = WordOf(row, wanted);
  return fmt::format(
      "<tr><th scope=\"row\">{}</th><td class=\"{}\"><span class=\"word\">{}</span></td><td>{}</td><td>{}</td>"
      "<td>{}</td><td>{}</td><td>{}</td><td class=\"prose\">{}</td></tr>\n",
      HtmlText(NameOf(row)), word.style, word.word,
      state.digest ? fmt::format("<code>{}</code>", HtmlText(ShortDigest(state.digest))) : "–",
      state.applied_at ? HtmlText(node::DescribeAge(now - *state.applied_at)) : "–", state.drift, RebootWord(row),
      state.version.empty() ? "–" : HtmlText(state.version), HtmlText(TroubleOf(row, wanted)));
}

// Those that are not current come first.
std::string RowTable(std::string_view id, std::string_view title, const std::vector<fleet::NodeRow>& rows,
                     const std::string& wanted, std::int64_t now) {
  std::string out = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", id, title);
  if (rows.empty()) return out + "<p>There are none.</p>\n</section>\n";
  out += TableStart(title, {"Name", "Current", "Digest", "Applied", "Drift", "Reboot", "Version", "Failure"});
  std::size_t shown = 0;
  for (const bool current : {false, true}) {
    for (const fleet::NodeRow& row : rows) {
      if (row.current == current && shown++ < kMostFleetRows) out += RowElement(row, wanted, now);
    }
  }
  out += TableEnd();
  if (rows.size() > kMostFleetRows) out += fmt::format("<p>{} more are left out.</p>\n", rows.size() - kMostFleetRows);
  return out + "</section>\n";
}

}  // namespace

std::string RenderFleetPage(const fleet::FleetStatus& fleet, std::int64_t now) {
  std::string out = HtmlHead(kFleetGenerator, "Egress settings of the Windows nodes");
  out += "<body>\n<a class=\"skip\" href=\"#nodes\">Skip to the nodes</a>\n<main>\n";
  out += FleetFacts(fleet, now) + RolloutSection(fleet) + StateLegend(fleet);
  out += RowTable("nodes", "Nodes", fleet.rows, fleet.wanted, now);
  if (!fleet.secrets.empty()) out += RowTable("secrets", "Secrets with user data", fleet.secrets, fleet.wanted, now);
  return out + FindingsSection(fleet.findings) + "</main>\n</body>\n</html>\n";
}

Result<void> WriteFleetPage(const std::string& path, const fleet::FleetStatus& fleet, std::int64_t now) {
  return WriteOwnFile(path, RenderFleetPage(fleet, now), 0644,
                      {"a page", "--html", kMostPageBytes, IsFleetPage, DescribeHtmlPage});
}

}  // namespace prov::cli
