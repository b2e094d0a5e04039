#include "provisioner/base/printable_json.h"

#include <gtest/gtest.h>

#include <string>

namespace prov {
namespace {

TEST(PrintableJson, LeavesWhatATerminalMaySee) {
  for (const std::string text :
       {"", "{\"a\": \"\\u001b ok\"}\n", "\"\xc3\xbc \xc2\xa0 \xe5\x90\x8d \xf0\x9f\x98\x80\""})
    EXPECT_EQ(PrintableJson(text), text);
}

TEST(PrintableJson, EscapesDelAndTheControlsBehindIt) {
  EXPECT_EQ(PrintableJson("[\"\x7f \xc2\x80 \xc2\x9b \xc2\x9f \xc2\xa0\"]"),
            "[\"\\u007f \\u0080 \\u009b \\u009f \xc2\xa0\"]");
}

TEST(PrintableJson, EscapesOverridesOfTheDirectionOfText) {
  EXPECT_EQ(PrintableJson("\"\xe2\x80\xae \xe2\x80\xa8 \xd8\x9c \xe2\x81\xa9 \xc3\xbc\""),
            "\"\\u202e \\u2028 \\u061c \\u2069 \xc3\xbc\"");
}

}  // namespace
}  // namespace prov
