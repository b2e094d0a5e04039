// `controller`: keeps user data for new machines, and parameters for new pods, current in a cluster.
#include "provisioner/controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "provisioner/base/json_writer.h"
#include "provisioner/base/sentence.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/bake_user_data.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/deploy_controller.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/fleet_rollout.h"
#include "provisioner/cli/reporting_options.h"
#include "provisioner/cli/run_output.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/terminal.h"
#include "provisioner/cli/version.h"
#include "provisioner/egress/review.h"
#include "provisioner/egress/settings_digest.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/node/confirmed_settings.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/publish/pod_params.h"
#include "provisioner/source/kube_access.h"
#include "provisioner/source/kube_discovery.h"
#include "provisioner/source/kube_uri.h"
#include "provisioner/userdata/user_data.h"
#include "provisioner/userdata/user_data_secret.h"

namespace prov::cli {
namespace {

using controller::Baked;
using controller::ControllerOrder;
using controller::KeepOrder;
using controller::KeepRound;
using controller::KeptKind;

constexpr std::int64_t kControllerInterval = 300;  // seconds

struct ControllerOptions {
  bool json = false;
  bool once = false;
  ControllerOrder order;
  node::SettingsSpec spec;
  userdata::UserDataOptions user_data;
};

Result<source::KubeObject> SecretOf(const Arguments& arguments, std::string_view option) {
  auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, option));
  return source::SecretObject(std::move(name_space), std::move(name));
}

// Of this process: a pod's name, and what tells it from an earlier one of the same name.
std::string IdentityOf(const std::string& host) {
  return fmt::format("{}_{:08x}{:08x}", host, source::KubeRandom(), source::KubeRandom());
}

Result<KeepOrder> ParseKept(const Arguments& arguments, KeptKind kind) {
  KeepOrder out{.kind = kind, .object = {}};
  out.version = VersionNumber();
  out.host = source::ThisProcess().environment("POD_NAME").value_or("controller");
  if (kind == KeptKind::kPodParams) {
    auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, kParamsOption));
    out.object = source::ConfigMapObject(std::move(name_space), std::move(name));
    return out;
  }
  out.object = PROV_TRY(SecretOf(arguments, "secret"));
  PROV_TRY(userdata::CheckSecretName(out.object.name));
  if (arguments.Has("append-to-secret")) {
    out.append_to = PROV_TRY(SecretOf(arguments, "append-to-secret"));
    if (out.append_to->name_space == out.object.name_space)
      PROV_TRY(CheckAppendedSecret(out.object.name, out.append_to->name, "secret"));
  }
  out.machine_sets = arguments.Has("machine-sets");
  out.other_secrets = arguments.All("other-secret");
  return out;
}

// Without the bakers, which read the options.
Result<ControllerOrder> ParseOrder(const Arguments& arguments, const node::SettingsSpec& spec) {
  ControllerOrder out;
  if (!arguments.Has("secret") && !arguments.Has(kParamsOption)) {
    return Fail(Code::kUsage,
                "is missing, and so is --params; name the Secret that deploy --print --keep-secret prints, or the "
                "ConfigMap of pod-env --format admission-policy",
                "--secret");
  }
  PROV_TRY(CheckKeptOptions(arguments, "secret"));
  if (arguments.Has("secret")) out.kept.push_back({PROV_TRY(ParseKept(arguments, KeptKind::kUserData)), {}});
  if (arguments.Has(kParamsOption)) out.kept.push_back({PROV_TRY(ParseKept(arguments, KeptKind::kPodParams)), {}});
  if (arguments.Has("lease")) {
    auto [name_space, name] = PROV_TRY(NameInNamespace(arguments, "lease"));
    out.lease = source::LeaseObject(std::move(name_space), std::move(name));
  }
  out.identity = IdentityOf(out.kept.front().order.host);
  out.interval_seconds = PROV_TRY(ParseInterval(arguments, kLongestKeepInterval)).value_or(kControllerInterval);
  if (!arguments.Has("once")) {
    for (controller::Kept& one : out.kept) one.order.interval = out.interval_seconds;
  }
  const std::string fleet = PROV_TRY(ParseFleetNamespace(arguments, fleet::kFleetNamespace));
  if (arguments.Has("approval")) {
    for (controller::Kept& one : out.kept)
      one.order.confirmed = source::SecretObject(fleet, std::string(fleet::kConfirmedSecret));
    out.rollouts = controller::RolloutKeepOrder{
        .name_space = fleet, .identity = out.identity, .settings = {}, .interval_seconds = out.interval_seconds};
  }
  static_cast<source::SourceSpec&>(out.source) = spec.source;
  out.cluster = spec.source;
  return out;
}

