#include "provisioner/publish/trust_merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "provisioner/publish/go_pem.h"
#include "tests/publish/samples.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> Types(std::string_view text) {
  std::vector<std::string> out;
  GoPemReader reader(text);
  while (const auto block = reader.Next()) out.push_back(std::string(block->type) + (block->has_headers ? "+" : ""));
  return out;
}

TEST(GoPem, FindsBlocksAsGoDoes) {
  EXPECT_THAT(
      Types("text\n-----BEGIN A-----\nAAAA\n-----END A-----\n-----BEGIN B-----  \r\nAA==\r\n-----END B-----\t\n"),
      ElementsAre("A", "B"));
  EXPECT_THAT(Types("-----BEGIN A-----\n-----END A-----"), ElementsAre("A")) << "an empty one";
  EXPECT_THAT(Types("-----BEGIN A-----\nProc-Type: 4\nX: y\n\nAAAA\n-----END A-----\n"), ElementsAre("A+"));
  EXPECT_THAT(Types("-----BEGIN A-----\nAA AA\n\tAAAA\n-----END A-----\n"), ElementsAre("A")) << "blanks inside";
}

TEST(GoPem, PassesOverWhatIsDamaged) {
  for (const char* text : {"  -----BEGIN A-----\nAAAA\n-----END A-----\n",
                           "\xEF\xBB\xBF-----BEGIN A-----\nAAAA\n-----END A-----\n", "-----BEGIN A-----\nAAAA\n",
                           "-----BEGIN A-----\nAAA\n-----END A-----\n", "-----BEGIN A-----\nA*AA\n-----END A-----\n",
                           "-----BEGIN A-----\nAAAA\n-----END B-----\n", "-----BEGIN A-----\nAAAA\n-----END A----- x\n",
                           "-----BEGIN A----\nAAAA\n-----END A-----\n", "-----BEGIN A-----\nAAAA-----END A-----\n", ""})
    EXPECT_THAT(Types(text), IsEmpty()) << text;
  EXPECT_THAT(Types("-----BEGIN A-----\n-----BEGIN B-----\nAAAA\n-----END B-----\n"), ElementsAre("B"));
  EXPECT_THAT(Types("-----BEGIN A-----\nAAAA\n-----END A----- -----BEGIN B-----\nAAAA\n-----END B-----\n"), IsEmpty());
}

TEST(GoPem, TakesLinearTime) {
  const auto start = std::chrono::steady_clock::now();
  std::string begins;
  for (int i = 0; i < 200'000; ++i) begins += "-----BEGIN A-----\nAAAA\n";
  EXPECT_THAT(Types(begins), IsEmpty());
  EXPECT_THAT(Types(begins + "-----END A-----" + std::string(4'000'000, ' ') + "\n"), ElementsAre("A"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

BundleSource Source(const std::string& bytes) { return *ReadBundleSource(bytes, "f"); }

TEST(TrustMerge, ReadsPemAndConfigMaps) {
  EXPECT_EQ(Source(Pem("corporate-root")).text, Pem("corporate-root"));
  EXPECT_EQ(Source("# a comment\ndata: none\n" + Pem("proxy-root")).is_config_map, false)
      << "blocks at the line's start: text";
  const BundleSource map = Source(UserBundle());
  EXPECT_TRUE(map.is_config_map);
  EXPECT_EQ(map.name, "user-ca-bundle");
  EXPECT_EQ(map.name_space, "openshift-config");
  EXPECT_EQ(map.text, Pem("corporate-root"));
  EXPECT_EQ(Source(R"({"kind":"ConfigMap","data":{"ca-bundle.crt":"x"}})").text, "x");
  EXPECT_EQ(ReadBundleSource("kind: Secret\n", "f").error().code, Code::kKind);
  EXPECT_EQ(ReadBundleSource("kind: ConfigMap\ndata:\n  ca-bundle.crt: 1\n", "f").error().where,
            R"(f: $.data["ca-bundle.crt"])");
}

std::string BundleError(const std::string& bytes) {
  const auto certificates = CheckBundle(Source(bytes), "x");
  return certificates ? "taken" : certificates.error();
}

TEST(TrustMerge, TheOperatorsWords) {
  EXPECT_EQ(BundleError("kind: ConfigMap\n"), R"(ConfigMap "x" is missing "ca-bundle.crt")");
  EXPECT_EQ(BundleError("kind: ConfigMap\nbinaryData:\n  ca-bundle.crt: AAAA\n"),
            R"(ConfigMap "x" is missing "ca-bundle.crt")");
  EXPECT_EQ(BundleError("kind: ConfigMap\ndata:\n  ca-bundle.crt: ''\n"),
            R"(data key "ca-bundle.crt" is empty from ConfigMap "x")");
  EXPECT_EQ(BundleError("nothing"),
            R"(failed parsing certificate data from ConfigMap "x": could not read any certificates)");
  EXPECT_THAT(BundleError(Pem("proxy-root") + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
              StartsWith(R"(failed parsing certificate data from ConfigMap "x": )"))
      << "one bad certificate fails all";
}

TEST(TrustMerge, OtherBlocksArePassedOver) {
  const std::string other = "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n";
  const std::string with_headers = "-----BEGIN CERTIFICATE-----\nA: b\n\nAAAA\n-----END CERTIFICATE-----\n";
  const auto certificates =
      CheckBundle(Source(other + with_headers + Pem("corporate-root") + Pem("corporate-root")), "x");
  ASSERT_TRUE(certificates);
  EXPECT_EQ(certificates->size(), 2U) << "duplicates are kept";
  EXPECT_EQ(BundleError(other),
            R"(failed parsing certificate data from ConfigMap "x": could not read any certificates)");
}

std::string Key(const std::string& label) {
  return "-----BEGIN " + label + "-----\nc2VjcmV0\n-----END " + label + "-----\n";
}

TEST(TrustMerge, PrivateKeysAreLeftOut) {
  Findings findings;
  const std::string root = Pem("corporate-root");
  EXPECT_EQ(*WithoutPrivateKeys(root, "f", findings), root);
  EXPECT_THAT(findings, IsEmpty());
  EXPECT_EQ(*WithoutPrivateKeys("a\n" + Key("RSA PRIVATE KEY") + root + Key("PRIVATE KEY") + "b", "f", findings),
            "a\n" + root + "b");
  EXPECT_THAT(findings, ElementsAre(Field(&Finding::code, "private-key")));
  EXPECT_EQ(*WithoutPrivateKeys("x " + Key("EC PRIVATE KEY"), "f", findings), "x ") << "also where Go sees no block";
  EXPECT_EQ(*WithoutPrivateKeys("# no PRIVATE KEY here\n", "f", findings), "# no PRIVATE KEY here\n");
  for (const char* bad :
       {"-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n", "----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END X-----\n",
        "-----BEGIN PRIVATE KEY----\nc2VjcmV0\n"}) {
    const auto result = WithoutPrivateKeys(bad, "f", findings);
    ASSERT_FALSE(result) << bad;
    EXPECT_EQ(result.error().code, Code::kCert);
    EXPECT_THAT(result.error().message, Not(HasSubstr("c2Vj")));
  }
}

TEST(TrustMerge, TheUsersTextComesFirst) {
  EXPECT_EQ(MergeBundles("user\n", "system\n"), "user\n\nsystem\n");
  EXPECT_EQ(MergeBundles(std::nullopt, "system\n"), "system\n");
  EXPECT_EQ(MergeBundles("user", std::nullopt), "user");
  EXPECT_EQ(MergeBundles(std::nullopt, std::nullopt), "");
}

}  // namespace
}  // namespace prov::publish
