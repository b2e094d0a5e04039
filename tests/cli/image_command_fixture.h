// A Windows in memory on which the commands of images run, and what is compared of it.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/desired_options.h"
#include "provisioner/cli/targets.h"
#include "provisioner/node/image_run.h"
#include "provisioner/node/status.h"
#include "provisioner/reconcile/report.h"
#include "tests/cli/settings_of_words.h"
#include "tests/support/borrowed_tree.h"
#include "tests/support/hive_checker.h"
#include "tests/support/hive_reader.h"
#include "tests/support/memory_host.h"
#include "tests/support/memory_tree.h"
#include "tests/support/program_file.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/sample_image.h"
#include "tests/support/sign_payload.h"

namespace prov::cli {

// With settings that nobody derived yet.
inline Result<reconcile::RunReport> PlanImage(machine::ImageHost& image, const node::Settings& settings,
                                              const node::ApplyOptions& options,
                                              const node::ImageOptions& image_options) {
  return node::PlanImage(image, PROV_TRY(node::Derive(settings)), options, image_options);
}

}  // namespace prov::cli

namespace prov::cli::image_commands {

using images::RegKey;
using reconcile::RunReport;
using testing_support::MemoryTree;

inline constexpr std::string_view kSystem = "Windows/System32/config/SYSTEM";
inline constexpr std::string_view kSoftware = "Windows/System32/config/SOFTWARE";
inline const std::string kExe = testing_support::MakeProgram();

inline RegKey Hive(const MemoryTree& tree, std::string_view path) {
  const auto bytes = tree.At(path);
  EXPECT_TRUE(bytes) << path;
  if (!bytes) return {};
  const auto checked = images::CheckHive(*bytes);
  EXPECT_TRUE(checked) << path << ": " << checked.error().message << " at " << checked.error().where;
  auto root = images::ReadHive(*bytes);
  EXPECT_TRUE(root) << path;
  return root.value_or(RegKey{});
}

inline RegKey& Child(RegKey& root, const std::string& path) { return images::KeyAt(root, path); }

class ImageCommands : public ::testing::Test {
 protected:
  ImageCommands() {
    tree_.Put(kSystem, testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
    tree_.Put(kSoftware, testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
    tree_.Put("Windows/Setup/Scripts/SetupComplete.cmd", "echo the customer's own\r\n");
    tree_.Put("Users/somebody/file.txt", "not ours");
    tree_.Put("ProgramData/desktop.ini", "not ours");
  }

  node::Settings Settings(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {testing_support::SampleFolder() + "rendered-worker.json", "--service=containerd"};
    words.insert(words.end(), more.begin(), more.end());
    return Must(SettingsOf(live_, words));
  }

  static node::ImageOptions Install() {
    static const testing_support::TestSigner signer("Payload Signer");
    return {.install = true,
            .exe = payload::ReadProgramFile(kExe, "provisioner.exe").value(),
            .pin = {.signers = {signer.certificate}}};
  }

  std::unique_ptr<machine::ImageHost> Open(MemoryTree& tree) {
    return std::make_unique<machine::ImageHost>(std::make_unique<testing_support::BorrowedTree>(tree), live_.clock(),
                                                testing_support::kSampleWriteTime);
  }

  Result<RunReport> Apply(MemoryTree& tree, const node::Settings& settings, const node::ImageOptions& image_options,
                          const node::ApplyOptions& options = {}) {
    const auto host = Open(tree);
    auto done = PROV_TRY(node::ApplyToImage(*host, node::Derive(settings).value(), options, image_options));
    PROV_TRY(host->Commit());
    if (tree.WritesTogether()) PROV_TRY(tree.Commit());
    return done;
  }

  Result<RunReport> Remove(MemoryTree& tree, bool all) {
    const auto host = Open(tree);
    auto done = PROV_TRY(node::RemoveFromImage(*host, all));
    PROV_TRY(host->Commit());
    if (tree.WritesTogether()) PROV_TRY(tree.Commit());
    return done;
  }

  node::NodeStatus Status(MemoryTree& tree) {
    const auto host = Open(tree);
    const auto target = Must(OpenTarget(*host, machine::Access::kRead));
    node::OpenNode node = target.Node(*host);
    return Must(node::StatusOf(node, &host->tree()));
  }

  // Of the state record, as a document.
  static std::optional<std::string> Section(MemoryTree tree, std::string_view name) {
    machine::ImageStateFolder folder(tree);
    const auto section = machine::StateRecord(folder).Read(name);
    EXPECT_TRUE(section) << section.error().message;
    return section && *section ? std::optional((*section)->Json()) : std::nullopt;
  }

  // The image in a tree that writes each file by itself, or all together.
  MemoryTree ImageIn(MemoryTree::Durable durable) const {
    MemoryTree tree(durable);
    for (const auto& [path, file] : tree_.content().files) {
      if (file.use == images::FileUse::kSecret) {
        EXPECT_TRUE(tree.Write(file.spelling, file.bytes, file.use));
      } else {
        tree.Put(file.spelling, file.bytes);
      }
    }
    if (tree.WritesTogether()) {
      EXPECT_TRUE(tree.Commit());
    }
    tree.calls = 0;
    return tree;
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

inline Seen Look(const MemoryTree& tree) {
  Seen out{tree.content().files, tree.content().folders, Hive(tree, kSystem), Hive(tree, kSoftware)};
  std::erase_if(out.files, [](const auto& file) { return file.first.find("/config/") != std::string::npos; });
  // A copy that is one commit ahead of the record beside it says nothing of its own.
  const auto copy =
      std::ranges::find_if(out.files, [](const auto& file) { return file.first.ends_with("/state.previous.json"); });
  const bool record =
      std::ranges::any_of(out.files, [](const auto& file) { return file.first.ends_with("/state.json"); });
  if (copy != out.files.end() && record) out.files.erase(copy);
  return out;
}

// Whether a kill left another image than the kill before: a call that only reads leaves the same.
class LastImage {
 public:
  bool IsOther(const MemoryTree& tree) {
    if (seen_ == tree.content()) return false;
    seen_ = tree.content();
    return true;
  }

 private:
  std::optional<MemoryTree::Content> seen_;
};

}  // namespace prov::cli::image_commands
