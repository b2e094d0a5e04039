#include "provisioner/pki/certificate_signature.h"

#include <algorithm>
#include <array>

#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

struct Known {
  std::string_view oid;  // content octets
  std::string_view name;
  bool weak = false;
};

constexpr std::string_view kRsaPss = "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0A"sv;

constexpr std::array kAlgorithms = {
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B"sv, "sha256WithRSAEncryption"},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0C"sv, "sha384WithRSAEncryption"},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0D"sv, "sha512WithRSAEncryption"},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x05"sv, "sha1WithRSAEncryption", true},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0E"sv, "sha224WithRSAEncryption"},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x04"sv, "md5WithRSAEncryption", true},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x03"sv, "md4WithRSAEncryption", true},
    Known{"\x2A\x86\x48\x86\xF7\x0D\x01\x01\x02"sv, "md2WithRSAEncryption", true},
    Known{kRsaPss, "rsassaPss"},
    Known{"\x2A\x86\x48\xCE\x3D\x04\x03\x02"sv, "ecdsa-with-SHA256"},
    Known{"\x2A\x86\x48\xCE\x3D\x04\x03\x03"sv, "ecdsa-with-SHA384"},
    Known{"\x2A\x86\x48\xCE\x3D\x04\x03\x04"sv, "ecdsa-with-SHA512"},
    Known{"\x2A\x86\x48\xCE\x3D\x04\x03\x01"sv, "ecdsa-with-SHA224"},
    Known{"\x2A\x86\x48\xCE\x3D\x04\x01"sv, "ecdsa-with-SHA1", true},
    Known{"\x2A\x86\x48\xCE\x38\x04\x03"sv, "dsaWithSHA1", true},
    Known{"\x60\x86\x48\x01\x65\x03\x04\x03\x02"sv, "dsa_with_SHA256"},
    Known{"\x2B\x65\x70"sv, "ED25519"},
    Known{"\x2B\x65\x71"sv, "ED448"},
    // Of before PKCS#1 had them.
    Known{"\x2B\x0E\x03\x02\x03"sv, "md5WithRSA", true},
    Known{"\x2B\x0E\x03\x02\x1D"sv, "sha1WithRSA", true},
    Known{"\x2B\x0E\x03\x02\x1B"sv, "dsaWithSHA1-old", true},
};

constexpr std::array kWeakHashes = {
    "\x2B\x0E\x03\x02\x1A"sv,              // SHA-1
    "\x2A\x86\x48\x86\xF7\x0D\x02\x05"sv,  // MD5
    "\x2A\x86\x48\x86\xF7\x0D\x02\x04"sv,  // MD4
    "\x2A\x86\x48\x86\xF7\x0D\x02\x02"sv,  // MD2
};

// RSASSA-PSS-params: SEQUENCE { [0] hashAlgorithm DEFAULT sha1, ... }.
bool IsWeakPss(std::string_view parameters) {
  const auto fields = OnlyElement(parameters, der::kSequence);
  if (!fields) return true;
  const auto wrapped = DerReader(*fields).Take(der::ContextConstructed(0));
  const auto identifier = wrapped ? OnlyElement(*wrapped, der::kSequence) : std::nullopt;
  const auto hash = identifier ? DerReader(*identifier).Take(der::kOid) : std::nullopt;
  return !hash || std::ranges::find(kWeakHashes, *hash) != kWeakHashes.end();
}

}  // namespace

std::optional<SignatureAlgorithm> ParseSignatureAlgorithm(std::string_view identifier) {
  DerReader reader(identifier);
  const auto oid = reader.Take(der::kOid);
  if (!oid) return std::nullopt;
  if (const auto* const known = std::ranges::find(kAlgorithms, *oid, &Known::oid); known != kAlgorithms.end()) {
    return SignatureAlgorithm{std::string(known->name), known->weak || (*oid == kRsaPss && IsWeakPss(reader.Rest()))};
  }
  auto dotted = DottedOid(*oid);
  if (!dotted) return std::nullopt;
  return SignatureAlgorithm{*std::move(dotted), false};
}

}  // namespace prov::pki
