#include "provisioner/pki/certificate_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "provisioner/base/text.h"
#include "tests/support/make_certificate.h"

namespace prov::pki {
namespace {

using namespace std::string_literals;
using test::NameEntries;

std::string DerOf(const NameEntries& entries) {
  X509_NAME* name = test::MakeName(entries);
  unsigned char* der = nullptr;
  const int size = i2d_X509_NAME(name, &der);
  test::Must(size > 0);
  std::string out(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  X509_NAME_free(name);
  return out;
}

std::string OpenSslText(const std::string& der) {
  const auto* at = reinterpret_cast<const unsigned char*>(der.data());
  X509_NAME* name = d2i_X509_NAME(nullptr, &at, static_cast<long>(der.size()));
  test::Must(name != nullptr);
  BIO* bio = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253 & ~static_cast<unsigned long>(ASN1_STRFLGS_ESC_MSB));
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string out(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  X509_NAME_free(name);
  return out;
}

// Our text must be `text`, and OpenSSL's the same.
TEST(DistinguishedName, AgreesWithOpenSsl) {
  const struct {
    NameEntries entries;
    std::string text;
  } cases[] = {
      {{{"O", "Example Corp"}, {"CN", "example userca"}}, "CN=example userca,O=Example Corp"},
      {{{"C", "DE"}, {"ST", "NRW"}, {"L", "K\xC3\xB6ln"}, {"OU", "a"}, {"OU", "b"}},
       "OU=b,OU=a,L=K\xC3\xB6ln,ST=NRW,C=DE"},
      {{{"DC", "org"}, {"DC", "example"}, {"UID", "jd"}}, "UID=jd,DC=example,DC=org"},
      {{{"O", "x"}, {"CN", "a", MBSTRING_UTF8, true}}, "O=x+CN=a"},  // DER sorts the set
      {{{"CN", "a,b+c\"d\\e<f>g;h=i"}}, "CN=a\\,b\\+c\\\"d\\\\e\\<f\\>g\\;h=i"},
      {{{"CN", " lead and trail "}}, "CN=\\ lead and trail\\ "},
      {{{"CN", " "}}, "CN=\\ "},
      {{{"CN", "#hash"}}, "CN=\\#hash"},
      {{{"CN", "a#b"}}, "CN=a#b"},
      {{{"CN", "tab\there\x7F\x1B[0m"}}, "CN=tab\\09here\\7F\\1B[0m"},
      {{{"CN", "*"}}, "CN=*"},
      {{{"CN", "latin \xE9", V_ASN1_T61STRING}}, "CN=latin \xC3\xA9"},
      {{{"CN", "printable \xE9", V_ASN1_PRINTABLESTRING}}, "CN=printable \xC3\xA9"},
      {{{"CN", "\0G\0r\0\xFC"s, V_ASN1_BMPSTRING}}, "CN=Gr\xC3\xBC"},
      {{{"CN", "12 34", V_ASN1_NUMERICSTRING}}, "CN=12 34"},
      {{{"emailAddress", "pki@example.com"}, {"serialNumber", "42"}, {"GN", "J"}, {"SN", "D"}, {"title", "Dr"}},
       "title=Dr,SN=D,GN=J,serialNumber=42,emailAddress=pki@example.com"},
      {{{"street", "s"},
        {"postalCode", "p"},
        {"businessCategory", "b"},
        {"jurisdictionC", "DE"},
        {"organizationIdentifier", "o"}},
       "organizationIdentifier=o,jurisdictionC=DE,businessCategory=b,postalCode=p,street=s"},
      {{{"description", "d"},
        {"name", "n"},
        {"initials", "i"},
        {"dnQualifier", "q"},
        {"pseudonym", "p"},
        {"generationQualifier", "g"}},
       "generationQualifier=g,pseudonym=p,dnQualifier=q,initials=i,name=n,description=d"},
      {{{"jurisdictionL", "l"}, {"jurisdictionST", "s"}, {"unstructuredName", "u"}},
       "unstructuredName=u,jurisdictionST=s,jurisdictionL=l"},
      {{{"1.3.6.1.4.1.99999.7", "x"}}, "1.3.6.1.4.1.99999.7=#0c0178"},
      {{}, ""},
  };
  for (const auto& c : cases) {
    const std::string der = DerOf(c.entries);
    EXPECT_EQ(FormatDistinguishedName(der), c.text);
    // OpenSSL writes the hex of DER in capitals.
    EXPECT_TRUE(EqualsIgnoreAsciiCase(OpenSslText(der), c.text)) << OpenSslText(der) << " here " << c.text;
  }
}

TEST(DistinguishedName, MalformedTextBecomesHex) {
  const auto name = [](const std::string& value) {
    const std::string pair = "\x06\x03\x55\x04\x03" + value;
    const auto wrap = [](char tag, const std::string& s) { return std::string{tag, static_cast<char>(s.size())} + s; };
    return wrap('\x30', wrap('\x31', wrap('\x30', pair)));
  };
  EXPECT_EQ(FormatDistinguishedName(name("\x0C\x02\xC3\x28"s)), "CN=#0c02c328") << "no UTF-8";
  EXPECT_EQ(FormatDistinguishedName(name("\x1E\x01\x41"s)), "CN=#1e0141") << "odd BMPString";
  EXPECT_EQ(FormatDistinguishedName(name("\x1E\x02\xD8\x00"s)), "CN=#1e02d800") << "half of a surrogate pair";
  EXPECT_EQ(FormatDistinguishedName(name("\x1C\x04\x00\x00\x00\x41"s)), "CN=#1c0400000041") << "UniversalString";
  EXPECT_EQ(FormatDistinguishedName(name("\x1A\x02hi"s)), "CN=hi") << "VisibleString; OpenSSL refuses it";
  EXPECT_EQ(FormatDistinguishedName(name("\x04\x02\x01\x02"s)), "CN=#04020102")
      << "OCTET STRING is no text; OpenSSL refuses it";
  EXPECT_EQ(FormatDistinguishedName(name("\x05\x00"s)), "CN=#0500") << "NULL is no text";
  EXPECT_EQ(FormatDistinguishedName(name("\x13\x00"s)), "CN=") << "empty";
  EXPECT_EQ(FormatDistinguishedName(name("\x13\x01\x00"s)), "CN=\\00") << "NUL";
}

TEST(DistinguishedName, RefusesWhatIsNoName) {
  const struct {
    std::string bytes;
    const char* why;
  } cases[] = {
      {"", "nothing"},
      {"\x31\x00"s, "a SET"},
      {"\x30\x02\x30\x00"s, "an RDN that is a SEQUENCE"},
      {"\x30\x02\x31\x00"s, "an empty RDN"},
      {"\x30\x04\x31\x02\x31\x00"s, "a pair that is a SET"},
      {"\x30\x06\x31\x04\x30\x02\x05\x00"s, "a type that is no OID"},
      {"\x30\x09\x31\x07\x30\x05\x06\x03\x55\x04\x03"s, "no value"},
      {"\x30\x0D\x31\x0B\x30\x09\x06\x03\x55\x04\x03\x13\x00\x05\x00"s, "three members"},
      {"\x30\x0A\x31\x08\x30\x06\x06\x02\x2A\x86\x13\x00"s, "an OID cut short"},
      {"\x30\x00\x00"s, "something behind it"},
  };
  for (const auto& c : cases) EXPECT_FALSE(FormatDistinguishedName(c.bytes)) << c.why;
}

using testing::ElementsAre;
using testing::IsEmpty;

std::string CertificateFor(const std::string& names) {
  test::CertificateSpec spec;
  spec.key = "p256";
  spec.alternative_names = names;
  return test::MakeCertificate(spec).der;
}

TEST(CertificateNames, NamesAndAddressesInTheirOrder) {
  EXPECT_THAT(
      AlternativeNames(CertificateFor("DNS:b.example.com,IP:192.0.2.1,email:x@example.com,IP:2001:db8::1,DNS:*.a")),
      ElementsAre("b.example.com", "192.0.2.1", "2001:db8::1", "*.a"));
}

TEST(CertificateNames, NoneWhereThereAreNone) {
  EXPECT_THAT(AlternativeNames(CertificateFor("")), IsEmpty());
  EXPECT_THAT(AlternativeNames(CertificateFor("email:x@example.com")), IsEmpty());
  EXPECT_THAT(AlternativeNames(""), IsEmpty());
}

TEST(CertificateNames, DamagedBytesAreNoNames) {
  const std::string good = CertificateFor("DNS:a.example.com");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THAT(AlternativeNames(good.substr(0, size)), IsEmpty()) << size;
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string damaged = good;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    EXPECT_LE(AlternativeNames(damaged).size(), 2U) << at;
  }
}

}  // namespace
}  // namespace prov::pki
