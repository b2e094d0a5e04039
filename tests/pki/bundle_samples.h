// What the tests of bundles are made of.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/text.h"
#include "tests/support/make_certificate.h"

namespace prov::pki {

// Of three roots "CN=A", "CN=B" and "CN=C", counted from 0.
inline const test::MadeCertificate& Nth(std::size_t n) {
  static const std::vector<test::MadeCertificate> made = {test::MakeRoot("A", "p256"), test::MakeRoot("B", "p256#b"),
                                                          test::MakeRoot("C", "p256#c")};
  return made.at(n);
}
inline const std::string& A() { return Nth(0).pem; }
inline const std::string& B() { return Nth(1).pem; }
inline const std::string& C() { return Nth(2).pem; }

inline std::string Utf16Be(const std::string& text) {
  std::string out = ToUtf16Le(text);
  for (std::size_t i = 0; i + 1 < out.size(); i += 2) std::swap(out[i], out[i + 1]);
  return out;
}

// The codes of findings in their order, with blanks between.
inline std::string Codes(const Findings& findings) {
  std::string out;
  for (const Finding& finding : findings) out += (out.empty() ? "" : " ") + std::string(finding.code);
  return out;
}

}  // namespace prov::pki
