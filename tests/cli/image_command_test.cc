// `plan`, `apply`, `status`, `rollback` and `remove` on an image in memory.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "images/registry/descriptor.h"
#include "images/registry/security.h"
#include "images/tree/file_security.h"
#include "images/tree/folder_tree.h"
#include "provisioner/base/text.h"
#include "provisioner/node/doctor.h"
#include "provisioner/payload/payload.h"
#include "provisioner/reconcile/items.h"
#include "tests/cli/image_command_fixture.h"
#include "tests/support/hive_log.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

using image_commands::Child;
using image_commands::Hive;
using image_commands::ImageCommands;
using image_commands::kExe;
using image_commands::kSoftware;
using image_commands::kSystem;
using image_commands::Look;
using image_commands::RunReport;
using image_commands::Seen;
using images::RegKey;
using reconcile::Action;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Not;
using testing_support::MemoryTree;

TEST_F(ImageCommands, ApplyWritesWhatPlanShowsAndASecondRunWritesNothing) {
  const node::Settings settings = Settings();
  const auto host = Open(tree_);
  const auto planned = Must(PlanImage(*host, settings, {}, Install()));
  EXPECT_TRUE(tree_.log.empty());
  const auto applied = Must(Apply(tree_, settings, Install()));
  EXPECT_EQ(planned.changes.size(), applied.changes.size());
  const auto service = std::ranges::find(applied.changes, "service:provisioner", &reconcile::Change::key);
  ASSERT_NE(service, applied.changes.end());
  EXPECT_EQ(service->is.at(0).value.Reveal(), R"("C:\Program Files\Provisioner\provisioner.exe" reconcile --service)");
  EXPECT_FALSE(applied.reboot_required);
  EXPECT_GT(applied.writes, 10U);
  for (const RunReport* report : {&planned, &applied}) {
    EXPECT_EQ(report->writes, applied.writes);
    for (const auto& [key, action] : {std::pair("service:provisioner", Action::kCreate),
                                      std::pair(R"(service:eventlog\application\provisioner)", Action::kCreate),
                                      std::pair("env:Path", Action::kUpdate)})
      EXPECT_THAT(report->changes,
                  Contains(AllOf(Field(&reconcile::Change::key, key), Field(&reconcile::Change::action, action))));
  }

  tree_.log.clear();
  const auto again = Must(Apply(tree_, settings, Install()));
  EXPECT_EQ(again.writes, 0U);
  EXPECT_THAT(tree_.log, Each("Commit")) << "which has nothing to do";
  for (const reconcile::Change& change : again.changes) EXPECT_EQ(change.action, Action::kNone) << change.name;
  EXPECT_FALSE(Status(tree_).Differs());
}

TEST_F(ImageCommands, DoctorSeesWhatIsBrokenInAnImage) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  const auto look = [&] {
    const auto host = Open(tree_);
    const auto target = OpenTarget(*host, machine::Access::kRead);
    node::OpenNode node = target->Node(*host);
    return node::Diagnose(node::Observe(node, {}, live_.http(), &host->tree()).value()).problems;
  };
  EXPECT_THAT(look(), testing::IsEmpty());
  const auto edit = [&](const std::function<Result<void>(machine::ImageHost&, const machine::Machine&)>& harm) {
    const auto host = Open(tree_);
    const auto open = Must(host->Open(machine::Access::kWrite));
    ASSERT_TRUE(harm(*host, open->Ports()));
    ASSERT_TRUE(host->Commit());
  };
  const std::string plan = "provisioner plan --root DIR SOURCE";
  const std::string install = plan + " --install --exe provisioner.exe";
  const std::string payload = "Windows/Setup/Scripts/Provisioner", script = "Windows/Setup/Scripts/SetupComplete.cmd";
  const std::string program = "Program Files/Provisioner/provisioner.exe";
  const reconcile::Ledger ours = Status(tree_).engine.ledger;
  const auto root = std::ranges::find_if(ours, [](auto& one) { return one.first.starts_with("certificate:ROOT:"); });
  ASSERT_NE(root, ours.end());
  const struct {
    std::string code, key, command;
    std::function<void()> harm;
  } rows[] = {
      {"setting-changed", "env:NO_PROXY", plan,
       [&] {
         edit([](auto& /*host*/, const machine::Machine& machine) {
           return machine.registry.DeleteValue(reconcile::EnvironmentKeyPath(), "NO_PROXY");
         });
       }},
      {"setting-changed", root->first, plan,
       [&] {
         edit([&](auto& /*host*/, const machine::Machine& machine) {
           return machine.certificates.Remove(pki::Store::kRoot, root->second.ours->data);
         });
       }},
      {"state-damaged", "", plan,
       [&] {
         const std::string state = *tree_.At("ProgramData/Provisioner/state.json");
         ASSERT_TRUE(tree_.Write("ProgramData/Provisioner/state.json", state.substr(0, 40), images::FileUse::kSecret));
       }},
      {"boot-service", "", install,
       [&] {
         edit([](machine::ImageHost& host, const auto& /*machine*/) -> Result<void> {
           PROV_TRY(host.services().Remove("Provisioner"));
           return {};
         });
       }},
      {"file-lost", "file:" + program, install, [&] { tree_.Erase(program); }},
      {"file-lost", "file:" + program, install, [&] { tree_.Put(program, kExe.substr(1)); }},
      {"file-lost", "file:" + payload + "/egress.json", install, [&] { tree_.Erase(payload + "/egress.json"); }},
      {"file-lost", "file:" + payload, install, [&] { tree_.Erase(payload); }},
      {"file-lost", "file:" + script, install, [&] { tree_.Put(script, "echo another one\r\n"); }},
  };
  const MemoryTree well = tree_;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.code + " " + row.key);
    tree_ = well;
    row.harm();
    const auto problems = look();
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems.front().finding.code, row.code);
    EXPECT_EQ(problems.front().key, row.key);
    EXPECT_EQ(problems.front().commands.front(), row.command);
    EXPECT_TRUE(row.code == "boot-service" || Status(tree_).Differs()) << "status sees it, too";
    if (row.code == "state-damaged") {
      EXPECT_THAT(problems.front().finding.message, HasSubstr("ProgramData/Provisioner/state.json"));
    }
  }
}

