#include "provisioner/cli/signer_options.h"

#include <fmt/format.h>

#include "provisioner/base/file.h"
#include "provisioner/node/signer.h"

namespace prov::cli {
namespace {

using Signer = std::optional<pki::Certificate>;

// Warns about the certificate's validity. Verification ignores it, but administrators who check the certificate may
// not.
void ReviewValidity(const pki::Certificate& signer, std::int64_t now, const std::string& where, Findings& findings) {
  if (now > signer.not_after_unix) {
    AddWarning(
        findings, "signer-expired",
        fmt::format("the signer's certificate was valid until {}; nodes still accept its signatures", signer.not_after),
        where);
  } else if (now < signer.not_before_unix) {
    AddWarning(findings, "signer-not-yet-valid",
               fmt::format("the signer's certificate is valid from {} on; nodes still accept its signatures",
                           signer.not_before),
               where);
  }
}

}  // namespace

OptionSpec SignerOption() {
  return {"signer", "CERT",
          "accept only a payload that this certificate's key signed; first-boot, service install and apply --install "
          "pin it for all later runs",
          Group::kGuards};
}

Result<Signer> GivenSigner(const Arguments& arguments) {
  if (!arguments.Has("signer")) return std::nullopt;
  const std::string path = arguments.Get("signer");
  return PROV_TRY(payload::ReadSigner(PROV_TRY(ReadFile(path, payload::kMostSignerBytes)), path));
}

Result<Signer> WantedSigner(const Signer& given, const std::vector<machine::Host*>& hosts) {
  if (given) return given;
  Signer out;
  for (machine::Host* host : hosts) {
    Signer one = PROV_TRY(node::PinnedSigner(*host));
    if (out && one && out->der != one->der) {
      return Fail(
          Code::kSignature,
          "a different signer is pinned here than in an earlier image; change the images one by one, or give --signer",
          host->Name());
    }
    if (one) out = std::move(one);
  }
  return out;
}

OptionGroup SignOptionSpecs() {
  return {
      {"sign", "KEY", "sign the payload with this RSA key (PEM, not encrypted); needs its certificate in --signer",
       Group::kPayload},
      {"signer", "CERT",
       "with --sign: the certificate of that key; without: accept only a payload that this certificate's key signed",
       Group::kPayload}};
}

Result<std::optional<payload::SigningKey>> ReadSigningKey(const Arguments& arguments, std::int64_t now_unix,
                                                          Findings& findings) {
  if (!arguments.Has("sign")) return std::nullopt;
  const auto signer = PROV_TRY(GivenSigner(arguments));
  if (!signer) return Fail(Code::kUsage, "needs the certificate of the key: give --signer CERT with it", "--sign");
  ReviewValidity(*signer, now_unix, arguments.Get("signer"), findings);
  const std::string path = arguments.Get("sign");
  const Secret pem(PROV_TRY(ReadFile(path, payload::kMostSignerBytes)));
  return PROV_TRY(payload::SigningKey::Read(pem, *signer, path));
}

}  // namespace prov::cli
