#include "provisioner/payload/payload_signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "provisioner/payload/manifest.h"
#include "provisioner/pki/cms_signature.h"
#include "provisioner/pki/openssl_errors.h"
#include "provisioner/pki/pem.h"
#include "provisioner/pki/trust_bundle.h"

namespace prov::payload {
namespace {

constexpr unsigned kFewestBits = 2048;

using KeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using X509Pointer = std::unique_ptr<X509, decltype(&X509_free)>;
using ContextPointer = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

std::unexpected<Error> Refuse(std::string message, std::string_view where) {
  return Fail(Code::kSignature, std::move(message), std::string(where));
}

const unsigned char* BytesOf(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

X509Pointer X509Of(const pki::Certificate& certificate) {
  const unsigned char* at = BytesOf(certificate.der);
  return {d2i_X509(nullptr, &at, static_cast<long>(certificate.der.size())), &X509_free};
}

KeyPointer PublicKeyOf(const pki::Certificate& certificate) {
  const X509Pointer x509 = X509Of(certificate);
  return {x509 ? X509_get_pubkey(x509.get()) : nullptr, &EVP_PKEY_free};
}

// Accepts RSA only: other signatures contain a random number, or need another form.
Result<void> CheckKind(std::string_view algorithm, unsigned bits, std::string_view where) {
  if (algorithm != "rsa") {
    return Refuse(
        fmt::format("holds a key of the kind {}: payloads are signed with RSA keys, whose signatures (PKCS#1 v1.5) are "
                    "the same each time, so that the same payload has the same bytes",
                    algorithm),
        where);
  }
  if (bits < kFewestBits) {
    return Refuse(
        fmt::format("holds an RSA key of {} bits, which can be broken: take one of {} or more", bits, kFewestBits),
        where);
  }
  return {};
}

using Names = std::vector<std::string>;

// {"serverAuth", "1.3.6.1.4.1.311.10.3.5"}.
Names NamesOf(const EXTENDED_KEY_USAGE* purposes) {
  Names out;
  for (int i = 0; i < sk_ASN1_OBJECT_num(purposes); ++i) {
    std::array<char, 128> oid{};
    const ASN1_OBJECT* purpose = sk_ASN1_OBJECT_value(purposes, i);
    const int nid = OBJ_obj2nid(purpose);
    OBJ_obj2txt(oid.data(), static_cast<int>(oid.size()), purpose, 1);
    out.emplace_back(nid == NID_undef ? oid.data() : OBJ_nid2sn(nid));
  }
  return out;
}

// {"keyCertSign", "cRLSign"}. RFC 5280 numbers the bits in this order (4.2.1.3).
Names NamesOf(const ASN1_BIT_STRING* usages) {
  constexpr std::array<std::string_view, 9> kNames = {"digitalSignature", "nonRepudiation", "keyEncipherment",
                                                      "dataEncipherment", "keyAgreement",   "keyCertSign",
                                                      "cRLSign",          "encipherOnly",   "decipherOnly"};
  Names out;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (ASN1_BIT_STRING_get_bit(usages, static_cast<int>(i)) == 1) out.emplace_back(kNames[i]);
  }
  return out;
}

std::string ListOf(const Names& names) { return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", ")); }