TEST_F(ImageCommands, WhatCanNotBeReadOfAnInstallationIsTold) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  const std::string folder = "can't be read: is a folder, a file is wanted";
  const std::pair<std::string, std::string> rows[] = {
      {"Program Files/Provisioner/provisioner.exe", folder},
      {"Windows/Setup/Scripts/Provisioner/egress.json", folder},
      {"Windows/Setup/Scripts/SetupComplete.cmd", folder},
      {"Windows/Setup/Scripts/Provisioner", "is a file, and the folder of the payload has to be there"},
  };
  const MemoryTree well = tree_;
  for (const auto& [path, problem] : rows) {
    tree_ = well;
    const bool is_file = tree_.At(path).has_value();
    tree_.Erase(path);
    is_file ? tree_.PutFolder(path) : tree_.Put(path, "");
    EXPECT_THAT(Status(tree_).lost_files,
                ElementsAre(AllOf(Field(&node::LostFile::path, path), Field(&node::LostFile::problem, problem))));
  }
}

// A run on a machine removes files with passwords, and may replace the program.
TEST_F(ImageCommands, OfAnImageThatHasRunOnlyTheProgramIsMissed) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  ASSERT_TRUE(tree_.Write("ProgramData/Provisioner/provisioner.log", "applied", images::FileUse::kSecret));
  tree_.Erase("Windows/Setup/Scripts/Provisioner/egress.json");
  tree_.Put("Program Files/Provisioner/provisioner.exe", kExe + "newer");
  EXPECT_THAT(Status(tree_).Reasons(), testing::IsEmpty());
  tree_.Erase("Program Files/Provisioner/provisioner.exe");
  EXPECT_THAT(Status(tree_).Reasons(), ElementsAre("files"));
}

// Leaves the hive at `path` as a crash does: the value `newest` of its key is in a log only, or nowhere.
void MakeDirty(MemoryTree& tree, std::string_view path, const std::string& key, bool with_log) {
  const std::string old = *tree.At(path);
  images::HiveEditor editor = images::HiveEditor::Open(old).value();
  EXPECT_TRUE(editor.Set(key, {"newest", images::RegType::kDword, images::EncodeDword(1)}));
  const std::string newest = editor.Finish(0).value();
  const std::uint32_t number = images::regf::Load32(old, 4);
  tree.Put(path, testing_support::WithNumbers(old, number + 1, number));
  if (!with_log) return;
  tree.Put(std::string(path) + ".LOG1",
           testing_support::LogHeader(old, number) + testing_support::FlushOf(number, old, newest));
}

std::size_t Replays(const Findings& findings) {
  return static_cast<std::size_t>(std::ranges::count(findings, "hive-replayed", &Finding::code));
}

TEST_F(ImageCommands, WithoutItsCertificatesASourceIsOnlyPlannedForAnImage) {
  node::Settings settings = Settings();
  settings.config.certificates.clear();
  settings.config.not_read = {.trust = true, .trust_place = "u.egress: $.bundle"};
  EXPECT_TRUE(PlanImage(*Open(tree_), settings, {}, Install()));
  EXPECT_EQ(Apply(tree_, settings, Install()).error().code, Code::kRemoteSource);
  EXPECT_THAT(tree_.log, testing::IsEmpty());
}

