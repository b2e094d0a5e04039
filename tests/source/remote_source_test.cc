// Sources on servers, from the URI to the settings; and what a process remembers of them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "provisioner/base/base64.h"
#include "provisioner/base/file.h"
#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "provisioner/source/roots.h"
#include "provisioner/source/web_source.h"
#include "tests/source/fake_web.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::source {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_support::SampleText;

constexpr char kWeb[] = "https://h.example.com/doc";
constexpr char kMcs[] = "mcs://api-int.example.com:22623/worker";
constexpr char kMcsUrl[] = "https://api-int.example.com:22623/config/worker";

std::string Path(const std::string& name) { return testing_support::SampleFolder() + name; }

// A config of these variables, as a Machine Config Server sends it: with the whole MachineConfig once more in a file.
std::string WorkerConfig(std::string_view proxy, std::string_view version = "3.5.0") {
  const auto file = [](std::string_view path, std::string_view text) {
    return fmt::format(R"({{"path":"{}","contents":{{"source":"data:;base64,{}"}}}})", path, EncodeBase64(text));
  };
  return fmt::format(
      R"({{"ignition":{{"version":"{}"}},"storage":{{"files":[{},{},{}]}}}})", version,
      file("/etc/mcs-machine-config-content.json", "HTTP_PROXY=http://decoy:1\n"),
      file("/etc/mco/proxy.env", fmt::format("HTTP_PROXY={}\n", proxy)),
      file("/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt", SampleText("proxy-root.pem")));
}

std::string Pointer(std::string_view ca, std::string_view url = kMcsUrl, std::string_view more = "") {
  return fmt::format(
      R"({{"ignition":{{"version":"3.2.0","config":{{"merge":[{{"source":"{}"{}}}]}},"security":{{"tls":{{"certificateAuthorities":[{}]}}}}}}}})",
      url, more,
      ca.empty() ? "" : fmt::format(R"({{"source":"data:text/plain;charset=utf-8;base64,{}"}})", EncodeBase64(ca)));
}

class RemoteSources : public testing::Test {
 protected:
  Result<egress::EgressConfig> Get(const std::string& source, const std::string& ca = "") {
    SourceRequest request;
    request.source = source;
    request.ca_file = ca;
    request.read_followed = read_followed_;
    return Read(request, web_.Ports(&cache_));
  }
  std::string ProxyOf(const std::string& source, const std::string& ca = "") {
    const auto config = Get(source, ca);
    if (!config) return fmt::format("<{}> {}", InfoOf(config.error().code).name, config.error().message);
    return config->http_proxy ? config->http_proxy->Reveal() : "";
  }
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = folder_.At(name);
    std::ofstream(std::filesystem::path(path), std::ios::binary) << text;
    return path;
  }

  testing_support::ScratchFolder folder_;
  FakeWeb web_;
  SourceCache cache_;
  FileReader read_followed_;
};

