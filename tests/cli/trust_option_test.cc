// Certificates that must not be trusted, and --trust, from the command line to a node's later rounds.
#include <algorithm>

#include "provisioner/base/text.h"
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/make_certificate.h"
#include "tests/support/result.h"

namespace prov::cli::machine_commands {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

class TrustOption : public MachineCommands {
 protected:
  TrustOption() {
    test::CertificateSpec spec;
    spec.subject = {{"CN", "old proxy"}};
    spec.key = "rsa1024";
    weak_ = test::MakeCertificate(spec);
    good_ = test::MakeRoot("Good CA");
    sha256_ = pki::ParseCertificate(weak_.der, "")->sha256;
    source_ = (root_ / "bundle.pem").string();
    WriteSource(good_.pem + weak_.pem);
  }

  bool InRoot(const test::MadeCertificate& certificate) {
    return host_.memory.content().certificates[pki::Store::kRoot].contains(certificate.der);
  }

  test::MadeCertificate weak_, good_;
  std::string sha256_;
};

TEST_F(TrustOption, CheckNamesTheCertificateTheReasonAndTheDigest) {
  const auto checked = Must(Run(CheckCommand, {source_}));
  EXPECT_EQ(checked.exit, 0);
  const auto told = std::ranges::find(checked.findings, "untrusted", &Finding::code);
  ASSERT_NE(told, checked.findings.end());
  EXPECT_EQ(told->severity, Severity::kWarning);
  for (const std::string& part : {std::string("CN=old proxy"), std::string("1024 bits"), "--trust " + sha256_}) {
    EXPECT_THAT(told->message, HasSubstr(part));
  }
  EXPECT_THAT(Run(CheckCommand, {source_, "--trust", sha256_})->findings,
              Not(Contains(Field(&Finding::code, "untrusted"))));
  WriteSource(weak_.pem);
  EXPECT_EQ(Run(CheckCommand, {source_})->exit, 11) << "nothing would be left of it";
  EXPECT_EQ(Run(CheckCommand, {source_, "--trust", sha256_})->exit, 0);
  EXPECT_EQ(Run(CheckCommand, {source_, "--trust", "CN=old proxy"}).error().code, Code::kUsage);
}

TEST_F(TrustOption, ExtractListsTheCertificateWithoutAStore) {
  const auto all = Json(ExtractCommand, {source_});
  const auto& certificates = all["trustBundle"]["certificates"];
  ASSERT_EQ(certificates.Size(), 2U);
  EXPECT_STREQ(certificates[0]["store"].GetString(), "ROOT");
  EXPECT_STREQ(certificates[1]["store"].GetString(), "none");
  EXPECT_STREQ(
      Json(ExtractCommand, {source_, "--trust", sha256_})["trustBundle"]["certificates"][1]["store"].GetString(),
      "ROOT");
}

TEST_F(TrustOption, CertificatesExpireByTheHostsClock) {
  host_.now = 32'503'680'000;  // 3000-01-01
  const std::vector<std::pair<Command (*)(), std::vector<std::string>>> runs = {
      {CheckCommand, {source_}},
      {ExtractCommand, {source_, "--format", "pem"}},
      {BakeCommand, {source_, "--out", (root_ / "p").string()}}};
  for (const auto& [make, words] : runs) {
    const auto outcome = Must(Run(make, words));
    EXPECT_THAT(outcome.findings, Contains(Field(&Finding::code, "cert-expired"))) << make().spec.name;
  }
}

TEST_F(TrustOption, WithoutItTheOthersAreAppliedAlone) {
  ASSERT_TRUE(Run(ApplyCommand, {source_}));
  EXPECT_TRUE(InRoot(good_));
  EXPECT_FALSE(InRoot(weak_));
  ASSERT_TRUE(Run(ApplyCommand, {source_, "--trust", sha256_}));
  EXPECT_TRUE(InRoot(weak_));
  WriteSource(weak_.pem);
  for (Command (*make)() : {PlanCommand, ApplyCommand, FirstBootCommand}) {
    EXPECT_EQ(Run(make, {source_}).error().code, Code::kCert) << make().spec.name;
  }
  EXPECT_EQ(Run(BakeCommand, {source_, "--out", (root_ / "p").string()}).error().code, Code::kCert);
  EXPECT_FALSE(std::filesystem::exists(root_ / "p"));
}

TEST_F(TrustOption, AFollowedSourceKeepsTheChoice) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_, "--trust", AsciiUpper(sha256_)}));
  host_.memory.Boot(testing_support::MemoryMachine::Unflushed::kKept);
  EXPECT_EQ(Json(ReconcileCommand, {"--once"})["writes"].GetInt(), 0);
  EXPECT_TRUE(InRoot(weak_));
}

// What is kept of a source that nobody may trust any more is what it said before.
TEST_F(TrustOption, ASourceOfWhichNothingWouldBeLeftChangesNothing) {
  ASSERT_TRUE(Run(FirstBootCommand, {source_}));
  WriteSource(weak_.pem);
  const auto round = Must(Run(ReconcileCommand, {"--once"}));
  EXPECT_EQ(round.exit, 11);
  EXPECT_THAT(round.findings, Contains(Field(&Finding::code, "source-unavailable")));
  EXPECT_TRUE(InRoot(good_));
}

}  // namespace
}  // namespace prov::cli::machine_commands
