#include "ignition/resource.h"

#include <gtest/gtest.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

std::string Sha256Spec(std::string_view bytes) { return fmt::format("sha256-{}", ToHex(Sha256(bytes))); }
std::string Sha512Spec(std::string_view bytes) { return fmt::format("sha512-{}", ToHex(Sha512(bytes))); }

// The bytes, or "<code> where".
std::string Show(const Resource& resource, ResourceContext context = {.limit = kPlenty}) {
  auto bytes = ReadResource(resource, context, "$.r");
  return bytes ? *bytes : fmt::format("<{}> {}", InfoOf(bytes.error().code).name, bytes.error().where);
}

std::string MessageOf(const Resource& resource, ResourceContext context = {.limit = kPlenty}) {
  auto bytes = ReadResource(resource, context, "$.r");
  return bytes ? "no error" : bytes.error().message;
}

TEST(ReadResource, AbsentAndEmptySourcesGiveNothing) {
  EXPECT_EQ(Show({}), "");
  EXPECT_EQ(Show({.source = ""}), "");
  EXPECT_EQ(Show({.source = "", .compression = "gzip"}), "");  // there is nothing to decompress
  EXPECT_EQ(Show({.source = "data:,"}), "");
}

TEST(ReadResource, Compression) {
  const std::string packed = Base64Url(Gzip("hello"));
  EXPECT_EQ(Show({.source = packed, .compression = "gzip"}), "hello");
  EXPECT_EQ(Show({.source = packed, .compression = ""}), Gzip("hello"));
  EXPECT_EQ(Show({.source = packed}), Gzip("hello"));
  for (const char* name : {"GZIP", "zstd", "gz", "gzip "})
    EXPECT_EQ(Show({.source = packed, .compression = name}), "<compression> $.r.compression") << name;
  EXPECT_EQ(Show({.compression = "xz"}), "<compression> $.r.compression");
  EXPECT_EQ(Show({.source = Base64Url(Gzip("hello").substr(0, 20)), .compression = "gzip"}), "<decompress> $.r.source");
}

TEST(ReadResource, NamesTheStaleCompressionDefect) {
  const Resource resource{.source = "data:,HTTP_PROXY%3Dx", .compression = "gzip"};
  EXPECT_EQ(Show(resource), "<decompress> $.r.source");
  EXPECT_NE(MessageOf(resource).find("fixed in 4.20"), std::string::npos);
  EXPECT_NE(MessageOf(resource).find("Machine Config Operator"), std::string::npos);
  EXPECT_EQ(Show({.source = "data:,", .compression = "gzip"}), "<decompress> $.r.source");
}

TEST(ReadResource, Schemes) {
  for (const char* url :
       {"http://h/x", "https://h/x", "HTTPS://h/x", "tftp://h/x", "s3://b/k", "gs://b/k", "arn:aws:s3:::b/k"}) {
    EXPECT_EQ(Show({.source = url}), "<remote-source> $.r.source") << url;
    EXPECT_EQ(Show({.source = url}, {.use = ResourceUse::kConfig, .limit = kPlenty}), "<merge-remote> $.r.source")
        << url;
  }
  for (const char* url : {"file:///etc/x", "ftp://h/x", "/etc/x", "text", ":x", "1http://h", "ht tp://h", "//h/x"}) {
    EXPECT_EQ(Show({.source = url}), "<scheme> $.r.source") << url;
  }
  EXPECT_EQ(Show({.source = "DATA:,x"}), "<data-url> $.r.source");
  EXPECT_EQ(Show({.source = "data:x"}), "<data-url> $.r.source");
  EXPECT_NE(MessageOf({.source = "ftp://h/x"}).find("\"ftp\""), std::string::npos);
  EXPECT_NE(MessageOf({.source = "hunter2"}).find("no scheme"), std::string::npos);
  EXPECT_EQ(MessageOf({.source = "hunter2"}).find("hunter2"), std::string::npos);
}

TEST(ReadResource, Hashes) {
  const std::string url = PlainUrl("hello");
  const std::string sha256 = Sha256Spec("hello");
  const std::string sha512 = Sha512Spec("hello");
  EXPECT_EQ(Show({.source = url, .hash = sha256}), "hello");
  EXPECT_EQ(Show({.source = url, .hash = sha512}), "hello");
  EXPECT_EQ(Show({.source = Base64Url(Gzip("hello")), .compression = "gzip", .hash = sha256}),
            "hello");  // of the decompressed bytes
  EXPECT_EQ(Show({.source = url, .hash = fmt::format("sha256-{}", AsciiUpper(sha256.substr(7)))}), "hello");
  const std::string other = Sha256Spec("other");
  EXPECT_EQ(Show({.source = url, .hash = other}), "<hash-mismatch> $.r.verification.hash");
  EXPECT_NE(MessageOf({.source = url, .hash = other}).find(sha256), std::string::npos);
  EXPECT_EQ(Show({.source = "", .hash = sha256}), "<hash-mismatch> $.r.verification.hash");
  const std::string of_nothing = Sha256Spec("");
  EXPECT_EQ(Show({.source = "", .hash = of_nothing}), "");
  EXPECT_EQ(Show({.source = url, .hash = sha512}, {.version = {3, 0}, .limit = kPlenty}), "hello");
  EXPECT_EQ(Show({.source = url, .hash = sha256}, {.version = {3, 0}, .limit = kPlenty}),
            "<hash-spec> $.r.verification.hash");
}

