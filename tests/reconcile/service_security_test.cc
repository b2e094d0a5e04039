// A service's environment with a password is never where every user of the node can read it.
#include <gmock/gmock.h>

#include <algorithm>

#include "images/registry/descriptor.h"
#include "provisioner/base/text.h"
#include "provisioner/machine/service_account.h"
#include "provisioner/reconcile/observe.h"
#include "tests/reconcile/engine_helpers.h"
#include "tests/support/memory_machine.h"

namespace prov::reconcile {
namespace {

using namespace std::string_view_literals;
using images::RegType;
using images::Sids;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::MemoryMachine;
using testing_support::PowerFailure;
using testing_support::SampleConfig;
using testing_support::Unflushed;

constexpr std::string_view kTime = R"(SYSTEM\CurrentControlSet\Services\W32Time)";
const std::string kLocalService("\x01\x01\0\0\0\0\0\x05\x13\0\0\0"sv);
const std::string kNetworkService("\x01\x01\0\0\0\0\0\x05\x14\0\0\0"sv);
const std::string kUser("\x01\x05\0\0\0\0\0\x05\x15\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\xe9\x03\0\0"sv);

DesiredState ForTime() {
  DesiredOptions options;
  options.services = {"W32Time"};
  options.credentials = CredentialPolicy::kServices;
  return MakeDesiredState(SampleConfig(), options).value();
}

class ClosedService : public ::testing::Test {
 protected:
  ClosedService() {
    PutWindows(machine_);
    machine_.Put(kTime, Sz("ObjectName", R"(NT AUTHORITY\LocalService)"));
    before_ = machine_.content();
  }

  std::string Descriptor() { return machine_.Security(kTime).value(); }

