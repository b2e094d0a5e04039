// What `status` reports of a node besides its items: the boot service, the reading of the source, failures, expiry.
#include "provisioner/node/status.h"

#include "provisioner/node/reconcile_once.h"
#include "tests/node/node_helpers.h"
#include "tests/support/make_certificate.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"

namespace prov::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Status : public RoundTest {
 protected:
  NodeStatus Look() {
    OpenNode n = node();
    return Must(StatusOf(n));
  }
  void Round() { (void)RunRound(host_, Reader()); }
  // Applies a certificate with this end, in seconds from now.
  void ApplyCertificate(const std::vector<std::int64_t>& ends) {
    Settings settings = SampleSettings();
    settings.config.certificates.clear();
    for (const std::int64_t end : ends) {
      test::CertificateSpec spec;
      spec.subject = {{"CN", "ends in " + std::to_string(end)}};
      spec.not_after = host_.now + end;
      const auto certificate = Must(pki::ParseCertificate(test::MakeCertificate(spec).der, "made"));
      settings.config.certificates.push_back(certificate);
    }
    OpenNode n = node();
    Must(ApplySettings(n, settings, {}));
  }
};

TEST_F(Status, ANodeThatIsWellHasNoReasonAlthoughARebootIsDue) {
  FirstBootFrom(SampleSettings());
  host_.now += 300;
  const NodeStatus status = Look();
  EXPECT_THAT(status.Reasons(), IsEmpty());
  EXPECT_TRUE(status.engine.reboot_required);
  EXPECT_EQ(status.read_age_seconds, 300);
  ASSERT_TRUE(status.boot_service);
  EXPECT_TRUE(status.boot_service->expected && status.boot_service->running);
}

TEST_F(Status, TheTimeOfReadingIsKeptToTheMinute) {
  FirstBootFrom(SampleSettings());
  const std::int64_t first = host_.now;
  host_.memory.log.clear();
  host_.now = first + 59;
  Round();
  EXPECT_THAT(host_.memory.log, IsEmpty()) << "rounds that follow closely write nothing";
  host_.now = first + 60;
  Round();
  EXPECT_THAT(host_.memory.log, ElementsAre("Write activity.json"));
  EXPECT_EQ(Look().read_at, first + 60);
  host_.now = first - 3600;  // the clock was wrong
  Round();
  EXPECT_EQ(Look().read_at, first - 3600);
}

TEST_F(Status, ASourceThatFailsIsAReasonUntilItIsReadAgain) {
  FirstBootFrom(SampleSettings());
  const std::int64_t read = host_.now;
  source_ = Fail(Code::kNetwork, "no route", "kube:///worker");
  for (int i = 0; i < 3; ++i) {
    host_.now += 100;
    Round();
  }
  NodeStatus status = Look();
  EXPECT_THAT(status.Reasons(), ElementsAre("failure"));
  EXPECT_EQ(status.read_at, read) << "the last time that it was read well";
  ASSERT_TRUE(status.round_failure);
  EXPECT_EQ(status.round_failure->code, "network");
  EXPECT_EQ(status.round_failure->since, read + 100);
  source_ = SampleSettings();
  host_.now += 100;
  Round();
  status = Look();
  EXPECT_THAT(status.Reasons(), IsEmpty());
  EXPECT_EQ(status.round_failure->over, read + 400);
  EXPECT_EQ(status.read_at, read + 400);
  // The next failure of the same kind is another one.
  source_ = Fail(Code::kNetwork, "no route", "kube:///worker");
  host_.now += 100;
  Round();
  EXPECT_EQ(Look().round_failure->since, read + 500);
}

TEST_F(Status, WhatAnEarlierSourceMetTellsNothingOfTheNext) {
  FirstBootFrom(SampleSettings());
  source_ = Fail(Code::kNetwork, "no route", "kube:///worker");
  Round();
  ASSERT_TRUE(Look().RoundsFail());
  ASSERT_TRUE(SaveSource(host_.memory.State(), {SpecOf("another"), true, false}));
  EXPECT_THAT(Look().Reasons(), IsEmpty());
  EXPECT_EQ(Look().read_at, std::nullopt);
}

TEST_F(Status, ADamagedActivityTellsNothingAndIsWrittenAnew) {
  FirstBootFrom(SampleSettings());
  for (const char* text : {"", "{", "{}", R"({"schema": 1, "source": 7})", R"({"schema": 2})", "\xff\xfe"}) {
    host_.memory.files()[std::string(kActivityFile)] = text;
    EXPECT_EQ(Look().read_at, std::nullopt) << text;
    EXPECT_THAT(Look().Reasons(), IsEmpty()) << text;
    Round();
    EXPECT_EQ(Look().read_at, host_.now) << text;
  }
}

TEST_F(Status, ABootServiceThatDoesNotRunIsAReason) {
  OpenNode n = node();
  ASSERT_TRUE(ApplySettings(n, SampleSettings(), {}));
  EXPECT_THAT(Look().Reasons(), IsEmpty()) << "nobody installed one";
  FirstBootFrom(SampleSettings());
  host_.services_by_name.at("provisioner").process_id = 0;
  EXPECT_THAT(Look().Reasons(), ElementsAre("service"));
  host_.services_by_name.erase("provisioner");
  EXPECT_THAT(Look().Reasons(), ElementsAre("service")) << "somebody removed it";
  EXPECT_FALSE(Look().boot_service->installed);
  const auto setup = [&](char runs) {
    host_.memory.Put(R"(SYSTEM\Setup)",
                     {"SystemSetupInProgress", images::RegType::kDword, std::string{runs, '\0', '\0', '\0'}});
  };
  setup('\1');
  EXPECT_THAT(Look().Reasons(), IsEmpty()) << "it starts when setup is over";
  setup('\0');
  EXPECT_THAT(Look().Reasons(), ElementsAre("service"));
}

