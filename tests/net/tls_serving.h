// The identity of servers that speak TLS, and a root that verifies it. POSIX only.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/support/http_server.h"
#include "tests/support/make_certificate.h"

namespace prov::net {

class TlsTest : public testing::Test {
 protected:
  // A certificate for localhost; `names` are those of its subjectAltName.
  static test::MadeCertificate Leaf(std::int64_t not_after = 2082758400, const std::string& names = "DNS:localhost") {
    test::CertificateSpec spec;
    spec.subject = {{"CN", "localhost"}};
    spec.issuer = {{"O", "Example Corp"}, {"CN", "root"}};
    spec.key = "rsa2048#leaf";
    spec.signer = "rsa2048#root";
    spec.ca = false;
    spec.not_after = not_after;
    spec.alternative_names = names;
    return test::MakeCertificate(spec);
  }
  static std::string TlsUrl(const test::HttpServer& server) {
    return "https://localhost:" + std::to_string(server.port()) + "/";
  }

  const std::string root_ = test::MakeRoot("root", "rsa2048#root").der;
  const std::string other_ = test::MakeRoot("other", "rsa2048#other").der;
  const test::Identity identity_{Leaf().pem, test::PrivateKeyPem("rsa2048#leaf")};
};

}  // namespace prov::net
