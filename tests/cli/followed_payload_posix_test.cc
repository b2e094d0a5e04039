// A payload that a node follows, in folders of a real system: files that a user puts there never get into a store.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/make_certificate.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;
using machine_commands::MachineCommands;
using testing::HasSubstr;

class FollowedPayload : public MachineCommands {
 protected:
  FollowedPayload() {
    host_.paths = &machine::LivePaths();
    payload_ = Bake("payload", {"--generation", "1"});
    WriteSource(test::MakeCertificate({.subject = {{"CN", "of a user"}}}).pem);
    planted_ = Bake("planted", {"--generation", "2"});
    Close();
  }

  // As an administrator leaves it, whatever the umask is.
  void Close() {
    const auto mode = [](const fs::path& path) {
      ASSERT_EQ(chmod(path.c_str(), fs::is_directory(path) ? 0755 : 0644), 0);
    };
    mode(root_);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root_)) mode(entry.path());
  }

  // What a user who may write the files makes of them: a payload with another CA, whole and with its manifest.
  void Plant() {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(payload_)) {
      if (entry.is_regular_file()) fs::remove(entry.path());
    }
    fs::copy(planted_, payload_, fs::copy_options::recursive);
    Close();
  }

  // One of those that go into ROOT, by itself.
  std::string Certificate() const {
    const fs::directory_iterator found(payload_ + "/trust/ROOT");
    EXPECT_NE(found, fs::directory_iterator());
    return found->path().string();
  }

  // The last good settings stay in place, and the run says so.
  void ExpectRefused(const std::string& where) {
    const auto before = host_.memory.content().certificates;
    const auto round = Run(ReconcileCommand, {"--once"});
    ASSERT_TRUE(round) << round.error().message;
    EXPECT_EQ(round->exit, 12);
    EXPECT_EQ(host_.memory.content().certificates, before);
    const auto told = std::ranges::find(round->findings, "source-unavailable", &Finding::code);
    ASSERT_NE(told, round->findings.end());
    EXPECT_THAT(told->message, HasSubstr("owner"));
    EXPECT_EQ(told->where, where);
  }

  std::string payload_, planted_;
};

TEST_F(FollowedPayload, OfAUserComesIntoNoStore) {
  const auto boot = Run(FirstBootCommand, {payload_});
  ASSERT_TRUE(boot) << boot.error().message << " " << boot.error().where;
  const auto first = host_.memory.content().certificates;
  ASSERT_FALSE(first.empty());
  Plant();
  const std::vector<std::pair<std::string, mode_t>> rows = {{payload_ + "/manifest.json", 0666},
                                                            {payload_ + "/egress.json", 0664},
                                                            {Certificate(), 0646},
                                                            {payload_, 0777},
                                                            {payload_ + "/trust", 0775},
                                                            {root_.string(), 0777}};
  for (const auto& [path, mode] : rows) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    ExpectRefused(path);
    Close();
  }
  EXPECT_EQ(host_.memory.content().certificates, first);
  // Nothing but the rights kept it away.
  const auto round = Run(ReconcileCommand, {"--once"});
  ASSERT_TRUE(round) << round.error().message;
  EXPECT_EQ(round->exit, 0);
  EXPECT_NE(host_.memory.content().certificates, first);
}

}  // namespace
}  // namespace prov::cli
