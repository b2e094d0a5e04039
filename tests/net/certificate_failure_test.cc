#include "provisioner/net/certificate_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/make_certificate.h"

namespace prov::net {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::int64_t kPast = 1'767'300'000;  // 2026-01-01T20:40:00Z

test::CertificateSpec LeafSpec(const std::string& names = "DNS:origin.example.com") {
  test::CertificateSpec spec;
  spec.subject = {{"CN", "origin"}};
  spec.issuer = {{"O", "Example Corp"}, {"CN", "corporate root"}};
  spec.key = "p256#leaf";
  spec.signer = "p256#root";
  spec.ca = false;
  spec.alternative_names = names;
  return spec;
}

class CertificateFailureTest : public testing::Test {
 protected:
  CertificateFailureTest() {
    failure_.peer.chain = {test::MakeCertificate(LeafSpec()).der};
    failure_.peer.culprit = failure_.peer.chain[0];
    failure_.whose = "the server";
    failure_.host = "origin.example.com";
    failure_.own_roots = true;
    failure_.roots = {test::MakeRoot("another", "p256#another").der};
    failure_.detail = "the library's words";
  }

  std::string Explain(CertificateFault fault) {
    failure_.peer.fault = fault;
    return ExplainCertificate(failure_);
  }

  const std::string root_ = test::MakeRoot("corporate root", "p256#root").der;
  CertificateFailure failure_;
};

TEST_F(CertificateFailureTest, NamesTheCaThatTheBundleLacks) {
  EXPECT_EQ(Explain(CertificateFault::kUnknownIssuer),
            "the server shows a certificate issued by \"CN=corporate root,O=Example Corp\", and this CA is not in the "
            "source's trust bundle (1 certificate): add it there; if it is an intermediate CA, let the server send it "
            "along");
  failure_.behind_proxy = true;
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), EndsWith("a proxy that inspects TLS signs with its own CA"));
  failure_.own_roots = false;
  failure_.roots.clear();
  EXPECT_THAT(
      Explain(CertificateFault::kUnknownIssuer),
      HasSubstr("not in the list of CAs that this system trusts (the source brings no certificates): nodes get no "
                "CA from this source, so add it to the cluster's trusted CAs; if it is"));
  failure_.of_machine = true;
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), HasSubstr("that this system trusts: add it there"));
  failure_.own_roots = true;
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), HasSubstr("not in the ROOT store of the image (0 cert"));
}

TEST_F(CertificateFailureTest, NamesTheRootThatCameAlong) {
  failure_.peer.chain.push_back(root_);
  failure_.peer.culprit = root_;
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), HasSubstr("issued by \"CN=corporate root,O=Example Corp\""));
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), EndsWith(": add it there")) << "the chain is whole";
}

TEST_F(CertificateFailureTest, CaOfTheSameNameAndAnotherKey) {
  failure_.roots.push_back(test::MakeRoot("corporate root", "p256#earlier").der);
  const std::string expected =
      "the server shows a certificate issued by \"CN=corporate root,O=Example Corp\"; a CA of this name is in the "
      "source's trust bundle (2 certificates), but with another key, so the CA was made anew or is a false one: get "
      "its "
      "present certificate from its operator and replace the old one";
  EXPECT_EQ(Explain(CertificateFault::kUnknownIssuer), expected);
  EXPECT_EQ(Explain(CertificateFault::kSignature), expected) << "found by name, OpenSSL tries the key";
}

TEST_F(CertificateFailureTest, TheCaItself) {
  failure_.peer.chain = {root_};
  failure_.peer.culprit = root_;
  for (const CertificateFault fault :
       {CertificateFault::kUnknownIssuer, CertificateFault::kName, CertificateFault::kPurpose}) {
    EXPECT_THAT(Explain(fault), AllOf(StartsWith("the server shows the CA certificate \"CN=corporate root,O=Example "
                                                 "Corp\" itself instead of one for origin.example.com"),
                                      HasSubstr("--set confdir=FOLDER")));
  }
}

TEST_F(CertificateFailureTest, SelfSignedServer) {
  test::CertificateSpec spec = LeafSpec();
  spec.issuer = {};
  spec.signer = "";
  failure_.peer.chain = {test::MakeCertificate(spec).der};
  failure_.peer.culprit = failure_.peer.chain[0];
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), HasSubstr("\"CN=origin\", which is self-signed"));
  // As `openssl req -x509` makes them: its own CA, and for this host.
  spec.ca = true;
  failure_.peer.chain = {test::MakeCertificate(spec).der};
  failure_.peer.culprit = failure_.peer.chain[0];
  EXPECT_THAT(Explain(CertificateFault::kUnknownIssuer), HasSubstr("\"CN=origin\", which is self-signed"));
  failure_.host = "other.example.com";
  EXPECT_THAT(Explain(CertificateFault::kName), HasSubstr("is for \"origin.example.com\" and not for other"));
}

