#include "provisioner/node/guards.h"

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

using testing::HasSubstr;

// Certificates that differ in what the engine looks at. They are intermediates, so that nothing verifies them.
Settings RawFile(int first, int count) {
  Settings out;
  out.config.source = {"PemBundle", "", ""};
  out.config.trust_file = {"bundle.pem", true, std::string(64, '0'), 1, 0644};
  const pki::Certificate sample = testing_support::SampleCertificates().at(2);
  for (int i = first; i < first + count; ++i) {
    pki::Certificate certificate = sample;
    certificate.der += static_cast<char>(i);
    certificate.sha1 = ToHex(Sha1(certificate.der));
    certificate.sha256 = ToHex(Sha256(certificate.der));
    out.config.certificates.push_back(std::move(certificate));
  }
  return out;
}

class ShrinkGuard : public NodeTest {
 protected:
  Result<reconcile::SessionReport> Apply(const Settings& settings, const ApplyOptions& options = {}) {
    OpenNode n = node();
    return ApplySettings(n, settings, options);
  }
};

TEST_F(ShrinkGuard, LosingOverHalfOfEightIsRefusedUnlessToldOtherwise) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  const auto refused = Apply(RawFile(0, 3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kShrink);
  EXPECT_THAT(refused.error().message, HasSubstr("lacks 5 of the 8"));
  OpenNode n = node();
  EXPECT_EQ(PlanSettings(n, RawFile(0, 3), {}).error().code, Code::kShrink);
  EXPECT_EQ(TrySettings(n, RawFile(0, 3), {}, 60).error().code, Code::kShrink);
  EXPECT_EQ(Apply(RawFile(20, 8)).error().code, Code::kShrink) << "as many, but other ones";
  const auto allowed = Apply(RawFile(0, 3), {.allow_shrink = true});
  ASSERT_TRUE(allowed) << allowed.error().message;
  EXPECT_GT(allowed->writes, 0U);
}

TEST_F(ShrinkGuard, HalfIsARotation) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  EXPECT_TRUE(Apply(RawFile(0, 4)));
}

TEST_F(ShrinkGuard, FewCertificatesMayAllChange) {
  ASSERT_TRUE(Apply(RawFile(0, 7)));
  EXPECT_TRUE(Apply(RawFile(20, 1)));
}

TEST_F(ShrinkGuard, AClustersObjectIsAuthoritative) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  Settings other = RawFile(0, 1);
  other.config.source.kind = "ControllerConfig";
  EXPECT_TRUE(Apply(other));
}

}  // namespace
}  // namespace prov::node