  MemoryMachine machine_;
  MemoryMachine::Content before_;
};

// Whether some user of the node could read the proxy's password in some service's key.
bool Leaks(const MemoryMachine::Content& content) {
  return std::ranges::any_of(content.keys, [](const auto& entry) {
    const auto& [path, key] = entry;
    const auto value = key.values.find("environment");
    if (value == key.values.end() || path.find("\\services\\") == std::string::npos) return false;
    const bool secret = FromUtf16Le(value->second.data).value_or("").find("c4nary") != std::string::npos;
    return secret && !images::IsForAdministratorsOnly(key.security, {kLocalService});
  });
}

TEST_F(ClosedService, IsClosedBeforeItHoldsThePasswordAndOpenedWhenThatIsGone) {
  MustApply(machine_, ForTime());
  const auto write = "Set " + std::string(kTime) + "\\Environment";
  const auto close = "SetSecurity " + std::string(kTime);
  // The ledger has names in upper case.
  const auto at = [&](const std::string& call) {
    const auto same = [&](const std::string& logged) { return EqualsIgnoreAsciiCase(logged, call); };
    const auto found = std::ranges::find_if(machine_.log, same);
    EXPECT_NE(found, machine_.log.end()) << call;
    return found - machine_.log.begin();
  };
  EXPECT_LT(at(close), at(write));
  machine_.log.clear();
  MustApply(machine_, NothingDesired());
  EXPECT_LT(at("DeleteValue " + std::string(kTime) + "\\Environment"), at(close));
  EXPECT_EQ(machine_.content().Text(), before_.Text());
}

TEST_F(ClosedService, AKillAtAnyCallOfAnyCommandLeavesNoPasswordInAnOpenKey) {
  enum class What { kApply, kRemove, kRollback, kOpen };
  for (const What what : {What::kApply, What::kRemove, What::kRollback, What::kOpen}) {
    MemoryMachine start = machine_;
    if (what != What::kApply) MustApply(start, ForTime());
    start.calls = 0;
    for (std::size_t call = 0;; ++call) {
      MemoryMachine machine = start;
      machine.stop_after = call;
      bool stopped = false;
      try {
        machine::Machine ports = machine.Ports();
        Findings findings;
        DesiredState open = ForTime();
        open.services[0].variables = {{"NO_PROXY", Secret("x")}};
        if (what == What::kApply) MustApply(machine, ForTime());
        if (what == What::kRemove) MustApply(machine, NothingDesired());
        if (what == What::kRollback) {
          EXPECT_EQ(Rollback(ports, findings), true);
        }
        if (what == What::kOpen) MustApply(machine, open);
      } catch (const PowerFailure&) {
        stopped = true;
      }
      ASSERT_FALSE(Leaks(machine.content())) << "command " << static_cast<int>(what) << ", call " << call;
      machine.Boot(Unflushed::kLost);
      ASSERT_FALSE(Leaks(machine.content())) << "command " << static_cast<int>(what) << ", call " << call << ", booted";
      if (!stopped) break;
    }
  }
}

TEST_F(ClosedService, TheAccountOfTheServiceGoesOnReading) {
  MustApply(machine_, ForTime());
  EXPECT_THAT(images::OthersGranted(Descriptor()), ElementsAre(kLocalService));
  EXPECT_TRUE(images::GrantsRead(Descriptor(), kLocalService));
  machine_.log.clear();
  MustApply(machine_, ForTime());
  EXPECT_THAT(machine_.log, IsEmpty());
  machine::Machine ports = machine_.Ports();
  EXPECT_THAT(StatusOf(ports)->drift, IsEmpty());
}

TEST_F(ClosedService, WithAnotherAccountTheKeyIsClosedAnew) {
  MustApply(machine_, ForTime());
  machine_.Put(kTime, Sz("ObjectName", R"(NT AUTHORITY\NetworkService)"));
  EXPECT_THAT(ChangesOf(MustApply(machine_, ForTime())), ElementsAre("update service W32Time"));
  EXPECT_THAT(images::OthersGranted(Descriptor()), ElementsAre(kNetworkService));
  machine_.Put(kTime, Sz("ObjectName", "LocalSystem"));
  MustApply(machine_, ForTime());
  EXPECT_THAT(images::OthersGranted(Descriptor()), IsEmpty());
  machine_.Put(kTime, Sz("ObjectName", R"(NT AUTHORITY\LocalService)"));
  MustApply(machine_, NothingDesired());
  EXPECT_EQ(machine_.content().Text(), before_.Text());
}

TEST_F(ClosedService, AnAccountOfADomainStaysWhileTheDomainDoesNotAnswer) {
  machine_.Put(kTime, Sz("ObjectName", R"(EXAMPLE\time)"));
  const Plan unknown = MustApply(machine_, ForTime());
  ASSERT_THAT(unknown.findings, SizeIs(1));
  EXPECT_EQ(unknown.findings[0].code, "service-account");
  EXPECT_THAT(unknown.findings[0].message, HasSubstr(R"(EXAMPLE\time)"));
  EXPECT_THAT(images::OthersGranted(Descriptor()), IsEmpty());
  machine_.accounts[R"(EXAMPLE\time)"] = kUser;
  EXPECT_THAT(MustApply(machine_, ForTime()).findings, IsEmpty());
  EXPECT_THAT(images::OthersGranted(Descriptor()), ElementsAre(kUser));
  machine_.accounts.clear();
  machine_.log.clear();
  EXPECT_THAT(MustApply(machine_, ForTime()).findings, IsEmpty());
  EXPECT_THAT(machine_.log, IsEmpty());
}

TEST_F(ClosedService, ARollbackTakesOursOutOfAListThatOthersAddedTo) {
  MustApply(machine_, ForTime());
  auto list = *machine_.At(kTime, "Environment");
  list.data.resize(list.data.size() - 2);
  list.data += images::EncodeMultiSz({"LATE=1"});
  machine_.Put(kTime, list);
  const Findings findings = MustRollBack(machine_);
  EXPECT_EQ(machine_.At(kTime, "Environment"), ServiceList({"LATE=1"}));
  EXPECT_FALSE(Leaks(machine_.content()));
  EXPECT_THAT(findings, IsEmpty());
  machine_.Erase(kTime, "Environment");
  EXPECT_EQ(machine_.content().Text(), before_.Text()) << "the key is as open as before";
}

TEST_F(ClosedService, AValueThatWasNoListComesBackOnlyWhereNothingOfOthersIsInIt) {
  machine_.Put(kTime, Sz("Environment", "no list"));
  before_ = machine_.content();
  for (const bool added : {false, true}) {
    MustApply(machine_, ForTime());
    if (added) {
      std::vector<std::string> list = ServiceEntries(machine_.At(kTime, "Environment")).value();
      list.emplace_back("LATE=1");
      machine_.Put(kTime, ServiceList(list));
    }
    MustRollBack(machine_);
    EXPECT_FALSE(Leaks(machine_.content()));
    if (added) {
      EXPECT_EQ(machine_.At(kTime, "Environment"), ServiceList({"LATE=1"}));
    } else {
      EXPECT_EQ(machine_.content().Text(), before_.Text());
    }
  }
}

// Somebody gave the same password to another proxy.
TEST_F(ClosedService, AKeyInWhichOthersChangedOursStaysClosed) {
  const MemoryMachine start = machine_;
  for (const bool trial : {false, true}) {
    machine_ = start;
    ASSERT_TRUE(ApplyTo(machine_, ForTime(), {}, trial));
    std::vector<std::string> list = ServiceEntries(machine_.At(kTime, "Environment")).value();
    for (std::string& entry : list) {
      if (entry.starts_with("HTTP_PROXY=")) entry = "HTTP_PROXY=http://user:c4nary@other:1";
    }
    machine_.Put(kTime, ServiceList(list));
    machine::Machine ports = machine_.Ports();
    const Plan plan =
        trial ? PlanBack(ports, LoadJournal(ports.state)->value()).value() : PlanBackFromLast(ports).value().value();
    EXPECT_THAT(plan.changes,
                Contains(AllOf(Field(&Change::kind, ItemKind::kService), Field(&Change::action, Action::kYield))));
    Findings findings;
    ASSERT_TRUE(Rollback(ports, findings));
    EXPECT_EQ(machine_.At(kTime, "Environment"), ServiceList({"HTTP_PROXY=http://user:c4nary@other:1"}));
    EXPECT_FALSE(Leaks(machine_.content()));
    EXPECT_THAT(findings, ElementsAre(Field(&Finding::code, "changed-since")));
    EXPECT_TRUE(LoadLedger(ports.state)->contains("serviceSecurity:w32time")) << "it is known who closed it";
    MustApply(machine_, NothingDesired());
    EXPECT_FALSE(LoadLedger(ports.state)->contains("serviceSecurity:w32time"));
  }
}

TEST_F(ClosedService, AKeyThatOthersOpenedStaysAsOpen) {
  MustApply(machine_, ForTime());
  const std::string everyone = images::ForAdministratorsOnly(Descriptor(), {kLocalService, kUser});
  ASSERT_TRUE(machine_.SetSecurity(kTime, everyone));
  const Findings findings = MustRollBack(machine_);
  EXPECT_EQ(Descriptor(), everyone);
  EXPECT_THAT(findings, ElementsAre(Field(&Finding::code, "changed-since")));
}

TEST_F(ClosedService, AServiceThatIsGoneIsNotMadeAgain) {
  MustApply(machine_, ForTime());
  MustApply(machine_, NothingDesired());
  machine_.content().keys.erase(AsciiLower(kTime));
  machine_.MakeDurable();
  MustRollBack(machine_);
  EXPECT_FALSE(machine_.content().keys.contains(AsciiLower(kTime)));
}

Sids ReadersIn(MemoryMachine& machine, std::string_view account, std::uint32_t sid_type = 0) {
  constexpr std::string_view kKey = R"(SYSTEM\CurrentControlSet\Services\TrustedInstaller)";
  machine.Put(kKey, Sz("ObjectName", account));
  machine.Put(kKey, {"ServiceSidType", RegType::kDword, images::EncodeDword(sid_type)});
  return machine::ReadersOf(machine, machine, kKey, "TrustedInstaller").value().sids;
}

TEST(ServiceAccount, TheServicesOwnSidIsMadeOfItsName) {
  // As `sc showsid TrustedInstaller` prints it.
  constexpr auto kText = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464";
  EXPECT_EQ(images::SidText(machine::ServiceSid("TrustedInstaller")), kText);
  EXPECT_EQ(machine::ServiceSid("TRUSTEDinstaller"), machine::ServiceSid("TrustedInstaller"));
  EXPECT_EQ(machine::ServiceSid("υπηρεσία"), machine::ServiceSid("ΥΠΗΡΕΣΊΑ"));
}

TEST(ServiceAccount, IsReadFromTheServicesKey) {
  MemoryMachine machine;
  const std::string own = machine::ServiceSid("TrustedInstaller");
  for (const char* system :
       {"LocalSystem", "localsystem", R"(.\LocalSystem)", R"(NT AUTHORITY\SYSTEM)", "", R"(\FileSystem\Ntfs)"}) {
    EXPECT_THAT(ReadersIn(machine, system), IsEmpty()) << system;
  }
  for (const char* local : {R"(NT AUTHORITY\LocalService)", R"(NT Authority\Local Service)", "LocalService"}) {
    EXPECT_THAT(ReadersIn(machine, local), ElementsAre(kLocalService)) << local;
  }
  EXPECT_THAT(ReadersIn(machine, R"(NT AUTHORITY\NetworkService)"), ElementsAre(kNetworkService));
  EXPECT_THAT(ReadersIn(machine, R"(NT AUTHORITY\LocalService)", 1), ElementsAre(kLocalService, own));
  EXPECT_THAT(ReadersIn(machine, "LocalSystem", 3), ElementsAre(own));
  EXPECT_THAT(ReadersIn(machine, R"(NT SERVICE\TrustedInstaller)", 1), ElementsAre(own));
  machine.accounts[R"(.\me)"] = kUser;
  EXPECT_THAT(ReadersIn(machine, R"(.\me)"), ElementsAre(kUser));
}

}  // namespace
}  // namespace prov::reconcile