TEST_F(RemoteSources, ADocumentOfAServer) {
  web_.Put(kWeb, FakeWeb::Page(SampleText("rendered-worker.json")));
  const auto config = Must(Get(kWeb));
  EXPECT_EQ(config.certificates.size(), 3U);
  EXPECT_EQ(config.source.kind, "MachineConfig");
  EXPECT_THAT(web_.requests.at(0).roots, IsEmpty());
  ASSERT_TRUE(Get(kWeb, Path("corporate-root.pem")));
  EXPECT_EQ(web_.requests.back().roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
}

TEST_F(RemoteSources, AHashSaysWhatItMustBe) {
  const std::string body = WorkerConfig("http://p:1");
  const std::string plain = "http://h.example.com/doc";
  web_.Put(plain, FakeWeb::Page(body));
  web_.Put(kWeb, FakeWeb::Page(body));
  const std::string hash = ToHex(Sha256(body));
  EXPECT_EQ(ProxyOf(plain + "#sha256=" + hash), "http://p:1");
  EXPECT_TRUE(web_.requests.back().has_digest) << "the length needs no word then";
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  EXPECT_FALSE(web_.requests.back().has_digest);
  EXPECT_EQ(ProxyOf(kWeb + ("#sha256=" + AsciiUpper(hash))), "http://p:1");
  web_.Put(plain, FakeWeb::Page(WorkerConfig("http://evil:1")));
  EXPECT_THAT(ProxyOf(plain + "#sha256=" + hash), HasSubstr("<hash-mismatch>"));
  web_.requests.clear();
  EXPECT_THAT(ProxyOf(plain), HasSubstr("<scheme> anyone on the way"));
  EXPECT_THAT(web_.requests, IsEmpty());
}

TEST_F(RemoteSources, UrisThatAreNone) {
  for (const char* uri : {"https://", "https:///x", "https://u:p@h/x", "https://h/x#part", "https://h/x#sha256=12",
                          "https://h:x/", "http://h/x#sha512=00"}) {
    EXPECT_EQ(ParseWebSource(uri).error().code, Code::kScheme) << uri;
  }
  EXPECT_EQ(ParseWebSource("https://t0ken@h/x").error().where, "https://h/x");
  EXPECT_EQ(ParseWebSource("https://h/@x?u@v").value_or(WebSource{}).url, "https://h/@x?u@v");
}

TEST_F(RemoteSources, AMachineConfigServer) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"content-type", "application/json"}}));
  const auto config = Must(Get(kMcs, Path("corporate-root.pem")));
  EXPECT_EQ(config.http_proxy, Secret("http://p:1"));  // not that of the copy
  EXPECT_EQ(config.certificates.size(), 1U);
  EXPECT_EQ(web_.requests.at(0).roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
  EXPECT_THAT(web_.Sent("Accept"), HasSubstr("version=3.5.0"));

  EXPECT_THAT(ProxyOf(kMcs), HasSubstr("<usage>"));
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"content-type", "text/plain"}}));
  EXPECT_THAT(ProxyOf(kMcs, Path("corporate-root.pem")), HasSubstr("<kind> the server sends \"text/plain\""));
  web_.Put(kMcsUrl, FakeWeb::Redirect(kWeb));
  EXPECT_THAT(ProxyOf(kMcs, Path("corporate-root.pem")), HasSubstr("<network>"));
}

TEST_F(RemoteSources, APointerConfigLeadsToTheServer) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  const std::string file = File("worker.ign", Pointer(SampleText("corporate-root.pem")));
  EXPECT_EQ(ProxyOf(file), "http://p:1");
  EXPECT_EQ(web_.requests.at(0).roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
  // Of a server, too; its own CA is not that of what it points to.
  web_.Put(kWeb, FakeWeb::Page(Pointer(SampleText("corporate-root.pem"))));
  EXPECT_EQ(ProxyOf(kWeb, Path("proxy-root.pem")), "http://p:1");
  EXPECT_EQ(web_.requests.at(1).roots, *ParseRoots(SampleText("proxy-root.pem"), ""));
  EXPECT_EQ(web_.requests.at(2).roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
}

// As oc get secret worker-user-data-managed prints it.
TEST_F(RemoteSources, APointerConfigInASecretLeadsToTheServer) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  const std::string secret = R"({"kind":"Secret","metadata":{"name":"worker-user-data-managed"},"data":{"userData":")" +
                             EncodeBase64(Pointer(SampleText("corporate-root.pem"))) + R"("}})";
  EXPECT_EQ(ProxyOf(File("secret.json", secret)), "http://p:1");
  EXPECT_EQ(web_.requests.at(0).roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
}

TEST_F(RemoteSources, APointerConfigWithoutACaNeedsOne) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  const std::string file = File("worker.ign", Pointer(""));
  EXPECT_THAT(ProxyOf(file), HasSubstr("<merge-remote>"));
  EXPECT_THAT(web_.requests, IsEmpty());
  EXPECT_EQ(ProxyOf(file, Path("proxy-root.pem")), "http://p:1");
}

