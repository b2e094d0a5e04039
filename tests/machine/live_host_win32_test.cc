// The ports of the running system: its service manager, processes, folders. Everything that is made here is removed
// again. Wine does not show permissions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "provisioner/machine/host.h"
#include "provisioner/machine/live_machine.h"
#include "provisioner/machine/log_file.h"
#include "provisioner/machine/windows_file.h"
#include "provisioner/machine/windows_places.h"
#include "tests/machine/own_path_win32.h"

namespace prov::machine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::HasSubstr;

constexpr char kName[] = "ProvisionerTest";

fs::path StateFolderPath() { return {Wide(*DefaultStateFolder())}; }

// Wine's makes none and says that it did.
bool MakeFolderLink(const fs::path& link, const fs::path& target) {
  if (CreateSymbolicLinkW(link.c_str(), target.c_str(), SYMBOLIC_LINK_FLAG_DIRECTORY) == 0) return false;
  const DWORD attributes = GetFileAttributesW(link.c_str());
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

std::string Content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// This program, as the service that the tests start.
TEST(ServiceProcess, DISABLED_Body) {
  Host& host = LiveHost();
  EXPECT_TRUE(host.RunAsService(kName, [&] {
    while (host.clock().Wait(1000)) {
    }
  }));
}

ServiceDefinition Definition() {
  return {kName, "Provisioner's test", "Is there while the tests run.",
          "\"" + OwnPath() + "\" --gtest_also_run_disabled_tests --gtest_filter=ServiceProcess.DISABLED_Body"};
}

class LiveServices : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(services_.Remove(kName)); }
  void TearDown() override { EXPECT_TRUE(services_.Remove(kName)); }
  ServiceState State() {
    const auto state = services_.Query(kName);
    EXPECT_TRUE(state && *state);
    return state && *state ? **state : ServiceState{};
  }

  Services& services_ = LiveHost().services();
};

TEST_F(LiveServices, AreMadeOnceAndCorrected) {
  EXPECT_EQ(services_.Query(kName)->has_value(), false);
  EXPECT_EQ(services_.Install(Definition()), true);
  EXPECT_FALSE(State().running);
  EXPECT_EQ(services_.Install(Definition()), false);
  ServiceDefinition other = Definition();
  other.command_line += " --gtest_brief=1";
  EXPECT_EQ(services_.Install(other), true);
  EXPECT_EQ(services_.Install(other), false);
  other.display_name = "Another name";
  other.description = "Another text";
  EXPECT_EQ(services_.Install(other), true);
  EXPECT_EQ(services_.Install(other), false);
  EXPECT_EQ(services_.Definition(kName), other);
  EXPECT_EQ(services_.Remove(kName), true);
  EXPECT_EQ(services_.Definition(kName), std::nullopt);
  EXPECT_EQ(services_.Remove(kName), false);
}

TEST_F(LiveServices, StartStopAndRestart) {
  ASSERT_TRUE(services_.Install(Definition()));
  EXPECT_TRUE(services_.Restart(kName));  // does not run: nothing to do
  EXPECT_FALSE(State().running);
  const auto started = services_.Start(kName);
  ASSERT_TRUE(started) << started.error().message;
  const ServiceState first = State();
  EXPECT_TRUE(first.running);
  EXPECT_NE(first.process_id, 0U);
  EXPECT_TRUE(services_.Start(kName));
  EXPECT_EQ(State().process_id, first.process_id);
  const auto restarted = services_.Restart(kName);
  ASSERT_TRUE(restarted) << restarted.error().message;
  EXPECT_TRUE(State().running);
  EXPECT_NE(State().process_id, first.process_id);
  EXPECT_THAT(*services_.EnvironmentOf(State().process_id), Contains(HasSubstr("=")));
  EXPECT_EQ(services_.Stop(kName), true);
  EXPECT_FALSE(State().running);
  EXPECT_EQ(services_.Stop(kName), false);
  EXPECT_EQ(services_.Remove(kName), true);
  EXPECT_EQ(services_.Stop(kName), false);
}

