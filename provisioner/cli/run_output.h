// The reports of runs on machines and images: as JSON, or as text for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/command.h"
#include "provisioner/reconcile/report.h"

namespace prov::cli {

// What a run did on a target, or would do.
struct TargetReport {
  std::string target;
  reconcile::RunReport report;
};

// `target`, `changes`, `rebootRequired`, `writes`, `findings` as members of the open object.
void WriteReport(JsonWriter& json, std::string_view target, const reconcile::RunReport& report);

// A whole document with `schema`.
std::string ReportJson(std::string_view target, const reconcile::RunReport& report);

// `done`: words the changes as made ("created"), not as planned ("create").
std::string ReportText(std::string_view target, const reconcile::RunReport& report, bool done);

// Prints at once what a run did to this machine: the JSON or the text on standard output; without `json`, the findings
// on standard error.
void PrintReport(bool json, const reconcile::RunReport& report);

// Prints a failure that does not end the command: on standard error, and as a document if the output is JSON.
void PrintFailure(bool json, const Error& error);

// The report as the result of a command.
Outcome ReportOutcome(bool json, std::string_view target, reconcile::RunReport report, bool done, int exit);

// For several images: the sum, and each image as an element of `targets`.
Outcome ReportsOutcome(bool json, std::vector<TargetReport> reports, bool done, int exit);

}  // namespace prov::cli