TEST_F(RemoteSources, ThePointerConfigAsCa) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"content-type", "application/json"}}));
  EXPECT_EQ(ProxyOf(kMcs, File("worker.ign", Pointer(SampleText("corporate-root.pem")))), "http://p:1");
  const std::string wide = "\xFF\xFE" + ToUtf16Le(Pointer(SampleText("corporate-root.pem")));
  EXPECT_EQ(ProxyOf(kMcs, File("wide.ign", wide)), "http://p:1") << "as PowerShell saved it";
  EXPECT_THAT(ProxyOf(kMcs, File("none.ign", Pointer(""))), HasSubstr("<cert>"));
  EXPECT_THAT(ProxyOf(kMcs, File("broken.ign", "{")), HasSubstr("<json>"));
  ASSERT_THAT(web_.requests, SizeIs(2)) << "of the two that could be read";
  for (const auto& request : web_.requests) EXPECT_EQ(request.roots, *ParseRoots(SampleText("corporate-root.pem"), ""));
}

// No root at all would mean those of the system.
TEST_F(RemoteSources, ACaFileMustHoldOne) {
  for (const char* text :
       {"", "# nothing\n", "text", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}) {
    EXPECT_THAT(ProxyOf(kWeb, File("ca.pem", text)), HasSubstr("<cert>")) << text;
  }
  EXPECT_THAT(ProxyOf(kWeb, folder_.At("none.pem")), HasSubstr("<not-found>"));
  read_followed_ = [](const std::string& path, std::uint64_t) -> Result<std::string> {
    return Fail(Code::kOwner, "anybody can write it", path);
  };
  EXPECT_THAT(ProxyOf(kWeb, Path("corporate-root.pem")), HasSubstr("<owner>"));
  EXPECT_THAT(ProxyOf(File("followed.ign", WorkerConfig("http://p:1"))), HasSubstr("<owner>")) << "the source itself";
  EXPECT_THAT(web_.requests, IsEmpty());
}

// --- what is remembered ---

TEST_F(RemoteSources, WhatDidNotChangeIsNotReadAgain) {
  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"etag", "\"1\""}}));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  EXPECT_EQ(web_.Sent("If-None-Match"), "");
  cache_.config.http_proxy = Secret("remembered");

  web_.Put(kWeb, FakeWeb::Page("", 304));
  EXPECT_EQ(ProxyOf(kWeb), "remembered");
  EXPECT_EQ(web_.Sent("If-None-Match"), "\"1\"");
  EXPECT_EQ(ProxyOf(kWeb), "remembered");
  EXPECT_EQ(web_.Sent("If-None-Match"), "\"1\"");

  // The same bytes under another tag, or without one.
  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"etag", "\"2\""}}));
  EXPECT_EQ(ProxyOf(kWeb), "remembered");
  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:1")));
  EXPECT_EQ(ProxyOf(kWeb), "remembered");
  EXPECT_EQ(web_.Sent("If-None-Match"), "\"2\"");
  EXPECT_EQ(ProxyOf(kWeb), "remembered");
  EXPECT_EQ(web_.Sent("If-None-Match"), "");

  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:2")));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:2");
}

TEST_F(RemoteSources, AnotherSourceIsNotRemembered) {
  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"etag", "\"1\""}}));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  web_.Put("https://h.example.com/2", FakeWeb::Page(WorkerConfig("http://p:2"), 200, {{"etag", "\"1\""}}));
  EXPECT_EQ(ProxyOf("https://h.example.com/2"), "http://p:2");
  EXPECT_EQ(web_.Sent("If-None-Match"), "");
}

TEST_F(RemoteSources, AnErrorIsNotRemembered) {
  web_.Put(kWeb, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"etag", "\"1\""}}));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  web_.Put(kWeb, FakeWeb::Page("{", 200, {{"etag", "\"2\""}}));
  EXPECT_THAT(ProxyOf(kWeb), HasSubstr("<json>"));
  web_.Put(kWeb, FakeWeb::Page("", 304));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  EXPECT_EQ(web_.Sent("If-None-Match"), "\"1\"");
}

TEST_F(RemoteSources, WhatAPointerConfigLeadsToIsLookedAtEachTime) {
  const std::string file = File("worker.ign", Pointer(SampleText("corporate-root.pem")));
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  EXPECT_EQ(ProxyOf(file), "http://p:1");
  cache_.config.http_proxy = Secret("remembered");
  EXPECT_EQ(ProxyOf(file), "remembered");
  EXPECT_THAT(web_.requests, SizeIs(2));
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:2")));
  EXPECT_EQ(ProxyOf(file), "http://p:2");
  EXPECT_THAT(web_.requests, SizeIs(3));  // what was fetched to see that it changed is what is read
  web_.Put(kMcsUrl, FakeWeb::Dead(Code::kTls));
  EXPECT_THAT(ProxyOf(file), HasSubstr("<tls>"));
}

