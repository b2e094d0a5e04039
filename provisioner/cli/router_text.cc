#include "provisioner/cli/router_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"

namespace prov::cli {
namespace {

using router::RouterDecision;

constexpr std::size_t kWidest = 60;

}  // namespace

std::string RouterExplainJson(const router::RouterPolicy& policy, const std::vector<ExplainedDestination>& explained,
                              const Findings& findings) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("kind", NameOf(policy.kind)).Member("policy", policy.where);
  json.Key("decisions").BeginArray();
  for (const ExplainedDestination& one : explained) {
    const RouterDecision& decision = one.decision;
    json.BeginObject().Member("destination", one.shown).Member("decision", NameOf(decision.verdict));
    json.Member("line", decision.line == 0 ? std::nullopt : std::optional(decision.line));
    WriteTextOrNull(json, "to", decision.to);
    WriteTextOrNull(json, "source", decision.source);
    json.Member("note", decision.note).EndObject();
  }
  json.EndArray();
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

std::string RouterExplainText(const std::vector<ExplainedDestination>& explained) {
  std::size_t width = 4;
  for (const ExplainedDestination& one : explained)
    width = std::max(width, std::min(Printable(one.shown).size(), kWidest));
  std::string out = fmt::format("{:<{}}  {:<8}  {:>4}  note\n", "DEST", width, "decision", "line");
  for (const ExplainedDestination& one : explained) {
    const RouterDecision& decision = one.decision;
    std::string way = decision.to.empty() ? "" : fmt::format("to {}", decision.to);
    if (!decision.source.empty()) way += fmt::format(" from {}", decision.source);
    out += fmt::format("{:<{}}  {:<8}  {:>4}  {}{}\n", Printable(one.shown), width, NameOf(decision.verdict),
                       decision.line == 0 ? "-" : std::to_string(decision.line), Printable(decision.note),
                       way.empty() ? "" : "; " + Printable(way));
  }
  return out;
}

std::string RouterCheckJson(const Findings& findings, bool valid) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteValidity(json, findings, valid);
  return json.EndObject().Text();
}

std::string RouterCheckText(const std::vector<std::string>& files, const Findings& findings, bool valid) {
  return fmt::format("{}: {}: {}\n", Printable(fmt::format("{}", fmt::join(files, ", "))),
                     valid ? "valid" : "not valid", DescribeCounts(findings));
}

}  // namespace prov::cli
