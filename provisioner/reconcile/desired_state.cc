#include "provisioner/reconcile/desired_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "images/registry/registry_key.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/usable_proxies.h"
#include "provisioner/machine/certificate_blob.h"
#include "provisioner/pki/signature.h"

namespace prov::reconcile {
namespace {

using egress::EgressConfig;
using egress::ProxySettings;
using egress::ProxyUrl;
using pki::Store;

// The word for a kind of item in --scope and in egress.json.
struct ScopeWord {
  std::string_view name;
  bool Scope::* in_scope;
};
constexpr std::array<ScopeWord, 7> kScopeWords = {{{"machine", &Scope::machine},
                                                   {"services", &Scope::services},
                                                   {"winhttp", &Scope::win_http},
                                                   {"wininet", &Scope::win_inet},
                                                   {"certs", &Scope::certificates},
                                                   {"registries", &Scope::registries},
                                                   {"hns", &Scope::hns}}};

Scope ScopeOfEach(bool in_scope) {
  Scope scope;
  for (const ScopeWord& one : kScopeWords) scope.*one.in_scope = in_scope;
  return scope;
}

Scope Stated(Scope scope, bool proxy, bool trust) {
  if (!proxy) scope.machine = scope.services = scope.win_http = scope.win_inet = false;
  if (!trust) scope.certificates = false;
  return scope;
}

// What the choices leave out of what the source states.
Scope LeftOut(const Scope& wanted, const EgressConfig& config) {
  Scope scope = Stated(Scope::All(), egress::StatesProxy(config) || config.proxy_file.left_out,
                       config.trust_file.present || config.trust_file.left_out);
  const registries::Mirrors& mirrors = config.mirrors;
  scope.registries = mirrors.left_out || (!mirrors.IsSilent() && !mirrors.fault && !mirrors.ca_fault);
  for (const ScopeWord& one : kScopeWords) scope.*one.in_scope = scope.*one.in_scope && !(wanted.*one.in_scope);
  return scope;
}

// A token in a query counts too: whatever is masked in output belongs in secret files only.
bool HasCredentials(const std::optional<ProxyUrl>& url) { return url && url->Text() != url->WithoutCredentials(); }

bool HasCredentials(const ProxySettings& settings) {
  return HasCredentials(settings.http) || HasCredentials(settings.https);
}

std::vector<EnvironmentVariable> Variables(const ProxySettings& settings, bool with_credentials) {
  std::vector<EnvironmentVariable> out;
  const auto add_url = [&](const char* name, const std::optional<ProxyUrl>& url) {
    if (url) out.push_back({name, with_credentials ? url->Text() : url->WithoutCredentials()});
  };
  add_url("HTTP_PROXY", settings.http);
  add_url("HTTPS_PROXY", settings.https);
  if (settings.no_proxy) out.push_back({"NO_PROXY", Secret(settings.no_proxy->text())});
  return out;
}

void StateCredentials(const DesiredState& state, bool services_named, Findings& findings) {
  switch (state.credentials) {
    case CredentialPolicy::kMachine:
      if (state.scope.machine) {
        AddWarning(findings, "credentials-machine",
                   "the proxy's credentials go into machine variables, which every user of the node can read; "
                   "--credentials services or none keeps them out",
                   "--credentials machine");
      }
      return;
    case CredentialPolicy::kServices:
      AddInfo(findings, "credentials-services",
              services_named ? "the proxy's credentials go into the named services' environments only; programs that "
                               "rely on the machine variables get 407 from the proxy"
                             : "the proxy's credentials go nowhere, because no --service is named",
              "--credentials services");
      return;
    case CredentialPolicy::kNone:
      AddInfo(findings, "credentials-none",
              "the proxy's credentials are left out; clients get 407 unless the proxy admits them in another way",
              "--credentials none");
      return;
  }
}

Result<void> CheckVariables(const std::vector<EnvironmentVariable>& variables, Findings& findings) {
  for (const EnvironmentVariable& variable : variables) {
    PROV_TRY(CheckLength(variable));
    const std::size_t units = ToUtf16Le(variable.value.Reveal()).size() / 2;
    if (units > kCarefulVariableUnits) {
      AddWarning(findings, "env-long",
                 fmt::format("has {} characters; some tools cut values above {}", units, kCarefulVariableUnits),
                 variable.name);
    }
  }
  return {};
}

// WinINET takes the same proxy and bypass list as WinHTTP: both match globs against the host as text.
Result<void> AddWindowsProxy(const ProxySettings& settings, DesiredState& state) {
  const egress::NoProxy* no_proxy = settings.no_proxy ? &*settings.no_proxy : nullptr;
  const auto proxy =
      egress::TranslateForWinHttp(settings.http, settings.https, no_proxy, state.win_http_octets, state.findings);
  if (proxy) PROV_TRY(egress::ValidateWinHttp(*proxy));
  if (state.scope.win_http) state.win_http = proxy;
  if (!state.scope.win_inet) return {};
  state.win_inet = proxy;
  if (proxy) {
    AddInfo(state.findings, "wininet-machine-wide",
            "WinINET gets the same proxy and exceptions as WinHTTP, for the whole machine: proxy settings that users "
            "chose for themselves no longer count",
            "--scope wininet");
  }
  return {};
}

Result<void> AddProxy(const EgressConfig& config, const DesiredOptions& options, DesiredState& state) {
  const ProxySettings settings = PROV_TRY(egress::ParseUsableProxies(config, state.findings));
  const bool credentials = HasCredentials(settings);
  const bool in_machine = credentials && options.credentials == CredentialPolicy::kMachine;
  const bool in_services = credentials && options.credentials != CredentialPolicy::kNone;
  if (state.scope.machine) state.environment = Variables(settings, in_machine);
  if (state.scope.services) {
    for (const std::string& service : options.services)
      state.services.push_back({service, Variables(settings, in_services)});
  }
  state.holds_credentials = (in_machine && state.scope.machine) || (in_services && !state.services.empty());
  PROV_TRY(CheckVariables(state.environment, state.findings));
  for (const ServiceEnvironment& service : state.services) PROV_TRY(CheckVariables(service.variables, state.findings));
  if (state.scope.win_http || state.scope.win_inet) PROV_TRY(AddWindowsProxy(settings, state));
  if (credentials) StateCredentials(state, !options.services.empty(), state.findings);
  return {};
}

// The registry holds a certificate in one value.
Result<void> CheckSize(const pki::Certificate& certificate) {
  const std::size_t bytes = machine::EncodeCertificateBlob(certificate.der).size();
  if (bytes <= images::kMaxValueBytes) return {};
  return Fail(Code::kSizeLimit,
              fmt::format("needs {} bytes in the registry, and a value takes {}; remove it from the bundle", bytes,
                          images::kMaxValueBytes),
              fmt::format("certificate \"{}\"", certificate.subject));
}

Result<void> AddCertificates(const EgressConfig& config, const DesiredOptions& options, DesiredState& state) {
  for (Finding& finding : pki::ReviewTrust(config.certificates, options.trusted, config.trust_file.path)) {
    if (finding.severity == Severity::kError)
      return Fail(Code::kCert, std::move(finding.message), std::move(finding.where));
    state.findings.push_back(std::move(finding));
  }
  std::set<std::string> seen;
  std::size_t subtracted = 0;
  for (const pki::Certificate& certificate : config.certificates) {
    if (!seen.insert(certificate.sha256).second) continue;
    if (options.subtract.contains(certificate.sha256)) {
      ++subtracted;
      continue;
    }
    const Store store = pki::StoreFor(certificate, options.trusted);
    if (store == Store::kNone) continue;
    PROV_TRY(CheckSize(certificate));
    if (certificate.self_signed) PROV_TRY(pki::VerifySelfSignature(certificate));
    state.certificates.push_back({certificate, store});
  }
  if (subtracted > 0)
    AddInfo(state.findings, "subtracted",
            fmt::format("{} certificates are left out, because the given bundle holds them", subtracted), "--subtract");
  std::ranges::sort(state.certificates, [](const CertificateItem& a, const CertificateItem& b) {
    return a.store != b.store ? a.store < b.store : a.certificate.sha1 < b.certificate.sha1;
  });
  return {};
}

// Pod policies come from the command line only; no source has them.
void StatePodPolicies(DesiredState& state) {
  if (!state.scope.hns) state.hns.reset();
  if (!state.scope.hns || state.hns) return;
  AddInfo(state.findings, "hns-no-policy",
          "no policy for pods is given, so those that provisioner set on their endpoints are taken away",
          "--scope hns");
}

// Whatever part of the trust is taken: the requests of containerd go through the same proxy as all others. In one
// order, because the certificates of a node are in another one than those of a source.
registries::NodeTrust TrustOf(const EgressConfig& config, const DesiredState& state) {
  registries::NodeTrust out;
  out.all = config.mirrors.trust;
  for (const pki::Certificate& one : config.certificates) out.all.push_back(one.der);
  std::ranges::sort(out.all);
  for (const CertificateItem& item : state.certificates) {
    if (item.store == Store::kRoot) out.in_root.push_back(item.certificate.der);
  }
  return out;
}

StatedOfRegistries StatedOf(const registries::Mirrors& mirrors) {
  if (mirrors.IsSilent() || mirrors.fault || mirrors.ca_fault || (mirrors.stated() && mirrors.states_cas()))
    return StatedOfRegistries::kAll;
  return mirrors.stated() ? StatedOfRegistries::kMirrors : StatedOfRegistries::kCas;
}

// A source that says nothing of registries leaves the files as they are. Without a folder nothing is wanted.
void AddRegistryFiles(const EgressConfig& config, DesiredState& state) {
  const registries::Mirrors& mirrors = config.mirrors;
  if (!state.scope.registries) {
    state.stated_of_registries = StatedOf(mirrors);
    state.registry_folder.reset();
    return;
  }
  if (!state.registry_folder) {
    AddInfo(state.findings, "registries-no-folder",
            "no --registry-folder is given, so the hosts.toml files that provisioner wrote are taken away",
            "--scope registries");
    return;
  }
  if (mirrors.IsSilent()) {
    state.scope.registries = false;
    AddInfo(state.findings, "registries-silent",
            "the source says nothing of mirrors, nor of CAs for single registries, so hosts.toml files are neither "
            "written nor removed",
            "--registry-folder");
    return;
  }
  state.stated_of_registries = StatedOf(mirrors);
  auto files = MakeRegistryFiles(*state.registry_folder, mirrors, TrustOf(config, state), state.findings);
  if (files) {
    state.files = *std::move(files);
  } else {
    state.files_fault = std::move(files).error();
  }
}

}  // namespace

Scope Scope::All() { return ScopeOfEach(true); }
Scope Scope::None() { return ScopeOfEach(false); }

std::vector<std::string_view> Scope::Names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, in_scope] : kScopeWords) {
    if (this->*in_scope) names.push_back(name);
  }
  return names;
}

