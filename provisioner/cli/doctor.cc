// `doctor`: what is wrong with this machine or image, most likely cause first, and what to type.
#include "provisioner/node/doctor.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/targets.h"
#include "provisioner/node/probe.h"

namespace prov::cli {
namespace {

constexpr std::size_t kDoctorWidth = 100;
constexpr std::size_t kDoctorIndent = 3;

std::string DoctorJson(const std::string& target, const node::Diagnosis& diagnosis, const Findings& findings) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Member("target", target).Key("problems").BeginArray();
  for (const node::Problem& problem : diagnosis.problems) {
    json.BeginObject().Member("code", problem.finding.code);
    if (!problem.key.empty()) json.Member("key", problem.key);
    json.Member("message", problem.finding.message).Member("remedy", RemedyOf(problem.finding));
    json.Strings("commands", problem.commands).EndObject();
  }
  json.EndArray().Strings("checked", diagnosis.checked);
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

std::string DoctorText(const std::string& target, const node::Diagnosis& diagnosis) {
  std::string out = fmt::format("target   {}\n", Printable(target));
  std::size_t number = 0;
  for (const node::Problem& problem : diagnosis.problems) {
    const std::string first = fmt::format("{}. [{}] {}", ++number, problem.finding.code, problem.finding.message);
    out += Wrap(Printable(first), kDoctorIndent, kDoctorWidth) + "\n";
    out += fmt::format("   {}\n", Wrap(RemedyOf(problem.finding), kDoctorIndent, kDoctorWidth));
    for (const std::string& command : problem.commands) out += fmt::format("   > {}\n", Printable(command));
  }
  if (number == 0) out += "nothing is wrong with what was checked\n";
  return out + fmt::format("checked  {}\n", fmt::join(diagnosis.checked, ", "));
}

Result<Outcome> RunDoctor(const Arguments& arguments, machine::Host& live) {
  const bool json = PROV_TRY(WantsJson(arguments));
  PROV_TRY(node::CheckProbeUrls(arguments.All("probe")));
  Targets targets = PROV_TRY(Targets::Open(ParseTargetOptions(arguments), live, images::TreeAccess::kRead));
  const std::vector<Targets::One> all = targets.All();
  if (all.size() != 1) return Fail(Code::kUsage, "takes one image: FILE:INDEX", "--wim");
  const auto& [host, image] = all.front();
  const Target target = PROV_TRY(OpenTarget(*host, machine::Access::kRead));
  node::OpenNode node = target.Node(*host);
  node::Observations seen = PROV_TRY(node::Observe(node, arguments.All("probe"), live.http()));
  const node::Diagnosis diagnosis = node::Diagnose(seen);
  if (image != nullptr) {
    for (Finding& note : PROV_TRY(image->Notes())) seen.findings.push_back(std::move(note));
  }
  const int exit = diagnosis.problems.empty() ? 0 : kExitDifferences;
  if (json) return Outcome{exit, DoctorJson(target.name, diagnosis, seen.findings), {}};
  return Outcome{exit, DoctorText(target.name, diagnosis), std::move(seen.findings)};
}

}  // namespace

Command DoctorCommand() {
  CommandSpec spec = {
      "doctor",
      "Show what is wrong with this machine or image, most likely cause first, and what to type.",
      "",
      "Needs no SOURCE and writes nothing. Looks at what is really set: the clock, the machine variables, the\n"
      "environment of services and of their running processes, certificates, WinHTTP, HNS policies, the state and the\n"
      "last rounds. Exit code 0: nothing is wrong; 4: a problem was found. --probe makes a request with what is set\n"
      "for containerd, or else for the machine.",
      "  > provisioner doctor --probe https://quay.io/v2/\n"
      "  target   this machine\n"
      "  1. [service-stale] containerd (process 4012) runs with another HTTPS_PROXY than is set for it\n"
      "     Drain the node, then restart the service, or the node where the message names machine variables.\n"
      "     > Restart-Service -Force 'containerd'\n"
      "  checked  clock, variables, services, processes, certificates, winHttp, hns, state, rounds, probes",
      JoinOptions({TargetOptionSpecs(),
                   {{"probe", "URL", "request this URL with what is really set, as a Go client does; may be repeated",
                     Group::kChecks, true}},
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunDoctor};
}

}  // namespace prov::cli
