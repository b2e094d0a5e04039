#include "provisioner/cli/check_secret.h"

#include <fmt/format.h>

#include <string>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/userdata/user_data_append.h"
#include "provisioner/userdata/user_data_reader.h"

namespace prov::cli {
namespace {

struct Files {
  std::string ours;
  std::string theirs;
};

Result<Files> ParseFiles(const Arguments& arguments) {
  if (!arguments.positional().empty()) {
    return Fail(Code::kUsage,
                "compares a Secret with the file of --append-to and takes no SOURCE; leave out --secret or SOURCE",
                "--secret");
  }
  if (!arguments.Has("append-to")) {
    return Fail(Code::kUsage,
                "needs --append-to FILE: the operator's Secret windows-user-data, as oc get prints it today",
                "--secret");
  }
  for (const std::string& name : arguments.Names()) {
    if (name != "secret" && name != "append-to" && name != "output") {
      return Fail(Code::kUsage, "can't be used with --secret, which only compares two files; leave it out",
                  fmt::format("--{}", name));
    }
  }
  return Files{arguments.Get("secret"), arguments.Get("append-to")};
}

// Fails if both files have our step, or if they were given in the wrong order.
Result<void> CheckOrder(const Files& files, std::string_view ours, const std::string& theirs) {
  if (!userdata::IsOurs(userdata::PlainUserData(theirs))) return {};
  if (userdata::IsOurs(ours)) {
    return Fail(Code::kKind,
                "contains a step of provisioner, so it is not the operator's Secret; give windows-user-data as oc get "
                "prints it",
                files.theirs);
  }
  return Fail(Code::kKind,
              fmt::format("is the Secret with our step, and {} is the one without: the two files are swapped. Use "
                          "--secret {} --append-to {}",
                          files.ours, files.theirs, files.ours),
              files.theirs);
}

void AddStaleFinding(const Files& files, Findings& findings) {
  AddWarning(
      findings, "append-stale",
      fmt::format("{} contains a different script than {}, so the operator may not reach new Machines: bake the Secret "
                  "again with --append-to {}, apply it, and delete the Machines that were made with the old one",
                  files.ours, files.theirs, files.theirs),
      files.ours);
}

std::string SecretCheckJson(const Files& files, bool current, const Findings& findings) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("secret", files.ours).Member("appendTo", files.theirs);
  json.Member("current", current);
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

}  // namespace

OptionGroup SecretCheckOptionSpecs() {
  return {{"secret", "FILE",
           "instead of SOURCE: a Secret with user data of provisioner, to compare with the file of --append-to",
           Group::kChecks},
          {"append-to", "FILE", "with --secret: the operator's current script or Secret", Group::kChecks}};
}

Result<Outcome> CheckSecret(const Arguments& arguments) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const Files files = PROV_TRY(ParseFiles(arguments));
  const std::string ours = userdata::PlainUserData(PROV_TRY(userdata::ReadUserDataFile(files.ours)).bytes);
  const std::string bytes = PROV_TRY(userdata::ReadUserDataFile(files.theirs)).bytes;
  PROV_TRY(CheckOrder(files, ours, bytes));
  const auto theirs = PROV_TRY(userdata::ReadForeignUserData(bytes, files.theirs));
  Outcome out;
  const bool current = PROV_TRY(userdata::RunsBehindOurs(ours, theirs, files.ours));
  if (!current) AddStaleFinding(files, out.findings);
  out.exit = current ? 0 : kExitDifferences;
  out.out = json ? SecretCheckJson(files, current, out.findings)
                 : fmt::format("{}: {}\n", Printable(files.ours),
                               current ? fmt::format("current: it runs the script of {}", Printable(files.theirs))
                                       : fmt::format("stale: its script is not that of {}", Printable(files.theirs)));
  if (json) out.findings.clear();
  return out;
}

}  // namespace prov::cli
