// `plan`, `apply`, `status`, `rollback` and `remove` on an image in memory: each run may end at any call.
#include "provisioner/cli/image_command.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "images/hive/checker.h"
#include "images/hive/descriptor.h"
#include "images/hive/reader.h"
#include "images/hive/security.h"
#include "images/tree/file_security.h"
#include "provisioner/bake/payload.h"
#include "provisioner/cli/desired_options.h"
#include "provisioner/node/status.h"
#include "tests/support/borrowed_tree.h"
#include "tests/support/memory_host.h"
#include "tests/support/memory_tree.h"
#include "tests/support/sample.h"
#include "tests/support/sample_image.h"

namespace prov::cli {
namespace {

using images::RegKey;
using reconcile::Action;
using reconcile::SessionReport;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing_support::MemoryTree;

constexpr std::string_view kSystem = "Windows/System32/config/SYSTEM";
constexpr std::string_view kSoftware = "Windows/System32/config/SOFTWARE";
constexpr std::uint64_t kTime = 133'000'000'000'000'000;
constexpr char kExe[] = "MZ the program";

RegKey Hive(const MemoryTree& tree, std::string_view path) {
  const auto bytes = tree.At(path);
  EXPECT_TRUE(bytes) << path;
  if (!bytes) return {};
  const auto checked = images::CheckHive(*bytes);
  EXPECT_TRUE(checked) << path << ": " << checked.error().message << " at " << checked.error().where;
  auto root = images::ReadHive(*bytes);
  EXPECT_TRUE(root) << path;
  return root.value_or(RegKey{});
}

RegKey& Child(RegKey& root, const std::string& path) { return images::KeyAt(root, path); }

class ImageCommands : public testing::Test {
 protected:
  ImageCommands() {
    tree_.Put(kSystem, testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
    tree_.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
    tree_.Put("Windows/Setup/Scripts/SetupComplete.cmd", "echo the customer's own\r\n");
    tree_.Put("Users/somebody/file.txt", "not ours");
    tree_.Put("ProgramData/desktop.ini", "not ours");
  }

  static node::Settings Settings(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {testing_support::SampleFolder() + "rendered-worker.json", "--service=containerd"};
    words.insert(words.end(), more.begin(), more.end());
    auto settings = ReadStoredSettings(words, {});
    EXPECT_TRUE(settings) << settings.error().message;
    return *std::move(settings);
  }

  static ImageOptions Install() {
    return {.install = true, .exe = kExe, .signer = testing_support::SampleCertificates().front()};
  }

  std::unique_ptr<machine::ImageHost> Open(MemoryTree& tree) {
    return std::make_unique<machine::ImageHost>(std::make_unique<testing_support::BorrowedTree>(tree), live_.clock(),
                                                kTime);
  }

  Result<SessionReport> Apply(MemoryTree& tree, const node::Settings& settings, const ImageOptions& image_options,
                              const node::ApplyOptions& options = {}) {
    const auto host = Open(tree);
    auto done = PROV_TRY(ApplyToImage(*host, settings, options, image_options));
    PROV_TRY(host->Commit());
    if (tree.WritesTogether()) PROV_TRY(tree.Commit());
    return std::move(done.report);
  }

  Result<SessionReport> Remove(MemoryTree& tree, bool all) {
    const auto host = Open(tree);
    auto done = PROV_TRY(RemoveFromImage(*host, all));
    PROV_TRY(host->Commit());
    if (tree.WritesTogether()) PROV_TRY(tree.Commit());
    return std::move(done.report);
  }

  node::NodeStatus Status(MemoryTree& tree) {
    const auto host = Open(tree);
    const auto target = OpenTarget(*host, machine::Access::kRead);
    EXPECT_TRUE(target) << target.error().message;
    node::Node node = target->Node(*host);
    auto status = node::StatusOf(node);
    EXPECT_TRUE(status) << status.error().message;
    return status.value_or(node::NodeStatus{});
  }

  testing_support::MemoryHost live_;
  MemoryTree tree_;
};

// What a person would compare: files that are no hives as they are, hives by their content.
struct Seen {
  std::map<std::string, MemoryTree::File> files;
  std::map<std::string, images::FileUse> folders;
  RegKey system, software;
  bool operator==(const Seen&) const = default;
};

Seen Look(const MemoryTree& tree) {
  Seen out{tree.content().files, tree.content().folders, Hive(tree, kSystem), Hive(tree, kSoftware)};
  std::erase_if(out.files, [](const auto& file) { return file.first.find("/config/") != std::string::npos; });
  return out;
}

TEST_F(ImageCommands, ApplyWritesWhatPlanShowsAndASecondRunWritesNothing) {
  const node::Settings settings = Settings();
  const auto host = Open(tree_);
  const auto planned = PlanImage(*host, settings, {}, Install());
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_TRUE(tree_.log.empty());
  const auto applied = Apply(tree_, settings, Install());
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(planned->report.changes.size(), applied->changes.size());
  EXPECT_FALSE(applied->reboot_required);
  EXPECT_GT(applied->writes, 10U);

  tree_.log.clear();
  const auto again = Apply(tree_, settings, Install());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->writes, 0U);
  EXPECT_THAT(tree_.log, Each("Commit")) << "which has nothing to do";
  for (const reconcile::Change& change : again->changes) EXPECT_EQ(change.action, Action::kNone) << change.name;
  EXPECT_FALSE(Status(tree_).Differs());
}

TEST_F(ImageCommands, OnlyTheCurrentControlSetChanges) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  RegKey system = Hive(tree_, kSystem);
  RegKey before = testing_support::SampleSystem();
  RegKey before_on_disk = *images::ReadHive(testing_support::SampleHive(before, "SYSTEM"));
  EXPECT_EQ(Child(system, "ControlSet002"), Child(before_on_disk, "ControlSet002"));
  EXPECT_NE(Child(system, "ControlSet001"), Child(before_on_disk, "ControlSet001"));
  const RegKey& service = Child(system, R"(ControlSet001\Services\Provisioner)");
  const auto path = std::ranges::find(service.values, "ImagePath", &images::RegValue::name);
  ASSERT_NE(path, service.values.end());
  EXPECT_EQ(path->data, images::EncodeSz(R"("C:\Program Files\Provisioner\provisioner.exe" reconcile --service)"));
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
  EXPECT_EQ(status.source->words, std::vector<std::string>{R"(C:\Windows\Setup\Scripts\Provisioner)"});
  EXPECT_FALSE(status.source->follow);
  const auto scrub = tree_.At("ProgramData/Provisioner/scrub.json").value_or("");
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

TEST_F(ImageCommands, PreseedMakesTheKeysOfServicesToComeAndTakesThemOutAgain) {
  const Seen before = Look(tree_);
  const node::Settings settings = Settings({"--service=kubelet"});
  node::ApplyOptions options;
  options.preseed = true;
  const auto applied = Apply(tree_, settings, {}, options);
  ASSERT_TRUE(applied) << applied.error().message;
  RegKey system = Hive(tree_, kSystem);
  const RegKey& key = Child(system, R"(ControlSet001\Services\kubelet)");
  ASSERT_EQ(key.values.size(), 1U);
  EXPECT_EQ(key.values[0].name, "Environment");
  EXPECT_TRUE(images::IsForAdministratorsOnly(key.security)) << "it holds the proxy's password";
  tree_.log.clear();
  ASSERT_TRUE(Apply(tree_, settings, {}, options));
  EXPECT_THAT(tree_.log, Each("Commit")) << "which has nothing to do";
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_EQ(Look(tree_), before);
}

TEST_F(ImageCommands, RemoveAllGivesTheImageBackAsItWas) {
  const Seen before = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  ASSERT_NE(Look(tree_), before);
  const auto removed = Remove(tree_, true);
  ASSERT_TRUE(removed) << removed.error().message;
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
  const auto removed = Remove(tree_, true);
  ASSERT_TRUE(removed);
  EXPECT_EQ(tree_.At("Windows/Setup/Scripts/Provisioner/README.txt"), "mine now");
  EXPECT_THAT(removed->findings, testing::Contains(testing::Field(&Finding::code, "file-changed")));
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
  for (const char* file : {"ledger.json.old", "journal.json.new", "script-state.json", "script-state.json.old"}) {
    ASSERT_TRUE(
        tree_.Write(std::string("ProgramData/Provisioner/") + file, "left by a node", images::FileUse::kSecret));
  }
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_EQ(Look(tree_).files, before.files);
}

// A user of the machine that was captured can have made the folder, with orders for whoever runs as SYSTEM.
TEST_F(ImageCommands, AStateFolderThatAUserMadeIsNotBelieved) {
  tree_.Put("ProgramData/Provisioner/ledger.json", "{}");
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
  const auto target = OpenTarget(*host, machine::Access::kRead);
  ASSERT_TRUE(target);
  node::Node node = target->Node(*host);
  refused(node::StatusOf(node));
  EXPECT_TRUE(Look(tree_) == before);
  // Where there are no descriptors there is nothing to go by.
  tree_.set_can_protect(false);
  const auto read = Apply(tree_, Settings(), {});
  ASSERT_FALSE(read) << "it is no ledger";
  EXPECT_NE(read.error().code, Code::kOwner);
}

TEST_F(ImageCommands, AStateFileThatAUserMadeIsNotBelieved) {
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  const Seen before = Look(tree_);
  tree_.SetSecurity("ProgramData/Provisioner/ledger.json", images::FileDescriptor(images::FileUse::kPlain));
  const auto refused = Apply(tree_, Settings({"--scope=certs"}), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOwner);
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
  const auto applied = Apply(tree_, Settings(), Install());
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(applied->findings, testing::Contains(testing::Field(&Finding::code, "answer-file-processed")));
  EXPECT_EQ(tree_.At(kCached), processed);
  EXPECT_THAT(tree_.At(kOwn).value_or(""), testing::HasSubstr(bake::PayloadCommand().command_line));
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
  EXPECT_THAT(tree_.At(kOwn).value_or(""), testing::HasSubstr(bake::PayloadCommand().command_line));
  EXPECT_EQ(Apply(tree_, Settings(), Install())->writes, 0U);
  ASSERT_TRUE(Remove(tree_, true));
  EXPECT_THAT(tree_.At(kCached).value_or(""), Not(testing::HasSubstr(bake::PayloadCommand().command_line)));
  EXPECT_EQ(tree_.At(kOwn), std::nullopt);
}

TEST_F(ImageCommands, ANewerProgramOfOursGoesWithoutAWarning) {
  ASSERT_TRUE(Apply(tree_, Settings(), Install()));
  tree_.Put("Program Files/Provisioner/provisioner.exe", "MZ newer");
  const auto removed = Remove(tree_, true);
  ASSERT_TRUE(removed);
  EXPECT_EQ(tree_.At("Program Files/Provisioner/provisioner.exe"), std::nullopt);
  EXPECT_THAT(removed->findings, Not(testing::Contains(testing::Field(&Finding::code, "file-changed"))));
}

TEST_F(ImageCommands, RollbackTakesTheLastRunBack) {
  ASSERT_TRUE(Apply(tree_, Settings({"--scope=certs"}), {}));
  const Seen first = Look(tree_);
  ASSERT_TRUE(Apply(tree_, Settings(), {}));
  const auto host = Open(tree_);
  const auto target = OpenTarget(*host, machine::Access::kWrite);
  node::Node node = target->Node(*host);
  ASSERT_TRUE(node::TakeBack(node));
  ASSERT_TRUE(host->Commit());
  EXPECT_TRUE(Look(tree_).system == first.system);
  EXPECT_TRUE(Look(tree_).software == first.software);
}

TEST_F(ImageCommands, AnAnswerFileThatCannotBeEditedStopsTheRunBeforeItWrites) {
  tree_.Put("Windows/Panther/unattend.xml", "<unattend");
  const auto applied = Apply(tree_, Settings(), Install());
  ASSERT_FALSE(applied);
  EXPECT_EQ(applied.error().code, Code::kXml);
  EXPECT_THAT(applied.error().where, HasSubstr("Windows/Panther/unattend.xml"));
  EXPECT_TRUE(tree_.log.empty());
}

// Files each by itself, as in a folder: after a cut the next run ends right, whatever it does.
class ImageCommandsCut : public ImageCommands, public testing::WithParamInterface<bool> {};

TEST_P(ImageCommandsCut, AtEveryCallAndTheNextApplyEndsAsIfNothingHappened) {
  const bool together = GetParam();
  const auto start = [&] {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    return tree;
  };
  const node::Settings settings = Settings();
  MemoryTree whole = start();
  ASSERT_TRUE(Apply(whole, settings, Install()));
  const Seen wanted = Look(whole);
  const std::size_t calls = whole.calls;
  ASSERT_GT(calls, 50U);
  std::size_t open = 0;
  for (std::size_t at = 0; at < calls; ++at) {
    for (const bool after : {false, true}) {
      MemoryTree tree = start();
      (after ? tree.stop_after : tree.stop_before) = at;
      EXPECT_THROW((void)Apply(tree, settings, Install()), testing_support::PowerFailure) << at;
      tree.Reopen();
      const node::NodeStatus status = Status(tree);
      if (status.Differs()) ++open;
      const auto again = Apply(tree, settings, Install());
      ASSERT_TRUE(again) << at << ": " << again.error().message;
      EXPECT_TRUE(Look(tree) == wanted) << "call " << at << (after ? ", after it" : ", before it");
      EXPECT_FALSE(Status(tree).Differs()) << at;
    }
  }
  EXPECT_EQ(open == 0, together) << "a cut run is seen, unless nothing of it is there";
}

TEST_P(ImageCommandsCut, AtEveryCallAndRemoveAllEndsAsIfNothingHadBeenThere) {
  const bool together = GetParam();
  const Seen wanted = Look(tree_);
  const node::Settings settings = Settings();
  MemoryTree probe = tree_;
  ASSERT_TRUE(Apply(probe, settings, Install()));
  for (std::size_t at = 0; at < probe.calls; at += 1) {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    tree.stop_after = at;
    EXPECT_THROW((void)Apply(tree, settings, Install()), testing_support::PowerFailure) << at;
    tree.Reopen();
    const auto removed = Remove(tree, true);
    ASSERT_TRUE(removed) << at << ": " << removed.error().message;
    const Seen seen = Look(tree);
    EXPECT_TRUE(seen.system == wanted.system && seen.software == wanted.software) << at;
    EXPECT_EQ(seen.files, wanted.files) << at;
  }
}

TEST_P(ImageCommandsCut, EachCallFailingOnce) {
  const bool together = GetParam();
  const node::Settings settings = Settings();
  MemoryTree whole = tree_;
  ASSERT_TRUE(Apply(whole, settings, Install()));
  const Seen wanted = Look(whole);
  for (std::size_t at = 0; at < whole.calls; ++at) {
    MemoryTree tree(together ? MemoryTree::Durable::kTogether : MemoryTree::Durable::kEach);
    for (const auto& [path, file] : tree_.content().files) tree.Put(file.spelling, file.bytes);
    tree.fail_at = at;
    const auto failed = Apply(tree, settings, Install());
    EXPECT_FALSE(failed) << at;
    tree.Reopen();
    const auto again = Apply(tree, settings, Install());
    ASSERT_TRUE(again) << at << ": " << again.error().message;
    EXPECT_TRUE(Look(tree) == wanted) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Durable, ImageCommandsCut, testing::Bool(),
                         [](const auto& info) { return info.param ? "Together" : "EachByItself"; });

}  // namespace
}  // namespace prov::cli
