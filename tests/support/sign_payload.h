// A signer for tests, and payloads in folders that it signed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "provisioner/payload/payload_signature.h"
#include "tests/support/make_certificate.h"
#include "tests/support/sample.h"

namespace prov::testing_support {

inline test::CertificateSpec SignerSpec(const std::string& name, const std::string& key) {
  test::CertificateSpec spec;
  spec.subject = {{"O", "Example Corp"}, {"CN", name}};
  spec.key = key;
  return spec;
}

// One who has a certificate "CN=NAME,O=Example Corp" and a key (see test::TestKey).
struct TestSigner {
  explicit TestSigner(const std::string& name, const std::string& key_name = "rsa2048")
      : made(test::MakeCertificate(SignerSpec(name, key_name))),
        key_pem(test::PrivateKeyPem(key_name)),
        certificate(payload::ReadSigner(made.der, name).value()) {}

  std::string Sign(std::string_view bytes) const {
    return payload::SigningKey::Read(Secret(key_pem), certificate, "key").value().Sign(bytes).value();
  }

  test::MadeCertificate made;
  std::string key_pem;
  pki::Certificate certificate;
};

inline void PutBytes(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(out.good()) << path;
}

// Signs what the folder's manifest says now.
inline void SignFolder(const std::filesystem::path& folder, const TestSigner& signer) {
  PutBytes(folder / payload::kSignaturePath, signer.Sign(ReadAll(folder / "manifest.json")));
}

}  // namespace prov::testing_support
