// Environment files and files of certificates by themselves.
#include "provisioner/source/text_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/source/document_helpers.h"

namespace prov::source {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(EnvironmentText, IsToldByItsFirstLine) {
  for (const char* text :
       {"HTTP_PROXY=http://p:1\n", "# comment\n\n  NO_PROXY = a\n", "export HTTPS_PROXY=x", "A=b: c\n", "; x\r\nA=\r\n",
        "# Written to /etc/mco/proxy.env\n", "set A=b\r\n", "setx A b", "$env:A = 'b'\n"}) {
    EXPECT_TRUE(IsEnvironmentText(text)) << text;
  }
  for (const char* text : {"", "\n", "# only a comment\n", "a: b=c\n", "- A=b\n", "---\nA=b\n", "[Service]\nA=b\n",
                           "=b\n", "a b=c\n", "# cut short, /etc/mco/proxy.env", "{\"A=\":1}"}) {
    EXPECT_FALSE(IsEnvironmentText(text)) << text;
  }
}

TEST(EnvironmentText, GivesTheSettingsAndNoStatementAboutCertificates) {
  const auto config = MustRead("HTTP_PROXY=http://u:p%40@p:1\nNO_PROXY=\nOTHER=x\n");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://u:p%40@p:1");
  EXPECT_FALSE(config.https_proxy);
  EXPECT_EQ(config.no_proxy, "");
  EXPECT_EQ(config.proxy_file.path, "input");
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, HasCode("no-trust-file"));
}

TEST(EnvironmentText, TheCommentsOfAClusterWithoutAProxyAreTheExplicitEmpty) {
  const auto config = MustRead("# Services read this with 'EnvironmentFile=/etc/mco/proxy.env'\n");
  EXPECT_TRUE(config.proxy_file.present);
  EXPECT_FALSE(config.http_proxy);
}

TEST(EnvironmentText, AnotherFileIsNotTakenForOneWithoutAProxy) {
  for (const char* text : {"KUBERNETES_SERVICE_HOST=api-int.example.com\n"}) {
    EXPECT_THAT(Failure(ReadText(text)), StartsWith("kind: the environment file assigns none of")) << text;
  }
  EXPECT_THAT(Failure(ReadText("# proxy\nexport HTTP_PROXY=http://p:1\n")),
              AllOf(StartsWith("kind: the environment file sets no proxy: `export` is of shell scripts"),
                    HasSubstr("write HTTP_PROXY=… alone (input, line 2)")));
  EXPECT_THAT(Failure(ReadText("http_proxy=http://p:1\n")),
              HasSubstr("write HTTP_PROXY if it is meant (input, line 1)"));
  EXPECT_THAT(Failure(ReadText(std::string("HTTP_PROXY=a\0b\n", 15))), StartsWith("env-nul: "));
  EXPECT_THAT(Failure(ReadText("HTTP_PROXY=\xFF\n")), StartsWith("env-utf8: "));
}

TEST(EnvironmentText, AUrlThatDoesNotCountIsNotTakenForNone) {
  for (const char* text : {"http_proxy=http://c4nary:1\nNO_PROXY=.svc\n", "HTTP_PROXY=\nHttp_Proxy=http://c4nary:1\n",
                           "NO_PROXY=.svc\nhttps_proxy=http://c4nary:1\n"}) {
    EXPECT_THAT(Failure(ReadText(text)), AllOf(StartsWith("kind: the environment file sets no proxy: "),
                                               HasSubstr("only the upper-case name counts"), Not(HasSubstr("c4nary"))))
        << text;
  }
  for (const char* line : {"export HTTP_PROXY=http://c4nary:1", "set HTTP_PROXY=http://c4nary:1",
                           "setx HTTP_PROXY http://c4nary:1 /M", "$env:HTTP_PROXY = \"http://c4nary:1\""}) {
    for (const std::string& text : {fmt::format("{}\nNO_PROXY=.svc\n", line), fmt::format("NO_PROXY=.svc\n{}\n", line),
                                    fmt::format("{}\n", line)}) {
      EXPECT_THAT(Failure(ReadText(text)), AllOf(StartsWith("kind: the environment file sets no proxy: `"),
                                                 HasSubstr("write HTTP_PROXY=… alone"), Not(HasSubstr("c4nary"))))
          << text;
    }
  }
  EXPECT_THAT(Failure(ReadText("NO_PROXY=.svc\nhttp_proxy=http://p:1\n")), HasSubstr("(input, line 2)"));
}