TEST_F(CertificateFailureTest, ExpiredLeafOrCa) {
  test::CertificateSpec spec = LeafSpec();
  spec.not_after = kPast;
  failure_.peer.chain = {test::MakeCertificate(spec).der};
  failure_.peer.culprit = failure_.peer.chain[0];
  EXPECT_EQ(Explain(CertificateFault::kExpired),
            "the server shows a certificate for \"CN=origin\" that expired at 2026-01-01T20:40:00Z: its operator must "
            "renew it, unless this machine's clock is wrong");
  test::CertificateSpec ca;
  ca.subject = {{"CN", "old root"}};
  ca.key = "p256#root";
  ca.not_after = kPast;
  failure_.peer.culprit = test::MakeCertificate(ca).der;
  EXPECT_THAT(Explain(CertificateFault::kExpired),
              AllOf(HasSubstr("issued under the CA \"CN=old root\", which expired at 2026-01-01T20:40:00Z"),
                    HasSubstr("its operator must renew the CA")));
  failure_.roots.push_back(failure_.peer.culprit);
  EXPECT_THAT(Explain(CertificateFault::kExpired), HasSubstr("replace it in the source's trust bundle"));
}

TEST_F(CertificateFailureTest, NotYetValid) {
  EXPECT_EQ(
      Explain(CertificateFault::kNotYetValid),
      "the server shows \"CN=origin\", which is valid from 2026-01-01T00:00:00Z on: this machine's clock is wrong, "
      "or it was made too early");
}

TEST_F(CertificateFailureTest, ForOtherHosts) {
  failure_.host = "127.0.0.1";
  EXPECT_EQ(Explain(CertificateFault::kName),
            "the server shows a certificate that is for \"origin.example.com\" and not for 127.0.0.1: use one of these "
            "names, or have it issued for this one");
  failure_.peer.chain = {test::MakeCertificate(LeafSpec("DNS:a,DNS:b,DNS:c,DNS:d,DNS:e")).der};
  failure_.peer.culprit.clear();
  EXPECT_THAT(Explain(CertificateFault::kName), HasSubstr("for \"a\", \"b\", \"c\", \"d\" and others and not for"));
  failure_.peer.chain = {test::MakeCertificate(LeafSpec("")).der};
  EXPECT_THAT(Explain(CertificateFault::kName), HasSubstr("names no host (no subjectAltName)"));
}

TEST_F(CertificateFailureTest, WeakOrNotByACa) {
  EXPECT_THAT(Explain(CertificateFault::kPurpose), HasSubstr("\"CN=origin\", which is not for servers"));
  EXPECT_THAT(Explain(CertificateFault::kTooWeak), HasSubstr("too weak (the library's words)"));
  EXPECT_THAT(Explain(CertificateFault::kNotCa), HasSubstr("which is not a CA certificate"));
}

// Another CA in the bundle would not help.
TEST_F(CertificateFailureTest, WhatNoCaOfTheBundleChanges) {
  failure_.detail = "permitted subtree violation";
  EXPECT_EQ(Explain(CertificateFault::kOther),
            "the server shows \"CN=origin\", which is not valid (permitted subtree violation): reissue it");
  failure_.peer.culprit = root_;
  EXPECT_THAT(Explain(CertificateFault::kOther),
              StartsWith("the chain of the server shows \"CN=corporate root,O=Example Corp\", which is not valid"));
}

// The gist is there also where libcurl's TLS gives no certificates, or they can't be read.
TEST_F(CertificateFailureTest, WithoutCertificates) {
  for (const std::vector<std::string>& chain : {std::vector<std::string>{}, std::vector<std::string>{"no DER"}}) {
    failure_.peer.chain = chain;
    EXPECT_EQ(
        Explain(CertificateFault::kUnknownIssuer),
        "the server shows a certificate that can't be verified with the source's trust bundle (1 certificate) (the "
        "library's words): add the CA that signed it there");
  }
}

TEST_F(CertificateFailureTest, LongNamesAreCut) {
  test::CertificateSpec spec = LeafSpec();
  for (int i = 0; i < 20; ++i) spec.issuer.push_back({"OU", std::string(60, 'x')});
  failure_.peer.chain = {test::MakeCertificate(spec).der};
  failure_.peer.culprit = failure_.peer.chain[0];
  EXPECT_LT(Explain(CertificateFault::kUnknownIssuer).size(), 400U);
}

}  // namespace
}  // namespace prov::net