TEST_F(ImageCommands, WhatIsOnlyInAHivesLogsIsKept) {
  Seen wanted = Look(tree_);
  MakeDirty(tree_, kSystem, "Setup", true);
  MakeDirty(tree_, kSoftware, "Microsoft", true);
  const images::RegValue newest{"newest", images::RegType::kDword, images::EncodeDword(1)};
  Child(wanted.system, "Setup").values.push_back(newest);
  Child(wanted.software, "Microsoft").values.push_back(newest);

  const node::Settings settings = Settings();
  const auto host = Open(tree_);
  const auto planned = Must(PlanImage(*host, settings, {}, Install()));
  EXPECT_EQ(Replays(planned.findings), 2U);
  EXPECT_TRUE(tree_.log.empty());
  const auto applied = Must(Apply(tree_, settings, Install()));
  EXPECT_EQ(Replays(applied.findings), 2U);
  const auto again = Must(Apply(tree_, settings, Install()));
  EXPECT_EQ(Replays(again.findings), 0U) << "the hives are clean now";
  EXPECT_EQ(again.writes, 0U);
  MakeDirty(tree_, kSystem, "ControlSet002", true);
  Child(wanted.system, "ControlSet002").values.push_back(newest);
  const auto removed = Must(Remove(tree_, true));
  EXPECT_EQ(Replays(removed.findings), 1U);
  EXPECT_EQ(Hive(tree_, kSystem), wanted.system);
  EXPECT_EQ(Hive(tree_, kSoftware), wanted.software);
}