TEST_F(LiveServices, ThatAreNotThereCanNotBeStarted) {
  const auto started = services_.Start(kName);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr(kName));
  EXPECT_FALSE(services_.Restart(kName));
  EXPECT_EQ(services_.Query("no/such\\service")->has_value(), false);
}

TEST(LiveEnvironment, OfThisProcess) {
  SetEnvironmentVariableW(L"PROVISIONER_TEST_ä", L"ü=1");
  const auto variables = LiveHost().services().EnvironmentOf(GetCurrentProcessId());
  SetEnvironmentVariableW(L"PROVISIONER_TEST_ä", nullptr);
  ASSERT_TRUE(variables) << variables.error().message;
  EXPECT_THAT(*variables, Contains("PROVISIONER_TEST_ä=ü=1"));
}

TEST(LiveEnvironment, OfNoProcess) { EXPECT_FALSE(LiveHost().services().EnvironmentOf(0xFFFFFFF0)); }

TEST(LiveHost, IsNoServiceUnlessStartedAsOne) {
  const auto ran = LiveHost().RunAsService(kName, [] { FAIL(); });
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().code, Code::kTarget);
}

class LiveState : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(StateFolderPath()); }
  void TearDown() override { fs::remove_all(StateFolderPath()); }
};

TEST_F(LiveState, ReadingMakesNothing) {
  const auto open = LiveHost().Open(Access::kRead);
  ASSERT_TRUE(open) << open.error().message;
  EXPECT_EQ((*open)->Ports().state.folder().Read("ledger.json"), std::nullopt);
  EXPECT_EQ((*open)->Ports().state.folder().Write("ledger.json", "x").error().code, Code::kInternal);
  EXPECT_FALSE(fs::exists(StateFolderPath()));
}

TEST_F(LiveState, WritingHoldsTheLockAndReadingDoesNotNeedIt) {
  {
    const auto open = LiveHost().Open(Access::kWrite);
    ASSERT_TRUE(open) << open.error().message;
    ASSERT_TRUE((*open)->Ports().state.folder().Write("ledger.json", "x"));
    EXPECT_EQ(LiveHost().Open(Access::kWrite).error().code, Code::kLock);
    const auto reader = LiveHost().Open(Access::kRead);
    ASSERT_TRUE(reader);
    EXPECT_EQ((*reader)->Ports().state.folder().Read("ledger.json"), "x");
    EXPECT_EQ((*reader)->Ports().state.folder().Remove("ledger.json").error().code, Code::kInternal);
    EXPECT_FALSE(LiveHost().installation().RemoveState());
    EXPECT_TRUE(fs::exists(StateFolderPath()));
  }
  ASSERT_TRUE(LiveHost().Open(Access::kWrite));
  LiveHost().events().Write(Severity::kInfo, 1, "one\nline");
  EXPECT_THAT(Content(StateFolderPath() / kLogFile), testing::EndsWith("Z info 1 one\\x0aline\n"));
  const auto removed = LiveHost().installation().RemoveState();
  ASSERT_TRUE(removed) << removed.error().message << removed.error().where;
  EXPECT_FALSE(fs::exists(StateFolderPath()));
  EXPECT_TRUE(LiveHost().installation().RemoveState());
  LiveHost().events().Write(Severity::kInfo, 1, "makes no folder");
  EXPECT_FALSE(fs::exists(StateFolderPath()));
}

TEST_F(LiveState, EnvironmentDoesNotMoveIt) {
  const std::string before = *DefaultStateFolder();
  for (const wchar_t* name : {L"ProgramData", L"ALLUSERSPROFILE", L"SystemDrive", L"ProgramFiles", L"ProgramW6432"}) {
    wchar_t kept[MAX_PATH] = {};
    const bool was_there = GetEnvironmentVariableW(name, kept, MAX_PATH) != 0;
    const std::string program = *LiveHost().installation().ProgramPath();
    SetEnvironmentVariableW(name, L"Z:\\tmp");
    EXPECT_EQ(DefaultStateFolder(), before);
    EXPECT_EQ(LiveHost().installation().ProgramPath(), program);
    SetEnvironmentVariableW(name, was_there ? kept : nullptr);
  }
}

