#include "provisioner/payload/pin.h"

#include <gmock/gmock.h>

#include "tests/support/sign_payload.h"

namespace prov::payload {
namespace {

using testing_support::TestSigner;

class PinTest : public testing::Test {
 protected:
  Pin Of(const std::string& names) const {
    Pin out;
    for (const char name : names) out.signers.push_back(At(name).certificate);
    return out;
  }
  const TestSigner& At(char name) const { return signers_.at(static_cast<std::size_t>(name - 'A')); }
  std::string Sha(char name) const { return At(name).certificate.sha256; }
  // The names of the signers, in order.
  std::string Names(const Pin& pin) const {
    std::string out;
    for (const pki::Certificate& one : pin.signers) {
      for (char name = 'A'; name <= 'C'; ++name) {
        if (one.sha256 == Sha(name)) out += name;
      }
    }
    return out;
  }

  const std::vector<TestSigner> signers_ = {TestSigner("A"), TestSigner("B"), TestSigner("C")};
};

TEST_F(PinTest, ASignerIsIntroducedAndThenFollowsTheOthers) {
  const struct {
    std::string before;
    char by, next;  // '-': none
    std::string accepted, applied;
  } cases[] = {
      {"A", 'A', '-', "A", "A"},     {"A", 'A', 'B', "AB", "AB"},  {"AB", 'A', '-', "AB", "AB"},
      {"AB", 'A', 'B', "AB", "AB"},  {"AB", 'A', 'C', "AC", "AC"}, {"AB", 'B', '-', "AB", "B"},
      {"AB", 'B', 'C', "ABC", "BC"}, {"AB", 'B', 'A', "BA", "BA"}, {"A", 'A', 'A', "A", "A"},
      {"AB", 'C', 'C', "AB", "AB"},  {"A", 'C', 'B', "A", "A"},
  };
  for (const auto& c : cases) {
    Pin pin = Of(c.before);
    if (c.next != '-') Introduce(pin, Sha(c.by), At(c.next).certificate);
    EXPECT_EQ(Names(pin), c.accepted) << c.before << " " << c.by << c.next;
    Retire(pin, Sha(c.by));
    EXPECT_EQ(Names(pin), c.applied) << c.before << " " << c.by << c.next;
  }
}

TEST_F(PinTest, WhatIsGivenReplacesItsPartAndNamingTheFirstSignerAgainKeepsWhatItIntroduced) {
  Pin pin = Of("AB");
  pin.cluster = "prod";
  EXPECT_EQ(Names(With(pin, Of("A"))), "AB");
  EXPECT_EQ(Names(With(pin, Of("B"))), "B");
  EXPECT_EQ(With(pin, Of("C")).cluster, "prod");
  EXPECT_EQ(Names(With(pin, {.cluster = "test"})), "AB");
  EXPECT_EQ(With(pin, {.cluster = "test"}).cluster, "test");
  EXPECT_EQ(Names(With({}, Of("C"))), "C");
}

TEST_F(PinTest, IsReadAsItWasWrittenAndADamagedOneIsNone) {
  Pin pin = Of("AB");
  pin.cluster = "prod";
  for (const Pin& one : {pin, Of("A"), Pin{.cluster = "prod"}}) {
    const auto read = ParsePin(PinJson(one), "pin");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(PinJson(*read), PinJson(one));
  }
  test::CertificateSpec server = testing_support::SignerSpec("server", "rsa2048");
  server.extended_key_usages = {"serverAuth"};
  pki::Certificate unfit;
  unfit.der = test::MakeCertificate(server).der;
  const std::string wrong = PinJson({.signers = {unfit}});
  for (const std::string& text :
       {std::string(), std::string("{}"), PinJson({}), PinJson(pin).substr(0, 90), wrong,
        std::string(R"({"schema":2,"signers":[]})"), std::string(R"({"schema":1,"signers":["*"]})"),
        std::string(R"({"schema":1,"for":"a\nb","signers":[]})")}) {
    EXPECT_FALSE(ParsePin(text, "pin")) << text.substr(0, 60);
  }
}

TEST(ClusterName, IsAShortText) {
  for (const char* good : {"prod", "Prod 1", "cluster.example.com", "é"}) EXPECT_TRUE(IsClusterName(good)) << good;
  for (const std::string& bad : {std::string(), std::string("a\tb"), std::string("a\x1b"), std::string(254, 'a')})
    EXPECT_FALSE(IsClusterName(bad)) << bad;
}

}  // namespace
}  // namespace prov::payload