// The document is the same by its tag, and is needed again because of what it refers to.
TEST_F(RemoteSources, AnUnchangedPointerOfAServerIsFetchedAgain) {
  web_.pages[kWeb] = {FakeWeb::Page(Pointer(SampleText("corporate-root.pem")), 200, {{"etag", "\"1\""}}),
                      FakeWeb::Page("", 304),
                      FakeWeb::Page(Pointer(SampleText("corporate-root.pem")), 200, {{"etag", "\"1\""}})};
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:2")));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:2");
  EXPECT_THAT(web_.Urls(), ElementsAre(kWeb, kMcsUrl, kWeb, kMcsUrl, kWeb));
}

// The reading that sees a change fails behind it: the change must not be lost.
TEST_F(RemoteSources, AChangeIsSeenAgainAfterAFailure) {
  web_.pages[kWeb] = {FakeWeb::Page(Pointer(SampleText("corporate-root.pem"))),
                      FakeWeb::Page(Pointer(SampleText("corporate-root.pem"))),
                      FakeWeb::Page(Pointer(SampleText("corporate-root.pem")))};
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"etag", "\"1\""}}));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  // The new config refers to a file that is not there now.
  std::string next = WorkerConfig("http://p:2");
  const std::size_t at = next.find("data:;base64,", next.find("proxy.env"));
  next.replace(at, next.find('"', at) - at, "https://h.example.com/env");
  web_.Put(kMcsUrl, FakeWeb::Page(next, 200, {{"etag", "\"2\""}}));
  web_.Put("https://h.example.com/env", FakeWeb::Dead(Code::kTls));
  EXPECT_THAT(ProxyOf(kWeb, Path("corporate-root.pem")), HasSubstr("<tls>"));
  // A server answers 304 to whom sends the newest tag.
  EXPECT_THAT(ProxyOf(kWeb, Path("corporate-root.pem")), HasSubstr("<tls>"));
  std::vector<std::string> tags;
  for (const auto& request : web_.requests) {
    for (const auto& [name, value] : request.headers) {
      if (request.url == kMcsUrl && name == "If-None-Match") tags.push_back(value);
    }
  }
  EXPECT_THAT(tags, ElementsAre("\"1\"", "\"1\""));
}

TEST_F(RemoteSources, TheTimeIsForTheWholeSource) {
  web_.request_takes = 50;
  web_.Put(kWeb, FakeWeb::Page(Pointer(SampleText("corporate-root.pem"))));
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1")));
  EXPECT_EQ(ProxyOf(kWeb), "http://p:1");
  EXPECT_EQ(web_.requests.back().total_seconds, 10);
}

TEST_F(RemoteSources, AProxysUrlIsCheckedUnderItsOwnName) {
  EXPECT_TRUE(CheckProxyUrl(Secret("http://u:p@proxy:3128"), "--source-proxy"));
  EXPECT_TRUE(CheckProxyUrl(Secret("http://:token@proxy:3128"), "--source-proxy")) << "other clients drop it, we don't";
  const Error bad = ErrorIn(CheckProxyUrl(Secret("socks5://u:hunter2@proxy:1"), "--source-proxy"));
  EXPECT_EQ(bad.code, Code::kProxyUrl);
  EXPECT_EQ(bad.where, "--source-proxy");
  EXPECT_THAT(bad.message, testing::StartsWith("the URL of the proxy is malformed"));
  EXPECT_THAT(bad.message, testing::Not(HasSubstr("hunter2")));
}

TEST_F(RemoteSources, NoAnswerIsKept) {
  web_.Put(kMcsUrl, FakeWeb::Page(WorkerConfig("http://p:1"), 200, {{"content-type", "application/json"}}));
  EXPECT_EQ(ProxyOf(kMcs, Path("corporate-root.pem")), "http://p:1");
  EXPECT_THAT(cache_.references, IsEmpty());
  EXPECT_EQ(cache_.digest.size(), 32U);
}

}  // namespace
}  // namespace prov::source