TEST_F(ImageCommands, ARemovalTakesTheFolderThatWasMadeAndADryRunTakesNothing) {
  MemoryTree bare;
  bare.Put(kSystem, testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
  bare.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  ASSERT_TRUE(Apply(bare, Settings(), Install()));
  bare.log.clear();
  const auto planned = Must(node::PlanRemovalFromImage(*Open(bare), true));
  EXPECT_TRUE(bare.log.empty());
  const auto removed = Must(Remove(bare, true));
  EXPECT_EQ(removed.writes, planned.writes);
  EXPECT_EQ(bare.IsFolder("Windows/Setup/Scripts"), false);
}

TEST_F(ImageCommands, HostsTomlFilesGetIntoAnImageAndGoAgain) {
  constexpr std::string_view kHosts = "containerd/certs.d/quay.io/hosts.toml";
  node::Settings settings = Settings({R"(--registry-folder=C:\containerd\certs.d)"});
  settings.config.mirrors.registries = {
      {.prefix = "quay.io", .location = "", .mirrors = {{.location = "m.example/quay"}}}};
  for (const MemoryTree::Durable durable : {MemoryTree::Durable::kEach, MemoryTree::Durable::kTogether}) {
    MemoryTree tree = ImageIn(durable);
    const auto applied = Apply(tree, settings, {});
    ASSERT_TRUE(applied) << applied.error().where << ": " << applied.error().message;
    EXPECT_THAT(tree.At(kHosts).value_or(""), testing::HasSubstr(R"([host."https://m.example/v2/quay"])"));
    EXPECT_THAT(applied->changes,
                Contains(Field(&reconcile::Change::key, R"(file:c:\containerd\certs.d\quay.io\hosts.toml)")));
    const auto again = Must(Apply(tree, settings, {}));
    EXPECT_EQ(again.writes, 0U);
    EXPECT_FALSE(Status(tree).Differs());
    tree.Put(kHosts, "[host]\n");
    EXPECT_TRUE(Status(tree).Differs());
    ASSERT_TRUE(Apply(tree, settings, {}));
    ASSERT_TRUE(Remove(tree, false));
    EXPECT_EQ(tree.IsFolder("containerd"), false) << "its folders were made for it";
  }
}

// Without the record nobody could take it away later, nor give back what was there before.
TEST_F(ImageCommands, ARemovalThatLeavesAFileLeavesTheRecord) {
  node::Settings settings = Settings({R"(--registry-folder=C:\containerd\certs.d)"});
  settings.config.mirrors.registries = {{.prefix = "quay.io", .location = "", .mirrors = {{.location = "m.example"}}}};
  ASSERT_TRUE(Apply(tree_, settings, Install()));
  const std::string folder = "containerd/certs.d/quay.io";
  tree_.SetSecurity(folder, images::AdministratorsDescriptor({{images::Grant::Who::kUsers, 3, 0x001301BF}}, false));
  const auto kept = Must(Remove(tree_, true));
  EXPECT_THAT(kept.findings, Contains(Field(&Finding::code, "removal-incomplete")));
  EXPECT_TRUE(tree_.At(folder + "/hosts.toml"));
  EXPECT_TRUE(tree_.At("ProgramData/Provisioner/state.json"));
  tree_.SetSecurity(folder, images::AdministratorsDescriptor({}, false));
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_EQ(tree_.IsFolder("containerd"), false);
  EXPECT_FALSE(tree_.At("ProgramData/Provisioner/state.json"));
}

TEST_F(ImageCommands, AFolderForHostsTomlOnAnotherDriveIsRefused) {
  node::Settings settings = Settings({R"(--registry-folder=D:\certs.d)"});
  settings.config.mirrors.registries = {{.prefix = "quay.io", .location = "", .mirrors = {{.location = "m.example"}}}};
  const auto content = tree_.content();
  EXPECT_EQ(ErrorIn(Apply(tree_, settings, {})).code, Code::kTarget);
  EXPECT_EQ(tree_.content().files.size(), content.files.size());
}

TEST_F(ImageCommands, ARemovalListsAStrayProgramAndLeavesEmptyKeysOfOthers) {
  RegKey system = testing_support::SampleSystem();
  Child(system, R"(ControlSet001\Services\EventLog\Application)").values.clear();
  MemoryTree captured;
  captured.Put(kSystem, testing_support::SampleHive(system, "SYSTEM"));
  captured.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  captured.Put("Program Files/Provisioner/provisioner.exe", "MZ");
  ASSERT_TRUE(captured.SecureFolder("ProgramData/Provisioner", images::FileUse::kSecret));
  ASSERT_TRUE(captured.Write("ProgramData/Provisioner/provisioner.log", "applied", images::FileUse::kSecret));
  const RegKey before = Hive(captured, kSystem);
  const auto planned = Must(node::PlanRemovalFromImage(*Open(captured), true));
  EXPECT_THAT(planned.changes, testing::UnorderedElementsAre(
                                   Field(&reconcile::Change::key, "file:Program Files/Provisioner/provisioner.exe"),
                                   Field(&reconcile::Change::key, "file:ProgramData/Provisioner/state.json")));
  const auto removed = Must(Remove(captured, true));
  EXPECT_EQ(removed.writes, 2U);
  EXPECT_EQ(captured.IsFolder("Program Files/Provisioner"), false);
  EXPECT_EQ(captured.IsFolder("ProgramData/Provisioner"), false);
  EXPECT_EQ(Hive(captured, kSystem), before);
}

TEST_F(ImageCommands, AHibernatedImageIsOldAndSaidToBe) {
  tree_.Put("hiberfil.sys", "HIBR and more");
  const auto notes = Must(Open(tree_)->Notes());
  EXPECT_THAT(notes, Contains(AllOf(Field(&Finding::code, "hibernated"), Field(&Finding::severity, Severity::kWarning),
                                    Field(&Finding::message, HasSubstr("may be outdated")))));
}

TEST_F(ImageCommands, PlanRefusesADirtyHiveWithoutLogsAsApplyDoes) {
  MakeDirty(tree_, kSoftware, "Microsoft", false);
  const node::Settings settings = Settings();
  const auto host = Open(tree_);
  const auto planned = PlanImage(*host, settings, {}, {});
  const auto applied = Apply(tree_, settings, {});
  ASSERT_FALSE(planned);
  ASSERT_FALSE(applied);
  EXPECT_EQ(planned.error().code, Code::kDirtyHive);
  EXPECT_EQ(applied.error().code, Code::kDirtyHive);
  EXPECT_EQ(applied.error().message, planned.error().message);
  EXPECT_TRUE(tree_.log.empty());
}

TEST_F(ImageCommands, TheControlSetThatWindowsStartsWithIsEditedAndSaid) {
  RegKey system = testing_support::SampleSystem();
  for (images::RegValue& value : Child(system, "Select").values) {
    if (value.name == "Default") value.data = images::EncodeDword(2);
  }
  tree_.Put(kSystem, testing_support::SampleHive(system, "SYSTEM"));
  const auto applied = Must(Apply(tree_, Settings(), {}));
  EXPECT_THAT(applied.findings, Contains(AllOf(Field(&Finding::code, "control-set"),
                                               Field(&Finding::message, HasSubstr("ControlSet002 is edited")))));
  RegKey written = Hive(tree_, kSystem);
  RegKey before = *images::ReadHive(testing_support::SampleHive(system, "SYSTEM"));
  EXPECT_TRUE(Child(written, "ControlSet001") == Child(before, "ControlSet001"));
  EXPECT_FALSE(Child(written, "ControlSet002") == Child(before, "ControlSet002"));
}

TEST_F(ImageCommands, AServiceThatTheImageDoesNotHaveIsSaidWithNamesNearToIt) {
  const auto host = Open(tree_);
  const auto planned =
      Must(PlanImage(*host, Settings({"--service=contanerd", "--service=tcpip6", "--service=kubelet"}), {}, {}));
  std::vector<std::string> said;
  for (const Finding& f : planned.findings) {
    if (f.code == "service-unknown") said.push_back(f.message);
  }
  EXPECT_THAT(
      said, ElementsAre("there is no service contanerd, so its environment will be set when there is one; did you mean "
                        "containerd?",
                        "this image has no service tcpip6 (similar names: Tcpip); its environment will be set when "
                        "the service exists",
                        "this image has no service kubelet; its environment will be set when the service exists"));
}

TEST_F(ImageCommands, AWimFileWithoutAnIndexIsRefusedWithTheCommandThatListsThem) {
  testing_support::MemoryHost live;
  const Error opened = ErrorIn(Targets::Open({.root = {}, .wim = "install.wim"}, live, images::TreeAccess::kRead));
  EXPECT_THAT(opened.message, HasSubstr("wiminfo FILE"));
}

TEST_F(ImageCommands, AProgramForAnotherArchitectureIsRefusedBeforeAnythingIsWritten) {
  RegKey system = testing_support::SampleSystem();
  for (const char* set : {"ControlSet001", "ControlSet002"}) {
    Child(system, set + std::string(R"(\Control\Session Manager\Environment)"))
        .values.push_back({"PROCESSOR_ARCHITECTURE", images::RegType::kSz, images::EncodeSz("AMD64")});
  }
  tree_.Put(kSystem, testing_support::SampleHive(system, "SYSTEM"));
  node::ImageOptions install = Install();
  install.exe = payload::ReadProgramFile(testing_support::MakeProgram({.machine = 0x014C}), "provisioner.exe").value();
  const auto host = Open(tree_);
  EXPECT_EQ(ErrorIn(PlanImage(*host, Settings(), {}, install)).code, Code::kKind);
  const Error applied = ErrorIn(Apply(tree_, Settings(), install));
  EXPECT_EQ(
      applied.message,
      "is a program for x86, but the image or answer file is for amd64; provisioner.exe is built for amd64 only: leave "
      "--exe out, and the payload's script does the work there");
  EXPECT_THAT(tree_.log, testing::IsEmpty());
  EXPECT_TRUE(Apply(tree_, Settings(), Install()));
}

TEST_F(ImageCommands, TheImageHoldsWhatItNeedsToGoOn) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(tree_.At("Program Files/Provisioner/provisioner.exe"), kExe);
  EXPECT_EQ(tree_.At("Windows/Setup/Scripts/Provisioner/provisioner.exe"), kExe);
  EXPECT_THAT(tree_.At("Windows/Setup/Scripts/SetupComplete.cmd").value_or(""),
              testing::StartsWith("echo the customer's own\r\n@call "));
  EXPECT_THAT(tree_.At("Windows/System32/Sysprep/unattend.xml").value_or(""), HasSubstr("RunSynchronousCommand"));
  const node::NodeStatus status = Status(tree_);
  ASSERT_TRUE(status.source);
  EXPECT_EQ(status.source->spec.source.source, R"(C:\Windows\Setup\Scripts\Provisioner)");
  EXPECT_FALSE(status.source->follow);
  RegKey system = Hive(tree_, kSystem);
  const RegKey& service = Child(system, R"(ControlSet001\Services\Provisioner)");
  const auto path = std::ranges::find(service.values, "ImagePath", &images::RegValue::name);
  ASSERT_NE(path, service.values.end());
  EXPECT_EQ(path->data, images::EncodeSz(R"("C:\Program Files\Provisioner\provisioner.exe" reconcile --service)"));
  const auto scrub = Section(tree_, "scrub").value_or("");
  EXPECT_THAT(scrub, HasSubstr(R"(Scripts\\Provisioner\\egress.json)")) << "holds the proxy's password";
}

TEST_F(ImageCommands, FilesWithCredentialsAreForAdministrators) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  for (const auto& [path, file] : tree_.content().files) {
    if (path.find("/config/") != std::string::npos || path.starts_with("users/")) continue;
    if (file.bytes.find("S3cret") == std::string::npos) continue;
    EXPECT_EQ(file.use, images::FileUse::kSecret) << path;
  }
}

// A user of the machine that was captured can have put there what will be ours.
TEST_F(ImageCommands, WhatWasPlantedInPlaceOfOursIsReplaced) {
  const std::string payload = "Windows/Setup/Scripts/Provisioner", program = "Program Files/Provisioner";
  const std::string wide = images::AdministratorsDescriptor({{images::Grant::Who::kUsers, 3, 0x001F01FF}}, false);
  const auto settings = Settings();
  const auto plant = [&] {
    for (const std::string& path : {payload + "/egress.json", payload + "/scripts/Apply-Egress.ps1",
                                    program + "/provisioner.exe", payload, payload + "/scripts", program}) {
      if (!tree_.content().folders.contains(AsciiLower(path)) && !tree_.At(path)) tree_.Put(path, "planted");
      tree_.SetSecurity(path, wide);
    }
  };
  for (const std::string& folder : {payload, program}) tree_.PutFolder(folder);
  tree_.PutFolder(payload + "/scripts");
  // Before the first run, and with the very contents before the second.
  for (int run = 0; run < 2; ++run) {
    plant();
    const auto planned = Must(PlanImage(*Open(tree_), settings, {}, Install()));
    const auto applied = Must(Apply(tree_, settings, Install()));
    EXPECT_EQ(applied.writes, planned.writes);
    EXPECT_GE(applied.writes, 6U);
    EXPECT_TRUE(tree_.content().descriptors.empty()) << tree_.content().descriptors.begin()->first;
    EXPECT_EQ(tree_.content().files.at(AsciiLower(payload + "/egress.json")).use, images::FileUse::kSecret);
    EXPECT_EQ(tree_.At(program + "/provisioner.exe"), kExe);
    EXPECT_EQ(Apply(tree_, settings, Install())->writes, 0U);
  }
}

TEST_F(ImageCommands, FilesOfOthersKeepWhoMayUseThem) {
  const std::string closed = images::FileDescriptor(images::FileUse::kSecret);
  const std::string script = "Windows/Setup/Scripts/SetupComplete.cmd";
  for (const std::string& path : {std::string(kSystem), std::string(kSoftware), script}) {
    tree_.SetSecurity(path, closed);
  }
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  ASSERT_TRUE(Remove(tree_, true));
  for (const std::string& path : {std::string(kSystem), std::string(kSoftware), script}) {
    EXPECT_EQ(tree_.content().descriptors.at(AsciiLower(path)), closed) << path;
  }
}

// Modes are all there is where nobody can protect anything: whoever finds it open to others closes it.
TEST_F(ImageCommands, AStateFolderWithoutADescriptorIsClosedAsFarAsItCanBe) {
  tree_.set_can_protect(false);
  tree_.PutFolder("ProgramData/Provisioner");
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(tree_.content().folders.at("programdata/provisioner"), images::FileUse::kSecret);
}

TEST_F(ImageCommands, AServiceKeyWithCredentialsIsClosedAndOpenedAgain) {
  RegKey before = Hive(tree_, kSystem);
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  RegKey after = Hive(tree_, kSystem);
  RegKey& key = Child(after, R"(ControlSet001\Services\containerd)");
  EXPECT_EQ(key.security, images::ForAdministratorsOnly(images::SystemAdminsUsersDescriptor()));
  EXPECT_TRUE(Child(after, R"(ControlSet001\Services\svc1000)").security.empty()) << "as its parent";
  EXPECT_FALSE(Status(tree_).Differs());
  ASSERT_TRUE(Remove(tree_, false));
  EXPECT_EQ(Hive(tree_, kSystem), before);
}

TEST_F(ImageCommands, RemoveAllGivesTheImageBackAsItWas) {
  const Seen before = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  ASSERT_NE(Look(tree_), before);
  Must(Remove(tree_, true));
  const Seen after = Look(tree_);
  for (const auto& [path, file] : after.files) EXPECT_TRUE(before.files.contains(path)) << path;
  EXPECT_TRUE(after.system == before.system);
  EXPECT_TRUE(after.software == before.software);
  EXPECT_EQ(after.files, before.files);
}

TEST_F(ImageCommands, ASmallImageWithoutStoresIsGivenBackAsItWas) {
  RegKey software;
  images::KeyAt(software, "Microsoft").values = {{"x", images::RegType::kSz, images::EncodeSz("y")}};
  tree_.Put(kSoftware, testing_support::SampleHive(software, "SOFTWARE"));
  const Seen before = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_TRUE(Look(tree_).software == before.software);
  EXPECT_EQ(Look(tree_).files, before.files);
}

TEST_F(ImageCommands, AnotherPayloadReplacesTheFilesOfTheFirst) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  const Seen with_certificates = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings({"--scope=machine,services"}), {.install = true, .exe = std::nullopt}));
  for (const auto& [path, file] : Look(tree_).files) EXPECT_THAT(path, Not(HasSubstr("trust/root/")));
  EXPECT_EQ(tree_.At("Program Files/Provisioner/provisioner.exe"), std::nullopt) << "no --exe this time";
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(Look(tree_).files.size(), with_certificates.files.size());
}

