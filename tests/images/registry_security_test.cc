#include <gtest/gtest.h>

#include "images/registry/security.h"
#include "provisioner/base/text.h"

namespace prov::images {
namespace {

TEST(HiveSecurity, DescriptorsByteForByte) {
  const std::string sy =
      "00021400"
      "3f000f00"
      "010100000000000512000000";
  const std::string ba =
      "00021800"
      "3f000f00"
      "01020000000000052000000020020000";
  const std::string bu =
      "00021800"
      "19000200"
      "01020000000000052000000021020000";
  const std::string owner_and_group =
      "01020000000000052000000020020000"
      "01020000000000052000000020020000";
  EXPECT_EQ(ToHex(SystemAdminsUsersDescriptor()),
            "01000480"
            "60000000"
            "70000000"
            "00000000"
            "14000000"
            "02004c0003000000" +
                sy + ba + bu + owner_and_group);
  EXPECT_EQ(SystemAdminsUsersDescriptor().size(), 128U);
  EXPECT_EQ(ToHex(SystemAdminsDescriptor()),
            "01000480"
            "48000000"
            "58000000"
            "00000000"
            "14000000"
            "0200340002000000" +
                sy + ba + owner_and_group);
  EXPECT_EQ(SystemAdminsDescriptor().size(), 104U);
}

struct Change {
  std::size_t at;
  std::string hex;
  const char* what;
};

std::string Changed(const Change& change) {
  std::string out = SystemAdminsUsersDescriptor();
  const std::string bytes = FromHex(change.hex).value();
  return out.replace(change.at, bytes.size(), bytes);
}

TEST(HiveSecurity, AcceptsWhatIsWellFormed) {
  EXPECT_TRUE(IsSecurityDescriptor(SystemAdminsUsersDescriptor()));
  EXPECT_TRUE(IsSecurityDescriptor(SystemAdminsUsersDescriptor() + "slack"));
  for (const Change& change :
       {Change{4, "00000000", "no owner"}, Change{8, "00000000", "no group"}, Change{16, "00000000", "a null DACL"},
        Change{2, "0080", "DACL absent, its offset unused"}, Change{12, "ffffffff", "SACL absent, its offset unused"},
        Change{2, "1480", "SACL present but null"}, Change{24, "0000", "no entries"}}) {
    EXPECT_TRUE(IsSecurityDescriptor(Changed(change))) << change.what;
  }
}

TEST(HiveSecurity, RefusesWhatIsNot) {
  EXPECT_FALSE(IsSecurityDescriptor(""));
  EXPECT_FALSE(IsSecurityDescriptor(SystemAdminsUsersDescriptor().substr(0, 19)));
  EXPECT_FALSE(IsSecurityDescriptor(SystemAdminsUsersDescriptor().substr(0, 127))) << "group cut";
  for (const Change& change :
       {Change{0, "02", "revision"}, Change{2, "0400", "not self-relative"},
        Change{4, "13000000", "owner in the header"}, Change{4, "80000000", "owner behind the end"},
        Change{4, "7f000000", "owner cut"}, Change{8, "ffffffff", "group far away"}, Change{0x70, "02", "SID revision"},
        Change{0x71, "10", "16 sub-authorities"}, Change{0x71, "03", "SID cut"},
        Change{16, "ff000000", "DACL behind the end"}, Change{20, "01", "ACL revision too low"},
        Change{20, "05", "ACL revision too high"}, Change{22, "0700", "ACL shorter than its header"},
        Change{22, "ff00", "ACL longer than the rest"}, Change{24, "0400", "an entry too many"},
        Change{30, "0300", "entry shorter than its header"}, Change{30, "ff00", "entry longer than the ACL"},
        Change{16, "7c000000", "ACL cut"}}) {
    EXPECT_FALSE(IsSecurityDescriptor(Changed(change))) << change.what;
  }
  Change sacl{2, "1480", "SACL present and broken"};
  std::string bytes = Changed(sacl);
  bytes[12] = 0x13;
  EXPECT_FALSE(IsSecurityDescriptor(bytes)) << sacl.what;
}

}  // namespace
}  // namespace prov::images
