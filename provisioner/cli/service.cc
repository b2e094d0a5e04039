// `service`: installs or removes the boot service.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "provisioner/base/json_writer.h"
#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/node/first_boot.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {
namespace {

// `program`: null if none was installed.
Outcome ServiceOutcome(bool json, bool wrote, std::string_view text, const node::ProgramReport* program,
                       Findings findings) {
  if (!json) return {0, fmt::format("{}\n", text), std::move(findings)};
  JsonWriter out;
  out.BeginObject().Member("schema", 1).Member("service", node::kServiceName).Member("changed", wrote);
  if (program != nullptr) {
    out.Key("program").BeginObject().Member("path", program->path);
    const auto text = [](const machine::ProgramVersion& version) { return version.Text(); };
    out.Member("version", program->now.transform(text));
    out.Member("before", program->before.transform(text));
    out.Member("replaced", program->replaced).EndObject();
  }
  WriteFindings(out, findings);
  return {0, out.EndObject().Text(), {}};
}

constexpr std::int64_t kUninstallLockWait = 60;  // seconds

// Shows the full path, because shells that are already open do not find the program by its name yet.
std::string DescribeProgram(const node::ProgramReport& program) {
  std::string out =
      program.wrote ? "the service Provisioner is installed" : "the service Provisioner was installed already";
  out += fmt::format("\nthe program is {}", program.path);
  if (program.now) out += fmt::format(", version {}", program.now->Text());
  if (program.replaced && program.before) out += fmt::format(" (it was {})", program.before->Text());
  return out;
}

struct ServiceOptions {
  bool json = false;
  bool install = true;  // or uninstall
  node::Delivery delivery;
  bool names_source = false;
};

Result<ServiceOptions> ParseServiceOptions(const Arguments& arguments) {
  ServiceOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  constexpr std::array<std::string_view, 2> kActions = {"install", "uninstall"};
  if (std::ranges::find(kActions, arguments.positional()) == kActions.end())
    return RefuseValue("provisioner service", "one of", arguments.positional(), kActions);
  out.delivery.interval_seconds = PROV_TRY(ParseInterval(arguments));
  out.install = arguments.positional() == "install";
  if (!out.install) return out;
  out.delivery.pin = PROV_TRY(GivenPin(arguments));
  out.delivery.allow_downgrade = arguments.Has("allow-downgrade");
  out.delivery.reporting = PROV_TRY(GivenReporting(arguments, true));
  out.names_source = arguments.Has("source");
  if (!out.names_source) return out;
  node::SettingsSpec given = PROV_TRY(ParseSettingsSpec(arguments));
  given.source.source = arguments.Get("source");
  out.delivery.spec = PROV_TRY(SpecToRemember(std::move(given)));
  return out;
}

Result<Outcome> Install(const ServiceOptions& options, machine::Host& host) {
  const node::Delivery& delivery = options.delivery;
  std::optional<node::DerivedSettings> derived;
  if (options.names_source) {
    const node::ReadOptions read{PROV_TRY(WantedPin(delivery.pin, {&host})), true, nullptr};
    derived = PROV_TRY(node::Derive(PROV_TRY(node::ReadSettings(host, delivery.spec, read))));
  }
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite));
  node::OpenNode node = target.Node(host);
  Findings findings;
  const node::ProgramReport program =
      PROV_TRY(node::InstallService(node, derived ? &*derived : nullptr, delivery, findings));
  if (!PROV_TRY(node::LoadSource(node.machine.state))) {
    AddWarning(findings, "no-source", "no source is stored, so the service has nothing to do; give --source SOURCE");
  }
  return ServiceOutcome(options.json, program.wrote, DescribeProgram(program), &program, std::move(findings));
}

// Takes no lock if the record does not name the service, or if it can't be read: neither prevents the removal.
Result<Findings> ForgetService(machine::Host& host) {
  {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kRead));
    node::OpenNode node = target.Node(host);
    if (!node::KnowsService(node).value_or(false)) return Findings();
  }
  const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite, kUninstallLockWait));
  node::OpenNode node = target.Node(host);
  return node::ForgetService(node);
}

Result<Outcome> Uninstall(machine::Host& host, bool json) {
  const bool was_there = PROV_TRY(host.services().Remove(node::kServiceName));
  Findings findings = PROV_TRY(ForgetService(host));
  return ServiceOutcome(
      json, was_there,
      was_there ? "the service Provisioner is removed; what was applied stays (provisioner remove takes it back)"
                : "there was no service Provisioner",
      nullptr, std::move(findings));
}

Result<Outcome> RunService(const Arguments& arguments, machine::Host& host) {
  const ServiceOptions options = PROV_TRY(ParseServiceOptions(arguments));
  return options.install ? Install(options, host) : Uninstall(host, options.json);
}

}  // namespace

Command ServiceCommand() {
  CommandSpec spec = {
      "service",
      "Install or remove the Windows service that reconciles at each boot and from then on.",
      "install|uninstall",
      "install copies this program to %ProgramFiles%\\Provisioner, which only administrators can write, and\n"
      "adds that folder to the machine's Path. Over an older version it stops the service, swaps the file\n"
      "and starts the service; if that does not start, the former version is put back.",
      "  > provisioner service install --source D:\\egress\\payload\n"
      "  the service Provisioner is installed\n"
      "  the program is C:\\Program Files\\Provisioner\\provisioner.exe, version 0.1.0",
      JoinOptions({{{"source", "SOURCE", "with install: what reconcile reads from now on", Group::kSource, true}},
                   DesiredOptionSpecs(),
                   SourceOptionSpecs(),
                   {IntervalOption(), AllowDowngradeOption()},
                   PinOptionSpecs(),
                   OutputOptionSpecs(),
                   ReportingOptionSpecs()})};
  spec.common = "source service with-wmco scope credentials subtract signer interval node output help";
  return {.spec = std::move(spec), .run = RunService};
}

}  // namespace prov::cli