bool Scope::Add(std::string_view name) {
  const auto* const found = std::ranges::find(kScopeWords, name, &ScopeWord::name);
  if (found == kScopeWords.end()) return false;
  this->*found->in_scope = true;
  return true;
}

std::optional<CredentialPolicy> CredentialPolicyOf(std::string_view name) {
  for (const auto policy : {CredentialPolicy::kMachine, CredentialPolicy::kServices, CredentialPolicy::kNone}) {
    if (NameOf(policy) == name) return policy;
  }
  return std::nullopt;
}

std::string_view NameOf(CredentialPolicy policy) {
  constexpr std::array<std::string_view, 3> kNames = {"machine", "services", "none"};
  return kNames.at(static_cast<std::size_t>(policy));
}

std::string Thumbprint(const pki::Certificate& certificate) { return AsciiUpper(certificate.sha1); }

bool DesiredState::SetsNothing() const {
  return environment.empty() && std::ranges::all_of(services, [](const auto& s) { return s.variables.empty(); }) &&
         !win_http && !win_inet && certificates.empty() && files.empty() && !hns;
}

Result<DesiredState> MakeDesiredState(const EgressConfig& config, const DesiredOptions& options) {
  DesiredState state;
  static_cast<KeptOptions&>(state) = options;
  state.scope = Stated(options.scope, egress::StatesProxy(config), config.trust_file.present);
  state.left_out = LeftOut(options.scope, config);
  state.only_adds_certificates = config.not_read.trust;
  if (state.scope.TakesProxy()) PROV_TRY(AddProxy(config, options, state));
  if (state.scope.certificates) PROV_TRY(AddCertificates(config, options, state));
  AddRegistryFiles(config, state);
  StatePodPolicies(state);
  return state;
}

registries::Mirrors StoredMirrors(const egress::EgressConfig& config, const DesiredState& state) {
  registries::Mirrors out = config.mirrors;
  const auto is_hosts = [](const FileItem& file) { return file.path.ends_with(registries::kHostsFile); };
  if (std::ranges::all_of(state.files, is_hosts)) {
    out.trust.clear();
    return out;
  }
  for (const pki::Certificate& one : config.certificates) {
    const auto is_same = [&](const CertificateItem& item) { return item.certificate.sha256 == one.sha256; };
    if (std::ranges::none_of(state.certificates, is_same)) out.trust.push_back(one.der);
  }
  std::ranges::sort(out.trust);
  const auto repeated = std::ranges::unique(out.trust);
  out.trust.erase(repeated.begin(), repeated.end());
  return out;
}

}  // namespace prov::reconcile
