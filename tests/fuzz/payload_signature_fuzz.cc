// Signatures of payloads: no bytes but those that the key made are taken, and whatever is given as a signature, a
// signer's certificate or a key ends in an error of that. The input is any of the three, or, behind a first byte 0x01,
// changes to a good signature: of three bytes each, a place (two) and what it is XORed with.
#include "provisioner/payload/payload_signature.h"
#include "provisioner/pki/cms_signature.h"
#include "tests/fuzz/check.h"
#include "tests/support/make_certificate.h"

namespace prov::fuzz {
namespace {

constexpr std::string_view kManifest = "{\"schema\": 1}\n";

// Made anew in each run, as no private key lies in a repository.
struct Signed {
  pki::Certificate signer = payload::ReadSigner(test::MakeCertificate().der, "signer").value();
  std::string signature =
      payload::SigningKey::Read(Secret(test::PrivateKeyPem("rsa2048")), signer, "key").value().Sign(kManifest).value();
};

const Signed& Good() {
  static const Signed good;
  return good;
}

void CheckSignature(std::string_view bytes) {
  const auto verified = payload::VerifySignature(kManifest, bytes, Good().signer, "p7s");
  FUZZ_CHECK(verified.has_value() == (bytes == Good().signature));
  if (verified) return;
  CheckError(verified.error());
  FUZZ_CHECK(verified.error().code == Code::kSignature && verified.error().where == "p7s");
}

void CheckForm(std::string_view bytes) {
  const auto parts = pki::ParseCms(bytes);
  if (!parts) {
    FUZZ_CHECK(!parts.error().empty() && parts.error().back() != '.');
    return;
  }
  const std::string again = pki::EncodeCms(*parts);
  FUZZ_CHECK(again.size() <= bytes.size());
  const auto parts_again = pki::ParseCms(again);
  FUZZ_CHECK(parts_again && parts_again->signer == parts->signer && parts_again->value == parts->value);
}

void CheckKeyAndCertificate(std::string_view bytes) {
  if (const auto key = payload::SigningKey::Read(Secret(std::string(bytes)), Good().signer, "key"); !key) {
    CheckError(key.error());
    FUZZ_CHECK(key.error().code == Code::kSignature);
  }
  const auto signer = payload::ReadSigner(bytes, "signer");
  if (signer) {
    FUZZ_CHECK(signer->key_algorithm == "rsa" && signer->key_bits >= 2048);
    FUZZ_CHECK(!payload::VerifySignature(kManifest, Good().signature, *signer, "p7s"));
  } else {
    CheckError(signer.error());
    FUZZ_CHECK(InfoOf(signer.error().code).exit == 11 || signer.error().code == Code::kSignature);
  }
}

std::string Changed(std::string_view edits) {
  std::string out = Good().signature;
  for (; edits.size() >= 3; edits.remove_prefix(3)) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(edits[i])); };
    char& changed = out[(byte(0) << 8U | byte(1)) % out.size()];
    changed = static_cast<char>(static_cast<unsigned char>(changed) ^ byte(2));
  }
  return out;
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  if (text.starts_with('\x01')) {
    const std::string bytes = Changed(text.substr(1));
    CheckForm(bytes);
    CheckSignature(bytes);
  } else {
    CheckForm(text);
    CheckSignature(text);
    CheckKeyAndCertificate(text);
  }
  return 0;
}