Result<ControllerOptions> ParseControllerOptions(const Arguments& arguments) {
  ControllerOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  out.once = arguments.Has("once");
  out.spec = PROV_TRY(ParseSettingsSpec(arguments));
  out.spec.source.source = arguments.Get("source");
  if (out.spec.source.source.empty())
    return Fail(Code::kUsage, "is missing; give the pool's config, such as kube:///worker", "--source");
  out.order = PROV_TRY(ParseOrder(arguments, out.spec));
  if (!arguments.Has("secret")) return out;
  out.user_data = PROV_TRY(ParseUserDataOptions(arguments));
  PROV_TRY(userdata::CheckSecretPlatform(out.user_data.secret_form, out.user_data.platform));
  return out;
}

void AddUnconfirmed(std::string_view made, Findings& findings) {
  AddInfo(
      findings, "approval-first",
      fmt::format("no rollout has confirmed the source's settings, so {} get those that the fleet has confirmed last",
                  made));
}

// Of the source, or what the fleet has confirmed last if that is something else.
Result<node::Settings> ReadProvenSettings(machine::Host& host, const ControllerOptions& options,
                                          const controller::BakeInput& input, Findings& findings) {
  node::Settings fresh = PROV_TRY(node::ReadSettings(host, options.spec, {}));
  if (!input.confirmed || input.confirmed->digest == fresh.source_digest) return fresh;
  AddUnconfirmed("new machines", findings);
  return node::SettingsOfConfirmed(host, *input.confirmed, options.spec, {});
}

// As `bake` writes the Secret.
Result<Baked> BakeSecret(machine::Host& host, const ControllerOptions& options, const KeepOrder& order,
                         const controller::BakeInput& input) {
  Findings of_approval;
  const node::DerivedSettings derived =
      PROV_TRY(node::Derive(PROV_TRY(ReadProvenSettings(host, options, input, of_approval))));
  const node::Settings& settings = derived.settings;
  if (settings.options.scope.certificates) PROV_TRY(node::GuardAgainstUnreadTrust(settings.config));
  Findings findings = PROV_TRY(egress::Review(settings.config, settings.options.trusted, host.clock().NowUnix()));
  PROV_TRY(node::GuardAgainstEmpty(settings.config, derived.desired));
  userdata::UserDataOptions user_data = options.user_data;
  user_data.generation = settings.generation.value_or(payload::kDefaultGeneration);
  if (input.foreign) {
    user_data.foreign = PROV_TRY(userdata::ReadForeignUserData(*input.foreign, order.append_to->Path()));
    user_data.foreign->of_operators_secret = true;
  }
  const userdata::UserData data = PROV_TRY(userdata::MakeUserData(settings.config, derived.desired, user_data));
  const auto keys = PROV_TRY(userdata::UserDataSecretKeys(order.object.name, data, user_data));
  Baked out;
  out.data.insert(keys.begin(), keys.end());
  out.digest = settings.source_digest.empty() ? egress::SettingsDigest(settings.config) : settings.source_digest;
  out.credential_digest =
      derived.desired.holds_credentials ? egress::CredentialDigest(settings.config, out.digest) : std::nullopt;
  out.generation = user_data.generation;
  for (const std::string_view name : derived.desired.scope.Names()) out.scope.emplace_back(name);
  out.services = settings.options.services;
  out.findings = std::move(findings);
  AddNewFindings(out.findings, of_approval);
  return out;
}

