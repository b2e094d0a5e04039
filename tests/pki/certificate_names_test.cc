#include "provisioner/pki/certificate_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/make_certificate.h"

namespace prov::pki {
namespace {

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