class LiveInstallation : public testing::Test {
 protected:
  void SetUp() override {
    program_ = Wide(*installation_.ProgramPath());
    fs::remove_all(program_.parent_path());
  }
  void TearDown() override { fs::remove_all(program_.parent_path()); }

  std::ptrdiff_t Files() const { return std::distance(fs::directory_iterator(program_.parent_path()), {}); }
  ProgramStatus Look() {
    const auto status = installation_.ReadProgramStatus();
    EXPECT_TRUE(status) << status.error().message;
    return status.value_or(ProgramStatus{});
  }

  Installation& installation_ = LiveHost().installation();
  fs::path program_;
};

TEST_F(LiveInstallation, KeepsWhatItReplacesUntilThatIsRestoredOrDropped) {
  EXPECT_FALSE(Look().is_installed);
  EXPECT_EQ(installation_.RestoreProgram(), false);
  EXPECT_FALSE(fs::exists(program_.parent_path())) << "looking makes nothing";
  ASSERT_TRUE(installation_.InstallProgram());
  EXPECT_TRUE(Look().is_same);
  EXPECT_FALSE(Look().has_former);
  std::ofstream(program_, std::ios::binary) << "first";
  EXPECT_TRUE(Look().is_installed);
  EXPECT_FALSE(Look().is_same);
  EXPECT_EQ(installation_.InstallProgram(), true);
  EXPECT_TRUE(Look().has_former);
  std::ofstream(program_, std::ios::binary) << "second";
  EXPECT_EQ(installation_.InstallProgram(), true);
  EXPECT_EQ(installation_.RestoreProgram(), true);
  EXPECT_EQ(Content(program_), "first") << "which was kept already";
  EXPECT_EQ(Files(), 1);
  EXPECT_EQ(installation_.RestoreProgram(), false);
  EXPECT_EQ(installation_.InstallProgram(), true);
  std::ofstream(fs::path(program_.native() + L".former.new"), std::ios::binary) << "cut short";
  EXPECT_EQ(installation_.InstallProgram(), false);
  EXPECT_EQ(Files(), 2);
  EXPECT_EQ(installation_.RemoveProgram(), true);
  EXPECT_FALSE(fs::exists(program_.parent_path()));
}

TEST_F(LiveInstallation, TellsAProcessOfTheInstalledProgramFromAnEarlierOne) {
  ASSERT_TRUE(installation_.InstallProgram());  // after this process began
  EXPECT_EQ(installation_.RunsProgram(GetCurrentProcessId()), false);
  const fs::file_time_type long_ago = fs::last_write_time(Wide(OwnPath())) - std::chrono::hours(48);
  fs::last_write_time(program_, long_ago);
  EXPECT_EQ(installation_.RunsProgram(GetCurrentProcessId()), true);
  EXPECT_EQ(installation_.RunsProgram(0xFFFFFFF0), false) << "there is no such process";
}

TEST_F(LiveInstallation, CopiesThisProgramOnceAndRemovesIt) {
  EXPECT_EQ(program_, fs::path(LR"(C:\Program Files\Provisioner\provisioner.exe)"));
  const auto installed = installation_.InstallProgram();
  ASSERT_TRUE(installed) << installed.error().message << " " << installed.error().where;
  EXPECT_TRUE(*installed);
  EXPECT_TRUE(Content(program_) == Content(Wide(OwnPath())));
  EXPECT_EQ(installation_.InstallProgram(), false);
  std::ofstream(program_, std::ios::binary) << "older";
  EXPECT_EQ(installation_.InstallProgram(), true);
  EXPECT_EQ(Files(), 2) << "with the one that was replaced";
  installation_.DropFormerProgram();
  EXPECT_EQ(Files(), 1);
  EXPECT_EQ(installation_.RemoveProgram(), true);
  EXPECT_FALSE(fs::exists(program_.parent_path()));
  EXPECT_EQ(installation_.RemoveProgram(), false);
}

