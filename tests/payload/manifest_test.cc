#include "provisioner/payload/manifest.h"

#include <gtest/gtest.h>

#include "tests/payload/json_damage.h"
#include "tests/support/result.h"

namespace prov::payload {
namespace {

using testing_support::HasMember;
using testing_support::PathOf;
using testing_support::WithMember;
using testing_support::WithoutMember;

std::string GoodManifest() { return ManifestJson({{"a.txt", "text", false, "test"}, {"b/c", "", true, "test"}}, {7}); }

TEST(Manifest, IsReadAsItWasWritten) {
  const auto read = Must(ParseManifest(GoodManifest(), "m"));
  EXPECT_EQ(read.generation, 7);
  ASSERT_EQ(read.files.size(), 2U);
  EXPECT_EQ(read.files[0].path, "a.txt");
  EXPECT_EQ(read.files[0].bytes, 4U);
  EXPECT_EQ(read.files[0].sha256, "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1");
  EXPECT_EQ(read.files[1].path, "b/c");
  EXPECT_EQ(read.files[1].bytes, 0U);
}

TEST(Manifest, EveryMemberIsNeededAndTyped) {
  for (const std::string pointer :
       {"/schema", "/generation", "/files", "/files/0/path", "/files/0/sha256", "/files/1/bytes"}) {
    ASSERT_TRUE(HasMember(GoodManifest(), pointer)) << pointer;
    const auto absent = ParseManifest(WithoutMember(GoodManifest(), pointer), "m");
    ASSERT_FALSE(absent) << pointer;
    EXPECT_EQ(absent.error().code, Code::kType) << pointer << ": " << absent.error().message;
    const auto other = ParseManifest(WithMember(GoodManifest(), pointer, "true"), "m");
    ASSERT_FALSE(other) << pointer;
    EXPECT_EQ(other.error().code, Code::kType) << pointer << ": " << other.error().message;
    EXPECT_EQ(other.error().where, "m: " + PathOf(pointer));
  }
}

TEST(Manifest, ValuesThatAreNoneAreRefused) {
  const std::string digest(64, 'a');
  struct {
    std::string pointer;
    std::string value;
  } const kBad[] = {
      {"/files/0/bytes", "-1"},
      {"/files/0/sha256", "\"" + digest.substr(1) + "\""},
      {"/files/0/sha256", "\"" + digest + "a\""},
      {"/files/0/sha256", "\"" + digest.substr(1) + "g\""},
      {"/files/0/path", "\"\""},
      {"/files/0/path", "\"/etc/passwd\""},
      {"/files/0/path", "\"b/../../c\""},
      {"/files/0/path", "\"MANIFEST.json\""},
  };
  for (const auto& bad : kBad) {
    const auto read = ParseManifest(WithMember(GoodManifest(), bad.pointer, bad.value), "m");
    ASSERT_FALSE(read) << bad.pointer << " = " << bad.value;
    EXPECT_EQ(read.error().code, Code::kManifest) << bad.value;
    EXPECT_EQ(read.error().where, "m: " + PathOf(bad.pointer));
  }
}

TEST(Manifest, DigestsCountInEitherCase) {
  const std::string upper = WithMember(GoodManifest(), "/files/0/sha256", "\"" + std::string(64, 'A') + "\"");
  const auto read = Must(ParseManifest(upper, "m"));
  EXPECT_EQ(read.files[0].sha256, std::string(64, 'a'));
}

}  // namespace
}  // namespace prov::payload
