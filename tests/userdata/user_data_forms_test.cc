#include "provisioner/userdata/user_data_forms.h"

#include <gtest/gtest.h>

#include "tests/userdata/user_data_reader.h"

namespace prov::userdata {
namespace {

using testing_support::DecodeAscii85;

// What Python's base64.a85encode makes of these.
TEST(Ascii85, IsWhatOthersCallSo) {
  EXPECT_EQ(EncodeAscii85("Man is distinguished by it's reason!!!!!"),
            "9jqo^BlbD-BleB1DJ+*+F(f,q+C]U=Blk_D+ED%%F)Pq>+X&!P");
}

TEST(Ascii85, HasNoShortForms) {
  EXPECT_EQ(EncodeAscii85(""), "");
  EXPECT_EQ(EncodeAscii85(std::string(4, '\0')), "!!!!!");
  EXPECT_EQ(EncodeAscii85("\xff\xff\xff\xff"), "s8W-!");
}

TEST(Ascii85, FillsTheLastGroupWithZeros) {
  EXPECT_EQ(EncodeAscii85("abcde"), EncodeAscii85(std::string("abcde\0\0\0", 8)));
}

TEST(Ascii85, IsReadBack) {
  std::string bytes;
  for (unsigned i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 167 % 256);
  EXPECT_EQ(DecodeAscii85(EncodeAscii85(bytes)), bytes);
}

}  // namespace
}  // namespace prov::userdata
