// Signed payloads: manifest.json.p7s beside manifest.json is a detached signature over that file's exact bytes, in the
// form of cms_signature.h. The manifest holds the digest of every other file, so the signature covers the whole
// payload. Only the key of one certificate, which an administrator named, is trusted: no chain, no store of the system.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"
#include "provisioner/payload/payload.h"
#include "provisioner/pki/certificate.h"

struct evp_pkey_st;  // of OpenSSL

namespace prov::payload {

inline constexpr std::uint64_t kMostSignatureBytes = std::uint64_t{1} << 20U;
inline constexpr std::uint64_t kMostSignerBytes = std::uint64_t{1} << 20U;

// Reads the certificate of a signer: PEM with only this certificate, or DER. `bake` and nodes read it so, and no other
// way. Errors: cert; signature for an unsuitable key (not RSA, or below 2048 bits), and for another purpose: it must
// have no extendedKeyUsage or one with codeSigning and without anyExtendedKeyUsage, and in a keyUsage digitalSignature
// (RFC 5280, 4.2.1.3 and 4.2.1.12).
Result<pki::Certificate> ReadSigner(std::string_view bytes, std::string_view where);

// "CN=… (SHA-256 …)", for messages.
std::string NameOfSigner(const pki::Certificate& signer);

// Whether the key of `signer` signed exactly these bytes. Errors: signature, with `where` as given.
Result<void> VerifySignature(std::string_view manifest, std::string_view signature, const pki::Certificate& signer,
                             std::string_view where);

// A private key with its certificate.
class SigningKey {
 public:
  // Reads an unencrypted PEM key: PKCS#8 or PKCS#1. Errors: signature, which never quotes the key.
  static Result<SigningKey> Read(const Secret& pem, pki::Certificate signer, std::string_view where);

  // The same manifest gives the same bytes. Errors: internal.
  Result<std::string> Sign(std::string_view manifest) const;

  const pki::Certificate& signer() const { return signer_; }

 private:
  SigningKey(std::shared_ptr<evp_pkey_st> key, pki::Certificate signer)
      : key_(std::move(key)), signer_(std::move(signer)) {}

  std::shared_ptr<evp_pkey_st> key_;
  pki::Certificate signer_;
};

// Adds the signature to the files, or renews it.
Result<void> SignPayload(Payload& payload, const SigningKey& key);

}  // namespace prov::payload
