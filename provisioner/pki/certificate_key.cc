#include "provisioner/pki/certificate_key.h"

#include <array>

#include "provisioner/pki/der.h"

namespace prov::pki {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kRsa = "\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01"sv;
constexpr std::string_view kEc = "\x2A\x86\x48\xCE\x3D\x02\x01"sv;
constexpr std::string_view kDsa = "\x2A\x86\x48\xCE\x38\x04\x01"sv;
constexpr std::string_view kEd25519 = "\x2B\x65\x70"sv;
constexpr std::string_view kEd448 = "\x2B\x65\x71"sv;

struct Curve {
  std::string_view oid;
  unsigned bits;
  std::string_view name;
};

constexpr std::array kCurves = {
    Curve{"\x2A\x86\x48\xCE\x3D\x03\x01\x07"sv, 256, "prime256v1"},
    Curve{"\x2B\x81\x04\x00\x22"sv, 384, "secp384r1"},
    Curve{"\x2B\x81\x04\x00\x23"sv, 521, "secp521r1"},
    Curve{"\x2B\x81\x04\x00\x0A"sv, 256, "secp256k1"},
    Curve{"\x2B\x81\x04\x00\x21"sv, 224, "secp224r1"},
    Curve{"\x2A\x86\x48\xCE\x3D\x03\x01\x01"sv, 192, "prime192v1"},
    Curve{"\x2B\x81\x04\x00\x08"sv, 161, "secp160r1"},
    Curve{"\x2B\x24\x03\x03\x02\x08\x01\x01\x05"sv, 224, "brainpoolP224r1"},
    Curve{"\x2B\x24\x03\x03\x02\x08\x01\x01\x07"sv, 256, "brainpoolP256r1"},
    Curve{"\x2B\x24\x03\x03\x02\x08\x01\x01\x09"sv, 320, "brainpoolP320r1"},
    Curve{"\x2B\x24\x03\x03\x02\x08\x01\x01\x0B"sv, 384, "brainpoolP384r1"},
    Curve{"\x2B\x24\x03\x03\x02\x08\x01\x01\x0D"sv, 512, "brainpoolP512r1"},
};

// The size of the INTEGER after `skip` other elements.
unsigned BitsOfInteger(std::string_view sequence, int skip) {
  DerReader fields(sequence);
  for (int i = 0; i < skip; ++i) {
    if (!fields.Next()) return 0;
  }
  const auto integer = fields.Read(der::kInteger);
  return integer ? static_cast<unsigned>(IntegerBits(*integer)) : 0;
}

PublicKeyInfo EcKey(std::string_view parameters) {
  if (const auto named = OnlyElement(parameters, der::kOid)) {
    for (const Curve& curve : kCurves) {
      if (curve.oid == *named) return {"ec", curve.bits, std::string(curve.name)};
    }
    return {"ec", 0, DottedOid(*named).value_or("")};
  }
  // Explicit parameters: version, fieldID, curve, base, order.
  const auto explicit_curve = OnlyElement(parameters, der::kSequence);
  return {"ec", explicit_curve ? BitsOfInteger(*explicit_curve, 4) : 0, ""};
}

}  // namespace

std::optional<PublicKeyInfo> ParsePublicKeyInfo(std::string_view content) {
  DerReader fields(content);
  const auto algorithm = fields.Read(der::kSequence);
  const auto key = algorithm ? fields.Read(der::kBitString) : std::nullopt;
  if (!key || key->empty() || !fields.AtEnd()) return std::nullopt;
  DerReader identifier(*algorithm);
  const auto oid = identifier.Read(der::kOid);
  if (!oid) return std::nullopt;
  const std::string_view parameters = identifier.Rest();
  if (*oid == kRsa || *oid == kRsaPssOid) {
    const auto rsa = OnlyElement(key->substr(1), der::kSequence);
    const unsigned bits = rsa ? BitsOfInteger(*rsa, 0) : 0;
    if (bits == 0) return std::nullopt;
    return PublicKeyInfo{*oid == kRsa ? "rsa" : "rsa-pss", bits};
  }
  if (*oid == kEc) return EcKey(parameters);
  if (*oid == kDsa) {
    const auto dsa = OnlyElement(parameters, der::kSequence);
    return PublicKeyInfo{"dsa", dsa ? BitsOfInteger(*dsa, 0) : 0};
  }
  if (*oid == kEd25519) return PublicKeyInfo{"ed25519", 256};
  if (*oid == kEd448) return PublicKeyInfo{"ed448", 456};
  auto dotted = DottedOid(*oid);
  if (!dotted) return std::nullopt;
  return PublicKeyInfo{*std::move(dotted), 0};
}

unsigned LeastKeyBits(std::string_view algorithm) {
  if (algorithm == "rsa" || algorithm == "rsa-pss" || algorithm == "dsa") return 2048;
  return algorithm == "ec" ? 224 : 0;
}

bool IsWeakKey(std::string_view algorithm, unsigned bits) {
  return bits < LeastKeyBits(algorithm) && (bits > 0 || algorithm == "dsa");
}

}  // namespace prov::pki
