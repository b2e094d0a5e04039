// `doctor`: what is wrong with this machine or image, most likely cause first, and what to type.
#include "provisioner/node/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/check_image.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/machine_source.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/targets.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/machine/image_ports.h"
#include "provisioner/node/image_record.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/present_settings.h"
#include "provisioner/node/probe.h"
#include "provisioner/node/settings.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {
namespace {

constexpr std::size_t kDoctorWidth = 100;
constexpr std::size_t kDoctorIndent = 3;
constexpr int kImageTimeout = 10;  // seconds, for one request of a pull

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

// The payload that was delivered once, as it can be read from here: in an image, where its folder is. "": it can't be
// read, such as after Windows setup, when its files with passwords are gone.
std::string DeliveredSource(machine::Host& host, machine::Host& live, const TargetOptions& target,
                            const std::string& stored) {
  if (target.wim) return {};
  std::string out = target.root ? fmt::format("{}/{}", *target.root, node::kPayloadFolder) : stored;
  const auto pin = node::LoadPin(host);
  const bool is_readable = pin && node::ReadSource(live, {.source = out}, {.pin = *pin});
  return is_readable ? out : std::string();
}

// Files of a node are not where an image is edited, and a run keeps the names of its own as they were typed.
void HideFiles(node::Choices& choices) {
  for (std::optional<std::string>* file : {&choices.subtract_file, &choices.hns_policy_file}) {
    if (*file) *file = "FILE";
  }
}

// The stored source and its options, or those of the last run.
node::SettingsSpec SpecOf(machine::Host& host, machine::Host& live, const TargetOptions& target,
                          const node::NodeStatus& status) {
  node::SettingsSpec out;
  if (status.applied) out = status.applied->given.value_or(out);
  HideFiles(out.choices);
  if (!status.source) return out;
  node::SettingsSpec stored = status.source->spec;
  if (target.NamesImage()) HideFiles(stored.choices);
  if (!status.source->follow) {
    stored.source.source = DeliveredSource(host, live, target, stored.source.source);
    return stored.source.source.empty() ? out : stored;
  }
  if (target.NamesImage() && !stored.source.Files().empty())
    stored.source = {.source = {}, .selection = stored.source.selection};
  return stored;
}

// A program that the image still has.
std::string ProgramWord(images::ImageTree& tree, const std::string& root, const node::NodeStatus& status) {
  for (const std::string& path :
       {std::string(machine::kImageProgram), fmt::format("{}/provisioner.exe", node::kPayloadFolder)}) {
    const bool is_lost = std::ranges::find(status.lost_files, path, &node::LostFile::path) != status.lost_files.end();
    if (!is_lost && tree.IsFile(path).value_or(false)) return ShellWord(fmt::format("{}/{}", root, path));
  }
  return node::DoctorWords().program;
}

node::DoctorWords WordsFor(const Targets::One& one, machine::Host& live, const TargetOptions& target,
                           const node::NodeStatus& status) {
  node::DoctorWords out{.is_explained = !target.wim, .quote = QuotedForShell};
  out.source = WordsOf(SpecOf(*one.host, live, target, status));
  if (target.wim) out.target = "--wim " + ShellWord(*target.wim);
  if (!target.root) return out;
  out.target = "--root " + ShellWord(*target.root);
  out.program = ProgramWord(one.image->tree(), *target.root, status);
  return out;
}

// Pulls with what is really set.
Result<void> PullImages(ImageCheck& images, const Targets::One& one, const TargetOptions& given, node::OpenNode& node,
                        machine::Host& live, node::Observations& seen) {
  if (!images.asked()) return {};
  egress::EgressConfig config = PROV_TRY(node::ReadPresentSettings(node));
  PROV_TRY(LocateHostsToml(one, given, node, config));
  pki::TrustedDigests trusted;
  for (const pki::Certificate& certificate : config.certificates) trusted.insert(certificate.sha256);
  AddNewFindings(seen.findings, config.findings);
  PROV_TRY(images.Run(live, config, trusted, seen.findings));
  seen.images.reserve(images.pulled().size());
  for (const pull::Pulled& pulled : images.pulled())
    seen.images.push_back({.image = pulled.image, .fault = pulled.error ? DescribeFault(*pulled.error) : ""});
  return {};
}

Result<Outcome> RunDoctor(const Arguments& arguments, machine::Host& live) {
  const bool json = PROV_TRY(WantsJson(arguments));
  PROV_TRY(node::CheckProbeUrls(arguments.All("probe")));
  ImageCheck images = PROV_TRY(ImageCheck::Read(arguments, kImageTimeout));
  const TargetOptions given = ParseTargetOptions(arguments);
  Targets targets = PROV_TRY(Targets::Open(given, live, images::TreeAccess::kRead));
  const std::vector<Targets::One> all = targets.All();
  if (all.size() != 1) return Fail(Code::kUsage, "takes one image: FILE:INDEX", "--wim");
  const auto& [host, image] = all.front();
  const Target target = PROV_TRY(OpenTarget(*host, machine::Access::kRead));
  node::OpenNode node = target.Node(*host);
  node::Observations seen = PROV_TRY(node::Observe(node, arguments.All("probe"), live.http(), TreeOf(image)));
  PROV_TRY(PullImages(images, all.front(), given, node, live, seen));
  seen.words = WordsFor(all.front(), live, given, seen.status);
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
      "environment of services and of their running processes, certificates, WinHTTP, hosts.toml files, HNS policies,\n"
      "the state and the last rounds. Exit code 0: nothing is wrong; 4: a problem was found. --probe makes a request "
      "with what is set\n"
      "for containerd, or else for the machine, and --image the requests of a pull.",
      "  > provisioner doctor --probe https://quay.io/v2/\n"
      "  target   this machine\n"
      "  1. [service-stale] containerd (process 4012) runs with another HTTPS_PROXY than is set for it\n"
      "     Drain the node, then restart the service, or the node where the message names machine variables.\n"
      "     > Restart-Service -Force 'containerd'\n"
      "  checked  clock, variables, services, processes, certificates, winHttp, registries, hns, "
      "state, rounds, probes",
      JoinOptions({TargetOptionSpecs(),
                   {{"probe", "URL", "request this URL with what is really set, as a Go client does; may be repeated",
                     Group::kChecks, true}},
                   ImageCheckOptionSpecs(),
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunDoctor};
}

}  // namespace prov::cli
