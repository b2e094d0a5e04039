#include "provisioner/source/mirror_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/result.h"

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
  EXPECT_EQ(ErrorIn(Read("[[registry]]\nlocation = 1\n")).code, Code::kRegistries);
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
  const Error other = ErrorIn(Read(R"({"kind":"Pod","apiVersion":"v1"})"));
  EXPECT_EQ(other.code, Code::kKind);
  EXPECT_THAT(other.message, HasSubstr("imagedigestmirrorsets"));
  const Error broken = ErrorIn(Read("{"));
  EXPECT_EQ(broken.file, "FILE");
}

}  // namespace
}  // namespace prov::source
