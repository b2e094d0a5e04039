#include <fmt/format.h>
#include <gtest/gtest.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/text.h"
#include "tests/ignition/helpers.h"

namespace prov::ignition {
namespace {

constexpr char kPage[] = "https://h/worker";

std::string Authority(std::string_view source, std::string_view more = "") {
  return fmt::format(R"({{"source":"{}"{}{}}})", source, more.empty() ? "" : ",", more);
}

// A config with these members of "ignition" that merges the page.
std::string Pointer(std::string_view members, std::string_view page = kPage, std::string_view version = "3.2.0",
                    std::string_view list = "merge") {
  return fmt::format(R"({{"ignition":{{"version":"{}","config":{{"{}":[{{"source":"{}"}}]}},{}}}}})", version, list,
                     page, members);
}

std::string Trusting(std::string_view authorities) {
  return fmt::format(R"("security":{{"tls":{{"certificateAuthorities":[{}]}}}})", authorities);
}

std::string Replacing(std::string_view members, std::string_view page) {
  return fmt::format(R"({{"ignition":{{"version":"3.2.0","config":{{"replace":{{"source":"{}"}}}},{}}}}})", page,
                     members);
}

// What counted for the last thing that was fetched.
FetchSettings LastOf(const std::string& text, FakeFetcher& fetcher) {
  const auto document = ReadText(text, &fetcher);
  EXPECT_TRUE(document) << document.error().message << " " << document.error().where;
  return fetcher.last.settings;
}

using Texts = std::vector<std::string>;

TEST(FetchScope, NothingSaidIsNothingSet) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = Bare("3.2.0");
  const FetchSettings settings = LastOf(Pointer(R"("timeouts":{},"proxy":{},"security":{"tls":{}})"), fetcher);
  EXPECT_EQ(settings.authorities, Texts{});
  EXPECT_FALSE(settings.http_proxy || settings.https_proxy || settings.answer_seconds || settings.total_seconds);
  EXPECT_EQ(fetcher.last.use, ResourceUse::kConfig);
  EXPECT_FALSE(fetcher.last.has_hash);
  EXPECT_EQ(fetcher.last.spec_major, 3U);
}

TEST(FetchScope, APointerConfigSaysWhomToBelieve) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = Bare("3.2.0");
  const std::string two = Authority("data:,one") + "," + Authority("data:;base64,dHdv");
  const FetchSettings settings = LastOf(
      Pointer(
          Trusting(two) +
          R"(,"timeouts":{"httpResponseHeaders":20,"httpTotal":0},"proxy":{"httpProxy":"http://p:1","httpsProxy":"http://u:p@p:2","noProxy":["a","b"]})"),
      fetcher);
  EXPECT_EQ(settings.authorities, (Texts{"one", "two"}));
  EXPECT_EQ(settings.answer_seconds, 20);
  EXPECT_EQ(settings.total_seconds, 0);
  EXPECT_EQ(settings.http_proxy, Secret("http://p:1"));
  EXPECT_EQ(settings.https_proxy, Secret("http://u:p@p:2"));
  EXPECT_EQ(settings.no_proxy, (Texts{"a", "b"}));
}

TEST(FetchScope, SpecTwoSaysItInTheSamePlaces) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = Bare("2.2.0");
  const FetchSettings settings =
      LastOf(Pointer(Trusting(Authority("data:,one", R"("verification":{})")) + R"(,"timeouts":{"httpTotal":7})", kPage,
                     "2.2.0", "append"),
             fetcher);
  EXPECT_EQ(settings.authorities, Texts{"one"});
  EXPECT_EQ(settings.total_seconds, 7);
  EXPECT_EQ(fetcher.last.spec_major, 2U);
}

TEST(FetchScope, AnInnerConfigAddsCasAndWinsOtherwise) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] =
      Pointer(Trusting(Authority("data:,inner")) +
                  R"(,"timeouts":{"httpTotal":9},"proxy":{"httpsProxy":"http://inner:1","noProxy":["b"]})",
              "https://h/second");
  fetcher.pages["https://h/second"] = Bare("3.2.0");
  const FetchSettings settings = LastOf(
      Pointer(
          Trusting(Authority("data:,outer")) +
          R"(,"timeouts":{"httpTotal":5,"httpResponseHeaders":3},"proxy":{"httpsProxy":"http://outer:1","noProxy":["a"]})"),
      fetcher);
  EXPECT_EQ(settings.authorities, (Texts{"outer", "inner"}));
  EXPECT_EQ(settings.total_seconds, 9);
  EXPECT_EQ(settings.answer_seconds, 3);
  EXPECT_EQ(settings.https_proxy, Secret("http://inner:1"));
  EXPECT_EQ(settings.no_proxy, (Texts{"a", "b"}));
}

// What one of two says must not open a way for the other.
TEST(FetchScope, SiblingsDoNotCount) {
  FakeFetcher fetcher;
  fetcher.pages["https://h/a"] =
      fmt::format(R"({{"ignition":{{"version":"3.2.0",{}}}}})", Trusting(Authority("data:,of-a")));
  fetcher.pages["https://h/b"] = Bare("3.2.0");
  const FetchSettings settings = LastOf(
      R"({"ignition":{"version":"3.2.0","config":{"merge":[{"source":"https://h/a"},{"source":"https://h/b"}]}}})",
      fetcher);
  EXPECT_EQ(fetcher.last.url, "https://h/b");
  EXPECT_EQ(settings.authorities, Texts{});
}

