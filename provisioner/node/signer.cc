#include "provisioner/node/signer.h"

#include <fmt/format.h>

#include "provisioner/payload/payload_signature.h"

namespace prov::node {

Result<std::optional<pki::Certificate>> PinnedSigner(machine::Host& host) {
  const auto bytes = PROV_TRY(host.installation().PinnedSigner());
  if (!bytes) return std::nullopt;
  return PROV_TRY(payload::ReadSigner(*bytes, "signer.cer, the pinned signer of " + host.Name()));
}

Result<bool> PinSigner(machine::Host& host, const pki::Certificate& signer, Findings& findings) {
  const bool fresh = PROV_TRY(host.installation().PinSigner(signer.der));
  if (fresh) {
    AddInfo(findings, "signer-pinned",
            fmt::format("from now on only payloads that {} signed are taken here", payload::NameOfSigner(signer)),
            host.Name());
  }
  return fresh;
}

}  // namespace prov::node