TEST(ReadResource, HashesOfConfigsAreLowerCase) {
  const ResourceContext config{.use = ResourceUse::kConfig, .limit = kPlenty};
  const std::string url = PlainUrl("hello");
  const std::string lower = Sha256Spec("hello");
  const std::string upper = fmt::format("sha256-{}", AsciiUpper(lower.substr(7)));
  EXPECT_EQ(Show({.source = url, .hash = lower}, config), "hello");
  EXPECT_EQ(Show({.source = url, .hash = upper}, config), "<hash-mismatch> $.r.verification.hash");
  EXPECT_NE(MessageOf({.source = url, .hash = upper}, config).find("upper-case"), std::string::npos);
}

TEST(ReadResource, MalformedHashes) {
  const std::string hex64(64, 'a');
  const std::string hex128(128, 'a');
  for (const std::string& hash :
       {std::string(), hex64, fmt::format("sha256{}", hex64), fmt::format("SHA256-{}", hex64),
        fmt::format("md5-{}", hex64.substr(0, 32)), fmt::format("sha256-{}", hex128), fmt::format("sha512-{}", hex64),
        fmt::format("sha256-{}Z", hex64.substr(1)), fmt::format("-{}", hex64), std::string("sha256-")}) {
    EXPECT_EQ(Show({.source = "data:,x", .hash = hash}), "<hash-spec> $.r.verification.hash") << hash;
  }
}

TEST(ReadResource, Limits) {
  EXPECT_EQ(Show({.source = "data:,abc"}, {.limit = 3}), "abc");
  EXPECT_EQ(Show({.source = "data:,abcd"}, {.limit = 3}), "<too-large> $.r.source");
  const std::string packed = Base64Url(Gzip(std::string(1000, 'a')));
  EXPECT_EQ(Show({.source = packed, .compression = "gzip"}, {.limit = 1000}).size(), 1000U);
  EXPECT_EQ(Show({.source = packed, .compression = "gzip"}, {.limit = 999}), "<too-large> $.r.source");
}

TEST(ReadResource, Remote) {
  FakeFetcher fetcher;
  fetcher.pages["https://h/x"] = Gzip("hello");
  fetcher.pages["https://h/large"] = std::string(101, 'x');
  const std::string hash = Sha256Spec("hello");
  const Resource resource{.source = "https://h/x", .compression = "gzip", .hash = hash, .http_headers = {{"A", "b"}}};
  EXPECT_EQ(Show(resource, {.limit = 100, .fetcher = &fetcher}), "hello");
  EXPECT_EQ(fetcher.urls, std::vector<std::string>{"https://h/x"});
  EXPECT_EQ(fetcher.last_headers, (std::vector<std::pair<std::string, std::string>>{{"A", "b"}}));
  EXPECT_EQ(Show({.source = "https://h/none"}, {.limit = 100, .fetcher = &fetcher}), "<network> $.r.source");
  EXPECT_EQ(Show({.source = "https://h/large"}, {.limit = 100, .fetcher = &fetcher}), "<too-large> $.r.source");
}

TEST(ReadResource, KeepsTheFetchersOwnPlace) {
  class Refusing : public Fetcher {
    Result<std::string> Fetch(const FetchOrder&) override { return Fail(Code::kTls, "bad certificate", "h:443"); }
  } fetcher;
  EXPECT_EQ(Show({.source = "https://h/x"}, {.limit = 100, .fetcher = &fetcher}), "<tls> h:443");
}

TEST(ReadResource, NeverShowsCredentials) {
  for (const char* url : {"https://user:hunter2@h/x", "https://user:hunter2@h/x?token=hunter2#hunter2",
                          "https://user:hun/hunter2@h/x", "https://user:hunter2?@h", "https://user:hunter2#@h",
                          "https://a@b/hunter2@h", "http:user:hunter2@h", "https://h/x?sig=hunter2"}) {
    EXPECT_EQ(MessageOf({.source = url}).find("hunter2"), std::string::npos) << MessageOf({.source = url});
    EXPECT_EQ(MessageOf({.source = url}, {.use = ResourceUse::kConfig, .limit = 9}).find("hunter2"), std::string::npos)
        << url;
  }
}

TEST(UrlForMessage, ShowsHostAndPath) {
  EXPECT_EQ(UrlForMessage("https://api-int.x:22623/config/worker"), "https://api-int.x:22623/config/worker");
  EXPECT_EQ(UrlForMessage("HTTPS://u:p@h/x?q#f"), "https://h/x");
  EXPECT_EQ(UrlForMessage("https://u:p@[::1]:22623/x"), "https://[::1]:22623/x");
  EXPECT_EQ(UrlForMessage("https://h?q"), "https://h");
  EXPECT_EQ(UrlForMessage("arn:aws:s3:::bucket/key"), "arn:aws:s3:::bucket/key");
  EXPECT_EQ(UrlForMessage("https://h/a@b"), "https:// (not shown: it may hold a password)");
  EXPECT_EQ(UrlForMessage("text"), "a relative address");
  const std::string url = fmt::format("https://h/{:x>300}", "");
  EXPECT_EQ(UrlForMessage(url), url.substr(0, 208) + "…");
}

}  // namespace
}  // namespace prov::ignition