// A running program is open without FILE_SHARE_DELETE for writers, yet can be renamed.
TEST_F(LiveInstallation, ProgramInUseIsReplaced) {
  fs::create_directory(program_.parent_path());
  fs::copy_file(fs::path(LR"(C:\windows\system32\cmd.exe)"), program_);
  STARTUPINFOW startup{};
  startup.cb = sizeof(startup);
  PROCESS_INFORMATION process{};
  std::wstring command = L"\"" + program_.native() + L"\" /c pause";
  if (CreateProcessW(program_.c_str(), command.data(), nullptr, nullptr, FALSE, CREATE_NO_WINDOW, nullptr, nullptr,
                     &startup, &process) == 0) {
    GTEST_SKIP() << "no program to be replaced could be started: error " << GetLastError();
  }
  const auto installed = installation_.InstallProgram();
  TerminateProcess(process.hProcess, 0);
  WaitForSingleObject(process.hProcess, INFINITE);
  CloseHandle(process.hThread);
  CloseHandle(process.hProcess);
  ASSERT_TRUE(installed) << installed.error().message << " " << installed.error().where;
  EXPECT_TRUE(Content(program_) == Content(Wide(OwnPath())));
  EXPECT_EQ(installation_.InstallProgram(), false);
}

TEST_F(LiveInstallation, ThePinStaysUntilTheProgramGoes) {
  const fs::path pin = program_.parent_path() / "pin.json";
  ASSERT_TRUE(installation_.ReadPin()) << installation_.ReadPin().error().message;
  EXPECT_FALSE(installation_.ReadPin()->has_value());
  EXPECT_FALSE(fs::exists(program_.parent_path())) << "asking makes nothing";
  const auto pinned = installation_.WritePin("one");
  ASSERT_TRUE(pinned) << pinned.error().message << " " << pinned.error().where;
  EXPECT_TRUE(*pinned);
  EXPECT_EQ(installation_.WritePin("one"), false);
  EXPECT_EQ(installation_.WritePin("another"), true);
  EXPECT_EQ(*installation_.ReadPin(), "another");
  EXPECT_EQ(Content(pin), "another");
  ASSERT_TRUE(installation_.InstallProgram());
  EXPECT_EQ(*installation_.ReadPin(), "another");
  EXPECT_EQ(std::distance(fs::directory_iterator(program_.parent_path()), {}), 2);
  EXPECT_EQ(installation_.RemoveProgram(), true);
  EXPECT_FALSE(fs::exists(program_.parent_path()));
}

void OpenToEverybody(const fs::path& file) {
  auto security = win32::SecurityAttributes::FromSddl("D:(A;;FA;;;WD)");
  ASSERT_TRUE(security) << security.error().message;
  ASSERT_NE(SetFileSecurityW(file.c_str(), DACL_SECURITY_INFORMATION, security->get()->lpSecurityDescriptor), 0)
      << GetLastError();
}

TEST_F(LiveInstallation, WhatOthersCanChangeIsReplacedThoughItHoldsTheSame) {
  const fs::path pin = program_.parent_path() / "pin.json";
  ASSERT_TRUE(installation_.InstallProgram());
  ASSERT_TRUE(installation_.WritePin("one"));
  OpenToEverybody(program_);
  OpenToEverybody(pin);
  EXPECT_EQ(installation_.ReadPin().error().code, Code::kOwner) << "nobody believes it";
  EXPECT_FALSE(Look().is_installed) << "nor that";
  EXPECT_EQ(installation_.InstallProgram(), true);
  EXPECT_FALSE(Look().has_former) << "nobody goes back to that";
  EXPECT_EQ(installation_.WritePin("one"), true);
  EXPECT_EQ(installation_.InstallProgram(), false);
  EXPECT_EQ(installation_.WritePin("one"), false);
  EXPECT_EQ(*installation_.ReadPin(), "one");
}

