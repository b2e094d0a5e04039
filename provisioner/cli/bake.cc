// `bake`: makes a payload folder from a source.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "images/archive/archive.h"
#include "provisioner/base/file.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"
#include "provisioner/cli/apply_options.h"
#include "provisioner/cli/bake_delivery.h"
#include "provisioner/cli/bake_oci.h"
#include "provisioner/cli/bake_user_data.h"
#include "provisioner/cli/command.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/hns_proxy.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/cli/signer_options.h"
#include "provisioner/egress/review.h"
#include "provisioner/hns/pods.h"
#include "provisioner/node/guards.h"
#include "provisioner/node/left_out.h"
#include "provisioner/node/source_reader.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_reader.h"
#include "provisioner/payload/program_file.h"
#include "provisioner/payload/registry_payload.h"
#include "provisioner/reconcile/items.h"
#include "provisioner/reconcile/service_name.h"
#include "provisioner/unattend/answer_file.h"
#include "provisioner/unattend/xml_text.h"

namespace prov::cli {
namespace {

using reconcile::DesiredState;

// 1980-01-01, the earliest time that all archive formats can hold.
constexpr std::int64_t kDefaultTime = 315532800;

Result<std::int64_t> SourceDateEpoch() {
  const char* text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr || *text == '\0') return kDefaultTime;
  const auto value = ParseDecimal(text, std::numeric_limits<std::int64_t>::max());
  if (!value)
    return Fail(Code::kUsage, "is not a number of seconds since 1970; correct or unset it", "SOURCE_DATE_EPOCH");
  const auto seconds = static_cast<std::int64_t>(*value);
  PROV_TRY(images::CheckArchiveTime(seconds));
  return seconds;
}

std::string PayloadJson(const payload::Payload& payload, const DesiredState& state, const std::string& path,
                        const BakeDelivery& delivery, const Findings& findings) {
  JsonWriter json;
  json.BeginObject()
      .Member("schema", 1)
      .Member("out", path)
      .Member("format", delivery.format)
      .Member("generation", payload.generation);
  if (!delivery.nodes.empty()) json.Member("nodes", delivery.nodes.size());
  json.Member("holdsCredentials", state.holds_credentials)
      .Strings("scope", state.scope.Names())
      .Key("files")
      .BeginArray();
  for (const payload::PayloadFile& file : payload.files) {
    json.BeginObject()
        .Member("path", file.path)
        .Member("bytes", file.bytes.size())
        .Member("secret", file.secret)
        .EndObject();
  }
  json.EndArray();
  WriteFindings(json, findings);
  return json.EndObject().Text();
}

std::string ShownValue(const reconcile::EnvironmentVariable& variable) {
  return Printable(reconcile::ShowVariable(variable.name, variable.value.Reveal()));
}

std::string DescribeState(const egress::EgressConfig& config, const DesiredState& state) {
  const std::string& version = config.source.ignition_version;
  std::string out =
      fmt::format("read   {}{}\n", Printable(config.source.name.empty() ? config.source.kind : config.source.name),
                  version.empty() ? "" : fmt::format(" (Ignition {})", Printable(version)));
  for (const auto& variable : state.environment)
    out += fmt::format("       machine     {}={}\n", variable.name, ShownValue(variable));
  for (const auto& service : state.services) {
    out += fmt::format("       service     {}: {} variable(s)\n", Printable(service.service), service.variables.size());
  }
  if (state.win_http)
    out += fmt::format("       winhttp     {} except {}\n", Printable(state.win_http->proxy),
                       Printable(state.win_http->bypass));
  if (state.win_inet)
    out += fmt::format("       wininet     {} except {}\n", Printable(state.win_inet->proxy),
                       Printable(state.win_inet->bypass));
  if (!state.files.empty())
    out += fmt::format("       registries  {} file(s) in {}\n", state.files.size(), *state.registry_folder);
  if (state.hns)
    out += fmt::format("       hns         {} for {}\n", PolicyCount(state.hns->settings.size()),
                       state.hns->pods == hns::kAllPods ? "all pods" : "pods in the namespace " + state.hns->pods);
  for (const auto& item : state.certificates) {
    out +=
        fmt::format("       {:<11} {} {}, until {}\n", pki::NameOf(item.store), reconcile::Thumbprint(item.certificate),
                    Printable(item.certificate.subject), item.certificate.not_after);
  }
  if (state.environment.empty() && state.services.empty() && !state.win_http && !state.win_inet &&
      state.certificates.empty() && state.files.empty() && !state.hns) {
    out += "       nothing to set: this payload contains neither a proxy nor additional certificates\n";
  }
  return out;
}

std::string PayloadText(const egress::EgressConfig& config, const DesiredState& state, const payload::Payload& payload,
                        const std::string& path, const BakeDelivery& delivery) {
  std::string out = DescribeState(config, state);
  const std::string nodes = delivery.nodes.empty() ? "" : fmt::format("{} nodes, ", delivery.nodes.size());
  out += fmt::format("wrote  {} ({}generation {})\n", Printable(path), nodes, payload.generation);
  for (const payload::PayloadFile& file : payload.files) {
    out += fmt::format("       {:>8}  {}  {}\n", file.bytes.size(), file.secret ? "secret" : "      ",
                       Printable(file.path));
  }
  return out;
}

// No default: it would give all signed payloads the same generation.
Error MissingGeneration() {
  return Error{Code::kUsage,
               "is missing: nodes refuse a signed payload with a lower number than the last one, so give a number "
               "higher than all before, such as the time: --generation $(date +%s)",
               "--generation"};
}

// The answer file with the payload's command added. Its components say for which architecture it is.
Result<std::string> WithCommand(const std::string& answer_file, const std::optional<payload::ProgramFile>& program,
                                const std::string& where) {
  unattend::AnswerFileEdit edit = PROV_TRY(unattend::AddCommand(answer_file, payload::PayloadCommand(), where));
  const bool fits = program && std::ranges::find(edit.architectures, program->architecture) != edit.architectures.end();
  if (program && !fits && !edit.architectures.empty()) {
    PROV_TRY(payload::CheckArchitecture(*program, edit.architectures.front(), "--exe"));
  }
  return std::move(edit).bytes;
}

struct BakeOptions {
  bool json = false;
  std::string path;                  // --out
  std::int64_t time = kDefaultTime;  // of the files
  std::optional<UserDataRequest> user_data;
  std::string answer_file = "unattend.xml";  // name of the answer file, for messages
  BakeDelivery delivery;
  payload::PayloadOptions payload;         // without the generation
  std::optional<std::int64_t> generation;  // nullopt: as in the source
  std::optional<payload::SigningKey> key;
  payload::Pin pin;  // what SOURCE must have
  node::SettingsSpec settings;
  bool allow_empty = false;
};

// Reads the answer file and the program that the payload carries.
Result<void> ReadCarried(const Arguments& arguments, std::string_view format, BakeOptions& out) {
  std::optional<std::string> answer_file;
  if (arguments.Has("unattend")) {
    out.answer_file = arguments.Get("unattend");
    answer_file = PROV_TRY(ReadFile(out.answer_file, unattend::kXmlSizeLimit));
  }
  out.delivery = PROV_TRY(ParseDelivery(arguments, std::string(format), answer_file));
  std::optional<payload::ProgramFile> program;
  if (arguments.Has("exe")) program = PROV_TRY(payload::LoadProgramFile(arguments.Get("exe")));
  if (answer_file) out.payload.unattend = PROV_TRY(WithCommand(*answer_file, program, out.answer_file));
  if (program) out.payload.exe = std::move(program->bytes);
  return {};
}

// Findings: those of ReadSigningKey().
Result<BakeOptions> ParseBakeOptions(const Arguments& arguments, std::int64_t now_unix, Findings& findings) {
  BakeOptions out;
  out.json = PROV_TRY(WantsJson(arguments));
  const std::string format = PROV_TRY(OneOf(arguments, "format"));
  out.path = arguments.Get("out");
  if (out.path.empty())
    return Fail(Code::kUsage, "--out PATH is missing; provisioner bake --help shows an example", "provisioner bake");
  PROV_TRY(CheckOutputName(arguments, out.path));
  constexpr std::array<std::string_view, 6> kFiles = {"append-to",  "unattend", "subtract",
                                                      "hns-policy", "nodes",    "exe"};
  PROV_TRY(CheckStandardInput(arguments, kFiles));
  out.time = PROV_TRY(SourceDateEpoch());
  out.user_data = PROV_TRY(ParseUserDataArguments(arguments, format));
  for (const std::string_view option : {"sign", "next-signer", "for"}) {
    if (out.user_data && arguments.Has(option))
      return Fail(Code::kUsage, "is for a payload, and user data has no signature; leave it out",
                  fmt::format("--{}", option));
  }
  PROV_TRY(ReadCarried(arguments, format, out));
  out.key = PROV_TRY(ReadSigningKey(arguments, now_unix, findings));
  out.payload.next_signer = PROV_TRY(ReadNextSigner(arguments));
  out.payload.cluster = PROV_TRY(GivenCluster(arguments));
  if (auto signer = PROV_TRY(GivenSigner(arguments)); signer && !out.key) out.pin.signers.push_back(*std::move(signer));
  if (arguments.Has("generation")) out.generation = PROV_TRY(Number(arguments, "generation", 0));
  out.settings = PROV_TRY(ParseSettingsSpec(arguments));
  out.allow_empty = arguments.Has("allow-empty");
  return out;
}

void AddMisspelledServices(const node::Settings& settings, Findings& findings) {
  for (const std::string& service : settings.options.services) {
    const std::string hint = reconcile::SuggestNodeService(service);
    if (hint.empty()) continue;
    AddWarning(
        findings, "service-unknown",
        fmt::format("may be misspelled: {} A node sets the environment of a service only where it has this name", hint),
        fmt::format("--service {}", service));
  }
}

bool IsOfRancher(const egress::EgressConfig& config) { return config.source.kind == "RancherCluster"; }

// Rancher keeps the environment of these services itself: docs/other-clusters.md#rancher.
void AddRanchersServices(const node::Settings& settings, const DesiredState& state, Findings& findings) {
  if (!IsOfRancher(settings.config) || !state.scope.services) return;
  for (const std::string& service : settings.options.services) {
    if (!EqualsIgnoreAsciiCase(service, "rke2") && !EqualsIgnoreAsciiCase(service, "k3s")) continue;
    AddWarning(findings, "service-rancher",
               "names a service whose environment Rancher keeps, too, so the two would take turns and Rancher restarts "
               "it each time; leave it out, and set spec.agentEnvVars of the cluster",
               fmt::format("--service {}", service));
  }
}

// With --with-wmco, the operator's daemon sets the machine variables.
void AddServiceFinding(const node::Settings& settings, const DesiredState& state, bool wmco, Findings& findings) {
  const egress::EgressConfig& config = settings.config;
  const bool proxied = !config.http_proxy.value_or(Secret()).empty() || !config.https_proxy.value_or(Secret()).empty();
  const bool told = HasFinding(state.findings, "credentials-services");
  if (IsOfRancher(config)) return;  // gives its services the proxy itself
  if (!state.scope.services || !settings.options.services.empty() || !proxied || told) return;
  if (state.scope.machine || wmco) {
    AddInfo(findings, "no-service",
            "no service is named, so services get the proxy only from the machine variables, after a reboot; add "
            "--service containerd --service kubelet",
            "--service");
  } else {
    AddWarning(findings, "no-service",
               "no service is named, so none gets the proxy; add --service containerd --service kubelet", "--service");
  }
}

// Adds findings on what a payload that is SOURCE has by these options, and the output has not.
void AddUnsigned(const BakeOptions& options, const node::Settings& settings, Findings& findings) {
  if (settings.is_signed && options.user_data) {
    AddWarning(findings, "option-left-out",
               "SOURCE is a signed payload, and user data has no signature, so nodes with a pinned signer refuse its "
               "settings; give them a payload",
               "--format userdata");
  } else if (settings.is_signed && !options.key) {
    AddWarning(
        findings, "option-left-out",
        "SOURCE is a signed payload and this output is not signed, so nodes with a pinned signer refuse it; give "
        "--sign and --signer to sign it",
        "--sign");
  }
  const std::string& next = settings.carried_signer;
  if (next.empty() || !options.key || !options.payload.next_signer.empty() || options.key->signer().der == next) return;
  AddWarning(findings, "option-left-out",
             "SOURCE introduces a signer and this output does not, so nodes that missed it refuse that signer later; "
             "give --next-signer unless that is meant",
             "--next-signer");
}

std::string ManifestDigest(const payload::Payload& payload) { return ToHex(payload::PayloadDigest(payload)); }

// A payload that nodes may have applied.
struct FormerPayload {
  std::string_view name;
  std::int64_t generation = 0;
  std::string_view digest;  // of its manifest
};

// Adds a finding if nodes with the former payload refuse this one (node::GuardAgainstDowngrade).
void AddLowGeneration(const payload::Payload& payload, bool is_signed, const FormerPayload& former,
                      Findings& findings) {
  const std::int64_t now = payload.generation;
  const bool ordered = is_signed || now > payload::kDefaultGeneration;
  const bool other = now == former.generation && ordered && former.digest != ManifestDigest(payload);
  if (now >= former.generation && !other) return;
  AddWarning(findings, "low-generation",
             other ? fmt::format("the payload has the generation {} of {} and other contents, so nodes with that one "
                                 "refuse it; give a higher --generation",
                                 now, former.name)
                   : fmt::format("the payload has generation {} and {} has {}, so nodes with that one refuse it; give "
                                 "a higher --generation",
                                 now, former.name, former.generation),
             "--generation");
}

// Adds findings on the payload that is replaced: options that it was baked with, and its generation.
void AddReplaced(const BakeOptions& options, const node::Settings& settings, const payload::Payload& payload,
                 Findings& findings) {
  if (options.delivery.format != "dir") return;
  const std::string folder = options.delivery.nodes.empty() ? options.path : options.path + "/common";
  const auto earlier = payload::LoadPayloadFolder(folder);  // what may not be replaced is refused later
  if (!earlier) return;
  const std::string digest = ToHex(Sha256(earlier->files.at(std::string(payload::kManifestName))));
  if (digest != settings.payload) {  // SOURCE has its own finding
    AddLowGeneration(payload, options.key.has_value(), {"the earlier one", earlier->manifest.generation, digest},
                     findings);
  }
  Findings missed;
  node::ReportLeftOut(*earlier, payload, settings, missed);
  for (Finding& one : missed) {  // SOURCE may have had the same option
    const auto is_same = [&](const Finding& f) { return f.code == one.code && f.where == one.where; };
    if (std::ranges::none_of(findings, is_same)) findings.push_back(std::move(one));
  }
}

// Adds findings that an administrator should read about the written payload.
void AddPayloadFindings(const BakeOptions& options, const DesiredState& state, const payload::Payload& payload,
                        bool has_exe, Findings& findings) {
  AddNewFindings(findings, state.findings);
  if (!has_exe) {
    AddInfo(findings, "script-only",
            "the payload has no provisioner.exe: its scripts apply the settings once, and nothing reconciles at later "
            "boots; add the program with --exe",
            options.path);
  }
  if (state.scope.win_inet && !has_exe) {
    AddWarning(findings, "wininet-script",
               "the payload's scripts do not set WinINET; use provisioner.exe (--exe), the hives or "
               "registry/egress.reg for that",
               "--scope wininet");
  }
  if (!state.files.empty() && !has_exe) {
    AddWarning(findings, "registries-script",
               "the payload's scripts write no hosts.toml files; add provisioner.exe (--exe), which does",
               "--registry-folder");
  }
  if (state.hns && !has_exe) {
    AddWarning(
        findings, "hns-script",
        "the payload's scripts do not set policies of pods; add provisioner.exe (--exe), which sets them in each round",
        "--hns-policy");
  }
  if (payload::LeavesServicesOut(state)) {
    AddInfo(findings, "reg-services",
            "registry/egress.reg does not contain the environments of services, because a .reg file can't restrict "
            "access to their keys; use the scripts or provisioner.exe, which restrict access before they write. If you "
            "merge registry/SYSTEM.hiv yourself, merge the security descriptors of its keys, too",
            "--credentials services");
  }
  AddDeliveryFindings(options.delivery, payload, options.path, findings);
}

Result<Outcome> RunBake(const Arguments& arguments, machine::Host& host) {
  if (arguments.Get("format") == kOciFormat) return BakeOci(arguments, BakeCommand().spec, PROV_TRY(SourceDateEpoch()));
  for (const OptionSpec& option : OciOptionSpecs()) {
    if (arguments.Has(option.name))
      return Fail(Code::kUsage, "is for an image; add --format oci", fmt::format("--{}", option.name));
  }
  const std::int64_t now = host.clock().NowUnix();
  Findings findings;
  BakeOptions options = PROV_TRY(ParseBakeOptions(arguments, now, findings));
  const std::string& path = options.path;
  options.delivery.stop_check = [&host, &path] { return FailIfStopped(host.clock(), path); };
  if (options.key) options.delivery.key = &*options.key;
  const BakeDelivery& delivery = options.delivery;
  const node::DerivedSettings derived =
      PROV_TRY(node::Derive(PROV_TRY(node::ReadSettings(host, options.settings, {.pin = options.pin}))));
  const node::Settings& settings = derived.settings;
  const egress::EgressConfig& config = settings.config;
  const DesiredState& state = derived.desired;
  if (state.files_fault) return std::unexpected(*state.files_fault);
  if (settings.options.scope.certificates) PROV_TRY(node::GuardAgainstUnreadTrust(config));
  findings.insert(findings.end(), settings.findings.begin(), settings.findings.end());
  if (options.key && !settings.generation && !options.generation) return std::unexpected(MissingGeneration());
  const std::int64_t generation =
      options.generation.value_or(settings.generation.value_or(payload::kDefaultGeneration));
  // All checks come before the write: an error means that nothing was written.
  for (Finding& f : PROV_TRY(egress::Review(config, settings.options.trusted, now))) findings.push_back(std::move(f));
  if (!options.allow_empty) PROV_TRY(node::GuardAgainstEmpty(config, state));
  AddMisspelledServices(settings, findings);
  AddRanchersServices(settings, state, findings);
  AddServiceFinding(settings, state, options.settings.choices.with_wmco, findings);
  AddUnsigned(options, settings, findings);
  if (options.user_data) {
    return BakeUserData(*std::move(options.user_data), {config, state, generation, path, DescribeState(config, state),
                                                        std::move(findings), options.json});
  }
  options.payload.generation = generation;
  if (options.payload.cluster.empty()) options.payload.cluster = settings.cluster;
  const bool has_exe = options.payload.exe.has_value();
  payload::Payload payload = PROV_TRY(payload::MakePayload(config, state, std::move(options.payload)));
  if (options.key) PROV_TRY(payload::SignPayload(payload, *options.key));
  if (settings.generation)
    AddLowGeneration(payload, options.key.has_value(), {"SOURCE", *settings.generation, settings.payload}, findings);
  AddReplaced(options, settings, payload, findings);
  PROV_TRY(Deliver(delivery, payload, path, options.time, options.answer_file));
  AddPayloadFindings(options, state, payload, has_exe, findings);
  if (options.json) return Outcome{0, PayloadJson(payload, state, path, delivery, findings), {}};
  return Outcome{0, PayloadText(config, state, payload, path, delivery), std::move(findings)};
}

}  // namespace

