// DesiredState: what a Windows node is to have, derived from an EgressConfig and the operator's choices. `bake` writes
// it into a payload, `apply` compares it with a machine; both use this one derivation.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "provisioner/egress/egress_config.h"
#include "provisioner/egress/win_http_bypass.h"
#include "provisioner/pki/certificate.h"
#include "provisioner/pki/trust_store.h"
#include "provisioner/reconcile/environment.h"
#include "provisioner/reconcile/pod_policies.h"
#include "provisioner/reconcile/registry_files.h"

namespace prov::reconcile {

// The kinds of items, such as those that are managed.
struct Scope {
  bool machine = true;
  bool services = true;
  bool win_http = true;
  bool certificates = true;
  bool win_inet = false;    // off by default: it also overrides the settings of the machine's users
  bool hns = false;         // off by default: it redirects the traffic of pods
  bool registries = false;  // off by default: needs the folder of containerd's hosts.toml files

  static Scope All();
  static Scope None();

  bool TakesProxy() const { return machine || services || win_http || win_inet; }
  // "machine", "services", "winhttp", "wininet", "certs", "registries", "hns", in this order.
  std::vector<std::string_view> Names() const;
  bool Add(std::string_view name);  // one of these names; false for another
  bool operator==(const Scope&) const = default;
};

// Where credentials of a proxy URL may be stored.
enum class CredentialPolicy { kMachine, kServices, kNone };
std::string_view NameOf(CredentialPolicy policy);
std::optional<CredentialPolicy> CredentialPolicyOf(std::string_view name);

// The options that a desired state keeps, because what is baked from it records them.
struct KeptOptions {
  Scope scope;
  CredentialPolicy credentials = CredentialPolicy::kMachine;
  pki::TrustedDigests trusted;
  bool win_http_octets = false;
  std::optional<PodPolicies> hns;
  std::optional<std::string> registry_folder;  // CheckRegistryFolder
};

struct DesiredOptions : KeptOptions {
  std::vector<std::string> services;  // checked names
  std::set<std::string> subtract;     // SHA-256 (hex) of certificates to leave out
};

struct CertificateItem {
  pki::Certificate certificate;
  pki::Store store = pki::Store::kRoot;  // kRoot or kCa
};

// 40 upper-case hex digits: the name of the certificate's key and what Windows shows as its thumbprint.
std::string Thumbprint(const pki::Certificate& certificate);

// Kinds that the source says nothing about are not in scope, and are left alone; pods' policies are in scope.
struct DesiredState : KeptOptions {
  // What the choices leave out although the source states it: what is ours there is taken back.
  Scope left_out = Scope::None();
  bool holds_credentials = false;  // some value below contains a user name or password
  std::vector<EnvironmentVariable> environment;
  std::vector<ServiceEnvironment> services;
  std::optional<egress::WinHttpProxy> win_http, win_inet;
  std::vector<CertificateItem> certificates;  // unique; ROOT before CA, by thumbprint
  std::vector<FileItem> files;                // in the order in which they are written
  std::optional<Error> files_fault;           // why the files are not known, so that those of ours are left as they are
  StatedOfRegistries stated_of_registries = StatedOfRegistries::kAll;
  bool only_adds_certificates = false;  // ours that are not in the list stay: the source is not read whole
  Findings findings;

  // Whether applying this would leave a machine that holds nothing of ours as it is.
  bool SetsNothing() const;
};

// Errors: fail-open (a malformed proxy URL or a bypass list that WinHTTP or WinINET would misread), no-proxy, cert (a
// root whose own signature does not verify; nothing of a bundle that is not empty would be imported), size-limit (a
// variable or a certificate that Windows' registry can't hold). Whatever it makes, bake and apply take, but for
// `files_fault`, which they refuse where a person can still mend it.
Result<DesiredState> MakeDesiredState(const egress::EgressConfig& config, const DesiredOptions& options);

// The mirrors of a source with what a payload or a node needs beside `state.certificates` to make the same files again.
registries::Mirrors StoredMirrors(const egress::EgressConfig& config, const DesiredState& state);

}  // namespace prov::reconcile
