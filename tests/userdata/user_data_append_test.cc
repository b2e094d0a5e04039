#include "provisioner/userdata/user_data_append.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::userdata {
namespace {

using testing::HasSubstr;

TEST(ForeignUserData, TakesTagsOffAndNothingElse) {
  const auto read = ReadForeignUserData("<powershell>\n\tx\r\n\n</powershell>\n<persist>true</persist>\n", "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->script, "\n\tx\r\n\n");
  EXPECT_TRUE(read->tagged);
  EXPECT_TRUE(read->persist);
}

TEST(ForeignUserData, TakesTagsWithoutCase) {
  const auto read = ReadForeignUserData("<PowerShell>X</POWERSHELL>\n<Persist>True</persist>", "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->script, "X");
  EXPECT_TRUE(read->persist);
}

TEST(ForeignUserData, TakesAScriptWithoutTags) {
  const auto read = ReadForeignUserData("# c\nfunction f { param($x) }\n", "x");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->script, "# c\nfunction f { param($x) }\n");
  EXPECT_FALSE(read->tagged);
  EXPECT_FALSE(read->persist);
}

struct Refused {
  const char* bytes;
  const char* reason;
};

TEST(ForeignUserData, RefusesWhatWouldNotDoTheSameAnyMore) {
  const Refused cases[] = {
      {"\x1f\x8b\x08", "compressed"},
      {"\xef\xbb\xbfWrite-Host 1", "byte order mark"},
      {"\xff\xfeW", "UTF-16"},
      {"#cloud-config\nruncmd: []\n", "cloud-config"},
      {"Content-Type: multipart/mixed; boundary=x\n", "MIME"},
      {"version: 1.1\ntasks: []\n", "--ec2launch 2"},
      {"#ps1_sysnative\nx\n", "cloudbase-init"},
      {"#!/bin/sh\n", "shell script"},
      {"rem cmd\n", "batch"},
      {"<powershell>x</powershell><script>y</script>", "batch"},
      {"<powershell>x</powershell><powershell>y</powershell>", "exactly one"},
      {"<powershell>x", "exactly one"},
      {"x</powershell>", "exactly one"},
      {"</powershell>x<powershell>", "exactly one"},
      {"<powershell>x</powershell><detach>true</detach>", "more around"},
      {"<powershell>x</powershell><persist>false</persist>", "more around"},
      {"y<powershell>x</powershell>", "more around"},
      {"<powershell>param($a)\n</powershell>", "param"},
      {"# c\n<# d\n#>\nParam (\n$a)", "param"},
      {"[CmdletBinding()]param()", "param"},
      {"using namespace System\n", "param"},
      {"Write-Host '\xc3\xa9'", "ASCII"},
      {"", "no script"},
      {"<powershell>\n</powershell>", "no script"},
      {"$d = \"$p\\ProvisionerUserData\"", "already"},
      // Agents read tags without case, and anywhere.
      {"<PowerShell>x</powershell><POWERSHELL>y</powershell>", "exactly one"},
      {"<SCRIPT>x</SCRIPT>", "batch"},
      {"<powershell>\n# <persist>true</persist>\nx\n</powershell>", "names a tag"},
      {"Write-Host '<persist>TRUE</persist>'", "names a tag"},
      {"Write-Host '</Detach>'", "names a tag"},
      {"x <runAsLocalSystem>true", "names a tag"},
      // Blanks and comments before what makes a form.
      {"\n\n#cloud-config\n", "cloud-config"},
      {"## template: jinja\n#cloud-config\n", "cloud-config"},
      {"content-type: multipart/mixed\n", "MIME"},
      {"# ours\nversion: 1.0\ntasks: []\n", "--ec2launch 2"},
      {"---\nversion: 1.0\n", "YAML"},
      {" #ps1\nx\n", "cloudbase-init"},
      {"Rem Cmd\n", "batch"},
      // What may stand before parameters.
      {"[Parameter()]\n[Diagnostics.CodeAnalysis.SuppressMessage('[', \"]\")]\nparam ($a)", "param"},
      {"# c\n[CmdletBinding(DefaultParameterSetName='x')]\n# d\nparam\n(\n$a)", "param"},
      {"begin { 1 }\n", "named block"},
  };
  for (const Refused& refused : cases) {
    const auto read = ReadForeignUserData(refused.bytes, "FILE");
    ASSERT_FALSE(read) << refused.bytes;
    EXPECT_EQ(read.error().code, Code::kKind);
    EXPECT_EQ(read.error().where, "FILE");
    EXPECT_THAT(read.error().message, HasSubstr(refused.reason)) << refused.bytes;
  }
  EXPECT_FALSE(ReadForeignUserData(std::string("a\0b", 3), "FILE"));
}

TEST(ForeignUserData, WordsThatOnlyBeginLikeAParameterBlockAreFine) {
  EXPECT_TRUE(ReadForeignUserData("parameters\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("$param = 1\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("[Net.ServicePointManager]::SecurityProtocol = 'Tls12'\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("# a comment\n#!no first line\nbeginning\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("# only a comment", "x"));
  EXPECT_TRUE(ReadForeignUserData("[unfinished", "x"));
}

}  // namespace
}  // namespace prov::userdata
