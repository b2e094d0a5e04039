// Trust bundles: every certificate that OpenSSL finds in a text is among ours or the text is an error, what was read
// reads back the same, and no message quotes the body of a block.
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/pki/certificate_review.h"
#include "provisioner/pki/trust_bundle.h"
#include "provisioner/pki/trust_store.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using pki::Certificate;

constexpr std::string_view kWhere = "bundle.crt";

// Certificates that PEM_read_bio sees. It reads long lines in pieces and takes the pieces for lines, so texts with such
// lines are no evidence.
std::size_t CountByOpenSsl(std::string_view text) {
  for (const std::string_view line : Split(text, '\n')) {
    if (line.size() > 240) return 0;
  }
  BIO* bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  std::size_t count = 0;
  char* name = nullptr;
  char* header = nullptr;
  unsigned char* bytes = nullptr;
  long size = 0;
  while (PEM_read_bio(bio, &name, &header, &bytes, &size) == 1) {
    const std::string_view label = name;
    const bool wanted = label == "CERTIFICATE" || label == "X509 CERTIFICATE" || label == "TRUSTED CERTIFICATE";
    if (wanted && header[0] == '\0') {
      const unsigned char* at = bytes;
      X509* x509 = d2i_X509(nullptr, &at, size);
      if (x509 != nullptr) ++count;
      X509_free(x509);
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(bytes);
  }
  ERR_clear_error();
  BIO_free(bio);
  return count;
}

// Whether `message` holds what only the base64 of a block can be: a long word with letters of both cases and digits.
bool QuotesBase64(std::string_view message) {
  std::size_t length = 0;
  bool lower = false;
  bool other = false;
  for (const char c : message) {
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_other = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/';
    if (!is_lower && !is_other) {
      length = 0;
      lower = other = false;
      continue;
    }
    lower = lower || is_lower;
    other = other || is_other;
    if (++length >= 24 && lower && other) return true;
  }
  return false;
}

void CheckReviews(std::span<const Certificate> all) {
  for (const std::int64_t now : {std::int64_t{0}, std::int64_t{1'790'000'000}, std::int64_t{9'000'000'000'000}}) {
    CheckFindings(pki::ReviewCertificates(all, now, kWhere));
  }
  CheckFindings(pki::ReviewStores(all, {}, kWhere));
  CheckFindings(pki::ReviewTrust(all, {}, kWhere));
  for (const Certificate& c : all) {
    const pki::Store store = pki::StoreFor(c, {});
    const bool untrusted = !pki::WhyUntrusted(c, {}).empty();
    FUZZ_CHECK(!c.self_signed || untrusted || store == pki::Store::kRoot);
    FUZZ_CHECK((store == pki::Store::kNone) == (untrusted || (!c.self_signed && !c.is_ca)));
    FUZZ_CHECK(store == pki::Store::kNone || !c.rejected);
    FUZZ_CHECK(pki::StoreFor(c, {c.sha256}) != pki::Store::kNone);
  }
}

void CheckAccepted(std::string_view bytes, const std::vector<Certificate>& all) {
  FUZZ_CHECK(all.size() >= CountByOpenSsl(bytes));
  CheckReviews(all);
  const std::string pem = pki::EncodePem(all);
  Findings findings;
  const auto again = pki::ParseTrustBundle(pem, kWhere, findings);
  FUZZ_CHECK(again);
  FUZZ_CHECK(std::ranges::equal(*again, all, {}, &Certificate::der, &Certificate::der));
  FUZZ_CHECK(findings.empty() || all.empty());
  FUZZ_CHECK(pki::EncodePem(*again) == pem);
  FUZZ_CHECK(CountByOpenSsl(pem) <= all.size());
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view bytes = TextOf(data, size);
  prov::Findings findings;
  const auto all = prov::pki::ParseTrustBundle(bytes, kWhere, findings);
  CheckFindings(findings);
  FUZZ_CHECK(findings.size() <= 4 * 21 + 1);
  for (const prov::Finding& finding : findings)
    FUZZ_CHECK(!QuotesBase64(finding.message) && !QuotesBase64(finding.where));
  if (all) {
    CheckAccepted(bytes, *all);
    return 0;
  }
  CheckError(all.error());
  FUZZ_CHECK(all.error().code == prov::Code::kCert || all.error().code == prov::Code::kTooLarge);
  FUZZ_CHECK(all.error().where.starts_with(kWhere));
  FUZZ_CHECK(!QuotesBase64(all.error().message) && !QuotesBase64(all.error().where));
  return 0;
}
