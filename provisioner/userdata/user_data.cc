#include "provisioner/userdata/user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/base64.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/node_metadata.h"
#include "provisioner/payload/payload.h"
#include "provisioner/userdata/user_data_forms.h"
#include "provisioner/userdata/user_data_script.h"

namespace prov::userdata {
namespace {

// OpenStack's limit is 65,535 bytes of base64.
constexpr std::size_t kNovaLimit = std::size_t{65535} / 4 * 3;

constexpr std::array kChannels = {
    Channel{
        Platform::kAws, "aws", 16384, "AWS takes of user data, before base64",
        "every process on the instance, from its metadata service; whoever may read the instance's user data or the "
        "launch template in the account",
        true, false},
    Channel{
        Platform::kAzure, "azure", 65535, "Azure takes as custom data",
        R"(whoever can read C:\AzureData\CustomData.bin and its copy C:\init.ps1 on the machine, and both stay there: )"
        "delete them when the node has joined",
        false, false},
    Channel{Platform::kGcp, "gcp", 262144, "Google Cloud takes in one metadata value",
            "every process on the instance, from its metadata server; whoever may view the instance in the project",
            false, false},
    Channel{
        Platform::kVsphere, "vsphere", 0, "",
        "whoever may see the machine's settings in vCenter; every process in the guest, through VMware Tools, until "
        "the value is cleared",
        false, true,
        "the value must go into guestinfo.userdata with guestinfo.userdata.encoding = gzip+base64 and the settings "
        "that bake prints, for cloudbase-init in the image; the cluster's own machine provider for vSphere does not do "
        "that: "
        "there, bake into the image or use a drive (--format iso --label config-2)"},
    Channel{
        Platform::kNutanix, "nutanix", 0, "",
        "whoever may read the machine in Prism; readers of the machine controller's log at verbosity 3, which prints "
        "all of it",
        false, true, "needs cloudbase-init in the image: without it nothing runs user data"},
    Channel{Platform::kOpenstack, "openstack", kNovaLimit,
            "Nova takes of user data, as they become 65,535 bytes of base64 at most",
            "every process on the instance, from its metadata service or config drive", false, true,
            "needs cloudbase-init in the image: without it nothing runs user data"},
    Channel{Platform::kNone, "none", 0, "", "whoever can read the file that it is written to, and its copies", false,
            false, "no platform delivers it: run it on the node yourself, as administrator, with Windows PowerShell"},
};

constexpr bool InEnumOrder() {
  for (std::size_t i = 0; i < kChannels.size(); ++i) {
    if (static_cast<std::size_t>(kChannels[i].platform) != i) return false;
  }
  return kChannels.size() == static_cast<std::size_t>(Platform::kNone) + 1;
}
static_assert(InEnumOrder(), "kChannels must list every Platform once, in the order of the enum");

std::string BundleHash(const reconcile::DesiredState& state) { return ToHex(Sha256(payload::BundlePem(state))); }

// With another script appended, that script's <persist> decides.
bool RunsAgain(const UserDataOptions& options) {
  return ChannelOf(options.platform).again && (!options.foreign || options.foreign->persist);
}

// On AWS a launch agent may read it instead.
bool ReadByCloudbase(const UserDataOptions& options) {
  return options.secret_form == SecretForm::kClusterApi || ChannelOf(options.platform).cloudbase;
}

// cloudbase-init reads the tags of AWS, too, and runs their script once.
bool WantsTags(const UserDataOptions& options) { return options.platform == Platform::kAws; }

bool Downloads(const UserDataOptions& options) { return options.exe || options.bundle; }

// Whether a scheduled task repeats a failed download.
bool Retries(const UserDataOptions& options) {
  return Downloads(options) && (!RunsAgain(options) || ReadByCloudbase(options));
}

// cloudbase-init ignores exit codes except its own: 1002 makes it run the script again at the next boot. That may help
// after 13 (the machine could not be written), 14 (network) and 15 (another run's lock).
std::string_view LastLine(const UserDataOptions& options) {
  return ReadByCloudbase(options) ? "exit ($LASTEXITCODE,1002)[$LASTEXITCODE -in 13..15]\n" : "exit $LASTEXITCODE\n";
}

// The proxy that is passed to PowerShell and .NET. They can't use one that is reached by TLS.
const Secret* WebProxy(const egress::EgressConfig& config, const reconcile::DesiredState& state) {
  if (!state.scope.TakesProxy() || !config.https_proxy) return nullptr;
  return AsciiLower(config.https_proxy->Reveal()).starts_with("http://") ? &*config.https_proxy : nullptr;
}

bool NeedsWebProxy(const UserDataOptions& options) { return options.foreign && DownloadsByWeb(*options.foreign); }

bool SetsWebProxy(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                  const UserDataOptions& options) {
  return options.web_proxy && NeedsWebProxy(options) && WebProxy(config, state) != nullptr;
}

// Our script comes first: it sets the proxy that the other script's downloads need, for PowerShell and .NET in their
// own process. It does only what the downloads need before the other script runs, because the node is unreachable until
// that has set up sshd. Nothing of ours follows the other script, which may never end.
Result<std::string> Script(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           const UserDataOptions& options) {
  const bool web = SetsWebProxy(config, state, options);
  const bool account =
      web && state.holds_credentials && WebProxy(config, state)->Reveal().find('@') != std::string::npos;
  const ContainerOptions carried{.generation = options.generation,
                                 .exe = options.exe,
                                 .bundle = options.bundle,
                                 .later = options.foreign && Downloads(options),
                                 .retry = Retries(options),
                                 .web = web,
                                 .account = account,
                                 .full = options.full};
  std::string out = PROV_TRY(UserDataScript(MakeContainer(config, state, carried), carried));
  return out.append(options.foreign ? std::string_view(options.foreign->script) : LastLine(options));
}

Result<std::string> Render(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           const UserDataOptions& options) {
  std::string script = PROV_TRY(Script(config, state, options));
  // The Cluster API's providers deliver the contents of the Secret; vSphere's encodes them itself.
  if (options.secret_form == SecretForm::kClusterApi && !WantsTags(options)) {
    return WithCloudbaseMark(script);
  }
  switch (options.platform) {
    case Platform::kAws:
      return InTags(script, RunsAgain(options));
    case Platform::kVsphere:
      return InGuestInfo(WithCloudbaseMark(script));
    case Platform::kNutanix:
    case Platform::kOpenstack:
      return WithCloudbaseMark(script);
    case Platform::kAzure:
    case Platform::kGcp:
    case Platform::kNone:
      break;
  }
  return script;
}

std::string Number(std::size_t value) {
  std::string out = std::to_string(value);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

// The sizes of the parts in bytes of the finished user data: the difference that leaving out each one makes.
Result<std::string> Advice(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                           const UserDataOptions& options, std::size_t size) {
  std::string out;
  if (!options.bundle && !state.certificates.empty()) {
    reconcile::DesiredState without = state;
    without.certificates.clear();
    const std::size_t less = PROV_TRY(Render(config, without, options)).size();
    out += fmt::format(
        "; {} certificate(s) are {} bytes of it: --ca-transport URL#sha256=... has the script fetch them, "
        "--subtract FILE leaves out those that the image has",
        state.certificates.size(), Number(size - std::min(less, size)));
  }
  if (options.foreign)
    out += fmt::format("; the script of --append-to is {} bytes", Number(options.foreign->script.size()));
  if (options.exe) {
    UserDataOptions without = options;
    without.exe.reset();
    const std::size_t less = PROV_TRY(Render(config, state, without)).size();
    out += fmt::format("; --exe-url is {} bytes", Number(size - std::min(less, size)));
  }
  return out + "; nothing was left out";
}

bool Fits(const UserDataOptions& options, std::size_t size) {
  const std::size_t limit = ChannelOf(options.platform).limit;
  return limit == 0 || size <= limit;
}

Result<void> CheckSize(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                       const UserDataOptions& options, std::size_t size) {
  const Channel& channel = ChannelOf(options.platform);
  if (Fits(options, size)) return {};
  return Fail(Code::kSizeLimit,
              fmt::format("has {} bytes, {} more than the {} that {}{}", Number(size), Number(size - channel.limit),
                          Number(channel.limit), channel.limit_is, PROV_TRY(Advice(config, state, options, size))),
              fmt::format("user data for {}", channel.name));
}

// Other user data get another instance ID, so that cloudbase-init repeats all its steps.
GuestInfo GuestInfoOf(std::string_view bytes) {
  GuestInfo out;
  out.instance_id = payload::InstanceId(Sha256(bytes), nullptr);
  out.metadata = EncodeBase64(payload::MetaDataYaml(out.instance_id, nullptr));
  return out;
}

Result<void> CheckOptions(const reconcile::DesiredState& state, const UserDataOptions& options) {
  if (options.bundle && !state.scope.certificates) {
    return Fail(Code::kUsage,
                "names certificates, and there are none in scope: --scope leaves them out, or the source has no bundle",
                "--ca-transport");
  }
  if (options.bundle && options.bundle->sha256 != BundleHash(state)) {
    return Fail(Code::kHashMismatch,
                fmt::format("is not the bundle of this source: put trust/bundle.pem of a payload of it there, whose "
                            "SHA-256 is {}",
                            BundleHash(state)),
                options.bundle->Shown());
  }
  if (options.wmco && options.foreign && !SetsUpKeys(*options.foreign)) {
    return Fail(
        Code::kKind,
        "does not write administrators_authorized_keys, as the operator's script does, and the operator deletes "
        "a Machine that it can't reach by SSH; give the operator's Secret: oc get secret windows-user-data -n "
        "openshift-machine-api -o yaml",
        "--append-to");
  }
  return {};
}

std::string Readers(const UserDataOptions& options) {
  const Channel& channel = ChannelOf(options.platform);
  return fmt::format("{}{}",
                     options.secret_form == SecretForm::kClusterApi
                         ? "whoever may read Secrets in the Machine's namespace; "
                     : channel.platform == Platform::kNone ? ""
                                                           : "whoever may read Secrets in openshift-machine-api; ",
                     channel.readers);
}

// Findings about what the appended script needs from the administrator.
void AddAppendFindings(const reconcile::DesiredState& state, const UserDataOptions& options, Findings& findings) {
  if (!options.foreign || !IsOperators(*options.foreign)) return;
  AddWarning(
      findings, "append-stale",
      "the script of --append-to is a copy: after a change of the operator's key (Secret cloud-private-key) bake "
      "again; provisioner check --secret OURS --append-to OPERATORS says when that is due",
      "--append-to");
  if (options.wmco || state.environment.empty()) return;
  AddWarning(
      findings, "append-wmco",
      "the script is the Windows Machine Config Operator's, whose first configuration of a node fails on machine "
      "variables that are set already: add --with-wmco",
      "--append-to");
}

// PowerShell and .NET use neither the machine's variables nor WinHTTP's settings.
void AddWebFinding(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                   const UserDataOptions& options, Findings& findings) {
  if (!NeedsWebProxy(options) || !config.https_proxy || config.https_proxy->empty()) return;
  if (SetsWebProxy(config, state, options)) return;
  const std::string_view why =
      WebProxy(config, state) != nullptr
          ? "there is no room for the lines that would send them there (--ca-transport makes room)"
          : "they know no proxy that is reached by TLS or is out of scope";
  AddWarning(
      findings, "append-download",
      fmt::format("the script of --append-to downloads by PowerShell or .NET, such as Invoke-WebRequest, and not "
                  "through the proxy: these follow the settings of WinINET, and {}. Have in the image what the "
                  "script downloads",
                  why),
      "--append-to");
}

bool HoldsQueries(const UserDataOptions& options) {
  return (options.exe && options.exe->HasQuery()) || (options.bundle && options.bundle->HasQuery());
}

// The bundle's server can't be verified by the bundle's own CAs: the node does not trust them yet.
void AddBundleFinding(const Download& bundle, Findings& findings) {
  constexpr std::string_view kHash = "Its SHA-256 keeps any other bundle out. ";
  if (!AsciiLower(bundle.url).starts_with("https:")) {
    AddInfo(
        findings, "ca-transport-tls",
        fmt::format("the bundle is fetched without TLS. {}Anyone on the way can read its URL and its contents", kHash),
        bundle.Shown());
  } else if (bundle.HasQuery()) {
    AddWarning(findings, "ca-transport-tls",
               fmt::format("the URL of the bundle has a query, which may be a token, so it is sent only to a server "
                           "that the image's CAs verify: behind a proxy that intercepts TLS the download fails. {}Give "
                           "a URL without a query there",
                           kHash),
               bundle.Shown());
  } else {
    AddInfo(findings, "ca-transport-tls",
            fmt::format("the bundle is fetched without knowing the server, because its CAs may be those of a proxy "
                        "that intercepts TLS. {}It does not keep the requested URL secret",
                        kHash),
            bundle.Shown());
  }
}

void AddTaskFinding(const UserDataOptions& options, const std::string& where, Findings& findings) {
  if (!Downloads(options) || (!options.foreign && !Retries(options))) return;
  AddInfo(findings, "userdata-task",
          fmt::format("{}: the scheduled task ProvisionerUserData repeats it, at each boot until it is through",
                      options.foreign ? "the other script does not wait for a download"
                                      : "user data run once there, so a download that fails is not the end"),
          where);
}

void AddDownloadFindings(const UserDataOptions& options, const std::string& where, Findings& findings) {
  if (HoldsQueries(options)) {
    AddWarning(
        findings, "userdata-url",
        fmt::format("the user data holds a URL with a query, which may be a token, for {}: leave the query out, as a "
                    "file that is known by its digest needs no token",
                    Readers(options)),
        where);
  }
  if (options.bundle) AddBundleFinding(*options.bundle, findings);
  AddTaskFinding(options, where, findings);
}

void AddDeliveryFinding(const UserDataOptions& options, const std::string& where, Findings& findings) {
  const Channel& channel = ChannelOf(options.platform);
  if (options.secret_form == SecretForm::kClusterApi) {
    AddWarning(
        findings, "userdata-delivery",
        "a Machine of the Cluster API reads the Secret by spec.bootstrap.dataSecretName, in the place of a bootstrap "
        "provider's, whose script is to be given with --append-to; cloudbase-init in the image runs it",
        "--secret-form cluster-api");
  } else if (!channel.delivery.empty()) {
    AddWarning(findings, "userdata-delivery", std::string(channel.delivery), where);
  }
}

// The host and VMware Tools pass a value in one message of 64 KiB, which has other contents, too.
void AddSizeFinding(const std::string& where, UserData& out) {
  constexpr std::size_t kMessage = 65536;
  if (!out.guest_info || out.bytes.size() < kMessage) return;
  AddWarning(
      out.findings, "guestinfo-size",
      fmt::format("the value has {} bytes, and VMware Tools pass a message of {} to the guest: cloudbase-init may "
                  "get no user data at all. Use --ca-transport, --subtract, or a drive (--format iso --label "
                  "config-2)",
                  Number(out.bytes.size()), Number(kMessage)),
      where);
}

void AddFindings(const reconcile::DesiredState& state, const UserDataOptions& options, UserData& out) {
  const Channel& channel = ChannelOf(options.platform);
  const std::string where = fmt::format("--platform {}", channel.name);
  Findings& findings = out.findings;
  AddDeliveryFinding(options, where, findings);
  if (state.holds_credentials) {
    AddWarning(findings, "userdata-credentials",
               fmt::format("the user data holds the proxy's credentials, for {}; --credentials none keeps them out",
                           Readers(options)),
               where);
  }
  AddSizeFinding(where, out);
  if (!options.full) {
    AddInfo(findings, "userdata-short",
            "there is no room for all of the script: the node keeps a value that a later bake lacks, and a proxy that "
            "nssm has for a service; provisioner.exe (--exe-url) takes them back, and --ca-transport makes room",
            where);
  }
  AddAppendFindings(state, options, findings);
  AddDownloadFindings(options, where, findings);
  if (!options.exe) {
    AddInfo(
        findings, "script-only",
        fmt::format("without --exe-url the script does the work alone{}: nothing will reconcile while the node runs",
                    RunsAgain(options) ? ", at each boot" : ", once"),
        where);
  }
  if (state.scope.win_inet && !options.exe) {
    AddWarning(findings, "wininet-script",
               "the script of user data does not set WinINET; add provisioner.exe, which does (--exe-url)",
               "--scope wininet");
  }
  if (!state.files.empty() && !options.exe) {
    AddWarning(findings, "registries-script",
               "the script of user data writes no hosts.toml files; add provisioner.exe, which does (--exe-url)",
               "--registry-folder");
  }
  if (state.hns && !options.exe) {
    AddWarning(findings, "hns-script",
               "the script of user data does not set policies of pods; add provisioner.exe, which does (--exe-url)",
               "--hns-policy");
  }
}

}  // namespace

std::span<const Channel> Channels() { return kChannels; }
const Channel& ChannelOf(Platform platform) { return kChannels[static_cast<std::size_t>(platform)]; }

std::optional<Platform> PlatformOf(std::string_view name) {
  const auto found = std::ranges::find(kChannels, name, &Channel::name);
  if (found == kChannels.end()) return std::nullopt;
  return found->platform;
}

Result<UserData> MakeUserData(const egress::EgressConfig& config, const reconcile::DesiredState& state,
                              const UserDataOptions& options) {
  PROV_TRY(CheckOptions(state, options));
  UserDataOptions chosen = options;
  UserData out;
  out.bytes = PROV_TRY(Render(config, state, chosen));
  if (!Fits(chosen, out.bytes.size())) {
    chosen.full = false;
    out.bytes = PROV_TRY(Render(config, state, chosen));
  }
  if (SetsWebProxy(config, state, chosen) && !Fits(chosen, out.bytes.size())) {
    chosen.web_proxy = false;
    out.bytes = PROV_TRY(Render(config, state, chosen));
  }
  PROV_TRY(CheckSize(config, state, chosen, out.bytes.size()));
  out.secret = state.holds_credentials || HoldsQueries(chosen);
  if (chosen.platform == Platform::kVsphere && chosen.secret_form == SecretForm::kMachineApi)
    out.guest_info = GuestInfoOf(out.bytes);
  AddWebFinding(config, state, chosen, out.findings);
  AddFindings(state, chosen, out);
  return out;
}

}  // namespace prov::userdata