TEST_F(ImageCommands, AFileThatSomebodyChangedStays) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  tree_.Put("Windows/Setup/Scripts/Provisioner/README.txt", "mine now");
  const auto removed = Must(Remove(tree_, true));
  EXPECT_EQ(tree_.At("Windows/Setup/Scripts/Provisioner/README.txt"), "mine now");
  EXPECT_THAT(removed.findings, testing::Contains(testing::Field(&Finding::code, "file-changed")));
}

TEST_F(ImageCommands, ARemovalThatLeavesThePayloadSaysSo) {
  const auto stays = testing::Contains(testing::Field(&Finding::code, "payload-stays"));
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_THAT(Remove(tree_, false)->findings, stays);
  EXPECT_THAT(Remove(tree_, true)->findings, Not(stays));
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  EXPECT_THAT(Remove(tree_, false)->findings, Not(stays));
}

TEST_F(ImageCommands, WhatANodeLeftInTheStateFolderGoes) {
  const Seen before = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  for (const char* file : {"state.json.old", "journal.json.new", "script-state.json.new", "lock"}) {
    ASSERT_TRUE(
        tree_.Write(std::string("ProgramData/Provisioner/") + file, "left by a node", images::FileUse::kSecret));
  }
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_EQ(Look(tree_).files, before.files);
}