TEST(EnvironmentText, EmptyNamesInOtherFormsTakeNothingAway) {
  for (const char* text :
       {"HTTP_PROXY=http://p:1\nhttp_proxy=http://p:1\nexport HTTP_PROXY=http://p:1\n",
        "HTTPS_PROXY=http://p:1\nhttp_proxy=http://p:1\n", "HTTP_PROXY=\nhttp_proxy=\n",
        "NO_PROXY=.svc\nno_proxy=.svc\n", "HTTP_PROXY=\nexport HTTP_PROXY=\n", "HTTP_PROXY=\nset NO_PROXY=.svc\n"}) {
    EXPECT_TRUE(egress::StatesProxy(MustRead(text))) << text;
  }
}

TEST(UnitText, GivesTheVariablesOfItsService) {
  const auto config = MustRead(
      "# proxy\n[Service]\nEnvironment=\"HTTP_PROXY=http://u:a%%40b@p:1\"\nEnvironment='NO_PROXY=localhost,.svc' "
      "OTHER=%h\n[Install]\nWantedBy=x\n");
  EXPECT_EQ(config.source.kind, "SystemdUnit");
  EXPECT_EQ(config.http_proxy->Reveal(), "http://u:a%40b@p:1");
  EXPECT_EQ(config.no_proxy, "localhost,.svc");
  EXPECT_FALSE(config.trust_file.present);
  EXPECT_THAT(config.findings, Not(HasCode("not-read")));
  EXPECT_EQ(MustRead("[Service]\nEnvironment=HTTP_PROXY=http://u:%40@p:1\n").http_proxy->Reveal(), "http://u:%40@p:1");
  EXPECT_TRUE(MustRead("[Service]\nEnvironment=NO_PROXY=\n").no_proxy->empty()) << "an explicit empty one";
}

TEST(UnitText, SaysWhereTheVariablesAreElse) {
  const auto both = MustRead("[Service]\nEnvironment=HTTP_PROXY=http://p:1\nEnvironmentFile=-/etc/default/x\n");
  EXPECT_THAT(MessageOf(both.findings, "not-read"), HasSubstr("EnvironmentFile=-/etc/default/x"));
  EXPECT_THAT(Failure(ReadText("[Unit]\n[Service]\nEnvironmentFile=/etc/mco/proxy.env\n")),
              AllOf(StartsWith("kind: is a unit or drop-in"), HasSubstr("/etc/mco/proxy.env")));
  EXPECT_THAT(Failure(ReadText("[Manager]\nDefaultEnvironment=HTTP_PROXY=http://p:1\n")),
              StartsWith("kind: is a unit"));
  const auto filled_in = ReadText("[Service]\nEnvironment=HTTP_PROXY=http://u:c4nary%h@p:1\n");
  EXPECT_THAT(Failure(filled_in), AllOf(StartsWith("invalid-config: HTTP_PROXY has a '%' before a letter"),
                                        Not(HasSubstr("c4nary")), HasSubstr("(input, line 2)")));
}

TEST(UnitText, AUrlThatDoesNotCountIsNotTakenForNone) {
  EXPECT_THAT(Failure(ReadText("[Service]\nEnvironment=\"http_proxy=http://c4nary:1\" \"NO_PROXY=.svc\"\n")),
              AllOf(StartsWith("kind: the unit sets no proxy: http_proxy is not a setting"), HasSubstr("line 2"),
                    Not(HasSubstr("c4nary"))));
  EXPECT_TRUE(egress::StatesProxy(
      MustRead("[Service]\nEnvironment=HTTP_PROXY=http://p:1 http_proxy=http://p:1 NO_PROXY=.svc\n")));
  const auto passed = MustRead("[Service]\nEnvironment=NO_PROXY=.svc\nPassEnvironment=HTTP_PROXY https_proxy HOME\n");
  EXPECT_EQ(std::ranges::count(passed.findings, "not-read", &Finding::code), 2);
  EXPECT_THAT(MessageOf(passed.findings, "not-read"), HasSubstr("PassEnvironment=HTTP_PROXY"));
  EXPECT_FALSE(egress::StatesProxy(passed));
  const auto own = MustRead("[Service]\nPassEnvironment=HTTP_PROXY\nEnvironment=HTTP_PROXY=\n");
  EXPECT_THAT(own.findings, Not(HasCode("not-read"))) << "Environment= wins";
  const auto elsewhere =
      MustRead("[Unit]\nEnvironment=HTTP_PROXY=http://c4nary:1\n[Service]\nEnvironment=NO_PROXY=.svc\n");
  EXPECT_THAT(MessageOf(elsewhere.findings, "not-read"),
              AllOf(HasSubstr("HTTP_PROXY of Environment= in [Unit]"), Not(HasSubstr("c4nary"))));
  EXPECT_FALSE(egress::StatesProxy(elsewhere));
}

