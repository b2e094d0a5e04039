// ParseCertificate: it refuses with a place, or its result is as certificate_checks.h has it.
#include "tests/fuzz/certificate_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view der = TextOf(data, size);
  const auto certificate = prov::pki::ParseCertificate(der, kCertificateWhere);
  if (!certificate) {
    CheckError(certificate.error());
    FUZZ_CHECK(certificate.error().code == prov::Code::kCert);
    FUZZ_CHECK(certificate.error().where == kCertificateWhere);
    return 0;
  }
  CheckRead(der, *certificate);
  CompareWithOpenSsl(der, *certificate);
  return 0;
}