TEST_F(LiveInstallation, WhatIsNotOursStaysInTheFolder) {
  ASSERT_TRUE(installation_.InstallProgram());
  std::ofstream(program_.parent_path() / "signer.pem") << "kept";
  EXPECT_EQ(installation_.RemoveProgram(), true);
  EXPECT_FALSE(fs::exists(program_));
  EXPECT_TRUE(fs::exists(program_.parent_path() / "signer.pem"));
}

TEST_F(LiveInstallation, LinkInPlaceOfTheFolderIsRefused) {
  const fs::path target = program_.parent_path().parent_path() / L"ProvisionerTarget";
  fs::create_directory(target);
  const bool made = MakeFolderLink(program_.parent_path(), target);
  const auto installed = installation_.InstallProgram();
  const auto removed = installation_.RemoveProgram();
  RemoveDirectoryW(program_.parent_path().c_str());  // the link
  const bool untouched = fs::is_empty(target);
  fs::remove_all(target);
  if (!made) GTEST_SKIP() << "this system makes no symbolic links: that links are refused was not tested";
  ASSERT_FALSE(installed);
  EXPECT_EQ(installed.error().code, Code::kOwner);
  EXPECT_FALSE(removed);
  EXPECT_TRUE(untouched);
}

TEST(LiveFiles, PlainOnesAreRemovedAndNothingElse) {
  Installation& installation = LiveHost().installation();
  const fs::path folder = fs::path(Narrow(*WindowsFolder())).parent_path() / "provisioner-test";
  fs::remove_all(folder);
  fs::create_directories(folder / "sub");
  std::ofstream(folder / "secret.json") << "x";
  SetFileAttributesW((folder / "secret.json").c_str(), FILE_ATTRIBUTE_READONLY);
  const std::string base = folder.string();

  EXPECT_TRUE(installation.RemoveFile(base + "\\none.json"));
  EXPECT_TRUE(installation.RemoveFile(base + "\\none\\none.json"));
  const auto removed = installation.RemoveFile(base + "\\secret.json");
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(fs::exists(folder / "secret.json"));
  EXPECT_EQ(installation.RemoveFile(base + "\\sub").error().code, Code::kDirectory);
  for (const std::string& path :
       {std::string("secret.json"), std::string("C:secret.json"), std::string("\\x"), std::string("C:\\"),
        base + "\\sub\\..\\x", base + "\\x:stream", base + "\\x.", base + "\\x ", base + "/x", base + "\\\\x",
        "\\\\?\\" + base + "\\x", std::string("\\\\server\\share\\x"), base + "\\*"}) {
    const auto refused = installation.RemoveFile(path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kUsage) << path;
  }
  fs::remove_all(folder);
}

TEST(LiveFiles, LinksOnTheWayAreRefused) {
  const fs::path folder = fs::path(Narrow(*WindowsFolder())).parent_path() / "provisioner-test";
  fs::remove_all(folder);
  fs::create_directories(folder / "real");
  std::ofstream(folder / "real" / "kept.txt") << "x";
  const bool made = MakeFolderLink(folder / "link", folder / "real");
  const auto through = LiveHost().installation().RemoveFile((folder / "link" / "kept.txt").string());
  const auto itself = LiveHost().installation().RemoveFile((folder / "link").string());
  const bool kept = fs::exists(folder / "real" / "kept.txt");
  RemoveDirectoryW((folder / "link").c_str());
  fs::remove_all(folder);
  if (!made) GTEST_SKIP() << "this system makes no symbolic links: that links are refused was not tested";
  ASSERT_FALSE(through);
  EXPECT_EQ(through.error().code, Code::kLink);
  ASSERT_FALSE(itself);
  EXPECT_EQ(itself.error().code, Code::kLink);
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace prov::machine
