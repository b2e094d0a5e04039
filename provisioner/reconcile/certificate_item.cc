#include "provisioner/reconcile/certificate_item.h"

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::reconcile {
namespace {

// Property identifiers of a serialised certificate (MS-OSHARED SerializedPropertyEntry).
constexpr std::uint32_t kSha1Property = 3;
constexpr std::uint32_t kCertificateProperty = 32;

void PutProperty(std::string& out, std::uint32_t id, std::string_view bytes) {
  out += images::EncodeDword(id);
  out += images::EncodeDword(1);
  out += images::EncodeDword(static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

}  // namespace

std::string Thumbprint(const egress::Certificate& certificate) { return AsciiUpper(certificate.sha1); }

std::string StoreKey(egress::Store store) {
  return R"(Microsoft\SystemCertificates\)" + std::string(egress::NameOf(store)) + R"(\Certificates)";
}

std::string EncodeBlob(const egress::Certificate& certificate) {
  std::string out;
  PutProperty(out, kSha1Property, Sha1(certificate.der));
  PutProperty(out, kCertificateProperty, certificate.der);
  return out;
}

images::RegKey EncodeCertificate(const egress::Certificate& certificate) {
  images::RegKey key;
  key.name = Thumbprint(certificate);
  key.values.push_back({"Blob", images::RegType::kBinary, EncodeBlob(certificate)});
  return key;
}

}  // namespace prov::reconcile