// As `pod-env --format admission-policy` prints the ConfigMap.
Result<Baked> BakeParams(machine::Host& host, const ControllerOptions& options, const KeepOrder& order,
                         const controller::BakeInput& input) {
  egress::EgressConfig config = PROV_TRY(node::ReadSource(host, options.spec.source)).config;
  std::string digest = egress::SettingsDigest(config);
  const bool is_proven = !input.confirmed || input.confirmed->digest == digest;
  if (!is_proven) {
    config = input.confirmed->config;
    digest = input.confirmed->digest;
  }
  if (input.present.contains(publish::kTrustConfigMap)) PROV_TRY(node::GuardAgainstUnreadTrust(config));
  Baked out;
  out.findings = PROV_TRY(egress::Review(config, {}, host.clock().NowUnix()));
  if (!is_proven) AddUnconfirmed("new pods", out.findings);
  DropFindings(out.findings, "untrusted");  // certificates that Windows' stores don't get; pods' bundles are others
  out.data = PROV_TRY(publish::RenewPodParams(input.present, config, order.object.Path()));
  publish::ReviewPodParams(out.data, order.object.Path(), out.findings);
  out.digest = std::move(digest);
  return out;
}

// What keeps the object or its MachineSets from being what they should be; null: nothing.
const Error* FailureOf(const KeepRound& round) {
  if (round.failure) return &*round.failure;
  return round.machine_sets_failure ? &*round.machine_sets_failure : nullptr;
}

std::string_view WordOf(const KeepRound& round) {
  if (round.failure) return "failed";
  return round.wrote_data ? "written" : round.lost_race ? "again" : "current";
}

struct ShownRound {
  const KeepOrder& of;
  const KeepRound& round;
};

// `error`: why the command fails; null: it does not.
std::string RoundsJson(const std::vector<ShownRound>& rounds, const Findings& findings, const Error* error) {
  JsonWriter json;
  json.BeginObject().Member("schema", 1).Key("kept").BeginArray();
  for (const auto& [of, round] : rounds) {
    json.BeginObject().Member("kind", of.kind == KeptKind::kUserData ? "Secret" : "ConfigMap");
    json.Member("namespace", of.object.name_space).Member("name", of.object.name).Member("result", WordOf(round));
    const Error* failure = FailureOf(round);
    if (BeginObjectOrNull(json, "failure", failure != nullptr)) {
      json.Member("code", InfoOf(failure->code).name).Member("message", failure->message);
      json.Member("where", failure->where).EndObject();
    }
    json.Key("machineSets").BeginArray();
    for (const controller::MachineSetFault& one : round.machine_sets)
      json.BeginObject().Member("name", one.machine_set).Member("message", one.message).EndObject();
    json.EndArray().EndObject();
  }
  json.EndArray();
  WriteFindings(json, findings);
  if (error != nullptr) WriteError(json, *error);
  return json.EndObject().Text();
}

std::string RoundText(const ShownRound& shown) {
  const auto& [of, round] = shown;
  std::string out = fmt::format("{}/{}: {}", of.object.name_space, of.object.name, WordOf(round));
  if (round.failure) {
    out += fmt::format("; {}: {}", controller::MeaningOfFailure(of.kind, round.holds),
                       SentenceWithPlace(round.failure->message, round.failure->where));
  }
  if (round.machine_sets_failure) {
    out += fmt::format("; the MachineSets were not looked at: {}",
                       SentenceWithPlace(round.machine_sets_failure->message, round.machine_sets_failure->where));
  }
  out = Printable(out) + "\n";
  for (const controller::MachineSetFault& one : round.machine_sets)
    out += fmt::format("  MachineSet {} {}\n", Printable(one.machine_set), Printable(one.message));
  return out;
}

std::string RoundsText(const std::vector<ShownRound>& rounds) {
  std::string out;
  for (const ShownRound& one : rounds) out += RoundText(one);
  return out;
}

// An older server takes the ConfigMap, but no policy that reads it. One that can't be asked is reported by the rounds.
void ReviewServer(const ControllerOrder& order, const source::SourcePorts& ports, Findings& findings) {
  if (std::ranges::find(order.kept, KeptKind::kPodParams, [](const auto& one) { return one.order.kind; }) ==
      order.kept.end())
    return;
  const auto access = controller::OpenCluster(order);
  if (!access) return;
  source::KubeClient client(*access, ports);
  const auto knows = source::Serves(client, source::kAdmissionGroup, source::kMutatingPolicies);
  if (!knows || *knows) return;
  AddWarning(findings, "pod-policy-server",
             "this API server is older than Kubernetes 1.36 and knows no MutatingAdmissionPolicy, so the parameters "
             "reach no pod; patch the workloads with pod-env --format patch",
             "--params");
}

void Print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

