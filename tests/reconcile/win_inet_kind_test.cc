// WinINET's machine-wide settings: their bytes, and what becomes of them on a machine.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "provisioner/reconcile/observe.h"
#include "provisioner/reconcile/windows_proxy.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::reconcile {
namespace {

using images::RegType;
using images::RegValue;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing_support::MemoryMachine;
using testing_support::SampleConfig;

constexpr std::string_view kPolicy = R"(SOFTWARE\Policies\Microsoft\Windows\CurrentVersion\Internet Settings)";
constexpr std::string_view kInternetSettings = R"(SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings)";
constexpr std::string_view kInternetSettings32 =
    R"(SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings)";

DesiredState WinInetWanted(const egress::EgressConfig& config = SampleConfig()) {
  DesiredOptions options;
  options.scope = {false, false, false, false, true};
  return MakeDesiredState(config, options).value();
}

RegValue Connection(const WinInetSettings& settings) {
  return {"DefaultConnectionSettings", RegType::kBinary, EncodeWinInet(settings)};
}

TEST(WinInetBytes, OfARealMachine) {
  const std::string file =
      testing_support::TestsFolder() + "/../../shared/cases/windows/wininet/real-ie8-proxy-pac.bin";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "SKIPPED: the shared sample is not here: " << file;
  const std::string bytes = testing_support::ReadAll(file);
  const auto settings = Must(DecodeWinInet(bytes));
  EXPECT_EQ(settings.counter, 0x40U);
  EXPECT_EQ(settings.flags, 15U);
  EXPECT_EQ(settings.proxy, (egress::WinHttpProxy{"google.com:42", "Lol;<local>"}));
  EXPECT_EQ(settings.script_url, "http://google.fr/");
  EXPECT_EQ(EncodeWinInet(settings), bytes);
}

TEST(WinInetBytes, DirectHasTheKnownLength) {
  EXPECT_EQ(EncodeWinInet({.flags = 1}).size(), 56U);
  EXPECT_EQ(ToHex(EncodeWinInet({.proxy = {"a:1", "b"}})).substr(0, 64),
            "460000000100000003000000"
            "03000000613a31"
            "0100000062"
            "00000000"
            "00000000");
}

TEST(WinInetBytes, DecodesWhatItEncodesAndRefusesTheRest) {
  for (const std::uint32_t version : {0x46U, 0x3CU}) {
    const WinInetSettings settings{
        version, 7, 15, {"p:1", "*.svc"}, "http://pac", std::string(version - 0x46 ? 28 : 32, 'x')};
    const std::string bytes = EncodeWinInet(settings);
    EXPECT_EQ(DecodeWinInet(bytes), settings);
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(DecodeWinInet(bytes.substr(0, n))) << n;
  }
  EXPECT_FALSE(DecodeWinInet("\x18" + EncodeWinInet({}).substr(1))) << "WinHTTP's header";
}

class WinInet : public ::testing::Test {
 protected:
  WinInet() { PutWindows(machine_); }

  WinInetSettings At(std::string_view value) {
    return DecodeWinInet(machine_.At(std::string(kInternetSettings) + R"(\Connections)", value)->data).value();
  }

  MemoryMachine machine_;
};

TEST_F(WinInet, IsLeftAloneUnlessAskedFor) {
  EXPECT_FALSE(DesiredOptions().scope.win_inet);
  MustApply(machine_, Desired());
  EXPECT_THAT(machine_.log, Not(Contains(HasSubstr("ProxySettingsPerUser"))));
  EXPECT_THAT(machine_.log, Not(Contains(HasSubstr("ProxyServer"))));
}

TEST_F(WinInet, HoldsForTheWholeMachineInBothViews) {
  const Plan plan = MustApply(machine_, WinInetWanted());
  EXPECT_EQ(plan.operations.size(), 11U);
  EXPECT_FALSE(plan.reboot);
  EXPECT_EQ(machine_.At(kPolicy, "ProxySettingsPerUser")->data, images::EncodeDword(0));
  for (const std::string_view key : {kInternetSettings, kInternetSettings32}) {
    EXPECT_EQ(machine_.At(key, "ProxyEnable")->data, images::EncodeDword(1)) << key;
    EXPECT_EQ(machine_.At(key, "ProxyEnable")->type, RegType::kDword);
    EXPECT_EQ(TextAt(machine_, key, "ProxyServer"), "proxy.example.com:3128") << "neither scheme nor credentials";
    EXPECT_THAT(TextAt(machine_, key, "ProxyOverride").value_or(""), HasSubstr("*.svc"));
    const std::string connections = std::string(key) + R"(\Connections)";
    EXPECT_EQ(machine_.At(connections, "DefaultConnectionSettings")->data,
              machine_.At(connections, "SavedLegacySettings")->data);
  }
  EXPECT_EQ(At("DefaultConnectionSettings").flags, 3U);
  EXPECT_EQ(At("DefaultConnectionSettings").proxy, *WinInetWanted().win_inet);
}

TEST_F(WinInet, ThePolicyComesLastAndGoesFirst) {
  MustApply(machine_, WinInetWanted());
  const auto is_policy = [](const std::string& call) { return call.ends_with("ProxySettingsPerUser"); };
  const auto is_set = [](const std::string& call) { return call.starts_with("Set "); };
  const auto last = std::find_if(machine_.log.rbegin(), machine_.log.rend(), is_set);
  ASSERT_NE(last, machine_.log.rend());
  EXPECT_TRUE(is_policy(*last)) << *last;
  machine_.log.clear();
  MustApply(machine_, NothingDesired());
  EXPECT_TRUE(is_policy(machine_.log.at(2))) << "the first call after the journal and its copy: " << machine_.log.at(2);
}

TEST_F(WinInet, ASecondRunWritesNothingAndARemovalRestoresTheMachine) {
  const auto start = machine_.content();
  MustApply(machine_, WinInetWanted());
  machine_.log.clear();
  EXPECT_THAT(ChangesOf(MustApply(machine_, WinInetWanted())), IsEmpty());
  EXPECT_THAT(machine_.log, IsEmpty());
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), start.Text());
}

