// What findings are called, how grave they can be, what they mean and what to do about them. The reference in the
// documentation and `provisioner explain-code` come from this table.
#pragma once

#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace prov {

enum class Severity { kInfo, kWarning, kError };

std::string_view NameOf(Severity severity);  // "info", "warning", "error"

// Every code once, in the order of the alphabet. Callers act on these words: add to them, rename none. finding_code.cc
// says what each means.
inline constexpr std::string_view kFindingNames[] = {
    "aks-cluster-suffixes",
    "aks-credentials",
    "aks-disabled",
    "aks-https-default",
    "aks-injected",
    "aks-key",
    "aks-limit",
    "aks-no-proxy",
    "aks-url",
    "aks-url-slash",
    "already-there",
    "answer-file-processed",
    "append-download",
    "append-no-keys",
    "append-stale",
    "ca-transport-other",
    "ca-transport-tls",
    "cert-duplicate",
    "cert-expired",
    "cert-expires-soon",
    "cert-not-ca",
    "cert-not-yet-valid",
    "cert-weak-key",
    "cert-weak-signature",
    "changed-since",
    "cidata-service",
    "clients-disagree",
    "containers-differ",
    "control-set",
    "control-sets",
    "credentials-machine",
    "credentials-none",
    "credentials-services",
    "dirty-hive",
    "disallowed",
    "drive-secret",
    "empty-bundle",
    "env-comment-continues",
    "env-differs",
    "env-duplicate",
    "env-line",
    "env-long",
    "env-lower-case",
    "env-name",
    "env-nul",
    "env-quote",
    "env-quoted",
    "env-reference",
    "env-utf8",
    "fail-open",
    "file-changed",
    "guestinfo-size",
    "held",
    "hibernated",
    "hive-replayed",
    "hosted-control-plane",
    "image-descriptors",
    "inject-duplicate",
    "inject-kind",
    "inject-label",
    "inject-nothing",
    "install-config-missing",
    "interrupted",
    "leaf-imported",
    "leaf-skipped",
    "leftover-removed",
    "legacy-differs",
    "legacy-environment",
    "lock-wait",
    "newer-version",
    "newest-of-list",
    "no-mac",
    "no-proxy",
    "no-proxy-all",
    "no-proxy-augmented",
    "no-proxy-blank",
    "no-proxy-file",
    "no-proxy-host-bits",
    "no-proxy-idn",
    "no-proxy-incomplete",
    "no-proxy-inert",
    "no-proxy-missing",
    "no-proxy-odd-address",
    "no-proxy-separator",
    "no-proxy-trailing-dot",
    "no-proxy-wide",
    "no-source",
    "no-trust-config-map",
    "no-trust-file",
    "no-user-ca-bundle",
    "not-probed",
    "not-rendered",
    "old-version",
    "open-transaction",
    "operator-value",
    "other-objects",
    "other-pool",
    "payload-stays",
    "pem-commented",
    "pem-other",
    "pem-repaired",
    "pem-trusted",
    "pod-env",
    "pod-env-from",
    "pod-env-nothing",
    "pod-env-redacted",
    "pod-env-trust",
    "pod-opt-out",
    "pod-opt-out-place",
    "pod-opt-out-value",
    "pod-os",
    "pod-trust",
    "pool-paused",
    "private-key",
    "probe",
    "probe-digest",
    "probe-redirect",
    "probe-skipped",
    "probe-trust",
    "program-replaced",
    "proxy-name",
    "proxy-not-accepted",
    "proxy-status-differs",
    "proxy-url",
    "proxy-url-at",
    "proxy-url-idn",
    "proxy-url-no-scheme",
    "proxy-url-path",
    "proxy-url-port",
    "reboot-annotate",
    "reboot-asked",
    "reboot-waits",
    "recovered",
    "reg-services",
    "region-missing",
    "request-url",
    "root-not-self-signed",
    "script-certificate",
    "script-only",
    "script-state",
    "secret-file",
    "self-signed-leaf",
    "service-account",
    "service-environment",
    "service-restart",
    "service-restarted",
    "service-runs-on",
    "service-unknown",
    "setup-complete-exit",
    "signature-kept",
    "signature-unchecked",
    "signer",
    "signer-expired",
    "signer-not-yet-valid",
    "signer-pinned",
    "signer-script",
    "source-unavailable",
    "state-damaged",
    "state-lost",
    "stored-source",
    "subtracted",
    "system-ca-missing",
    "system-roots",
    "trial",
    "trial-expired",
    "trial-open",
    "trust-bundle",
    "trust-unused",
    "trusted-ca-missing",
    "trusted-ca-namespace",
    "untrusted",
    "user-ca-unused",
    "userdata-credentials",
    "userdata-delivery",
    "userdata-task",
    "userdata-url",
    "wim-freed-blobs",
    "winhttp-cidr",
    "winhttp-credentials",
    "winhttp-https-proxy",
    "winhttp-idn",
    "winhttp-length",
    "winhttp-name",
    "winhttp-octets",
    "winhttp-port",
    "wininet-machine-wide",
    "wininet-script",
};

// Defined nowhere: the compiler names it where a code is not in kFindingNames.
void ThisCodeIsNotInFindingNames();

// A code of kFindingNames. It is made of a literal, and one that is not in the list does not compile.
class FindingCode {
 public:
  consteval FindingCode(const char* name) : name_(Listed(name)) {}

  // It lives as long as the program.
  constexpr std::string_view name() const { return name_; }

 private:
  static consteval std::string_view Listed(std::string_view name) {
    std::size_t at = 0;
    while (at < std::size(kFindingNames) && kFindingNames[at] != name) ++at;
    if (at == std::size(kFindingNames)) ThisCodeIsNotInFindingNames();
    return kFindingNames[at];
  }

  std::string_view name_;
};

struct FindingInfo {
  std::string_view name;
  unsigned severities;       // a bit for each severity that it can have
  std::string_view meaning;  // whole sentences
  std::string_view remedy;   // whole sentences: what to do

  constexpr bool CanBe(Severity severity) const { return ((severities >> static_cast<unsigned>(severity)) & 1U) != 0; }
};

// What there is to say about every code, in the order of kFindingNames.
std::span<const FindingInfo> AllFindingCodes();

}  // namespace prov