Result<Outcome> RunOnce(const ControllerOptions& options, const source::SourcePorts& ports, Findings findings) {
  const std::vector<KeepRound> rounds = PROV_TRY(controller::KeepOnce(options.order, ports));
  std::vector<ShownRound> shown;
  shown.reserve(rounds.size());
  const Error* failure = nullptr;
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    shown.push_back({options.order.kept[i].order, rounds[i]});
    AddNewFindings(findings, rounds[i].findings);
    if (failure == nullptr) failure = FailureOf(rounds[i]);
  }
  // What the others are, and which MachineSets have what, is said all the same.
  if (failure != nullptr) PrintError(stderr, *failure);
  const int exit = failure == nullptr ? 0 : InfoOf(failure->code).exit;
  if (options.json) return Outcome{exit, RoundsJson(shown, findings, failure), {}};
  return Outcome{exit, RoundsText(shown), std::move(findings)};
}

// The same for texts that differ in numbers alone, such as times, which failures that last have.
std::string CauseOf(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c >= '0' && c <= '9'; });
  return out;
}

std::string CauseOf(const std::optional<Error>& error) {
  return error ? CauseOf(fmt::format("{} {} {}\n", InfoOf(error->code).name, error->message, error->where)) : "";
}

// What a rollout that ended without success waits for.
std::string_view RemedyOf(fleet::RolloutPhase phase) {
  if (phase == fleet::RolloutPhase::kHeld) return "provisioner fleet resume lets it go on";
  if (phase == fleet::RolloutPhase::kFailed)
    return "the controller does not try these settings again; change the source, or run provisioner fleet rollout";
  return "";
}

std::string RolloutText(const controller::RolloutView& view) {
  const fleet::RolloutProgress& progress = view.record.progress;
  std::string out = fmt::format("rollout of {:.12}: {}", view.record.order.digest, RolloutStepLine(view));
  for (const std::string_view part : {std::string_view(progress.reason), RemedyOf(progress.phase)}) {
    if (!part.empty()) out += fmt::format("; {}", part);
  }
  return Printable(out) + "\n";
}

// Says of each round what is new: a failure that lasts once, and then that it is over.
class RoundLog {
 public:
  explicit RoundLog(bool json) : json_(json) {}

  void Write(const KeepOrder& of, const KeepRound& round) {
    const bool was_unread = !unread_.empty();
    unread_.clear();
    Told& told = told_[of.kind];
    std::string causes = CauseOf(round.failure) + CauseOf(round.machine_sets_failure);
    for (const controller::MachineSetFault& one : round.machine_sets)
      causes += fmt::format("{} {}\n", one.machine_set, CauseOf(one.message));
    const bool is_news = std::exchange(told.causes, causes) != causes || was_unread;
    Findings news;
    for (const Finding& one : round.findings) {
      if (std::ranges::find(told.findings, one) == told.findings.end()) news.push_back(one);
    }
    if (!round.failure) told.findings.clear();  // else the source was not reviewed
    AddNewFindings(told.findings, round.findings);
    if (!is_news && !round.wrote_data && news.empty()) return;
    Print(json_ ? RoundsJson({{of, round}}, news, nullptr) : RoundText({of, round}));
    if (!json_) PrintFindings(stderr, news);
  }

  // Why there was no round.
  void Write(const Error& error) {
    if (unread_.insert(CauseOf(std::optional(error))).second) PrintFailure(json_, error);
  }

  void Write(const controller::RolloutView& view) {
    // One that waits for a person is looked at again and again.
    std::string state = fmt::format("{} {}", view.record.order.digest, fleet::NameOf(view.record.progress.phase));
    if (std::exchange(rollout_state_, state) == state && view.nodes.empty()) return;
    const std::string text = RolloutText(view);
    if (std::exchange(of_rollout_, text) != text) Print(json_ ? RolloutStepJson(view) : text);
  }

  // Why no rollout is looked at.
  void WriteOfRollout(const Error& error) {
    rollout_state_.clear();
    std::string cause = CauseOf(std::optional(error));
    if (std::exchange(of_rollout_, cause) != cause) PrintFailure(json_, error);
  }