TEST(UnitText, WhatTheServiceDoesNotGetIsRefused) {
  const std::string unit = "[Service]\nEnvironment=HTTP_PROXY=http://p:1 NO_PROXY=.svc\n";
  EXPECT_THAT(Failure(ReadText(unit + "UnsetEnvironment=HOME \"HTTP_PROXY\"\n")),
              AllOf(StartsWith("invalid-config: UnsetEnvironment= takes HTTP_PROXY away"), HasSubstr("line 3")));
  for (const char* line : {"UnsetEnvironment=HOME http_proxy\n", "UnsetEnvironment=NO_PROXY\nUnsetEnvironment=\n"}) {
    EXPECT_EQ(MustRead(unit + line).no_proxy, ".svc") << line;
  }
}

TEST(Texts, HaveNoObjectsOfAName) {
  const ignition::Selection selection{.name = "x"};
  for (const std::string& text : {std::string("HTTP_PROXY=http://p:1\n"), Pem("corporate-root"),
                                  std::string("[Service]\nEnvironment=HTTP_PROXY=http://p:1\n")}) {
    EXPECT_THAT(Failure(ReadText(text, selection)), AllOf(StartsWith("not-found: is a"), HasSubstr("no object x")));
  }
}

TEST(CertificateText, MayBeWithinQuotes) {
  const std::string pem = Pem("corporate-root");
  for (const std::string& text : {"\"" + pem + "\"\r\n", "'" + pem + "'", "\"" + Escaped(pem) + "\"\n",
                                  "\" " + pem + "\"", "\"# a comment\\n" + Escaped(pem) + "\"\n"})
    EXPECT_EQ(MustRead(text).certificates.size(), 1U) << text;
  std::string lines = "\"# a comment\"\r\n";  // echo "…" >> ca.pem
  for (const std::string_view line : Split(pem, '\n')) {
    if (!line.empty()) lines.append("\"").append(line).append("\" \r\n");
  }
  EXPECT_EQ(MustRead(lines).certificates.size(), 1U) << lines;
  EXPECT_EQ(MustRead(lines + lines).certificates.size(), 2U) << lines;
}

TEST(CertificateText, IsToldInEveryFormThatBundlesHave) {
  const std::string pem = Pem("corporate-root");
  std::string der;
  for (const std::string_view line : Split(pem, '\n')) {
    if (!line.starts_with('-')) der += line;
  }
  der = *DecodeBase64(der);
  const std::string utf16 = "\xFF\xFE" + ToUtf16Le("# PowerShell wrote this\n" + pem);
  for (const std::string& text :
       {pem, "# Example\n" + pem, "subject=CN = Example\nissuer=CN = Example\n" + pem, Indented(pem, 4),
        "\xEF\xBB\xBF" + pem, "Certificate:\n    Data:\n        Version: 3 (0x2)\n" + pem, utf16, der}) {
    const auto config = MustRead(text);
    EXPECT_EQ(config.source.kind, "PemBundle");
    EXPECT_EQ(config.certificates.size(), 1U);
    EXPECT_FALSE(config.proxy_file.present);
    EXPECT_THAT(config.findings, HasCode("no-proxy-file"));
    EXPECT_THAT(config.findings, Not(HasCode("no-trust-file")));
  }
  EXPECT_FALSE(IsCertificateText(ConfigMapYaml("user-ca-bundle", pem))) << "a document that holds one";
}

