// The page of `fleet status --html`: its bytes, and that nothing on it is markup but what the program wrote.
#include "provisioner/cli/fleet_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/cli/html_page.h"

namespace prov::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kFleetHostile = "<script>alert('x')</script>";
const std::string kFleetWanted(64, 'a');

fleet::NodeRow FleetRowOf(const std::string& name, bool current) {
  fleet::NodeRow out;
  out.node.name = name;
  out.node.state.emplace();
  out.node.state->digest = current ? kFleetWanted : std::string(64, '0');
  out.node.state->version = "0.1.0";
  out.current = current;
  return out;
}

fleet::FleetStatus SampleFleet() {
  fleet::FleetStatus out;
  out.source.kind = "MachineConfig";
  out.source.name = kFleetHostile;
  out.wanted = kFleetWanted;
  out.rows = {FleetRowOf("win-1", true), FleetRowOf("win-2", false), FleetRowOf("win-3", false)};
  out.rows[1].node.state->failure = fleet::NodeFailure{"network", std::string(kFleetHostile)};
  out.rows[2].node.state->approval = fleet::NodeApproval{
      kFleetWanted, fleet::NodeTrial{kFleetWanted, fleet::TrialResult::kTakenBack, std::string(kFleetHostile)}};
  out.rollout.emplace();
  out.rollout->record.order.digest = kFleetWanted;
  out.rollout->record.progress = {
      .phase = fleet::RolloutPhase::kFailed, .wave = 2, .members = {}, .reason = std::string(kFleetHostile)};
  out.rollout->standings = {{"win-1", fleet::RolloutStanding::kConfirmed},
                            {"win-3", fleet::RolloutStanding::kTookBack}};
  AddWarning(out.findings, "fleet-policies", std::string(kFleetHostile));
  return out;
}

TEST(FleetPage, WhatNodesAndClusterSayIsNoMarkup) {
  fleet::FleetStatus fleet = SampleFleet();
  fleet.rows.front().node.name = kFleetHostile;
  fleet.secrets = {FleetRowOf("user-data", false)};
  fleet.secrets.front().node.name_space = kFleetHostile;
  const std::string page = RenderFleetPage(fleet, 1767225600);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, HasSubstr("script-src 'none'"));
  EXPECT_THAT(page, HasSubstr("style-src " + PolicySource(PageStyle())));
  EXPECT_THAT(page, HasSubstr(HtmlText(kFleetHostile)));
}

TEST(FleetPage, ItSaysWhoIsCurrentAndHowFarTheRolloutIs) {
  const std::string page = RenderFleetPage(SampleFleet(), 1767225600);
  EXPECT_THAT(page, HasSubstr("1 of 3 are current"));
  EXPECT_THAT(page, HasSubstr("<span class=\"tag stop\">failed</span>, wave 2"));
  EXPECT_THAT(page, HasSubstr("<dt>tookBack</dt><dd>1 node</dd>"));
  EXPECT_THAT(page, HasSubstr("2026-01-01T00:00:00Z"));
  EXPECT_LT(page.find(">win-3<"), page.find(">win-1<")) << "what is not current comes first";
  EXPECT_THAT(page, HasSubstr("<span class=\"word\">reverted</span>"));
  EXPECT_THAT(page, Not(HasSubstr(">pending</span>"))) << "no node has this word, so it is not explained";
}

TEST(FleetPage, OfVeryManyNodesThoseThatAreCurrentAreLeftOut) {
  fleet::FleetStatus fleet = SampleFleet();
  for (int i = 0; i < 3000; ++i) fleet.rows.push_back(FleetRowOf("more-" + std::to_string(i), true));
  const std::string page = RenderFleetPage(fleet, 0);
  EXPECT_THAT(page, HasSubstr("1003 more are left out"));
  EXPECT_THAT(page, HasSubstr(">win-3<"));
}

}  // namespace
}  // namespace prov::cli
