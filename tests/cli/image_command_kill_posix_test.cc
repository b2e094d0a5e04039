// The same on a folder of this system, killed at some of its system calls; image_command_kill_test.cc covers every call
// of the image's files.
#include <gmock/gmock.h>

#include <filesystem>

#include "images/tree/folder_tree.h"
#include "tests/cli/image_command_fixture.h"
#include "tests/cli/settings_of_words.h"
#include "tests/images/image_folder.h"
#include "tests/support/amount.h"
#include "tests/support/stop_at_call.h"

namespace prov::cli {
namespace {

using image_commands::kSoftware;
using image_commands::kSystem;
using images::testing::ImageFolder;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::RunAndStopAt;
using testing_support::Stopped;

constexpr std::string_view kStateOnDisk = "ProgramData/Provisioner/";

class ImageFolderKill : public ::testing::Test {
 protected:
  ImageFolderKill() {
    old_ = Payload(4, "http://old.example.com:3128");
    new_ = Payload(7, "http://new.example.com:3128");
  }

  node::Settings Payload(std::int64_t generation, const std::string& proxy) {
    const std::vector<std::string> words = {testing_support::SampleFolder() + "rendered-worker.json",
                                            "--service=containerd", "--credentials=none"};
    auto settings = SettingsOf(live_, words);
    EXPECT_TRUE(settings) << settings.error().message;
    settings->config.http_proxy = Secret(proxy);
    settings->generation = generation;
    settings->payload = std::to_string(generation);
    settings->signer = "signer";
    return *std::move(settings);
  }

  using Step = std::function<Result<void>(machine::ImageHost&)>;
  bool Do(const ImageFolder& image, const Step& step) {
    auto tree = images::OpenFolderTree(image.root(), images::TreeAccess::kWrite);
    if (!tree) return false;
    machine::ImageHost host(*std::move(tree), live_.clock(), testing_support::kSampleWriteTime);
    return step(host) && host.Commit();
  }
  Step Applying(const node::Settings& settings) {
    return [settings](machine::ImageHost& host) -> Result<void> {
      PROV_TRY(node::ApplyToImage(host, PROV_TRY(node::Derive(settings)), {}, {}));
      return {};
    };
  }
  static Result<void> EndingWhatIsOpen(machine::ImageHost& host) {
    const Target target = PROV_TRY(OpenTarget(host, machine::Access::kWrite));
    node::OpenNode node = target.Node(host);
    node::BegunRun run = PROV_TRY(node::BeginRun(node));
    return node::PrepareToPlan(node, run);
  }
  static Result<void> Removing(machine::ImageHost& host) {
    PROV_TRY(node::RemoveFromImage(host, false));
    return {};
  }

  static void Put(const ImageFolder& image) {
    image.Put(std::string(kSystem), testing_support::SampleHive(testing_support::SampleSystem(), "SYSTEM"));
    image.Put(std::string(kSoftware), testing_support::SampleHive(testing_support::SampleSoftware(), "SOFTWARE"));
  }

  // Its state files, in one text; hives are compared where the image is in memory.
  static std::string StateOf(const ImageFolder& image) {
    std::string out;
    for (const std::string_view file : {machine::kStateFile, machine::kJournalFile}) {
      const std::string path = std::string(kStateOnDisk) + std::string(file);
      out += std::string(file) + ":" + (std::filesystem::exists(image.At(path)) ? image.Get(path) : "-") + "\n";
    }
    return out;
  }

  void StopEverywhere(const std::vector<Step>& before, const Step& command) {
    const std::string where = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : ::testing::TempDir();
    const auto prepared = [&](const ImageFolder& image) {
      Put(image);
      for (const Step& step : before) ASSERT_TRUE(Do(image, step));
    };
    const ImageFolder start(where);
    prepared(start);
    const std::string old_state = StateOf(start);
    ASSERT_TRUE(Do(start, command));
    const std::string new_state = StateOf(start);
    for (std::size_t call = 0;; call += 29 * testing_support::CallStride()) {  // there are thousands
      const ImageFolder image(where);
      prepared(image);
      const Stopped stopped = RunAndStopAt(call, [&] { return Do(image, command); });
      const ImageFolder copy(where);
      std::filesystem::copy(
          image.root(), copy.root(),
          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
      ASSERT_TRUE(Do(copy, EndingWhatIsOpen));
      ASSERT_THAT(StateOf(copy), AnyOf(old_state, new_state)) << "after call " << call;
      ASSERT_TRUE(Do(image, command)) << "after call " << call;
      ASSERT_EQ(StateOf(image), new_state) << "after call " << call;
      ASSERT_THAT(image.Entries(), Not(HasSubstr("provisioner-new"))) << "after call " << call;
      if (stopped == Stopped::kFinished) break;
      ASSERT_LT(call, 100000U);
    }
  }

  testing_support::MemoryHost live_;
  node::Settings old_, new_;
};

TEST_F(ImageFolderKill, ApplyIsOldOrNew) { StopEverywhere({Applying(old_)}, Applying(new_)); }

TEST_F(ImageFolderKill, RemoveIsOldOrNew) { StopEverywhere({Applying(old_)}, Removing); }

}  // namespace
}  // namespace prov::cli
