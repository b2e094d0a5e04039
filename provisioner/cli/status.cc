// `status`: reports what is ours on this machine, and whether it is unchanged.
#include "provisioner/node/status.h"

#include <fmt/format.h>

#include <algorithm>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/change_output.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/status_health.h"
#include "provisioner/cli/targets.h"
#include "provisioner/egress/proxy_url.h"
#include "provisioner/node/pin.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/payload/payload_signature.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/source/source.h"

namespace prov::cli {
namespace {

void WriteDrift(JsonWriter& json, std::string_view key, const std::vector<reconcile::Drift>& drift) {
  json.Key(key).BeginArray();
  for (const reconcile::Drift& d : drift) {
    json.BeginObject().Member("key", d.key).Member("kind", reconcile::NameOf(d.kind)).Member("name", d.name);
    json.Member("missing", d.missing);
    WriteValues(json, d);
    json.EndObject();
  }
  json.EndArray();
}

void WriteItems(JsonWriter& json, const reconcile::Ledger& ledger) {
  json.Key("ledger").BeginObject();
  for (const auto& [item, entry] : ledger) {
    json.Key(item).BeginObject().Member("hadValueBefore", entry.before.has_value()).EndObject();
  }
  json.EndObject();
}

// Writes null if there is only this program's record.
void WriteScript(JsonWriter& json, const reconcile::StatusReport& engine) {
  if (!BeginObjectOrNull(json, "scriptRecord", engine.script || engine.damage)) return;
  json.Member("file", reconcile::kScriptStatePlace);
  WriteTextOrNull(json, "error", engine.damage ? engine.damage->message : "");
  json.EndObject();
}

void WriteServices(JsonWriter& json, const std::vector<node::RunningService>& services) {
  json.Key("services").BeginArray();
  for (const node::RunningService& service : services) {
    json.BeginObject().Member("key", reconcile::ItemKey(reconcile::kServiceItem, service.name));
    json.Member("name", service.name).Member("processId", std::int64_t{service.process_id});
    json.Member("stale", !service.stale.empty());
    WriteTextOrNull(json, "command", service.stale.empty() ? "" : service.Command());
    json.Member("unreadable", service.unreadable).Key("environment").BeginObject();
    for (const auto& [name, value] : service.variables) json.Member(name, value);
    json.EndObject().EndObject();
  }
  json.EndArray();
}

// Redacts the URL of a remote source, which may hold a token.
std::string LocationOf(const node::StoredSource& source) {
  const std::string& location = source.spec.source.source;
  return source::IsRemote(location) ? egress::RedactUrl(location) : location;
}

void WriteVariables(JsonWriter& json, const std::vector<reconcile::MachineVariable>& variables) {
  json.Key("machineVariables").BeginArray();
  for (const reconcile::MachineVariable& variable : variables) {
    json.BeginObject().Member("key", reconcile::ItemKey(reconcile::kEnvironmentItem, variable.name));
    json.Member("name", variable.name).Member("value", variable.value);
    json.Member("owner", reconcile::NameOf(variable.owner)).Strings("services", variable.services).EndObject();
  }
  json.EndArray();
}

void WriteSource(JsonWriter& json, const node::NodeStatus& status) {
  if (!BeginObjectOrNull(json, "source", status.source.has_value())) return;
  json.Member("location", LocationOf(*status.source)).Member("follow", status.source->follow);
  json.Member("readAt", status.read_at);
  json.Member("readAgeSeconds", status.read_at ? std::optional(status.read_age_seconds) : std::nullopt);
  json.EndObject();
}

void WriteApplied(JsonWriter& json, const node::NodeStatus& status) {
  if (!BeginObjectOrNull(json, "applied", status.applied.has_value())) return;
  json.Member("source", status.applied->source).Member("since", status.applied->since);
  json.Member("ageSeconds", status.age_seconds);
  json.Member("generation", status.applied->generation);
  WriteTextOrNull(json, "sourceDigest", status.applied->source_digest);
  json.EndObject();
}

// A pin that can't be read is a finding, so that the rest is reported all the same.
payload::Pin PinOf(machine::Host& host, Findings& findings) {
  Result<payload::Pin> pin = node::LoadPin(host);
  if (pin) return *std::move(pin);
  AddWarning(findings, "signer",
             fmt::format("the pin can't be used, so no payload is accepted: {}", pin.error().message),
             pin.error().where);
  return {};
}

void WriteSigner(JsonWriter& json, const pki::Certificate& signer) {
  json.Member("subject", signer.subject).Member("sha256", signer.sha256).EndObject();
}

void WritePin(JsonWriter& json, const payload::Pin& pin) {
  if (BeginObjectOrNull(json, "signer", !pin.signers.empty())) WriteSigner(json, pin.signers.front());
  json.Key("nextSigners").BeginArray();
  for (std::size_t i = 1; i < pin.signers.size(); ++i) WriteSigner(json.BeginObject(), pin.signers[i]);
  json.EndArray();
  WriteTextOrNull(json, "for", pin.cluster);
}

std::string PinLines(const payload::Pin& pin) {
  std::string out;
  for (std::size_t i = 0; i < pin.signers.size(); ++i) {
    out += fmt::format("signer   {}: {}\n", Printable(payload::NameOfSigner(pin.signers[i])),
                       i > 0                     ? "introduced; replaces those before it"
                       : pin.signers.size() == 1 ? "takes no other payloads"
                                                 : "takes its payloads");
  }
  if (!pin.cluster.empty()) out += fmt::format("cluster  {}: takes no payloads for others\n", Printable(pin.cluster));
  return out;
}

struct TargetStatus {
  std::string target;
  std::int64_t now = 0;  // Unix time
  node::NodeStatus status;
  payload::Pin pin;
  std::vector<node::NotVisible> not_visible;  // what an image can't show
};

void WriteNotVisible(JsonWriter& json, const std::vector<node::NotVisible>& all) {
  json.Key("notVisible").BeginArray();
  for (const node::NotVisible& one : all) {
    json.BeginObject().Member("what", one.what).Member("why", one.why).EndObject();
  }
  json.EndArray();
}

void WriteTargetStatus(JsonWriter& json, const TargetStatus& one) {
  const node::NodeStatus& status = one.status;
  json.Member("target", one.target).Key("changes").BeginArray().EndArray();
  json.Member("rebootRequired", status.engine.reboot_required).Member("writes", 0);
  WriteDrift(json, "drift", status.engine.drift);
  WriteDrift(json, "yielded", status.engine.yielded);
  WriteItems(json, status.engine.ledger);
  WriteScript(json, status.engine);
  json.Member("openTransaction", status.engine.open_transaction || status.image_incomplete)
      .Member("trial", status.engine.trial);
  json.Member("held", status.held).Key("approval");
  if (status.approval) {
    json.Json(node::ApprovalJson(*status.approval));
  } else {
    json.Null();
  }
  WriteSource(json, status);
  WritePin(json, one.pin);
  WriteApplied(json, status);
  WriteHealth(json, status);
  WriteServices(json, status.services);
  WriteVariables(json, status.variables);
  WriteNotVisible(json, one.not_visible);
}

std::string SourceLines(const node::NodeStatus& status) {
  std::string out;
  if (status.source) {
    out += fmt::format("source   {}{}\n", Printable(LocationOf(*status.source)),
                       status.source->follow ? "" : " (delivered once; its settings are kept)");
    if (status.read_at) {
      out += fmt::format("read     {} ago\n", node::DescribeAge(status.read_age_seconds));
    } else if (status.source->follow) {
      out += "read     not yet by a round of reconcile\n";
    }
  } else {
    out += "source   none is stored: reconcile has nothing to do\n";
  }
  if (status.applied) {
    out +=
        fmt::format("applied  {}, {} ago\n", Printable(status.applied->source), node::DescribeAge(status.age_seconds));
  }
  return out;
}

// Only if the operator's daemon decides; otherwise the variables are ours, or drift.
std::string OperatorLines(const std::vector<reconcile::MachineVariable>& variables) {
  std::string out;
  for (const reconcile::MachineVariable& variable : variables) {
    if (variable.owner != reconcile::VariableOwner::kOperator) continue;
    out += fmt::format("operator {}={}: set by the Windows Machine Config Operator's daemon", variable.name,
                       Printable(variable.value));
    out += variable.services.empty()
               ? "\n"
               : fmt::format("; {} {} it\n", Printable(fmt::format("{}", fmt::join(variable.services, ", "))),
                             variable.services.size() == 1 ? "follows" : "follow");
  }
  return out;
}

std::string ServiceLine(const node::RunningService& service) {
  std::string out = fmt::format("service  {} (process {}): ", Printable(service.name), service.process_id);
  if (!service.unreadable.empty())
    return out + fmt::format("its environment can't be read: {}\n", Printable(service.unreadable));
  if (service.stale.empty()) return out + "runs with what is set\n";
  out += fmt::format("runs with an earlier environment ({}); drain the node, then {}\n", fmt::join(service.stale, ", "),
                     Printable(service.Command()));
  for (const auto& [name, value] : service.variables) out += fmt::format("           {}={}\n", name, Printable(value));
  return out;
}

std::string ServiceLines(const std::vector<node::RunningService>& services, bool stale) {
  std::string out;
  for (const node::RunningService& service : services) {
    if (service.stale.empty() != stale) out += ServiceLine(service);
  }
  return out;
}

std::string DriftLine(const reconcile::Drift& drift) {
  std::string how;
  if (!drift.missing) how = DifferencesText(drift.name, drift.was, drift.is);
  if (!drift.missing && how.empty() && !drift.after.empty())
    how = Printable(fmt::format("{} -> {}", drift.before, drift.after));
  return fmt::format("drift    {} {} {}{}{}\n", reconcile::NameOf(drift.kind), Printable(drift.name),
                     drift.missing ? "is gone" : "was changed", how.empty() ? "" : ": ", how);
}

// Reports that a script, and not this program, keeps the record.
void ReportScriptRecord(const reconcile::StatusReport& engine, Findings& findings) {
  reconcile::ReportScriptRecord({{}, engine.script}, findings);
  if (engine.damage) AddError(findings, "script-state", engine.damage->message, engine.damage->where);
}

std::string UnfinishedLine(const node::NodeStatus& status) {
  if (status.engine.trial) return "trial    waits for provisioner confirm, else it is taken back\n";
  if (status.engine.open_transaction) return "open     a run was interrupted; the next one ends it\n";
  if (!status.image_incomplete) return {};
  return "open     an installation into this image was interrupted; apply --install ends it, remove --all undoes it\n";
}

std::string ApprovalLines(const node::NodeStatus& status) {
  std::string out;
  if (!status.approval) return out;
  constexpr std::size_t kShown = 12;
  const auto shown = [](const std::string& digest) { return Printable(Shorten(digest, kShown)); };
  if (status.approval->pending)
    out += fmt::format("pending  settings {} wait until the cluster approves them\n", shown(*status.approval->pending));
  if (const auto& trial = status.approval->trial; status.approval->PendingFailed())
    out += fmt::format("tried    settings {} were taken back: {}\n", shown(trial->digest), Printable(trial->reason));
  return out;
}

// What somebody has to do something about.
std::string AttentionLines(const TargetStatus& one) {
  const node::NodeStatus& status = one.status;
  const bool service_fails = status.boot_service && status.boot_service->Fails();
  std::string out = FailureLines(status, one.now);
  if (service_fails) out += BootLine(*status.boot_service);
  if (status.engine.damage) out += fmt::format("damaged  {}\n", reconcile::kScriptStatePlace);
  for (const reconcile::Drift& drift : status.engine.drift) out += DriftLine(drift);
  out += ServiceLines(status.services, true);
  out += UnfinishedLine(status);
  out += ApprovalLines(status);
  if (status.held) out += "held     a rollback holds until the source changes or apply is called\n";
  if (status.engine.reboot_required) out += "reboot   required: services see machine variables after the next boot\n";
  return out + ExpiryLine(status);
}

// What can't be seen in an image, in one line.
std::string UnseenLine(const std::vector<node::NotVisible>& all) {
  std::string out;
  for (const node::NotVisible& one : all) out += (out.empty() ? "" : ", ") + one.what;
  return out.empty() ? out : fmt::format("unseen   {}: an image does not show them (JSON says why)\n", Printable(out));
}

std::string StatusText(const TargetStatus& one) {
  const node::NodeStatus& status = one.status;
  std::string out = fmt::format("target   {}\nours     {} item{}{}\n", one.target, status.engine.ledger.size(),
                                status.engine.ledger.size() == 1 ? "" : "s", status.Differs() ? "" : ", no drift");
  out += AttentionLines(one);
  out += SourceLines(status);
  if (status.boot_service && !status.boot_service->Fails()) out += BootLine(*status.boot_service);
  out += PinLines(one.pin);
  if (status.engine.script) out += fmt::format("record   {}\n", reconcile::kScriptStatePlace);
  for (const reconcile::Drift& d : status.engine.yielded) {
    out += fmt::format("yielded  {} {}: the Windows Machine Config Operator's daemon owns it here\n",
                       reconcile::NameOf(d.kind), Printable(d.name));
  }
  out += OperatorLines(status.variables);
  out += ServiceLines(status.services, false);
  return out + HistoryLines(status) + UnseenLine(one.not_visible);
}

// `only`: the one reason that counts; "": each.
bool NeedsAttention(const node::NodeStatus& status, std::string_view only) {
  const std::vector<std::string_view> reasons = status.Reasons();
  return only.empty() ? !reasons.empty() : std::ranges::find(reasons, only) != reasons.end();
}

Outcome Combine(bool json, std::string_view only, const std::vector<TargetStatus>& all, Findings findings) {
  const bool differs =
      std::ranges::any_of(all, [only](const TargetStatus& one) { return NeedsAttention(one.status, only); });
  Outcome out{differs ? kExitDifferences : 0, {}, std::move(findings)};
  if (!json) {
    for (const TargetStatus& one : all) out.out += StatusText(one);
    return out;
  }
  JsonWriter document;
  document.BeginObject().Member("schema", 1);
  // The first image fills the members that every report has; all images are in `targets`.
  WriteTargetStatus(document, all.front());
  if (all.size() > 1) {
    document.Key("targets").BeginArray();
    for (const TargetStatus& one : all) {
      document.BeginObject();
      WriteTargetStatus(document, one);
      document.EndObject();
    }
    document.EndArray();
  }
  WriteFindings(document, out.findings);
  out.out = document.EndObject().Text();
  return out;
}

Result<Outcome> RunStatus(const Arguments& arguments, machine::Host& live) {
  const bool json = PROV_TRY(WantsJson(arguments));
  const std::string only = arguments.Has("only") ? PROV_TRY(OneOf(arguments, "only")) : "";
  Targets targets = PROV_TRY(Targets::Open(ParseTargetOptions(arguments), live, images::TreeAccess::kRead));
  std::vector<TargetStatus> all;
  Findings findings;
  for (const auto& [host, image] : targets.All()) {
    const Target target = PROV_TRY(OpenTarget(*host, machine::Access::kRead));
    node::OpenNode node = target.Node(*host);
    TargetStatus& one = all.emplace_back(TargetStatus{target.name,
                                                      host->clock().NowUnix(),
                                                      PROV_TRY(node::StatusOf(node, TreeOf(image))),
                                                      PinOf(*host, findings),
                                                      {}});
    ReportScriptRecord(one.status.engine, findings);
    ReportDamage(one.status, findings);
    if (image != nullptr) {
      one.not_visible = node::NotVisibleInImage();
      for (Finding& f : PROV_TRY(image->Notes())) findings.push_back(std::move(f));
    }
  }
  return Combine(json, only, all, std::move(findings));
}

}  // namespace

Command StatusCommand() {
  CommandSpec spec = {
      "status",
      "Show the settings of provisioner on this machine, and which of them others changed.",
      "",
      "Looks at the registry, the certificate stores and the environment of running services. Settings that a\n"
      "payload's script recorded are included. Exit code 4: the node needs attention: a setting differs, a\n"
      "service runs with an earlier environment, a round or the first boot failed, a rollback holds, a run or trial\n"
      "is open, a record is damaged or lost, the boot service does not run, a file of the installation is missing, or\n"
      "one of the certificates expires within 30 days (JSON: reasons). A pending reboot alone is exit code 0. What\n"
      "needs attention comes first; an expiry is shown from 90 days before. For an image, the last line names what\n"
      "can't be seen there.",
      "  > provisioner status\n"
      "  target   this machine\n"
      "  ours     9 items\n"
      "  drift    env HTTP_PROXY was changed: http://proxy.example.com:3128 -> http://other:3128\n"
      "  source   D:\\egress\\payload\n"
      "  read     0 min ago\n"
      "  applied  MachineConfig rendered-worker-3d1c, 2 d 4 h ago\n"
      "  boot     the service Provisioner 0.1.0 runs (process 2044)",
      JoinOptions({TargetOptionSpecs(),
                   {{"only", "REASON",
                     "exit code 4 for this reason alone, for a probe or a script: drift, stale, failure, hold, trial, "
                     "open, damage, service, files, expiry",
                     Group::kRun, false, "drift stale failure hold trial open damage service files expiry"}},
                   OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunStatus};
}

}  // namespace prov::cli
