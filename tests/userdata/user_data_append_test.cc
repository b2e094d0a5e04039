#include "provisioner/userdata/user_data_append.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result.h"

namespace prov::userdata {
namespace {

using testing::HasSubstr;

TEST(ForeignUserData, TakesTagsOffAndNothingElse) {
  const auto read = Must(ReadForeignUserData("<powershell>\n\tx\r\n\n</powershell>\n<persist>true</persist>\n", "x"));
  EXPECT_EQ(read.script, "\n\tx\r\n\n");
  EXPECT_TRUE(read.persist);
}

TEST(ForeignUserData, TakesTagsWithoutCase) {
  const auto read = Must(ReadForeignUserData("<PowerShell>X</POWERSHELL>\n<Persist>True</persist>", "x"));
  EXPECT_EQ(read.script, "X");
  EXPECT_TRUE(read.persist);
}

TEST(ForeignUserData, TakesAScriptWithoutTags) {
  const auto read = Must(ReadForeignUserData("# c\nfunction f { param($x) }\n", "x"));
  EXPECT_EQ(read.script, "# c\nfunction f { param($x) }\n");
  EXPECT_FALSE(read.persist);
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
      {"version: 1.1\ntasks: []\n", "EC2Launch's YAML"},
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
      {"# ours\nversion: 1.0\ntasks: []\n", "EC2Launch's YAML"},
      {"---\nversion: 1.0\n", "YAML"},
      {" #ps1\nx\n", "cloudbase-init"},
      {"Rem Cmd\n", "batch"},
      // What may stand before parameters.
      {"[Parameter()]\n[Diagnostics.CodeAnalysis.SuppressMessage('[', \"]\")]\nparam ($a)", "param"},
      {"# c\n[CmdletBinding(DefaultParameterSetName='x')]\n# d\nparam\n(\n$a)", "param"},
      {"begin { 1 }\n", "named block"},
      // What somebody has who took userData out of a Secret, or the Secret of Linux machines.
      {"PHBvd2Vyc2hlbGw+V3JpdGUtSG9zdCAxPC9wb3dlcnNoZWxsPg==\n", "base64 -d"},
      {"PHBvd2Vyc2hlbGw+V3JpdGUtSG9z\ndCAxPC9wb3dlcnNoZWxsPg==", "base64 -d"},
      {"VwByAGkAdABlAC0ASABvAHMAdAA=", "base64 -d"},
      {"H4sIAAAAAAAAA6tW8lSyUogFAEjMkgUHAAAA", "base64 -d"},
      {"{\"ignition\":{\"version\":\"3.2.0\"}}", "windows-user-data"},
      {" {\n \"ignition\": {}}", "windows-user-data"},
      {"{\"a\": 1}", "JSON"},
      // What a command printed in the place of the Secret.
      {"NAME                TYPE     DATA   AGE\nwindows-user-data   Opaque   1      3d\n", "-o yaml"},
      {"Error from server (NotFound): secrets \"windows-user-data\" not found\n", "error message"},
      {"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "is a PEM file"},
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

TEST(ForeignUserData, WordsThatOnlyLookLikeBase64OrJsonAreFine) {
  EXPECT_TRUE(ReadForeignUserData("hostname\nipconfig\nhostname\nipconfig\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("Restart-Service\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("{ 1 }\n", "x"));
  EXPECT_TRUE(ReadForeignUserData("& { \"ignition\" }\n", "x"));
}

TEST(ForeignUserData, KnowsAScriptThatLetsTheOperatorIn) {
  EXPECT_TRUE(SetsUpKeys({"$f = \"$env:ProgramData\\ssh\\Administrators_Authorized_Keys\"\n"}));
  EXPECT_FALSE(SetsUpKeys({"Start-Service sshd\n"}));
  EXPECT_FALSE(IsOperators({"Start-Service sshd\n"}));
  EXPECT_TRUE(IsOperators({"Start-Service sshd\n", false, true})) << "its Secret is known by its name";
}

TEST(ForeignUserData, KnowsAScriptThatDownloads) {
  EXPECT_TRUE(DownloadsByWeb({"\tinvoke-WebRequest -Uri $Url\n"}));
  EXPECT_TRUE(DownloadsByWeb({"(New-Object Net.WebClient).DownloadFile($a, $b)\n"}));
  EXPECT_FALSE(DownloadsByWeb({"Add-WindowsCapability -Online -Name OpenSSH.Server~~~~0.0.1.0\n"}));
}

TEST(ForeignUserData, IsCurrentWhenItRunsBehindOursAsItIs) {
  const std::string step = "& {\n$d=\"$p\\ProvisionerUserData\"}catch{\"a\"\n$global:LASTEXITCODE=13}}\n";
  const auto current = [&](const std::string& ours, const ForeignUserData& theirs) {
    const auto result = RunsBehindOurs(ours, theirs, "OURS");
    EXPECT_TRUE(result) << result.error().message;
    return result && *result;
  };
  EXPECT_TRUE(current(step + "'a'\n", {"'a'\n"}));
  EXPECT_FALSE(current(step + "'b'\n", {"'a'\n"}));
  EXPECT_FALSE(current(step + "'a'\n'b'\n", {"'a'\n"}));
  EXPECT_FALSE(current(step + "'b'\n'a'\n", {"'a'\n"})) << "the operator's of today is the end of ours";
  EXPECT_FALSE(current(step + "if ($x) {\n1\n}\nexit $LASTEXITCODE\n", {"'a'\n"}));
  EXPECT_TRUE(current(step + "exit $LASTEXITCODE\n", {"exit $LASTEXITCODE\n"}));
  EXPECT_FALSE(current(step + "'b'\nif ($x) {\n1\n}\nexit 0\n", {"'a'\n"}));
  const std::string tagged = "<powershell>\n" + step + "'a'\n</powershell>";
  EXPECT_TRUE(current(tagged + "\n<persist>true</persist>", {"'a'\n", true}));
  EXPECT_TRUE(current(tagged, {"'a'\n"}));
  EXPECT_FALSE(current(tagged, {"'a'\n", true}));
  EXPECT_FALSE(current(tagged + "\n<persist>true</persist>", {"'a'\n"}));
  EXPECT_TRUE(current(step + "'a'\n\n--===provisioner===--\n", {"'a'\n"}));
  for (const std::string& none : {std::string("'a'\n"), step + "exit $LASTEXITCODE\n",
                                  step + "exit ($LASTEXITCODE,1002)[$LASTEXITCODE -in 13..15]\n"}) {
    const auto result = RunsBehindOurs(none, {"'a'\n"}, "OURS");
    ASSERT_FALSE(result) << none;
    EXPECT_EQ(result.error().code, Code::kKind);
    EXPECT_EQ(result.error().where, "OURS");
  }
}

}  // namespace
}  // namespace prov::userdata
