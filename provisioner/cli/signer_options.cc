#include "provisioner/cli/signer_options.h"

#include <fmt/format.h>

#include "provisioner/base/file.h"
#include "provisioner/node/pin.h"

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

OptionGroup PinOptionSpecs() {
  return {{"signer", "CERT",
           "accept only a payload that this certificate's key signed; first-boot, service install and apply --install "
           "pin it for all later runs",
           Group::kGuards},
          {"for", "NAME", "accept only a payload that was baked for the cluster of this name; pinned as the signer is",
           Group::kGuards}};
}

Result<Signer> GivenSigner(const Arguments& arguments) {
  if (!arguments.Has("signer")) return std::nullopt;
  const std::string path = arguments.Get("signer");
  return PROV_TRY(payload::ReadSigner(PROV_TRY(ReadFile(path, payload::kMostSignerBytes)), path));
}

Result<payload::Pin> GivenPin(const Arguments& arguments) {
  payload::Pin out{.cluster = PROV_TRY(GivenCluster(arguments))};
  if (auto signer = PROV_TRY(GivenSigner(arguments))) out.signers.push_back(*std::move(signer));
  return out;
}

Result<payload::Pin> WantedPin(const payload::Pin& given, const std::vector<machine::Host*>& hosts) {
  std::optional<payload::Pin> out;
  for (machine::Host* host : hosts) {
    payload::Pin one = PROV_TRY(node::PinWith(*host, given));
    if (out && !out->empty() && !one.empty() && payload::PinJson(*out) != payload::PinJson(one)) {
      return Fail(Code::kSignature,
                  "another signer or cluster is pinned here than in an earlier image; change the images one by one, or "
                  "give --signer and --for",
                  host->Name());
    }
    if (!out || !one.empty()) out = std::move(one);
  }
  return out.value_or(given);
}

Result<std::string> GivenCluster(const Arguments& arguments) {
  if (!arguments.Has("for")) return std::string();
  std::string name = arguments.Get("for");
  if (payload::IsClusterName(name)) return name;
  return Fail(Code::kUsage, "takes the name of a cluster: 1 to 253 bytes of text without control characters", "--for");
}

Result<std::string> ReadNextSigner(const Arguments& arguments) {
  if (!arguments.Has("next-signer")) return std::string();
  if (!arguments.Has("sign")) {
    return Fail(Code::kUsage, "needs --sign: only the present signer can introduce the next one", "--next-signer");
  }
  const std::string path = arguments.Get("next-signer");
  pki::Certificate next = PROV_TRY(payload::ReadSigner(PROV_TRY(ReadFile(path, payload::kMostSignerBytes)), path));
  const auto signer = PROV_TRY(GivenSigner(arguments));
  if (signer && signer->der == next.der)
    return Fail(Code::kUsage, "is the certificate of --signer, too; give the one that is to follow it",
                "--next-signer");
  return std::move(next.der);
}

OptionGroup SignOptionSpecs() {
  return {
      {"sign", "KEY", "sign the payload with this RSA key (PEM, not encrypted); needs its certificate in --signer",
       Group::kPayload},
      {"signer", "CERT",
       "with --sign: the certificate of that key; without: accept only a payload that this certificate's key signed",
       Group::kPayload},
      {"next-signer", "CERT",
       "with --sign: the payload introduces this signer; nodes that accept it take payloads by that one from then on",
       Group::kPayload},
      {"for", "NAME",
       "the cluster that the payload is for: nodes with another one pinned refuse it (default: that of a SOURCE which "
       "is a payload)",
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
