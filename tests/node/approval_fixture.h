// A node that waits for the approval of new settings: a cluster that is a struct, a machine in memory.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "provisioner/egress/settings_digest.h"
#include "provisioner/node/approval.h"
#include "provisioner/node/approved_trial.h"
#include "provisioner/node/boot_source.h"
#include "provisioner/node/reconcile_once.h"
#include "provisioner/node/records.h"
#include "provisioner/node/service_loop.h"
#include "tests/node/node_helpers.h"
#include "tests/support/memory_machine.h"
#include "tests/support/result.h"

namespace prov::node {

inline constexpr std::string_view kOldProxy = "http://user:c4nary%40@proxy.example.com:3128";
inline constexpr std::string_view kNewProxy = "http://other.example.com:8080";

inline Settings Read(Settings settings) {
  settings.source_digest = egress::SettingsDigest(settings.config);
  return settings;
}

inline std::string DigestOf(const Settings& settings) { return egress::SettingsDigest(settings.config); }

inline Approval Approving(const Settings& settings, std::int64_t attempt = 1) {
  return {.digest = DigestOf(settings),
          .probes = {"https://a.example/"},
          .images = {},
          .trial_seconds = 120,
          .attempt = attempt};
}

inline Result<BegunApproved> Begin(OpenNode& node, const Settings& settings, std::int64_t attempt = 1) {
  return BeginApproved(node, PROV_TRY(BeginRun(node)),
                       {PROV_TRY(Derive(Read(settings))), Approving(settings, attempt), DigestOf(settings)}, {}, {});
}

inline Settings ThirdSettings() {
  Settings out = OtherSettings(3);
  out.config.no_proxy = "localhost";
  return out;
}

struct FakeCluster final : Approver {
  Result<std::optional<Approval>> approval = std::nullopt;
  Result<std::optional<egress::EgressConfig>> confirmed = std::nullopt;
  std::optional<std::string> confirmed_digest = std::nullopt;  // that of their source, if it is another than their own
  Result<void> reach = {};
  std::function<void()> meanwhile = {};  // while the API server is asked with the new settings
  int reads = 0, confirmed_reads = 0, reached = 0;

  Result<std::optional<Approval>> Read() override {
    ++reads;
    return approval;
  }
  Result<std::optional<ConfirmedConfig>> Confirmed() override {
    ++confirmed_reads;
    const std::optional<egress::EgressConfig> config = PROV_TRY(confirmed);
    if (!config) return std::nullopt;
    return ConfirmedConfig{*config, confirmed_digest.value_or(egress::SettingsDigest(*config))};
  }
  Result<void> Reach(const egress::EgressConfig&, std::int64_t) override {
    ++reached;
    if (meanwhile) meanwhile();
    return reach;
  }
};

class Approvals : public RoundTest {
 protected:
  Approvals() {
    FirstBootFrom(Read(SampleSettings()));
    // The first round after the boot makes the record.
    Round();
    cluster_.reads = 0;
    source_ = Read(OtherSettings());
  }

  RoundReport Round() { return Must(Must(RunRound(host_, Reader(), &cluster_))); }
  ApprovalRecord Record() { return Must(Must(LoadApproval(host_.memory.State()))); }
  void RollBackByPerson() {
    OpenNode n = node();
    EXPECT_TRUE(Rollback(n));
  }
  // What the source says now, after settings without certificates were applied: its certificates alone differ, and no
  // scope has them.
  Settings SettingsThatChangeNothing() {
    Settings first = SampleSettings(1);
    first.options.scope.certificates = false;
    source_ = Read(first);
    Round();
    Settings out = SampleSettings(2);
    out.config.certificates.clear();
    out.config.trust_file = {};
    out.options.scope.certificates = false;
    source_ = Read(out);
    return out;
  }
  // All that the machine has, without what is remembered of it.
  std::string Content() { return host_.memory.content().Text(); }
  std::string AppliedDigest() { return (*LoadApplied(host_.memory.State()))->source_digest; }

  void ExpectOld() {
    EXPECT_EQ(Variable("HTTP_PROXY"), kOldProxy);
    EXPECT_EQ(AppliedDigest(), DigestOf(SampleSettings()));
    EXPECT_FALSE(HasFile("journal.json"));
    EXPECT_FALSE(HasSection(kHoldSection));
  }
  // The machine as before, the trial taken back, and the reason.
  void ExpectTakenBack(const std::string& before, const std::string& reason) {
    ExpectOld();
    EXPECT_EQ(Content(), before);
    const ApprovalRecord record = Record();
    ASSERT_TRUE(record.trial);
    EXPECT_EQ(record.trial->result, ApprovedResult::kTakenBack);
    EXPECT_EQ(record.trial->digest, DigestOf(OtherSettings()));
    EXPECT_THAT(record.trial->reason, ::testing::HasSubstr(reason));
    EXPECT_EQ(record.pending, DigestOf(OtherSettings()));
  }

  FakeCluster cluster_;
};

}  // namespace prov::node
