#include "provisioner/pki/certificate.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/support/make_certificate.h"

namespace prov::pki {
namespace {

using namespace std::string_literals;
using test::CertificateSpec;
using test::MakeCertificate;

Certificate Parse(const std::string& der) {
  auto certificate = ParseCertificate(der, "test");
  if (!certificate) {
    ADD_FAILURE() << certificate.error().message;
    return {};
  }
  return *std::move(certificate);
}
Certificate Made(const CertificateSpec& spec) { return Parse(MakeCertificate(spec).der); }

// A small writer of DER, for certificates that OpenSSL wouldn't make.
std::string Tlv(unsigned tag, const std::string& content) {
  std::string out(1, static_cast<char>(tag));
  if (content.size() < 0x80) {
    out.push_back(static_cast<char>(content.size()));
  } else {
    out.push_back('\x82');
    out.push_back(static_cast<char>(content.size() >> 8U));
    out.push_back(static_cast<char>(content.size() & 0xFFU));
    if (content.size() < 0x100)
      out = std::string(1, static_cast<char>(tag)) + "\x81" + static_cast<char>(content.size());
  }
  return out + content;
}

const std::string kSha256Rsa = Tlv(0x30, "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0B\x05\x00"s);
const std::string kName = Tlv(0x30, Tlv(0x31, Tlv(0x30, "\x06\x03\x55\x04\x03"s + Tlv(0x0C, "x"))));
const std::string kRsaKey = Tlv(0x30, Tlv(0x30, "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01\x05\x00"s) +
                                          Tlv(0x03, "\0"s + Tlv(0x30, Tlv(0x02, "\x00\x80\x00"s) + Tlv(0x02, "\x03"))));
std::string Extension(const std::string& oid, const std::string& value) {
  return Tlv(0x30, Tlv(0x06, oid) + Tlv(0x04, value));
}
const std::string kBasicConstraints = "\x55\x1D\x13"s;
const std::string kSubjectKeyId = "\x55\x1D\x0E"s;
const std::string kAuthorityKeyId = "\x55\x1D\x23"s;

// The fields of a certificate as DER, to be damaged one by one.
struct Fields {
  std::string version = Tlv(0xA0, Tlv(0x02, "\x02"));
  std::string serial = Tlv(0x02, "\x21");
  std::string inner_algorithm = kSha256Rsa;
  std::string issuer = kName;
  std::string validity = Tlv(0x30, Tlv(0x17, "260101000000Z") + Tlv(0x17, "360101000000Z"));
  std::string subject = kName;
  std::string key = kRsaKey;
  std::string unique_ids = "";
  std::string extensions = "";  // content of the list; empty: no list
  std::string rest = "";
  std::string outer_algorithm = kSha256Rsa;
  std::string signature = Tlv(0x03, "\0sig"s);
  std::string behind_signature = "";