bool Has(const Names& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

// The names in an extension; nullopt: the certificate does not have it.
template <class T, void (*kFree)(T*)>
Result<std::optional<Names>> NamesIn(const X509* x509, int nid, std::string_view where) {
  int state = 0;  // -1: absent
  const std::unique_ptr<T, decltype(kFree)> found(static_cast<T*>(X509_get_ext_d2i(x509, nid, &state, nullptr)), kFree);
  if (found) return NamesOf(found.get());
  if (state == -1) return std::nullopt;
  return Refuse(fmt::format("has an extension {} that can't be read, or two of them: issue the certificate again",
                            OBJ_nid2sn(nid)),
                where);
}

// A certificate that was issued for something else, such as a server, must not make its key a signer of payloads.
// anyExtendedKeyUsage does not count as code signing: OpenSSL's purpose codesign refuses it, too. Whether the
// certificate is a CA does not matter, as no chain is built.
Result<void> CheckPurpose(const pki::Certificate& signer, std::string_view where) {
  constexpr std::string_view kRemedy =
      "take a certificate with the extendedKeyUsage codeSigning or with none, and with digitalSignature if it has a "
      "keyUsage";
  const pki::OpensslErrors errors;
  const X509Pointer x509 = X509Of(signer);
  if (!x509) return Refuse("holds a certificate that OpenSSL can't read: issue the signer's certificate again", where);
  const auto purposes =
      PROV_TRY((NamesIn<EXTENDED_KEY_USAGE, &EXTENDED_KEY_USAGE_free>(x509.get(), NID_ext_key_usage, where)));
  if (purposes && (!Has(*purposes, "codeSigning") || Has(*purposes, "anyExtendedKeyUsage"))) {
    return Refuse(fmt::format("was issued for {} (extendedKeyUsage), and payloads are signed with one for codeSigning "
                              "that is not for any purpose; {}",
                              ListOf(*purposes), kRemedy),
                  where);
  }
  const auto usages = PROV_TRY((NamesIn<ASN1_BIT_STRING, &ASN1_BIT_STRING_free>(x509.get(), NID_key_usage, where)));
  if (!usages || Has(*usages, "digitalSignature")) return {};
  return Refuse(fmt::format("holds a key for {} (keyUsage), and payloads are signed with one for digitalSignature; {}",
                            ListOf(*usages), kRemedy),
                where);
}

// Finds the only private key in a text. Other contents, such as certificates, are ignored.
Result<pki::PemBlock> FindKey(std::string_view text, std::string_view where) {
  pki::PemScanner scanner(text);
  std::optional<pki::PemBlock> found;
  while (true) {
    const auto block = scanner.Next();
    if (!block) return Refuse(fmt::format("is damaged: {}", block.error().message), where);
    if (!*block) break;
    if (!(*block)->label.ends_with("PRIVATE KEY")) continue;
    if (found) return Refuse("holds more than one private key, and only one can sign: give a file with one key", where);
    found = **block;
  }
  if (!found) {
    return Refuse("holds no private key in PEM; openssl pkey -inform DER -in KEY -out key.pem makes one of a DER file",
                  where);
  }
  return *found;
}

constexpr std::string_view kEncrypted =
    "holds an encrypted key, and provisioner does not ask for a passphrase: openssl pkey -in KEY -out key.pem decrypts "
    "it "
    "into a file that only you may read";

Result<KeyPointer> ParseKey(const Secret& pem, std::string_view where) {
  const pki::PemBlock block = PROV_TRY(FindKey(pem.Reveal(), where));
  const bool traditional = block.label == "RSA PRIVATE KEY";
  if (block.label == "ENCRYPTED PRIVATE KEY" || block.body.find("Proc-Type") != std::string_view::npos) {
    return Refuse(std::string(kEncrypted), where);
  }
  if (block.label == "EC PRIVATE KEY") PROV_TRY(CheckKind("ec", 0, where));
  if (!traditional && block.label != "PRIVATE KEY") {
    return Refuse(fmt::format("is of the form {}; openssl pkey -in KEY -out key.pem makes PKCS#8 of it", block.label),
                  where);
  }
  const auto body = pki::DecodePemBody(block.body);
  if (!body) return Refuse(fmt::format("is damaged: {}", body.error().message), where);
  const Secret der(*body);
  const unsigned char* at = BytesOf(der.Reveal());
  KeyPointer key(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(der.Reveal().size())), &EVP_PKEY_free);
  if (!key) return Refuse("holds a private key that can't be read: it is damaged or of an unknown kind", where);
  return key;
}

std::string KindOf(const EVP_PKEY* key) {
  const int id = EVP_PKEY_get_base_id(key);
  if (id == EVP_PKEY_RSA) return "rsa";
  if (id == EVP_PKEY_EC) return "ec";
  const char* name = OBJ_nid2sn(id);
  return name != nullptr ? name : "unknown";
}

}  // namespace

std::string NameOfSigner(const pki::Certificate& signer) {
  return fmt::format("{} (SHA-256 {})", signer.subject, signer.sha256);
}

