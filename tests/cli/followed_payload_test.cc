// A payload that a node follows: files that a user puts there never get into a store.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/make_certificate.h"
#include "tests/support/result.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;
using machine_commands::MachineCommands;
using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;

class FollowedPayload : public MachineCommands {};

TEST_F(FollowedPayload, OfAUserComesIntoNoStore) {
  const std::string payload = Bake("payload", {"--generation", "1"});
  Must(Run(FirstBootCommand, {payload}));
  const auto first = host_.memory.content().certificates;
  ASSERT_FALSE(first.empty());
  // What a user who may write the files makes of them: a payload with another CA, whole and with its manifest.
  WriteSource(test::MakeCertificate({.subject = {{"CN", "of a user"}}}).pem);
  const std::string planted = Bake("planted", {"--generation", "2"});
  fs::remove_all(payload);
  fs::copy(planted, payload, fs::copy_options::recursive);
  host_.source_error = Error{Code::kOwner, "Users may change it", payload};
  const auto refused = Must(Run(ReconcileCommand, {"--once"}));
  EXPECT_EQ(refused.exit, 12);
  EXPECT_EQ(host_.memory.content().certificates, first);
  const auto told = std::ranges::find(refused.findings, "source-unavailable", &Finding::code);
  ASSERT_NE(told, refused.findings.end());
  EXPECT_THAT(told->message, HasSubstr("owner"));
  EXPECT_EQ(told->where, payload);
  // Nothing but the rights kept it away, and they are checked for each file.
  host_.source_error.reset();
  host_.checked_sources.clear();
  const auto round = Must(Run(ReconcileCommand, {"--once"}));
  EXPECT_EQ(round.exit, 0);
  EXPECT_NE(host_.memory.content().certificates, first);
  EXPECT_THAT(host_.checked_sources, Contains(payload));
  for (const auto& entry : fs::recursive_directory_iterator(payload)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_THAT(host_.checked_sources, Contains(EndsWith(entry.path().filename().string())));
  }
}

}  // namespace
}  // namespace prov::cli