Command BakeCommand() {
  CommandSpec spec = {
      "bake",
      "Write the egress settings of a source as a payload for Windows nodes.",
      "SOURCE",
      "The payload is a folder with registry hives, a .reg file, certificates, scripts, an answer file, egress.json\n"
      "and a manifest. Its README.txt says what each file is for. With --format, the command writes one file, such\n"
      "as an archive, a drive, or the user data of a new machine. The same source and options give the same bytes\n"
      "(SOURCE_DATE_EPOCH sets the times of the files). --format oci takes no SOURCE: it writes a container image\n"
      "that contains only the program (see provisioner deploy).",
      "  $ provisioner bake rendered-worker.json --out payload --service containerd --service kubelet\n"
      "  read   rendered-worker-3d1c... (Ignition 3.4.0)\n"
      "         machine     HTTP_PROXY=http://user:***@proxy.example.com:3128\n"
      "         ...\n"
      "  wrote  payload (generation 1)\n"
      "  $ oc get machineconfigpools,machineconfigs -o json | provisioner bake - --out payload\n"
      "  $ provisioner bake rendered-worker.json --out drive.iso --format iso --label config-2\n"
      "  $ provisioner bake rendered-worker.json --out fleet.tgz --format tgz --nodes nodes.csv\n"
      "  $ provisioner bake rendered-worker.json --out secret.yaml --format userdata --platform aws \\\n"
      "      --append-to windows-user-data.yaml --secret windows-user-data-egress\n"
      "  $ provisioner bake --format oci --exe provisioner.exe --out image.tar",
      JoinOptions(
          {{{"out", "PATH",
             "the folder or file to write; missing parent folders are created, and earlier output of the same format "
             "is replaced",
             Group::kPayload},
            {"format", "FORM",
             "dir (the default), tar, tgz, zip, iso (a drive), userdata, or oci (an image of the program)",
             Group::kPayload, false, "dir tar tgz zip iso userdata oci"}},
           OciOptionSpecs(),
           DeliveryOptionSpecs(),
           UserDataOptionSpecs(),
           SourceOptionSpecs(),
           DesiredOptionSpecs(),
           {{"generation", "N",
             "number that orders payloads: a node refuses a lower number, and a different payload with the same number "
             "(default: that of SOURCE if it is a payload, else 1, with which unsigned payloads may differ); required "
             "with --sign, unless SOURCE is a payload",
             Group::kPayload},
            {"exe", "FILE", "put this provisioner.exe into the payload", Group::kPayload},
            {"unattend", "FILE", "put a copy of this answer file, with the payload's command added, into the payload",
             Group::kPayload},
            AllowEmptyOption()},
           SignOptionSpecs(),
           OutputOptionSpecs()})};
  spec.instead = "format=oci";
  spec.common =
      "out format service with-wmco scope credentials subtract exe platform append-to secret exe-url output help";
  return {.spec = std::move(spec), .run = RunBake};
}

}  // namespace prov::cli
