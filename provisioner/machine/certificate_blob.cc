#include "provisioner/machine/certificate_blob.h"

#include <fmt/format.h>

#include "images/registry/hive_format.h"
#include "images/registry/registry_key.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

// Property identifiers of a serialised certificate (MS-OSHARED SerializedPropertyEntry).
constexpr std::uint32_t kSha1Property = 3;
constexpr std::uint32_t kCertificateProperty = 32;
constexpr std::size_t kHeaderBytes = 12;

void PutProperty(std::string& out, std::uint32_t id, std::string_view bytes) {
  out += images::EncodeDword(id);
  out += images::EncodeDword(1);
  out += images::EncodeDword(static_cast<std::uint32_t>(bytes.size()));
  out += bytes;
}

}  // namespace

std::string CertificateStoreKey(pki::Store store) {
  return R"(Microsoft\SystemCertificates\)" + std::string(pki::NameOf(store)) + R"(\Certificates)";
}

std::vector<std::string> PhysicalStores(std::string_view name) {
  std::vector<std::string> out;
  for (const std::string_view place : {R"(Microsoft\SystemCertificates)", R"(Policies\Microsoft\SystemCertificates)",
                                       R"(Microsoft\EnterpriseCertificates)"}) {
    out.push_back(fmt::format(R"(SOFTWARE\{}\{}\Certificates)", place, name));
  }
  if (name == "ROOT") out.emplace_back(R"(SOFTWARE\Microsoft\SystemCertificates\AuthRoot\Certificates)");
  return out;
}

std::string CertificateKeyPath(pki::Store store, std::string_view der) {
  return R"(SOFTWARE\)" + CertificateStoreKey(store) + "\\" + CertificateKeyName(der);
}

std::string CertificateKeyName(std::string_view der) { return AsciiUpper(ToHex(Sha1(der))); }

std::string EncodeCertificateBlob(std::string_view der) {
  std::string out;
  PutProperty(out, kSha1Property, Sha1(der));
  PutProperty(out, kCertificateProperty, der);
  return out;
}

std::optional<std::string_view> CertificateInBlob(std::string_view blob) {
  while (blob.size() >= kHeaderBytes) {
    const std::uint32_t id = images::regf::Load32(blob, 0);
    const std::uint32_t size = images::regf::Load32(blob, 8);
    blob.remove_prefix(kHeaderBytes);
    if (size > blob.size()) return std::nullopt;
    if (id == kCertificateProperty) return blob.substr(0, size);
    blob.remove_prefix(size);
  }
  return std::nullopt;
}

}  // namespace prov::machine
