#include "ignition/version.h"

#include <gtest/gtest.h>

#include "provisioner/base/text.h"

namespace prov::ignition {
namespace {

TEST(ParseSpecVersion, AcceptsWhatClustersServe) {
  const std::pair<const char*, std::pair<unsigned, unsigned>> rows[] = {
      {"2.0.0", {2, 0}},  {"2.1.0", {2, 1}}, {"2.2.0", {2, 2}}, {"3.0.0", {3, 0}},
      {"3.1.0", {3, 1}},  {"3.2.0", {3, 2}}, {"3.3.0", {3, 3}}, {"3.4.0", {3, 4}},
      {"3.5.0", {3, 5}},  {"3.6.0", {3, 6}}, {"3.7.0", {3, 7}}, {"3.7.0-experimental", {3, 7}},
      {"3.12.0", {3, 12}}};
  for (const auto& [text, expected] : rows) {
    const auto version = ParseSpecVersion(text, "w");
    ASSERT_TRUE(version) << text;
    EXPECT_EQ(std::pair(version->major, version->minor), expected) << text;
  }
}

TEST(ParseSpecVersion, RefusesEverythingElse) {
  for (const std::string_view text :
       Split("|3|3.|3.2|3..0|3.0|3.2.1|3.2.00|3.02.0|2.3.0|2.4.0|4.0.0|1.0.0|3.4.0-experimental|3.6.0-experimental|"
             "3.-1.0|3.+7.0|3.x.0|v3.2.0| 3.2.0|3.2.0 |3.99999999999999999999.0|3.10000.0|3.7.0-beta|3.0.0\n",
             '|')) {
    const auto version = ParseSpecVersion(text, "$.ignition.version");
    ASSERT_FALSE(version) << text;
    EXPECT_EQ(version.error().code, Code::kVersion) << text;
    EXPECT_EQ(version.error().where, "$.ignition.version");
  }
}

}  // namespace
}  // namespace prov::ignition