// A user of the machine that was captured can have made the folder, with orders for whoever runs as SYSTEM.
TEST_F(ImageCommands, AStateFolderThatAUserMadeIsNotBelieved) {
  tree_.Put("ProgramData/Provisioner/state.json", "{}");
  const Seen before = Look(tree_);
  const auto refused = [](const auto& result) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::kOwner);
    EXPECT_THAT(result.error().message, testing::HasSubstr("Remove it from the image"));
    EXPECT_THAT(result.error().where, testing::HasSubstr("ProgramData/Provisioner"));
  };
  refused(Apply(tree_, Settings(), Install()));
  refused(Remove(tree_, true));
  const auto host = Open(tree_);
  const auto target = Must(OpenTarget(*host, machine::Access::kRead));
  node::OpenNode node = target.Node(*host);
  refused(node::StatusOf(node));
  EXPECT_TRUE(Look(tree_) == before);
  // Where there are no descriptors there is nothing to go by.
  tree_.set_can_protect(false);
  const auto read = Must(Apply(tree_, Settings(), {}));
  EXPECT_TRUE(HasFinding(read.findings, "state-damaged")) << "it is not a state record";
}

TEST_F(ImageCommands, ADamagedStateIsRestoredAndLosesNothing) {
  const Seen before = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  ASSERT_TRUE(tree_.Write("ProgramData/Provisioner/state.json", "{\"sche", images::FileUse::kSecret));
  EXPECT_EQ(Status(tree_).damage.size(), 1U);
  const auto planned = Must(PlanImage(*Open(tree_), Settings(), {}, Install()));
  EXPECT_EQ(planned.writes, 0U);
  EXPECT_TRUE(HasFinding(planned.findings, "state-damaged"));
  MemoryTree removed = tree_;
  const auto applied = Must(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(applied.writes, 0U);
  EXPECT_TRUE(HasFinding(applied.findings, "state-damaged"));
  Must(Remove(removed, true));
  EXPECT_EQ(Look(removed).files, before.files) << "what was kept goes, too";
}

TEST_F(ImageCommands, AStateFileThatAUserMadeIsNotBelieved) {
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  const Seen before = Look(tree_);
  tree_.SetSecurity("ProgramData/Provisioner/state.json", images::FileDescriptor(images::FileUse::kPlain));
  EXPECT_EQ(ErrorIn(Apply(tree_, Settings({"--scope=certs"}), {})).code, Code::kOwner);
  EXPECT_TRUE(Look(tree_) == before);
}

// What setup leaves in an image that is captured again.
TEST_F(ImageCommands, AnAnswerFileWhosePassWasProcessedIsLeftAndTheNextOneTaken) {
  const std::string processed =
      "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\">\n"
      "  <settings pass=\"specialize\" wasPassProcessed=\"true\"/>\n"
      "  <settings pass=\"oobeSystem\"/>\n</unattend>\n";
  constexpr char kCached[] = "Windows/Panther/unattend.xml";
  constexpr char kOwn[] = "Windows/System32/Sysprep/unattend.xml";
  tree_.Put(kCached, processed);
  const auto applied = Must(Apply(tree_, Settings(), Install()));
  EXPECT_THAT(applied.findings, testing::Contains(testing::Field(&Finding::code, "answer-file-processed")));
  EXPECT_EQ(tree_.At(kCached), processed);
  EXPECT_THAT(tree_.At(kOwn).value_or(""), testing::HasSubstr(payload::PayloadCommand().command_line));
  // One pass of two with that name that is still to come.
  ASSERT_TRUE(Remove(tree_, true));
  std::string open = processed;
  open.insert(open.find("  <settings pass=\"oobe"), "  <settings pass=\"specialize\"/>\n");
  tree_.Put(kCached, open);
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_NE(tree_.At(kCached), open);
  EXPECT_EQ(tree_.At(kOwn), std::nullopt);
  // Setup ran with our command in it: that one is used up, and goes with the rest.
  std::string ran = *tree_.At(kCached);
  ran.replace(ran.find("<settings pass=\"specialize\">"), 10, "<settings wasPassProcessed=\"true\" ");
  tree_.Put(kCached, ran);
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(tree_.At(kCached), ran);
  EXPECT_THAT(tree_.At(kOwn).value_or(""), testing::HasSubstr(payload::PayloadCommand().command_line));
  EXPECT_EQ(Apply(tree_, Settings(), Install())->writes, 0U);
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_THAT(tree_.At(kCached).value_or(""), Not(testing::HasSubstr(payload::PayloadCommand().command_line)));
  EXPECT_EQ(tree_.At(kOwn), std::nullopt);
}

TEST_F(ImageCommands, ANewerProgramOfOursGoesWithoutAWarning) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  tree_.Put("Program Files/Provisioner/provisioner.exe", "MZ newer");
  const auto removed = Must(Remove(tree_, true));
  EXPECT_EQ(tree_.At("Program Files/Provisioner/provisioner.exe"), std::nullopt);
  EXPECT_THAT(removed.findings, Not(testing::Contains(testing::Field(&Finding::code, "file-changed"))));
}