// Its reader takes any text beside certificates for a comment, so settings would be lost, and nodes' certificates be
// removed.
TEST(CertificateText, HoldsNoSettings) {
  const std::string pem = Pem("corporate-root");
  const std::string yaml = "apiVersion: v1\nbaseDomain: example.com\nproxy:\n  httpProxy: http://c4nary@p:1\n";
  for (const std::string& text :
       {yaml + "additionalTrustBundle: |\n" + pem + "platform:\n  none: {}\n", yaml + "---\n" + pem, pem + yaml,
        "kind: ConfigMap\ndata:\n  ca-bundle.crt: |\n" + pem, "ca: |-\r\n" + pem, "- kind: Proxy\n" + pem,
        pem + "{\n  \"httpProxyConfig\": {}\n}\n", pem + "{\"kind\":\"Proxy\"}\n", "  trustedCA: {}\n" + pem,
        pem + "spec: {}\n", "\xFF\xFE" + ToUtf16Le(yaml + pem)}) {
    EXPECT_THAT(Failure(ReadText(text)), AllOf(StartsWith("kind: is YAML or JSON ("),
                                               HasSubstr("indent it, or give a file"), Not(HasSubstr("c4nary"))))
        << text;
  }
  EXPECT_THAT(Failure(ReadText(yaml + "additionalTrustBundle: |\n" + pem)),
              AllOf(HasSubstr("(apiVersion), and the certificate in line 6 "), HasSubstr("(input, line 1)")));
  EXPECT_THAT(Failure(ReadText(ConfigMapYaml("a", "-----BEGIN CERTIFICATE-----\n") + pem)), HasSubstr("in line 9 "));
  for (const std::string& text :
       {"# p\nHTTP_PROXY=http://c4nary@p:1\n" + pem, pem + "export no_proxy=a\n", pem + "\"HTTPS_PROXY=\"\r\n",
        "[Service]\nEnvironment=HTTP_PROXY=http://p:1\n" + pem, pem + "Environment=\"NO_PROXY=a\"\n"}) {
    EXPECT_THAT(Failure(ReadText(text)), AllOf(StartsWith("kind: has settings ("),
                                               HasSubstr("Proxy with its ConfigMap"), Not(HasSubstr("c4nary"))))
        << text;
  }
  EXPECT_THAT(Failure(ReadText(pem + "\r\n\r\nHTTP_PROXY=\r\n")), HasSubstr("(HTTP_PROXY), and line 1 a certificate"));
}

TEST(CertificateText, CommentsOfEveryToolAreNoSettings) {
  const std::string pem = Pem("corporate-root");
  for (const char* text :
       {"Certificate:\n    Data:\n        Version: 3 (0x2)\n        Serial Number: 1 (0x1)\n        Issuer: O=A, "
        "CN=B\n        Validity\n            Not Before: Jan  1 00:00:00 2026 GMT\n        X509v3 extensions:\n",
        "Bag Attributes\n    friendlyName: x\n    localKeyID: 01 \nKey Attributes: <No Attributes>\n",
        "subject=CN = HTTP_PROXY=x\nissuer=CN = a\n", "Corporate CA\n============\n", "---\n", "-----\n",
        "Alias name: root\nCreation date: Jan 1, 2026\nEntry type: trustedCertEntry\n", "data: 01/02/2026\n",
        "status: valid\n", "kind: root CA\n", "Proxy: http://p:1\n", "# proxy:\n#  httpProxy: x\n# HTTP_PROXY=x\n",
        "; HTTP_PROXY=x\n", "Name: a|b\n", "x=1\n", "http://crl.example.com/a\n", "1 s:CN = B\n   i:CN = C\n"}) {
    EXPECT_EQ(MustRead(text + pem).certificates.size(), 1U) << text;
    EXPECT_EQ(MustRead(pem + text).certificates.size(), 1U) << text;
  }
}

TEST(CertificateText, ABrokenBundleIsAnErrorNotAnEmptyOne) {
  const std::string pem = Pem("corporate-root");
  for (const std::string& text :
       {pem.substr(0, 200), pem + pem.substr(0, pem.size() - 30), std::string("-----BEGIN CERTIFICATE-----\n"),
        std::string("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), std::string("\x30\x82\x01")}) {
    EXPECT_THAT(Failure(ReadText(text)), StartsWith("cert: ")) << text;
  }
}

}  // namespace
}  // namespace prov::source
