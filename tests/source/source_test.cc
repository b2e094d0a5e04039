#include "provisioner/source/source.h"

#include <gtest/gtest.h>

namespace prov::source {
namespace {

TEST(Source, AMissingFileIsNotFound) {
  const auto read = Read("/no/such/file.json", {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kNotFound);
  EXPECT_EQ(read.error().where, "/no/such/file.json");
}

TEST(Source, UrisAreRefusedWithoutShowingThem) {
  const auto read = Read("https://user:secret@example.com/x", {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kScheme);
  EXPECT_EQ(read.error().message.find("secret"), std::string::npos);
  EXPECT_EQ(read.error().where, "https");
}

TEST(Source, ReadsAFile) {
  const auto read = Read(TEST_SOURCE_DIR "/sample/rendered-worker.json", {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->certificates.size(), 3U);
}

TEST(Source, AWrongNameIsNotFound) {
  ignition::Selection selection;
  selection.name = "rendered-worker-00000000000000000000000000000000";
  const auto read = Read(TEST_SOURCE_DIR "/sample/rendered-worker.json", selection);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::kNotFound);
}

}  // namespace
}  // namespace prov::source