  std::string Der() const {
    const std::string list = extensions.empty() ? "" : Tlv(0xA3, Tlv(0x30, extensions));
    const std::string tbs =
        Tlv(0x30, version + serial + inner_algorithm + issuer + validity + subject + key + unique_ids + list + rest);
    return Tlv(0x30, tbs + outer_algorithm + signature + behind_signature);
  }
};

TEST(Certificate, ReadsAllFields) {
  CertificateSpec spec;
  spec.authority_key_id = "own";
  const auto made = MakeCertificate(spec);
  const Certificate c = Parse(made.der);
  EXPECT_EQ(c.der, made.der);
  EXPECT_EQ(c.sha1, ToHex(Sha1(made.der)));
  EXPECT_EQ(c.sha256, ToHex(Sha256(made.der)));
  EXPECT_EQ(c.subject, "CN=example userca,O=Example Corp");
  EXPECT_EQ(c.issuer, c.subject);
  EXPECT_EQ(c.subject_der, c.issuer_der);
  EXPECT_EQ(c.subject_der.front(), '\x30');
  EXPECT_EQ(c.serial, "21");
  EXPECT_EQ(c.not_before, "2026-01-01T00:00:00Z");
  EXPECT_EQ(c.not_after, "2036-01-01T00:00:00Z");
  EXPECT_EQ(c.not_before_unix, spec.not_before);
  EXPECT_EQ(c.not_after_unix, spec.not_after);
  EXPECT_EQ(c.version, 3);
  EXPECT_TRUE(c.is_ca);
  EXPECT_TRUE(c.self_issued);
  EXPECT_TRUE(c.self_signed);
  EXPECT_EQ(c.key_algorithm, "rsa");
  EXPECT_EQ(c.key_bits, 2048U);
  EXPECT_EQ(c.signature_algorithm, "sha256WithRSAEncryption");
}

TEST(Certificate, HandmadeBaselineIsValid) {
  const Certificate c = Parse(Fields{}.Der());
  EXPECT_EQ(c.subject, "CN=x");
  EXPECT_EQ(c.key_bits, 16U);
  EXPECT_FALSE(c.is_ca) << "no basicConstraints";
  EXPECT_TRUE(c.self_signed) << "no authority key identifier";
}

TEST(Certificate, Serials) {
  const struct {
    std::int64_t serial;
    const char* text;
  } cases[] = {{0, "00"}, {1, "01"}, {128, "80"}, {-1, "-01"}, {-42, "-2a"}, {-128, "-80"}, {65536, "010000"}};
  for (const auto& c : cases) {
    CertificateSpec spec;
    spec.serial = c.serial;
    EXPECT_EQ(Made(spec).serial, c.text);
  }
}

TEST(Certificate, KeysAndSignatures) {
  const struct {
    const char* key;
    const EVP_MD* digest;
    const char* algorithm;
    unsigned bits;
    const char* signature;
    bool weak = false;
    const char* curve = "";
  } cases[] = {
      {"rsa1024", EVP_sha1(), "rsa", 1024, "sha1WithRSAEncryption", true},
      {"rsa2048", EVP_sha384(), "rsa", 2048, "sha384WithRSAEncryption"},
      {"rsa2048", EVP_sha512(), "rsa", 2048, "sha512WithRSAEncryption"},
      {"rsa2048", EVP_md5(), "rsa", 2048, "md5WithRSAEncryption", true},
      {"p192", EVP_sha1(), "ec", 192, "ecdsa-with-SHA1", true, "prime192v1"},
      {"p224", EVP_sha224(), "ec", 224, "ecdsa-with-SHA224", false, "secp224r1"},
      {"p256", EVP_sha256(), "ec", 256, "ecdsa-with-SHA256", false, "prime256v1"},
      {"secp256k1", EVP_sha256(), "ec", 256, "ecdsa-with-SHA256", false, "secp256k1"},
      {"p384", EVP_sha384(), "ec", 384, "ecdsa-with-SHA384", false, "secp384r1"},
      {"p521", EVP_sha512(), "ec", 521, "ecdsa-with-SHA512", false, "secp521r1"},
      {"ed25519", nullptr, "ed25519", 256, "ED25519"},
  };
  for (const auto& c : cases) {
    CertificateSpec spec;
    spec.key = c.key;
    spec.digest = c.digest;
    const Certificate certificate = Made(spec);
    EXPECT_EQ(certificate.key_algorithm, c.algorithm) << c.key;
    EXPECT_EQ(certificate.key_bits, c.bits) << c.key;
    EXPECT_EQ(certificate.key_curve, c.curve) << c.key;
    EXPECT_EQ(certificate.signature_algorithm, c.signature) << c.key;
    EXPECT_EQ(certificate.weak_signature, c.weak) << c.key;
  }
}

TEST(Certificate, KeyInfoByHand) {
  const auto key = [](const std::string& algorithm, const std::string& bits) {
    Fields fields;
    fields.key = Tlv(0x30, Tlv(0x30, algorithm) + Tlv(0x03, bits));
    return fields.Der();
  };
  const std::string ec = "\x06\x07\x2A\x86\x48\xCE\x3D\x02\x01"s;
  const std::string dsa = "\x06\x07\x2A\x86\x48\xCE\x38\x04\x01"s;
  const std::string order = Tlv(0x02, "\x00\xFF\xFF"s);
  const std::string explicit_curve =
      Tlv(0x30, Tlv(0x02, "\x01") + Tlv(0x30, "") + Tlv(0x30, "") + Tlv(0x04, "g") + order);
  const struct {
    std::string der;
    const char* algorithm;
    unsigned bits;
  } cases[] = {
      {key(ec + explicit_curve, "\0k"s), "ec", 16},
      {key(ec + Tlv(0x30, ""), "\0k"s), "ec", 0},
      {key(ec + Tlv(0x06, "\x2A\x03"), "\0k"s), "ec", 0},
      {key(ec, "\0k"s), "ec", 0},
      {key(dsa + Tlv(0x30, order), "\0k"s), "dsa", 16},
      {key(dsa, "\0k"s), "dsa", 0},
      {key("\x06\x03\x2B\x65\x71"s, "\0k"s), "ed448", 456},
      {key("\x06\x02\x2A\x03"s, "\0k"s), "1.2.3", 0},
      {key("\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x01\x0A"s, "\0"s + Tlv(0x30, order)), "rsa-pss", 16},
  };
  for (const auto& c : cases) {
    const Certificate certificate = Parse(c.der);
    EXPECT_EQ(certificate.key_algorithm, c.algorithm);
    EXPECT_EQ(certificate.key_bits, c.bits);
  }
}

TEST(Certificate, UnknownSignatureAlgorithmIsDotted) {
  Fields fields;
  fields.inner_algorithm = fields.outer_algorithm = Tlv(0x30, Tlv(0x06, "\x2A\x03"));
  const Certificate certificate = Parse(fields.Der());
  EXPECT_EQ(certificate.signature_algorithm, "1.2.3");
  EXPECT_FALSE(certificate.weak_signature);
}

TEST(Certificate, OldHashesAreWeakWhateverTheirAlgorithmIsCalled) {
  const auto signed_with = [](const std::string& identifier) {
    Fields fields;
    fields.inner_algorithm = fields.outer_algorithm = Tlv(0x30, identifier);
    return Parse(fields.Der());
  };
  const std::string pkcs1 = "\x2A\x86\x48\x86\xF7\x0D\x01\x01"s;
  const std::string oiw = "\x2B\x0E\x03\x02"s;
  const std::pair<std::string, const char*> named[] = {{pkcs1 + "\x02", "md2WithRSAEncryption"},
                                                       {pkcs1 + "\x03", "md4WithRSAEncryption"},
                                                       {oiw + "\x03", "md5WithRSA"},
                                                       {oiw + "\x1D", "sha1WithRSA"},
                                                       {oiw + "\x1B", "dsaWithSHA1-old"},
                                                       {"\x2A\x86\x48\xCE\x38\x04\x03"s, "dsaWithSHA1"}};
  for (const auto& [oid, name] : named) {
    const Certificate certificate = signed_with(Tlv(0x06, oid));
    EXPECT_EQ(certificate.signature_algorithm, name);
    EXPECT_TRUE(certificate.weak_signature) << name;
  }
  // RSASSA-PSS: SHA-1 unless its parameters say otherwise.
  const std::string pss = Tlv(0x06, pkcs1 + "\x0A");
  const auto hash = [](const std::string& oid) {
    return Tlv(0x30, Tlv(0xA0, Tlv(0x30, Tlv(0x06, oid) + "\x05\x00"s)) + Tlv(0xA2, Tlv(0x02, "\x20")));
  };
  EXPECT_TRUE(signed_with(pss).weak_signature);
  EXPECT_TRUE(signed_with(pss + Tlv(0x30, "")).weak_signature);
  EXPECT_TRUE(signed_with(pss + Tlv(0x30, Tlv(0xA2, Tlv(0x02, "\x20")))).weak_signature);
  EXPECT_TRUE(signed_with(pss + hash(oiw + "\x1A")).weak_signature);
  EXPECT_TRUE(signed_with(pss + hash("\x2A\x86\x48\x86\xF7\x0D\x02\x05"s)).weak_signature);
  EXPECT_FALSE(signed_with(pss + hash("\x60\x86\x48\x01\x65\x03\x04\x02\x01"s)).weak_signature);
  EXPECT_EQ(signed_with(pss).signature_algorithm, "rsassaPss");
}

TEST(Certificate, Times) {
  const auto validity = [](unsigned tag, const std::string& text) {
    Fields fields;
    fields.validity = Tlv(0x30, Tlv(0x17, "500101000000Z") + Tlv(tag, text));
    return ParseCertificate(fields.Der(), "");
  };
  EXPECT_EQ(validity(0x17, "491231235959Z")->not_before, "1950-01-01T00:00:00Z") << "50 is of the 20th century";
  const struct {
    unsigned tag;
    const char* text;
    const char* expected;
  } cases[] = {
      {0x17, "491231235959Z", "2049-12-31T23:59:59Z"},       {0x17, "0002290000Z", "2000-02-29T00:00:00Z"},
      {0x17, "260101000000+0130", "2025-12-31T22:30:00Z"},   {0x17, "2601010000-0130", "2026-01-01T01:30:00Z"},
      {0x18, "99991231235959Z", "9999-12-31T23:59:59Z"},     {0x18, "00000101000000Z", "0000-01-01T00:00:00Z"},
      {0x18, "20260101000000.123Z", "2026-01-01T00:00:00Z"}, {0x18, "202601010000Z", "2026-01-01T00:00:00Z"},
  };
  for (const auto& c : cases) {
    const auto certificate = validity(c.tag, c.text);
    ASSERT_TRUE(certificate) << c.text << ": " << certificate.error().message;
    EXPECT_EQ(certificate->not_after, c.expected) << c.text;
  }
  const std::pair<unsigned, std::string_view> refused[] = {
      {0x18, "20260101000000.Z 20260101000000 20260101"},
      {0x17,
       "010229000000Z 261301000000Z 260001000000Z 260132000000Z 260101240000Z 260101006000Z 260101000060Z "
       "2601010000001Z 26010100000xZ 260101000000.5Z 260101000000Zx 260101000000*0100 260101000000+1500 "
       "260101000000+0060 260101000000+0x00"},
      {0x17, ""},
      {0x13, "260101000000Z"}};
  for (const auto& [tag, texts] : refused) {
    for (const std::string_view text : Split(texts, ' ')) {
      const auto certificate = validity(tag, std::string(text));
      ASSERT_FALSE(certificate) << text;
      EXPECT_NE(certificate.error().message.find("notAfter"), std::string::npos) << text;
    }
  }
}

TEST(Certificate, CaAndVersion) {
  const auto with = [](const std::string& basic_constraints) {
    Fields fields;
    fields.extensions = Extension(kBasicConstraints, basic_constraints);
    return Parse(fields.Der()).is_ca;
  };
  EXPECT_TRUE(with("\x30\x03\x01\x01\xFF"s));
  EXPECT_TRUE(with("\x30\x03\x01\x01\x01"s)) << "old roots write other values than FF";
  EXPECT_TRUE(with("\x30\x06\x01\x01\xFF\x02\x01\x00"s)) << "with a path length";
  EXPECT_FALSE(with("\x30\x03\x01\x01\x00"s));
  EXPECT_FALSE(with("\x30\x00"s));
  CertificateSpec v1;
  v1.version = 1;
  const Certificate c = Made(v1);
  EXPECT_EQ(c.version, 1);
  EXPECT_FALSE(c.is_ca) << "v1 can't say that it is a CA";
  EXPECT_TRUE(c.self_signed);
  Fields v2;
  v2.version = Tlv(0xA0, Tlv(0x02, "\x01"));
  v2.unique_ids = Tlv(0x81, "\0i"s) + Tlv(0x82, "\0s"s);
  EXPECT_EQ(Parse(v2.Der()).version, 2);
}

TEST(Certificate, SelfSignedNeedsItsOwnKeyIdentifier) {
  const struct {
    const char* why;
    bool subject_key_id;
    const char* authority;
    const char* issuer;
    bool self_issued, self_signed;
  } cases[] = {
      {"no authority", true, "", "", true, true},
      {"own", true, "own", "", true, true},
      {"another key (key rollover)", true, "another", "", true, false},
      {"another issuer", true, "", "Another CA", false, false},
      {"another issuer, own key id", true, "own", "Another CA", false, false},
      {"no own identifier, another key", false, "another", "", true, false},
  };
  for (const auto& c : cases) {
    CertificateSpec spec;
    spec.subject_key_id = c.subject_key_id;
    spec.authority_key_id = c.authority;
    if (*c.issuer != '\0') spec.issuer = {{"CN", c.issuer}};
    const Certificate certificate = Made(spec);
    EXPECT_EQ(certificate.self_issued, c.self_issued) << c.why;
    EXPECT_EQ(certificate.self_signed, c.self_signed) << c.why;
  }
}

TEST(Certificate, AuthorityKeyIdentifierWithoutSubjectKeyIdentifier) {
  Fields fields;
  const auto authority = [&](const std::string& content) {
    fields.extensions = Extension(kAuthorityKeyId, Tlv(0x30, content));
    return Parse(fields.Der()).self_signed;
  };
  const std::string key_bits = Tlv(0x30, Tlv(0x02, "\x00\x80\x00"s) + Tlv(0x02, "\x03"));
  EXPECT_TRUE(authority(Tlv(0x80, Sha1(key_bits)))) << "the usual identifier of its own key";
  EXPECT_FALSE(authority(Tlv(0x80, "other")));
  EXPECT_TRUE(authority("")) << "an empty identifier says nothing";
  EXPECT_TRUE(authority(Tlv(0xA1, "") + Tlv(0x82, "\x21"))) << "its own serial";
  EXPECT_FALSE(authority(Tlv(0xA1, "") + Tlv(0x82, "\x22"))) << "another serial";
}

TEST(Certificate, EachDamagedFieldIsNamed) {
  const std::string good = Fields{}.Der();
  std::vector<std::pair<std::string, std::string>> cases = {
      {"", "SEQUENCE"},
      {"\x31\x00"s, "SEQUENCE"},
      {good.substr(0, good.size() - 1), "end before"},
      {"\x30\x80"s + good + "\0\0"s, "isn't DER"},
      {good + "\n", "1 bytes stand behind"},
      {Tlv(0x30, ""), "tbsCertificate"},
      {Tlv(0x30, Tlv(0x30, "")), "signatureAlgorithm"},
      {Tlv(0x30, Tlv(0x30, "") + Tlv(0x30, "")), "signatureAlgorithm"},
      {Tlv(0x30, Tlv(0x30, "") + kSha256Rsa), "signature"},
  };
  const auto damage = [&](std::string Fields::* field, const std::string& bytes, const std::string& named) {
    Fields fields;
    fields.*field = bytes;
    cases.emplace_back(fields.Der(), named);
  };
  damage(&Fields::signature, Tlv(0x03, ""), "the signature");
  damage(&Fields::behind_signature, Tlv(0x05, ""), "the signature");
  damage(&Fields::version, Tlv(0xA0, Tlv(0x02, "\x03")), "version");
  damage(&Fields::version, Tlv(0xA0, Tlv(0x02, "\0\1"s)), "version");
  damage(&Fields::version, Tlv(0xA0, ""), "version");
  damage(&Fields::version, "\xA0\x84", "version");
  damage(&Fields::serial, "", "serialNumber");
  damage(&Fields::serial, Tlv(0x02, ""), "serialNumber");
  damage(&Fields::serial, Tlv(0x02, "\0\1"s), "serialNumber");
  damage(&Fields::inner_algorithm, Tlv(0x30, Tlv(0x05, "")), "inner signature algorithm");
  damage(&Fields::inner_algorithm, Tlv(0x30, Tlv(0x06, "\x2A\x03")), "signature algorithms differ");
  damage(&Fields::outer_algorithm, Tlv(0x30, Tlv(0x06, "\x2A\x03") + Tlv(0x05, "") + Tlv(0x05, "")),
         "signatureAlgorithm");
  damage(&Fields::issuer, Tlv(0x30, "x"), "issuer");
  damage(&Fields::validity, Tlv(0x05, ""), "validity");
  damage(&Fields::validity, Tlv(0x30, ""), "notBefore");
  damage(&Fields::validity, Tlv(0x30, Tlv(0x17, "260101000000Z")), "notAfter");
  damage(&Fields::validity, Tlv(0x30, Tlv(0x17, "260101000000Z") + Tlv(0x17, "260101000000Z") + Tlv(0x05, "")),
         "validity");
  damage(&Fields::subject, "", "subject");
  damage(&Fields::subject, Tlv(0x05, ""), "subject");
  damage(&Fields::subject, Tlv(0x30, "x"), "subject");
  damage(&Fields::key, "", "public key");
  damage(&Fields::key, Tlv(0x30, ""), "public key");
  damage(&Fields::key, Tlv(0x30, Tlv(0x30, Tlv(0x05, "")) + Tlv(0x03, "\0k"s)), "public key");
  damage(&Fields::key, Tlv(0x30, Tlv(0x30, Tlv(0x06, "\x2A\x86")) + Tlv(0x03, "\0k"s)), "public key");
  damage(&Fields::key, Tlv(0x30, Tlv(0x30, "\x06\x09\x2A\x86\x48\x86\xF7\x0D\x01\x01\x01"s) + Tlv(0x03, "\0k"s)),
         "public key");
  damage(&Fields::key, Tlv(0x30, Tlv(0x30, Tlv(0x06, "\x2A\x03")) + Tlv(0x03, "\0k"s) + Tlv(0x05, "")), "public key");
  damage(&Fields::unique_ids, "\x81\x84", "unique identifier");
  damage(&Fields::rest, Tlv(0xA3, ""), "extensions");
  damage(&Fields::rest, Tlv(0x05, ""), "unknown fields");
  damage(&Fields::extensions, Tlv(0x05, ""), "extensions");
  damage(&Fields::extensions, Tlv(0x30, ""), "extensions");
  damage(&Fields::extensions, Tlv(0x30, Tlv(0x06, "\x2A\x03") + "\x01\x84"), "extensions");
  damage(&Fields::extensions, Tlv(0x30, Tlv(0x06, "\x2A\x03") + Tlv(0x04, "") + Tlv(0x05, "")), "extensions");
  const std::string constraints = Extension(kBasicConstraints, Tlv(0x30, ""));
  damage(&Fields::extensions, constraints + constraints, "basicConstraints");
  damage(&Fields::extensions, Extension(kBasicConstraints, ""), "basicConstraints");
  damage(&Fields::extensions, Extension(kBasicConstraints, Tlv(0x30, Tlv(0x01, ""))), "basicConstraints");
  damage(&Fields::extensions, Extension(kBasicConstraints, Tlv(0x30, "\x02\x05\x01")), "basicConstraints");
  damage(&Fields::extensions, Extension(kBasicConstraints, Tlv(0x30, Tlv(0x05, ""))), "basicConstraints");
  const std::string id = Extension(kSubjectKeyId, Tlv(0x04, "id"));
  damage(&Fields::extensions, id + id, "subjectKeyIdentifier");
  damage(&Fields::extensions, Extension(kSubjectKeyId, "id"), "subjectKeyIdentifier");
  const std::string authority = Extension(kAuthorityKeyId, Tlv(0x30, ""));
  damage(&Fields::extensions, authority + authority, "authorityKeyIdentifier");
  damage(&Fields::extensions, Extension(kAuthorityKeyId, "id"), "authorityKeyIdentifier");
  damage(&Fields::extensions, Extension(kAuthorityKeyId, Tlv(0x30, "\x80\x05")), "authorityKeyIdentifier");
  Fields bad_oid;
  bad_oid.inner_algorithm = bad_oid.outer_algorithm = Tlv(0x30, Tlv(0x06, "\x2A\x86"));
  cases.emplace_back(bad_oid.Der(), "signatureAlgorithm");
  for (const auto& [der, named] : cases) {
    const auto certificate = ParseCertificate(der, "bundle.pem, line 7");
    ASSERT_FALSE(certificate) << named;
    EXPECT_EQ(certificate.error().code, Code::kCert);
    EXPECT_EQ(certificate.error().where, "bundle.pem, line 7");
    EXPECT_NE(certificate.error().message.find(named), std::string::npos)
        << certificate.error().message << " should name " << named;
  }
}

TEST(Certificate, EveryPrefixIsRefused) {
  const auto made = MakeCertificate();
  for (std::size_t size = 0; size < made.der.size(); ++size) {
    EXPECT_FALSE(ParseCertificate(std::string_view(made.der).substr(0, size), "")) << size;
  }
}

}  // namespace
}  // namespace prov::pki
