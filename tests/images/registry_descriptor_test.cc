#include <gtest/gtest.h>

#include "images/registry/descriptor.h"
#include "images/registry/hive_format.h"
#include "images/registry/security.h"

namespace prov::images {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSystem = "\x01\x01\0\0\0\0\0\x05\x12\0\0\0"sv;
constexpr std::string_view kAdministrators = "\x01\x02\0\0\0\0\0\x05\x20\0\0\0\x20\x02\0\0"sv;
constexpr std::string_view kUsers = "\x01\x02\0\0\0\0\0\x05\x20\0\0\0\x21\x02\0\0"sv;
constexpr std::string_view kEverybody = "\x01\x01\0\0\0\0\0\x01\0\0\0\0"sv;
constexpr std::string_view kCreatorOwner = "\x01\x01\0\0\0\0\0\x03\0\0\0\0"sv;
constexpr std::string_view kOneService =
    "\x01\x06\0\0\0\0\0\x05\x50\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x04\0\0\0\x05\0\0\0"sv;

std::string Ace(char kind, std::string_view sid) {
  std::string out = AllowAce(sid, 0, 0x20019);
  out[0] = kind;
  return out;
}

// Owner and group Administrators.
std::string Descriptor(const std::vector<std::string>& aces) {
  const std::string acl = MakeAcl(aces);
  return WriteParts({0x8004, kAdministrators, kAdministrators, {}, acl});
}

TEST(KeyDescriptor, KnowsWhomOnesOfOursLetIn) {
  EXPECT_TRUE(IsForAdministratorsOnly(SystemAdminsDescriptor()));
  EXPECT_FALSE(IsForAdministratorsOnly(SystemAdminsUsersDescriptor()));
}

TEST(KeyDescriptor, AnybodyElseWhoIsGrantedSomethingOpensIt) {
  EXPECT_TRUE(IsForAdministratorsOnly(
      Descriptor({Ace(0, kSystem), Ace(0, kAdministrators), Ace(0, kCreatorOwner), Ace(0, kOneService)})));
  EXPECT_TRUE(IsForAdministratorsOnly(Descriptor({Ace(1, kUsers), Ace(0, kSystem)}))) << "it denies";
  for (const std::string& other : {Ace(0, kUsers), Ace(0, kEverybody), Ace(9, kSystem),
                                   Ace(0, kAdministrators.substr(0, 12))}) {  // another kind; cut off within its SID
    EXPECT_FALSE(IsForAdministratorsOnly(Descriptor({Ace(0, kSystem), other}))) << other[0];
  }
}

TEST(KeyDescriptor, WithoutADaclEverybodyGetsIn) {
  std::string none = SystemAdminsDescriptor();
  regf::Store16(none.data() + 2, 0x8000);
  EXPECT_FALSE(IsForAdministratorsOnly(none));
  std::string null = SystemAdminsDescriptor();
  regf::Store32(null.data() + 16, 0);
  EXPECT_FALSE(IsForAdministratorsOnly(null));
  EXPECT_EQ(ForAdministratorsOnly(null), SystemAdminsDescriptor());
}

TEST(KeyDescriptor, ClosingTakesOthersOutAndKeepsTheRest) {
  const std::string open =
      Descriptor({Ace(1, kEverybody), Ace(0, kUsers), Ace(0, kSystem), Ace(0, kEverybody), Ace(0, kOneService)});
  const std::string closed = ForAdministratorsOnly(open);
  EXPECT_TRUE(IsSecurityDescriptor(closed));
  EXPECT_TRUE(IsForAdministratorsOnly(closed));
  std::string kept = Descriptor({Ace(1, kEverybody), Ace(0, kSystem), Ace(0, kOneService)});
  regf::Store16(kept.data() + 2, 0x9004);  // protected: the parent's entries don't come back
  EXPECT_EQ(closed, kept);
  EXPECT_EQ(ForAdministratorsOnly(closed), closed);
}

TEST(KeyDescriptor, TheReadersOfAClosedKeyKeepWhatTheyHaveAndAtLeastRead) {
  const Sids readers = {std::string(kEverybody), std::string(kOneService)};
  const std::string open = Descriptor({Ace(0, kEverybody), Ace(0, kUsers), Ace(0, kSystem)});
  const std::string closed = ForAdministratorsOnly(open, readers);
  std::string service = Ace(0, kOneService);
  service[1] = 0x02;  // subkeys, too
  std::string wanted = Descriptor({Ace(0, kEverybody), Ace(0, kSystem), service});
  regf::Store16(wanted.data() + 2, 0x9004);
  EXPECT_EQ(closed, wanted);
  EXPECT_TRUE(IsForAdministratorsOnly(closed, readers));
  EXPECT_FALSE(IsForAdministratorsOnly(closed));
  EXPECT_EQ(ForAdministratorsOnly(closed, readers), closed);
  EXPECT_EQ(OthersGranted(open), (Sids{std::string(kEverybody), std::string(kUsers)}));
  EXPECT_EQ(OthersGranted(closed), Sids{std::string(kEverybody)});
  EXPECT_TRUE(GrantsRead(closed, kOneService));
  EXPECT_FALSE(GrantsRead(closed, kUsers));
  std::string for_subkeys = Ace(0, kUsers);
  for_subkeys[1] = 0x0A;
  EXPECT_FALSE(GrantsRead(Descriptor({for_subkeys}), kUsers));
  EXPECT_TRUE(GrantsRead(ForAdministratorsOnly("", readers), kOneService));
  EXPECT_FALSE(GrantsRead("", kUsers));
}

TEST(KeyDescriptor, WhatIsNoDescriptorIsReplaced) {
  for (const std::string_view bytes : {""sv, "x"sv, "\x01\0\x04\x80garbage garbage garbage"sv}) {
    EXPECT_FALSE(IsForAdministratorsOnly(bytes));
    EXPECT_EQ(ForAdministratorsOnly(bytes), SystemAdminsDescriptor());
  }
}

TEST(KeyDescriptor, IsPrintedInNumbers) {
  const auto text = TextOf(Descriptor({Ace(0, kSystem), Ace(1, kUsers), Ace(0, kOneService), Ace(9, kSystem)}));
  ASSERT_TRUE(text);
  EXPECT_EQ(text->owner, "S-1-5-32-544");
  EXPECT_EQ(text->dacl,
            "D:(A;;0x20019;;;S-1-5-18)(D;;0x20019;;;S-1-5-32-545)(A;;0x20019;;;S-1-5-80-1-2-3-4-5)(?;;;;;)");
  EXPECT_EQ(TextOf(Descriptor({Ace(0, kAdministrators.substr(0, 12))}))->dacl, "D:(?;;;;;)");
  std::string none = SystemAdminsDescriptor();
  regf::Store16(none.data() + 2, 0x8000);
  regf::Store32(none.data() + 4, 0);
  EXPECT_EQ(TextOf(none)->owner, "");
  EXPECT_EQ(TextOf(none)->dacl, "");
  EXPECT_EQ(TextOf("no descriptor"), std::nullopt);
}

}  // namespace
}  // namespace prov::images
