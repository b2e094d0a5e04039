#include "provisioner/source/roots.h"

#include <algorithm>

#include "ignition/fetch_scope.h"
#include "ignition/yaml.h"
#include "provisioner/base/text.h"
#include "provisioner/pki/trust_bundle.h"

namespace prov::source {
namespace {

constexpr std::uint64_t kMaxCaFileBytes = 16ULL << 20U;

Result<void> Add(std::string_view bytes, const std::string& where, std::vector<std::string>& to) {
  Findings ignored;
  const auto certificates = PROV_TRY(pki::ParseTrustBundle(bytes, where, ignored));
  if (std::ranges::all_of(certificates, &pki::Certificate::rejected)) {
    return Fail(Code::kCert,
                certificates.empty()
                    ? "holds no certificate, so no server could be verified"
                    : "holds only certificates that their own trust settings reject, so no server could be verified",
                where);
  }
  for (const pki::Certificate& certificate : certificates) {
    if (!certificate.rejected && std::ranges::find(to, certificate.der) == to.end()) to.push_back(certificate.der);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> ParseRoots(std::string_view bytes, const std::string& where) {
  std::vector<std::string> out;
  PROV_TRY(Add(bytes, where, out));
  return out;
}

Result<std::vector<std::string>> RootsOf(const SourceRequest& request) {
  std::vector<std::string> out;
  if (request.ca_file.empty()) return out;
  std::string bytes = PROV_TRY(request.ReadLocal(request.ca_file, kMaxCaFileBytes));
  DecodeMarked(bytes);  // the reader of bundles refuses malformed text
  if (!ignition::BeginsAsJson(bytes)) return ParseRoots(bytes, request.ca_file);
  const ignition::FetchSettings settings = PROV_TRY(ignition::ReadFetchSettings(std::move(bytes), request.ca_file));
  if (settings.authorities.empty()) {
    return Fail(Code::kCert,
                "this Ignition config has no "
                "ignition.security.tls.certificateAuthorities",
                request.ca_file);
  }
  for (const std::string& authority : settings.authorities) PROV_TRY(Add(authority, request.ca_file, out));
  return out;
}

Result<void> MayUseSystemRoots(const SourceRequest& request) {
  if (!request.IsFollowed()) return {};
  return Fail(Code::kUsage,
              "a node that follows this source needs a separate CA for its server, because the source itself decides "
              "which CAs the node's store contains; give --ca FILE",
              "--ca");
}

}  // namespace prov::source