TEST_F(Status, AServiceThatRunsWithAnotherEnvironmentIsAReason) {
  Settings settings = SampleSettings();
  settings.config.https_proxy.reset();
  FirstBootFrom(settings);
  auto& containerd = host_.services_by_name["containerd"];
  const std::string http = settings.config.http_proxy->Reveal();
  const std::string no_proxy = *settings.config.no_proxy;
  const struct {
    std::vector<std::string> environment;
    std::string command;  // "": it is as it should be
  } rows[] = {
      {{"Path=x", "http_proxy=" + http, "NO_PROXY=" + no_proxy, "=C:=C:\\"}, ""},
      {{"HTTP_PROXY=http://old:1", "NO_PROXY=" + no_proxy}, "Restart-Service -Force 'containerd'"},
      {{}, "Restart-Service -Force 'containerd'"},
      {{"HTTP_PROXY=" + http, "NO_PROXY=" + no_proxy, "HTTPS_PROXY=http://old:1"}, "Restart-Computer"},
  };
  for (const auto& row : rows) {
    containerd.process_id = 42;
    containerd.environment = row.environment;
    const NodeStatus status = Look();
    ASSERT_EQ(status.services.size(), 1U);
    EXPECT_EQ(status.services[0].stale.empty() ? "" : status.services[0].Command(), row.command);
    EXPECT_EQ(status.Reasons(),
              row.command.empty() ? std::vector<std::string_view>() : std::vector<std::string_view>{"stale"});
  }
}

TEST_F(Status, AVariableThatTheMachineNeverHadNeedsNoBoot) {
  Settings settings = SampleSettings();
  settings.options.scope.machine = false;
  FirstBootFrom(settings);
  host_.memory.Put(reconcile::kContainerd, reconcile::ServiceList({}));
  host_.services_by_name["containerd"] = {
      .definition = {}, .process_id = 42, .environment = {"NO_PROXY=was.in.the.list"}};
  const auto command = [&] { return Look().services.at(0).Command(); };
  EXPECT_EQ(command(), "Restart-Service -Force 'containerd'");
  host_.memory.Put(reconcile::kEnv, reconcile::Sz("NO_PROXY", "other"));
  EXPECT_EQ(command(), "Restart-Computer");
  EXPECT_EQ(RestartCommand("it's"), "Restart-Service -Force 'it''s'");
}

TEST_F(Status, AServiceOfAnEarlierProgramIsShown) {
  FirstBootFrom(SampleSettings());
  EXPECT_EQ(Look().boot_service->version, host_.own_version);
  EXPECT_FALSE(Look().boot_service->outdated);
  host_.installed_version = "0.2.0";
  EXPECT_EQ(Look().boot_service->version, "0.2.0");
  EXPECT_TRUE(Look().boot_service->outdated);
  EXPECT_THAT(Look().Reasons(), IsEmpty()) << "it works, and the next boot ends it";
  ASSERT_TRUE(host_.Restart("Provisioner"));
  EXPECT_FALSE(Look().boot_service->outdated);
}

TEST_F(Status, ARollbackHoldsAndATrialWaits) {
  FirstBootFrom(SampleSettings());
  source_ = OtherSettings();
  Round();
  OpenNode n = node();
  ASSERT_TRUE(Rollback(n));
  EXPECT_THAT(Look().Reasons(), ElementsAre("hold"));
  Round();
  EXPECT_THAT(Look().Reasons(), ElementsAre("hold"));
  ASSERT_TRUE(TrySettings(n, OtherSettings(), {}, 60));
  EXPECT_THAT(Look().Reasons(), testing::Contains("trial"));
  EXPECT_THAT(Look().Reasons(), testing::Not(testing::Contains("open")));
}

TEST_F(Status, TheFirstCertificateToExpireCounts) {
  ApplyCertificate({3 * kExpirySeconds, kExpirySeconds + 1, 2 * kExpirySeconds});
  ASSERT_TRUE(Look().first_expiry);
  EXPECT_EQ(Look().first_expiry->subject, "CN=ends in " + std::to_string(kExpirySeconds + 1));
  EXPECT_EQ(Look().first_expiry->Days(), 30);
  EXPECT_THAT(Look().Reasons(), IsEmpty());
  ++host_.now;
  EXPECT_THAT(Look().Reasons(), ElementsAre("expiry"));
  host_.now += kExpirySeconds;
  EXPECT_EQ(Look().first_expiry->Days(), 0);
  ++host_.now;
  EXPECT_EQ(Look().first_expiry->Days(), -1) << "expired";
  EXPECT_THAT(Look().Reasons(), ElementsAre("expiry"));
}

TEST_F(Status, ACertificateThatWasThereBeforeUsIsNoMatterOfOurs) {
  ApplyCertificate({100});
  ASSERT_TRUE(Look().first_expiry);
  const auto certificates = host_.memory.content().certificates;
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(Look().first_expiry);
  host_.memory.content().certificates = certificates;  // somebody else's now
  ApplyCertificate({100});
  EXPECT_TRUE(Variable("HTTP_PROXY"));
  EXPECT_FALSE(Look().first_expiry);
}

TEST_F(Status, RemoveForgetsWhatRoundsMet) {
  FirstBootFrom(SampleSettings());
  ASSERT_TRUE(HasFile(kActivityFile));
  OpenNode n = node();
  ASSERT_TRUE(RemoveSettings(n));
  EXPECT_FALSE(HasFile(kActivityFile));
}

}  // namespace
}  // namespace prov::node
