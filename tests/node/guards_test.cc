#include "provisioner/node/guards.h"

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/node/node_helpers.h"
#include "tests/support/result.h"

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

// A config whose files are there and empty, as those of a cluster without a proxy.
Settings EmptyFile() {
  Settings out = SampleSettings(std::nullopt);
  out.config.http_proxy = out.config.https_proxy = std::nullopt;
  out.config.no_proxy = std::nullopt;
  out.config.certificates.clear();
  return out;
}

class Guards : public NodeTest {
 protected:
  Result<reconcile::RunReport> Apply(const Settings& settings, const ApplyOptions& options = {}) {
    OpenNode n = node();
    return ApplySettings(n, settings, options);
  }
};

class EmptyGuard : public Guards {
 protected:
  Result<reconcile::RunReport> Apply(const Settings& settings, const ApplyOptions& options = {.refuse_empty = true}) {
    return Guards::Apply(settings, options);
  }
};

TEST_F(EmptyGuard, ASourceThatSetsNothingIsRefusedWhereNothingIsOurs) {
  const Error refused = ErrorIn(Apply(EmptyFile()));
  EXPECT_EQ(refused.code, Code::kEmpty);
  EXPECT_THAT(refused.message, HasSubstr("neither a proxy nor an additional certificate"));
  EXPECT_THAT(refused.message, HasSubstr("--allow-empty"));
  OpenNode n = node();
  EXPECT_EQ(TrySettings(n, EmptyFile(), {.refuse_empty = true}, 60).error().code, Code::kEmpty);
  Delivery delivery;
  delivery.spec = SpecOf(R"(C:\worker.json)");
  EXPECT_EQ(FirstBoot(n, EmptyFile(), delivery, {.refuse_empty = true}).error().code, Code::kEmpty);
  EXPECT_THAT(host_.memory.log, testing::IsEmpty()) << "nothing was written";
  EXPECT_TRUE(Apply(EmptyFile(), {})) << "a source that is followed";
}

TEST_F(EmptyGuard, WhatIsOursMayBeTakenAway) {
  ASSERT_TRUE(Apply(SampleSettings(std::nullopt)));
  const auto emptied = Must(Apply(EmptyFile()));
  EXPECT_GT(emptied.writes, 0U);
  const auto again = Must(Apply(EmptyFile()));
  EXPECT_EQ(again.writes, 0U);
  Settings another = EmptyFile();
  another.options.services = {"kubelet"};
  EXPECT_EQ(Apply(another).error().code, Code::kEmpty) << "another source, and now nothing is ours";
}

TEST_F(EmptyGuard, APayloadWasAskedWhenItWasBaked) {
  Settings payload = EmptyFile();
  payload.generation = 1;
  EXPECT_TRUE(Apply(payload));
}

TEST_F(EmptyGuard, TheMessageSaysWhy) {
  Settings mute = EmptyFile();
  mute.config.proxy_file.present = mute.config.trust_file.present = false;
  EXPECT_THAT(Apply(mute).error().message, HasSubstr("makes no statement"));
  Settings left_out = SampleSettings(std::nullopt);
  left_out.options.services.clear();
  left_out.options.scope = {.machine = false, .services = true, .win_http = false, .certificates = false};
  EXPECT_THAT(Apply(left_out).error().message,
              HasSubstr("the options (--scope, --service, --credentials, --subtract) leave out all of its settings"));
  Settings assigned = EmptyFile();
  assigned.config.http_proxy = Secret("");
  assigned.config.no_proxy = "";
  EXPECT_THAT(Apply(assigned).error().message, HasSubstr("neither a proxy"));
  assigned.config.no_proxy = "a.org";
  assigned.config.not_read.proxy = true;
  EXPECT_THAT(Apply(assigned).error().message, HasSubstr("in a part that is not read, such as ALL_PROXY"));
}

using TrustGuard = Guards;

TEST_F(TrustGuard, WithoutItsCertificatesASourceIsAppliedOnlyWhereSomeAreOurs) {
  Settings settings = SampleSettings(std::nullopt);
  settings.config.certificates.clear();
  settings.config.trust_file.present = false;
  settings.config.not_read = {.trust = true, .trust_place = "u.egress: $.bundle"};
  OpenNode n = node();
  EXPECT_TRUE(PlanSettings(n, settings, {}));
  Delivery delivery;
  delivery.spec = SpecOf(R"(C:\u.egress)");
  for (const auto& refused :
       {Apply(settings), TrySettings(n, settings, {}, 60), FirstBoot(n, settings, delivery, {})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kRemoteSource);
    EXPECT_EQ(refused.error().where, "u.egress: $.bundle");
  }
  EXPECT_THAT(host_.memory.log, testing::IsEmpty()) << "nothing was written";
  ASSERT_TRUE(Apply(SampleSettings(std::nullopt)));
  const auto certificates = host_.memory.content().certificates;
  settings.config.https_proxy = Secret("http://other:1");
  EXPECT_TRUE(Apply(settings));
  EXPECT_EQ(host_.memory.content().certificates, certificates);
  ASSERT_TRUE(RemoveSettings(n));
  settings.options.scope.certificates = false;
  EXPECT_TRUE(Apply(settings)) << "nobody wants them";
}

using ShrinkGuard = Guards;

TEST_F(ShrinkGuard, LosingOverHalfOfEightIsRefusedUnlessToldOtherwise) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  const Error refused = ErrorIn(Apply(RawFile(0, 3)));
  EXPECT_EQ(refused.code, Code::kShrink);
  EXPECT_THAT(refused.message, HasSubstr("lacks 5 of the 8"));
  OpenNode n = node();
  EXPECT_EQ(PlanSettings(n, RawFile(0, 3), {}).error().code, Code::kShrink);
  EXPECT_EQ(TrySettings(n, RawFile(0, 3), {}, 60).error().code, Code::kShrink);
  EXPECT_EQ(Apply(RawFile(20, 8)).error().code, Code::kShrink) << "as many, but other ones";
  const auto allowed = Must(Apply(RawFile(0, 3), {.allow_shrink = true}));
  EXPECT_GT(allowed.writes, 0U);
}

TEST_F(ShrinkGuard, HalfIsARotationAndFewCertificatesMayAllChange) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  EXPECT_TRUE(Apply(RawFile(0, 4)));
  EXPECT_TRUE(Apply(RawFile(0, 7)));
  EXPECT_TRUE(Apply(RawFile(20, 1))) << "of seven";
}

TEST_F(ShrinkGuard, AClustersObjectIsAuthoritative) {
  ASSERT_TRUE(Apply(RawFile(0, 8)));
  Settings other = RawFile(0, 1);
  other.config.source.kind = "ControllerConfig";
  EXPECT_TRUE(Apply(other));
}

}  // namespace
}  // namespace prov::node
