#include "provisioner/publish/pod_trust.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "provisioner/base/text.h"
#include "provisioner/source/kube_uri.h"

namespace prov::publish {
namespace {

constexpr std::string_view kKind = "configmap/";
constexpr std::string_view kDefaultKey = "ca-bundle.crt";
constexpr std::string_view kLinuxPlace = "/etc/egress-trust";
constexpr std::string_view kWindowsPlace = R"(C:\egress-trust)";

// Used by OpenSSL and Go on Linux, Node.js, Python's requests, curl, git, the AWS SDKs.
constexpr std::array<std::string_view, 6> kVariables = {"SSL_CERT_FILE",  "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
                                                        "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",      "AWS_CA_BUNDLE"};

// Nano Server has certoc, Server Core certutil; both import one certificate per file. The command always succeeds,
// because a failing hook ends its container.
constexpr std::string_view kImport =
    R"((for %c in (C:\egress-trust\*.cer) do @if exist %SystemRoot%\System32\certoc.exe (certoc.exe -addstore root %c) )"
    R"(else if exist %SystemRoot%\System32\certutil.exe (certutil.exe -addstore -f Root %c)) & exit /b 0)";

bool IsKey(std::string_view text) {
  constexpr std::size_t kMost = 253;
  return !text.empty() && text.size() <= kMost && text != "." && text != ".." && std::ranges::all_of(text, [](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.';
  });
}

std::string_view PlaceOn(bool windows) { return windows ? kWindowsPlace : kLinuxPlace; }

// The names of a path's folders, without the drive C:.
std::vector<std::string> FoldersOf(std::string_view path, bool windows) {
  std::string text = windows ? AsciiLower(path) : std::string(path);
  if (windows) std::ranges::replace(text, '\\', '/');
  std::vector<std::string> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    const std::string_view name = rest.substr(0, end);
    if (!name.empty() && name != "." && !(windows && name == "c:")) out.emplace_back(name);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

}  // namespace

Result<PodTrust> ParsePodTrust(std::string_view text, const std::string& where) {
  const std::string_view rest = text.starts_with(kKind) ? text.substr(kKind.size()) : std::string_view();
  const std::size_t colon = rest.find(':');
  PodTrust out{std::string(rest.substr(0, colon)),
               std::string(colon == std::string_view::npos ? kDefaultKey : rest.substr(colon + 1))};
  if (source::IsKubeName(out.config_map) && IsKey(out.key)) return out;
  return Fail(Code::kUsage,
              fmt::format("takes configmap/NAME or configmap/NAME:KEY, such as configmap/user-ca-bundle:ca-bundle.crt, "
                          "not \"{}\"",
                          Printable(text)),
              where);
}

std::vector<PodVariable> TrustVariables(const PodTrust& trust, bool windows) {
  const std::string path = fmt::format("{}{}{}", PlaceOn(windows), windows ? '\\' : '/', trust.key);
  std::vector<PodVariable> out;
  out.reserve(kVariables.size());
  for (const std::string_view name : kVariables) out.push_back({std::string(name), path});
  return out;
}

bool IsTrustPlace(std::string_view path, bool windows) {
  return FoldersOf(path, windows) == FoldersOf(PlaceOn(windows), windows);
}

Result<PodVolume> TrustVolumeOf(const source::ObjectView& spec, const PodTrust& trust) {
  PodVolume out{.name = std::string(kTrustVolume), .config_map = trust.config_map, .is_added = true};
  out.same.emplace_back(kTrustVolume);
  for (const source::ObjectView& volume : PROV_TRY(spec.Objects("volumes"))) {
    out.has_volumes = true;
    const std::string_view name = PROV_TRY(volume.TextOr("name", ""));
    const auto map = PROV_TRY(volume.Object("configMap"));
    const bool is_same = map && PROV_TRY(map->TextOr("name", "")) == trust.config_map;
    if (is_same) out.same.emplace_back(name);
    if (name != kTrustVolume) continue;
    out.is_added = false;
    out.is_taken = out.is_taken || !is_same;
  }
  return out;
}

Result<bool> IsHostProcess(const source::ObjectView& spec_or_container) {
  const auto security = PROV_TRY(spec_or_container.Object("securityContext"));
  const auto windows = security ? PROV_TRY(security->Object("windowsOptions")) : std::nullopt;
  const JsonValue* flag = windows ? windows->Find("hostProcess") : nullptr;
  return flag != nullptr && flag->IsTrue();
}

Result<void> AddTrust(const source::ObjectView& container, const PodPlace& place, const PodVolume& volume,
                      PodContainer& report, PatchedContainer& patched) {
  const bool windows = place.windows;
  bool is_mounted = false;
  report.untrusted = volume.is_taken;
  for (const source::ObjectView& mount : PROV_TRY(container.Objects("volumeMounts"))) {
    patched.has_mounts = true;
    if (!IsTrustPlace(PROV_TRY(mount.TextOr("mountPath", "")), windows)) continue;
    is_mounted = true;
    const std::string_view name = PROV_TRY(mount.TextOr("name", ""));
    report.untrusted = report.untrusted || std::ranges::find(volume.same, name) == volume.same.end();
  }
  if (report.untrusted) return {};
  report.mounts = !is_mounted;
  if (report.mounts) patched.mount_path = PlaceOn(windows);
  const auto lifecycle = PROV_TRY(container.Object("lifecycle"));
  patched.has_lifecycle = lifecycle.has_value();
  const bool has_hook = lifecycle && PROV_TRY(lifecycle->Object("postStart"));
  const bool has_own_store = windows && !place.host_process && !PROV_TRY(IsHostProcess(container));
  report.imports = has_own_store && !report.init && !has_hook;
  if (report.imports) patched.hook = {"cmd.exe", "/d", "/c", std::string(kImport)};
  return {};
}

}  // namespace prov::publish