TEST_F(WinInet, WhatWasThereBeforeComesBack) {
  machine_.Put(kPolicy, {"ProxySettingsPerUser", RegType::kDword, images::EncodeDword(1)});
  machine_.Put(kInternetSettings, {"ProxyEnable", RegType::kDword, images::EncodeDword(0)});
  machine_.Put(kInternetSettings, Sz("ProxyServer", "old:1"));
  machine_.Put(std::string(kInternetSettings) + R"(\Connections)",
               Connection({.counter = 7, .flags = 13, .script_url = "http://pac"}));
  const auto before = machine_.content();
  MustApply(machine_, WinInetWanted());
  const WinInetSettings now = At("DefaultConnectionSettings");
  EXPECT_EQ(now.counter, 8U);
  EXPECT_EQ(now.flags, 3U) << "a script or a detected proxy would come before ours";
  EXPECT_EQ(now.script_url, "http://pac");
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before.Text());
}

TEST_F(WinInet, AnOwnProxyOfSomebodyIsShownWithoutItsPassword) {
  machine_.Put(kInternetSettings, Sz("ProxyServer", "http://u:c4nary@old:1"));
  machine_.Put(std::string(kInternetSettings) + R"(\Connections)",
               Connection({.flags = 7, .proxy = {"u:c4nary@old:1", "x"}, .script_url = "http://u:c4nary@pac"}));
  machine::Machine ports = machine_.Ports();
  const auto planned = PlanOn(ports, WinInetWanted(), {}).value().changes;
  for (const Change& change : planned) {
    EXPECT_THAT(change.before + change.after, Not(HasSubstr("c4nary"))) << change.name;
  }
  MustApply(machine_, WinInetWanted());
  const auto back = PlanBackFromLast(ports).value().value().changes;
  EXPECT_THAT(back, SizeIs(11));
  for (const Change& change : back) {
    EXPECT_EQ(change.kind, ItemKind::kWinInet);
    EXPECT_THAT(change.before + change.after, Not(HasSubstr("c4nary"))) << change.name;
  }
}

TEST_F(WinInet, DriftOfEachKindOfValue) {
  MustApply(machine_, WinInetWanted());
  WinInetSettings settings = At("DefaultConnectionSettings");
  settings.counter += 9;  // Windows itself counts
  machine_.Put(std::string(kInternetSettings) + R"(\Connections)", Connection(settings));
  EXPECT_THAT(DriftOf(machine_), IsEmpty());
  settings.flags |= WinInetSettings::kScript;
  machine_.Put(std::string(kInternetSettings) + R"(\Connections)", Connection(settings));
  machine_.Put(kPolicy, {"ProxySettingsPerUser", RegType::kDword, images::EncodeDword(1)});
  machine_.Erase(kInternetSettings32, "ProxyServer");
  EXPECT_THAT(DriftOf(machine_),
              ElementsAre("winInet 32-bit ProxyServer missing", "winInet 64-bit DefaultConnectionSettings changed",
                          "winInet ProxySettingsPerUser changed"));
  EXPECT_THAT(ChangesOf(MustApply(machine_, WinInetWanted())), SizeIs(3));
  EXPECT_THAT(DriftOf(machine_), IsEmpty());
}

TEST_F(WinInet, AMachineWithoutThe32BitViewIsNotGivenOne) {
  machine_.content().keys.erase(R"(software\wow6432node\microsoft)");
  machine_.content().keys.erase(R"(software\wow6432node)");
  EXPECT_EQ(MustApply(machine_, WinInetWanted()).operations.size(), 6U);
  EXPECT_FALSE(machine_.content().keys.contains(R"(software\wow6432node)"));
}

TEST_F(WinInet, NoProxyAnyMoreTakesOursAway) {
  const auto start = machine_.content();
  MustApply(machine_, WinInetWanted());
  egress::EgressConfig none = SampleConfig();
  none.http_proxy.reset();
  none.https_proxy.reset();
  EXPECT_THAT(ChangesOf(MustApply(machine_, WinInetWanted(none))), Each(StartsWith("delete winInet")));
  EXPECT_EQ(machine_.content().Text(), start.Text());
}

TEST_F(WinInet, AnItemOfANewerVersionIsNamed) {
  machine::Machine machine = machine_.Ports();
  const Error drift = ErrorIn(FindDrift(machine, {{"winInet:64:Other", {std::nullopt, Sz("a", "b"), {}}}}));
  EXPECT_EQ(drift.where, "winInet:64:Other");
}

}  // namespace
}  // namespace prov::reconcile