Result<pki::Certificate> ReadSigner(std::string_view bytes, std::string_view where) {
  Findings ignored;  // about other contents of the file
  std::vector<pki::Certificate> found = PROV_TRY(pki::ParseTrustBundle(bytes, where, ignored));
  if (found.size() != 1) {
    return Fail(Code::kCert,
                fmt::format("holds {} certificates; the signer is one: give a file with that alone", found.size()),
                std::string(where));
  }
  PROV_TRY(CheckKind(found.front().key_algorithm, found.front().key_bits, where));
  PROV_TRY(CheckPurpose(found.front(), where));
  return std::move(found.front());
}

// Ignores the certificate's validity: a node may boot with a wrong clock, and an image may be used years after it was
// made. To retire a signer, pin another one.
Result<void> VerifySignature(std::string_view manifest, std::string_view signature, const pki::Certificate& signer,
                             std::string_view where) {
  const pki::OpensslErrors errors;
  const auto parts = pki::ParseCms(signature);
  if (!parts) {
    return Refuse(
        fmt::format("{}; bake --sign makes what is wanted here, and so does openssl cms -sign -binary -noattr "
                    "-md sha256 -outform DER",
                    parts.error()),
        where);
  }
  if (parts->signer != pki::IssuerAndSerial(signer)) {
    return Refuse(fmt::format("is by another signer than the wanted one, {}; if that one introduced the new signer, "
                              "apply first the payload with which it did (bake --next-signer), or else pin the new "
                              "one: service install --signer CERT",
                              NameOfSigner(signer)),
                  where);
  }
  const KeyPointer key = PublicKeyOf(signer);
  const ContextPointer context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_PKEY_CTX* padding = nullptr;
  if (!key || !context || EVP_DigestVerifyInit(context.get(), &padding, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1) {
    return Refuse(fmt::format("can't be checked with the key of {}", NameOfSigner(signer)), where);
  }
  if (EVP_DigestVerify(context.get(), BytesOf(parts->value), parts->value.size(), BytesOf(manifest), manifest.size()) !=
      1) {
    return Refuse(fmt::format("does not fit manifest.json: that was changed after it was signed, or another key than "
                              "that of {} signed it; find out who did, and bake the payload again",
                              NameOfSigner(signer)),
                  where);
  }
  return {};
}

Result<SigningKey> SigningKey::Read(const Secret& pem, pki::Certificate signer, std::string_view where) {
  const pki::OpensslErrors errors;
  KeyPointer key = PROV_TRY(ParseKey(pem, where));
  PROV_TRY(CheckKind(KindOf(key.get()), static_cast<unsigned>(EVP_PKEY_get_bits(key.get())), where));
  const KeyPointer wanted = PublicKeyOf(signer);
  if (!wanted || EVP_PKEY_eq(key.get(), wanted.get()) != 1) {
    return Refuse(
        fmt::format("is not the key of the certificate {}: give the two that belong together", NameOfSigner(signer)),
        where);
  }
  return SigningKey(std::move(key), std::move(signer));
}

Result<std::string> SigningKey::Sign(std::string_view manifest) const {
  const pki::OpensslErrors errors;
  const ContextPointer context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  EVP_PKEY_CTX* padding = nullptr;
  std::string value(static_cast<std::size_t>(EVP_PKEY_get_size(key_.get())), '\0');
  std::size_t size = value.size();
  if (!context || EVP_DigestSignInit(context.get(), &padding, EVP_sha256(), nullptr, key_.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PADDING) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(value.data()), &size, BytesOf(manifest),
                     manifest.size()) != 1) {
    return Fail(Code::kInternal, "OpenSSL could not sign the manifest");
  }
  value.resize(size);
  return pki::EncodeCms({pki::IssuerAndSerial(signer_), value});
}

Result<void> SignPayload(Payload& payload, const SigningKey& key) {
  std::erase_if(payload.files, [](const PayloadFile& file) { return file.path == kSignaturePath; });
  const auto manifest = std::ranges::find(payload.files, kManifestName, &PayloadFile::path);
  if (manifest == payload.files.end()) return Fail(Code::kInternal, "a payload without a manifest");
  PayloadFile file{std::string(kSignaturePath), PROV_TRY(key.Sign(manifest->bytes)), false,
                   "signature of manifest.json (CMS, detached)"};
  payload.files.insert(std::ranges::upper_bound(payload.files, file.path, {}, &PayloadFile::path), std::move(file));
  return {};
}

}  // namespace prov::payload