TEST_F(ImageCommands, AnAnswerFileThatCannotBeEditedStopsTheRunBeforeItWrites) {
  tree_.Put("Windows/Panther/unattend.xml", "<unattend");
  const Error applied = ErrorIn(Apply(tree_, Settings(), Install()));
  EXPECT_EQ(applied.code, Code::kXml);
  EXPECT_THAT(applied.where, HasSubstr("Windows/Panther/unattend.xml"));
  EXPECT_TRUE(tree_.log.empty());
}

// Where a run that was killed in the middle of a write leaves what it had of it.
const std::vector<std::string> kLeftovers = {
    std::string(images::kTemporaryName), "Windows/System32/config/" + std::string(images::kTemporaryName),
    "Windows/System32/Sysprep/" + std::string(images::kTemporaryName),
    "Windows/Setup/Scripts/Provisioner/trust/ROOT/" + std::string(images::kTemporaryName),
    "Program Files/Provisioner/" + std::string(images::kTemporaryName)};

TEST_F(ImageCommands, WhatAKilledRunLeftGoesWithTheNextWhateverItWrites) {
  const node::Settings settings = Settings();
  const auto count = [&] {
    return std::ranges::count_if(kLeftovers, [&](const std::string& path) { return tree_.At(path).has_value(); });
  };
  const auto plant = [&] {
    for (const std::string& path : kLeftovers) tree_.Put(path, "half of something");
  };
  const auto said = [](const Findings& findings) {
    return static_cast<std::size_t>(std::ranges::count(findings, "leftover-removed", &Finding::code));
  };
  tree_.Put("Windows/System32/.provisioner-new.tmp2", "not ours");
  tree_.Put("Users/.provisioner-new.tmp", "not in a place of ours");
  plant();
  ASSERT_TRUE(PlanImage(*Open(tree_), settings, {}, {}));
  EXPECT_EQ(count(), 5) << "plan writes nothing";
  const auto first = Must(Apply(tree_, settings, {}));
  EXPECT_EQ(said(first.findings), kLeftovers.size());
  EXPECT_EQ(count(), 0);
  plant();
  const auto second = Must(Apply(tree_, settings, {}));
  EXPECT_EQ(second.writes, 0U);
  EXPECT_EQ(count(), 0);
  plant();
  ASSERT_TRUE(Remove(tree_, false));
  EXPECT_EQ(count(), 0);
  EXPECT_EQ(said(Remove(tree_, true)->findings), 0U);
  EXPECT_TRUE(tree_.At("Windows/System32/.provisioner-new.tmp2"));
  EXPECT_TRUE(tree_.At("Users/.provisioner-new.tmp"));
}

}  // namespace
}  // namespace prov::cli
