#include "provisioner/source/mirror_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace prov::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

Result<registries::Mirrors> Read(const std::string& text) {
  Findings findings;
  return ReadMirrorFile(text, "FILE", findings);
}

TEST(MirrorFile, IsARegistriesConf) {
  for (const std::string start : {"", "\n", "# a comment {\n", "unqualified-search-registries = []\n"}) {
    const auto mirrors = Read(start + "[[registry]]\nlocation = \"a.io\"\n");
    ASSERT_TRUE(mirrors) << start << mirrors.error().message;
    EXPECT_THAT(mirrors->registries, SizeIs(1)) << start;
    EXPECT_THAT(mirrors->places, ElementsAre("FILE"));
  }
  const auto broken = Read("[[registry]]\nlocation = 1\n");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::kRegistries);
}

TEST(MirrorFile, IsWhatOcPrints) {
  const std::string set =
      R"({"apiVersion":"config.openshift.io/v1","kind":"ImageTagMirrorSet","metadata":{"name":"t"},"spec":{"imageTagMirrors":[{"source":"a.io","mirrors":["m.io"]}]}})";
  for (const std::string& text :
       {set, R"( {"kind":"List","items":[)" + set + "]}",
        std::string("apiVersion: config.openshift.io/v1\nkind: ImageTagMirrorSet\nmetadata:\n  name: t\nspec:\n"
                    "  imageTagMirrors:\n  - source: a.io\n    mirrors: [m.io]\n")}) {
    const auto mirrors = Read(text);
    ASSERT_TRUE(mirrors) << text << mirrors.error().message;
    EXPECT_THAT(mirrors->registries, SizeIs(1)) << text;
    EXPECT_THAT(mirrors->places, ElementsAre("ImageTagMirrorSet t"));
  }
}

TEST(MirrorFile, AnotherDocumentIsNamed) {
  const auto other = Read(R"({"kind":"Pod","apiVersion":"v1"})");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::kKind);
  EXPECT_THAT(other.error().message, HasSubstr("imagedigestmirrorsets"));
  const auto broken = Read("{");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().file, "FILE");
}

}  // namespace
}  // namespace prov::source
