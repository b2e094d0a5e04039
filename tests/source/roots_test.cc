#include "provisioner/source/roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/pki/pem.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::source {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// What a CA file's own settings reject makes no server known.
TEST(Roots, RejectedCertificatesAreNone) {
  const auto certificates = testing_support::SampleCertificates();
  const std::string rejected = pki::ArmourPem(
      "TRUSTED CERTIFICATE", certificates.at(0).der + "\x30\x0C\xA0\x0A\x06\x08\x2B\x06\x01\x05\x05\x07\x03\x01"s);
  const auto roots = Must(ParseRoots(rejected + pki::ArmourPem("CERTIFICATE", certificates.at(1).der), "ca.pem"));
  EXPECT_THAT(roots, ElementsAre(certificates.at(1).der));
  for (const std::string& bytes : {rejected, std::string("# none\n")}) {
    const Error none = ErrorIn(ParseRoots(bytes, "ca.pem"));
    EXPECT_EQ(none.code, Code::kCert);
    EXPECT_EQ(none.where, "ca.pem");
    EXPECT_THAT(none.message, HasSubstr("so no server could be verified"));
  }
}

}  // namespace
}  // namespace prov::source
