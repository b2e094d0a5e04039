#include "provisioner/machine/program_version.h"

#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/support/result.h"

namespace prov::machine {
namespace {

// A version resource as a resource compiler writes it: lengths and type, the key, the block's signature and version.
std::string Resource(std::string_view version, std::size_t padding = 4) {
  std::string out("\x24\x03\x34\x00\x00\x00", 6);
  out += ToUtf16Le("VS_VERSION_INFO");
  out.append(padding, '\0');
  out += std::string("\xBD\x04\xEF\xFE\x00\x00\x01\x00", 8);
  return out.append(version);
}

TEST(ProgramVersion, IsReadFromTheResource) {
  const std::string version("\x02\x00\x01\x00\x04\x00\x03\x00", 8);
  const auto found = Must(ProgramVersionOf("MZ program" + Resource(version) + "more"));
  EXPECT_EQ(found.Text(), "1.2.3.4");
}

TEST(ProgramVersion, LeavesOutAFourthPartOfZero) {
  const std::string version("\x01\x00\x00\x00\x00\x00\x2c\x01", 8);
  EXPECT_EQ(ProgramVersionOf(Resource(version))->Text(), "0.1.300");
}

// The key alone stands in each program that looks for it, this one included.
TEST(ProgramVersion, PassesOverAKeyWithoutABlock) {
  const std::string version("\x05\x00\x00\x00\x00\x00\x00\x00", 8);
  const auto found = Must(ProgramVersionOf(ToUtf16Le("VS_VERSION_INFO") + std::string(64, 'x') + Resource(version)));
  EXPECT_EQ(found.Text(), "0.5.0");
}

TEST(ProgramVersion, IsNotGuessed) {
  const std::string version("\x05\x00\x00\x00\x00\x00\x00\x00", 8);
  EXPECT_FALSE(ProgramVersionOf(""));
  EXPECT_FALSE(ProgramVersionOf("MZ"));
  EXPECT_FALSE(ProgramVersionOf(Resource(version).substr(0, Resource(version).size() - 1))) << "cut short";
  EXPECT_FALSE(ProgramVersionOf(Resource(version, 12))) << "the block is elsewhere";
}

}  // namespace
}  // namespace prov::machine