 private:
  struct Told {
    Findings findings;
    std::string causes;  // of what failed; "": nothing
  };
  bool json_;
  std::map<KeptKind, Told> told_;
  std::set<std::string> unread_;  // the causes of errors since the last round
  std::string of_rollout_;        // what was said last of one
  std::string rollout_state_;     // the digest and the phase that this was about
};

Result<Outcome> RunControllerCommand(const Arguments& arguments, machine::Host& host) {
  ControllerOptions options = PROV_TRY(ParseControllerOptions(arguments));
  std::mutex reads;  // of the host: a rollout reads the source beside the rounds
  for (controller::Kept& one : options.order.kept) {
    const auto bake = one.order.kind == KeptKind::kUserData ? BakeSecret : BakeParams;
    one.bake = [&host, &options, &one, &reads, bake](const controller::BakeInput& input) {
      const std::scoped_lock lock(reads);
      return bake(host, options, one.order, input);
    };
  }
  if (options.order.rollouts) {
    options.order.rollouts->settings = [&host, &options, &reads] {
      const std::scoped_lock lock(reads);
      return ReadRolloutSettings(host, options.spec);
    };
  }
  const source::SourcePorts ports{host.http(), host.clock()};
  Findings findings;
  ReviewServer(options.order, ports, findings);
  const KeepOrder& first = options.order.kept.front().order;
  if (first.kind == KeptKind::kUserData && options.user_data.wmco && !first.append_to)
    AddWithoutKeys("--secret", "--append-to-secret", findings);
  if (options.once) return RunOnce(options, ports, std::move(findings));
  PrintFindings(stderr, findings);
  RoundLog log(options.json);
  const controller::ControllerReports reports{
      .on_round = [&](const KeepOrder& of, const KeepRound& round) { log.Write(of, round); },
      .on_error = [&](const Error& error) { log.Write(error); },
      .on_rollout = [&](const controller::RolloutView& view) { log.Write(view); },
      .on_rollout_error = [&](const Error& error) { log.WriteOfRollout(error); }};
  controller::KeepOn(options.order, ports, reports);
  return Outcome{};
}

}  // namespace

Command ControllerCommand() {
  CommandSpec spec = {
      "controller",
      "Keep the user data of new machines, and what new pods get, current in a cluster.",
      "",
      "Follows the source and the operator's Secret. When one of them changes, it writes the Secret of --secret as "
      "bake\n"
      "would write it now, and the ConfigMap of --params as pod-env --format admission-policy would. It writes only\n"
      "objects with its own label (deploy --print --keep-secret and pod-env print them), and only over the version "
      "that\n"
      "it read. If the source can't be read, both stay as they are, and their annotation egress-provisioner/state "
      "says\n"
      "why. Runs until it is asked to stop; --once makes one round.",
      "  $ provisioner controller --source kube:///worker --secret openshift-machine-api/windows-user-data-kept \\\n"
      "      --platform aws --append-to-secret openshift-machine-api/windows-user-data --once\n"
      "  openshift-machine-api/windows-user-data-kept: written\n"
      "  $ provisioner controller --source kube:///worker --params egress-provisioner/pod-params --once\n"
      "  egress-provisioner/pod-params: written",
      JoinOptions(
          {{{"source", "SOURCE", "where the settings come from, such as kube:///worker", Group::kSource, true},
            {"secret", "NAMESPACE/NAME", "the Secret with user data to keep", Group::kUserData},
            {kParamsOption, "NAMESPACE/NAME",
             "the ConfigMap to keep, with the parameters of pod-env --format admission-policy; what pods trust stays "
             "as "
             "the ConfigMap says",
             Group::kTarget},
            {"lease", "NAMESPACE/NAME", "the Lease that one of several controllers holds", Group::kRun},
            {"approval", "",
             "make what is kept of the settings that a rollout of the fleet has confirmed last, and run rollouts where "
             "the ConfigMap egress-provisioner-rollout asks for them",
             Group::kRun},
            {"once", "", "make one round, and end", Group::kRun},
            {"interval", "SECONDS", "time between two rounds while nothing changes, up to 1800 (default: 300)",
             Group::kRun}},
           KeepSecretOnlyOptionSpecs(),
           {FleetNamespaceOption()},
           SourceOptionSpecs(),
           DesiredOptionSpecs(),
           OutputOptionSpecs()})};
  return {.spec = std::move(spec), .run = RunControllerCommand};
}

}  // namespace prov::cli