TEST(FetchScope, AReplacingConfigSpeaksForItself) {
  FakeFetcher fetcher;
  const std::string outer = Replacing(Trusting(Authority("data:,outer")) + R"(,"timeouts":{"httpTotal":5})", kPage);
  fetcher.pages["https://h/second"] = Bare("3.2.0");
  fetcher.pages[kPage] = Pointer(Trusting(Authority("data:,inner")), "https://h/second");
  EXPECT_EQ(LastOf(outer, fetcher).authorities, Texts{"inner"});
  EXPECT_FALSE(fetcher.last.settings.total_seconds);
  // Without CAs of its own it is believed what those say that led to it.
  fetcher.pages[kPage] = Pointer(R"("proxy":{})", "https://h/second");
  EXPECT_EQ(LastOf(outer, fetcher).authorities, Texts{"outer"});
}

TEST(FetchScope, CountsForContentsOfFiles) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = BareFiles(
      "3.2.0",
      R"({"path":"/a","contents":{"source":"https://h/a"}},{"path":"/b","append":[{"source":"https://h/b","verification":{"hash":"sha512-00"}}]})");
  fetcher.pages["https://h/a"] = "a";
  const auto document = MustRead(Pointer(Trusting(Authority("data:,one"))), &fetcher);
  EXPECT_EQ(Show(document.config.Read("/a")), "a");
  EXPECT_EQ(fetcher.last.settings.authorities, Texts{"one"});
  EXPECT_EQ(fetcher.last.use, ResourceUse::kFile);
  EXPECT_FALSE(document.config.Read("/b"));
  EXPECT_TRUE(fetcher.last.has_hash);
  EXPECT_EQ(fetcher.last.settings.authorities, Texts{"one"});
}

TEST(FetchScope, ARemoteCaIsFetchedAsTheOuterConfigsSay) {
  FakeFetcher fetcher;
  fetcher.pages["https://h/ca"] = "fetched";
  fetcher.pages["https://h/second"] = Bare("3.2.0");
  fetcher.pages[kPage] = Pointer(Trusting(Authority("https://h/ca")), "https://h/second");
  const FetchSettings settings = LastOf(Pointer(Trusting(Authority("data:,outer"))), fetcher);
  EXPECT_EQ(settings.authorities, (Texts{"outer", "fetched"}));
  EXPECT_EQ(fetcher.urls, (Texts{kPage, "https://h/ca", "https://h/second"}));
}

TEST(FetchScope, ACaMustBeWhatItsHashSays) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = Bare("3.2.0");
  const std::string good = fmt::format(R"("verification":{{"hash":"{}"}})", "sha256-" + ToHex(Sha256("one")));
  EXPECT_EQ(LastOf(Pointer(Trusting(Authority("data:,one", good))), fetcher).authorities, Texts{"one"});
  const Error error = ErrorOf(Pointer(Trusting(Authority("data:,two", good))), &fetcher);
  EXPECT_EQ(error.code, Code::kHashMismatch);
  EXPECT_EQ(error.where, "$.ignition.security.tls.certificateAuthorities[0].verification.hash");
}

TEST(FetchScope, FaultsCountWhereSomethingIsFetched) {
  struct Row {
    std::string members;
    Code code;
    std::string where;
  };
  const Row rows[] = {
      {R"("timeouts":{"httpTotal":"5"})", Code::kType, "$.ignition.timeouts.httpTotal"},
      {R"("timeouts":{"httpTotal":-1})", Code::kInvalidConfig, "$.ignition.timeouts.httpTotal"},
      {R"("timeouts":{"httpResponseHeaders":1.5})", Code::kType, "$.ignition.timeouts.httpResponseHeaders"},
      {R"("proxy":{"httpProxy":5})", Code::kType, "$.ignition.proxy.httpProxy"},
      {R"("proxy":{"noProxy":"a"})", Code::kType, "$.ignition.proxy.noProxy"},
      {R"("proxy":{"noProxy":[1]})", Code::kType, "$.ignition.proxy.noProxy[0]"},
      {R"("security":[])", Code::kType, "$.ignition.security"},
      {Trusting("{}"), Code::kInvalidConfig, "$.ignition.security.tls.certificateAuthorities[0].source"},
      {Trusting(Authority("data:x")), Code::kDataUrl, "$.ignition.security.tls.certificateAuthorities[0].source"},
      {Trusting(Authority("https://h/none")), Code::kNetwork,
       "$.ignition.security.tls.certificateAuthorities[0].source"},
  };
  for (const Row& row : rows) {
    FakeFetcher fetcher;
    fetcher.pages[kPage] = Bare("3.2.0");
    const Error error = ErrorOf(Pointer(row.members), &fetcher);
    EXPECT_EQ(error.code, row.code) << row.members << " " << error.message;
    EXPECT_EQ(error.where, row.where);
    EXPECT_TRUE(ReadText(Pointer(row.members, "data:,%7B%22ignition%22:%7B%22version%22:%223.2.0%22%7D%7D"), &fetcher))
        << row.members;
  }
}

TEST(FetchScope, CasAreBounded) {
  FakeFetcher fetcher;
  fetcher.pages[kPage] = Bare("3.2.0");
  fetcher.pages["https://h/large"] = std::string((1 << 20) + 1, 'x');
  EXPECT_EQ(ErrorOf(Pointer(Trusting(Authority("https://h/large"))), &fetcher).code, Code::kTooLarge);
  fetcher.pages["https://h/half"] = std::string(600'000, 'x');
  EXPECT_EQ(ErrorOf(Pointer(Trusting(Authority("https://h/half") + "," + Authority("https://h/half"))), &fetcher).code,
            Code::kTooLarge);
  std::string many = Authority("data:,");
  for (int i = 0; i < 1000; ++i) many += "," + Authority("data:,");
  EXPECT_EQ(ErrorOf(Pointer(Trusting(many)), &fetcher).where, "$.ignition.security.tls.certificateAuthorities");
}

}  // namespace
}  // namespace prov::ignition
