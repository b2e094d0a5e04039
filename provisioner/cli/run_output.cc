#include "provisioner/cli/run_output.h"

#include <fmt/format.h>

#include <cstdio>

#include "provisioner/base/text.h"
#include "provisioner/cli/change_output.h"
#include "provisioner/cli/terminal.h"

namespace prov::cli {
namespace {

using reconcile::Action;
using reconcile::Change;

constexpr std::string_view kThisMachine = "this machine";  // the name of a host that is no image

struct ActionLook {
  std::string_view sign, planned, done, colour;
};

ActionLook LookOf(Action action) {
  switch (action) {
    case Action::kCreate:
      return {"+", "create", "created", kGreen};
    case Action::kUpdate:
      return {"~", "update", "updated", kYellow};
    case Action::kDelete:
      return {"-", "delete", "deleted", kRed};
    case Action::kAdopt:
      return {"=", "adopt", "adopted", kCyan};
    case Action::kYield:
      return {"!", "yield", "yielded", kCyan};
    case Action::kNone:
      break;
  }
  return {" ", "keep", "kept", ""};
}

std::string Values(const Change& change) {
  if (change.action == Action::kUpdate) {
    std::string differences = DifferencesText(change.name, change.was, change.is);
    if (!differences.empty()) return differences;
  }
  if (change.before.empty()) return Printable(change.after);
  if (change.after.empty() || change.after == change.before) return Printable(change.before);
  return fmt::format("{} -> {}", Printable(change.before), Printable(change.after));
}

std::string ChangeLine(const Change& change, bool done, bool colour) {
  const ActionLook look = LookOf(change.action);
  std::string out =
      fmt::format("  {}{}{} {:<8} {:<12} {}", colour ? look.colour : "", look.sign, colour ? kColourEnd : "",
                  done ? look.done : look.planned, reconcile::NameOf(change.kind), Printable(change.name));
  const std::string values = Values(change);
  if (!values.empty()) out += "  " + values;
  if (!change.reason.empty()) out += fmt::format("  ({})", Printable(change.reason));
  return out + "\n";
}

std::string Summary(std::string_view target, const reconcile::RunReport& report, bool done) {
  if (report.writes == 0) {
    if (report.removal) return "no changes: nothing that provisioner set is left here\n";
    return fmt::format("no changes: {} matches the settings\n", target == kThisMachine ? target : "the image");
  }
  return fmt::format("{} write{} {}\n", report.writes, report.writes == 1 ? "" : "s", done ? "done" : "to do");
}

}  // namespace

void WriteReport(JsonWriter& json, std::string_view target, const reconcile::RunReport& report) {
  json.Member("target", target).Key("changes").BeginArray();
  for (const Change& change : report.changes) {
    json.BeginObject().Member("key", change.key).Member("kind", reconcile::NameOf(change.kind));
    json.Member("name", change.name).Member("action", reconcile::NameOf(change.action));
    WriteValues(json, change);
    json.Member("reason", change.reason).EndObject();
  }
  json.EndArray().Member("rebootRequired", report.reboot_required).Member("writes", report.writes);
  WriteFindings(json, report.findings);
}

std::string ReportJson(std::string_view target, const reconcile::RunReport& report) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1);
  WriteReport(json, target, report);
  return json.EndObject().Text();
}

std::string ReportText(std::string_view target, const reconcile::RunReport& report, bool done) {
  const bool colour = SupportsColour(stdout);
  std::string out = fmt::format("target  {}\n", Printable(target));
  std::size_t same = 0;
  for (const Change& change : report.changes) {
    if (change.action == Action::kNone && change.reason.empty()) {
      ++same;
    } else {
      out += ChangeLine(change, done, colour);
    }
  }
  if (same > 0) out += fmt::format("    {} item{} as wanted already\n", same, same == 1 ? " is" : "s are");
  out += Summary(target, report, done);
  if (report.reboot_required) {
    out += done ? "reboot required: services and system processes see machine variables after the next boot\n"
                : "a reboot would be required: services and system processes see machine variables after it\n";
  }
  return out;
}

void PrintReport(bool json, const reconcile::RunReport& report) {
  const std::string text = json ? ReportJson(kThisMachine, report) : ReportText(kThisMachine, report, true);
  if (!json) PrintFindings(stderr, report.findings);
  std::fflush(stderr);  // the output may be a file that is being watched
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void PrintFailure(bool json, const Error& error) {
  PrintError(stderr, error);
  std::fflush(stderr);  // the output may be a file that is being watched
  if (!json) return;
  const std::string text = ErrorDocument(error);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

Outcome ReportOutcome(bool json, std::string_view target, reconcile::RunReport report, bool done, int exit) {
  if (json) return {exit, ReportJson(target, report), {}};
  std::string text = ReportText(target, report, done);
  return {exit, std::move(text), std::move(report.findings)};
}

Outcome ReportsOutcome(bool json, std::vector<TargetReport> reports, bool done, int exit) {
  if (reports.size() == 1) {
    return ReportOutcome(json, reports.front().target, std::move(reports.front().report), done, exit);
  }
  Outcome out{exit, {}, {}};
  reconcile::RunReport sum;
  std::string names;
  for (const TargetReport& one : reports) {
    names += (names.empty() ? "" : ", ") + one.target;
    sum.writes += one.report.writes;
    sum.changes.insert(sum.changes.end(), one.report.changes.begin(), one.report.changes.end());
    AddNewFindings(sum.findings, one.report.findings);
    if (!json) out.out += ReportText(one.target, one.report, done);
  }
  if (!json) {
    out.findings = std::move(sum.findings);
    return out;
  }
  JsonWriter document;
  document.BeginObject().Member("schema", 1);
  WriteReport(document, names, sum);
  document.Key("targets").BeginArray();
  for (const TargetReport& one : reports) {
    document.BeginObject();
    WriteReport(document, one.target, one.report);
    document.EndObject();
  }
  out.out = document.EndArray().EndObject().Text();
  return out;
}

}  // namespace prov::cli
