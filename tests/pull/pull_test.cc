#include "provisioner/pull/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/pull/fake_registries.h"
#include "tests/support/result.h"

namespace prov::pull {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kRoot = "https://r.example.com/v2/org/app";
constexpr const char* kMirror = "https://m.example.com/v2/copy/org/app";

class PullTest : public testing::Test {
 protected:
  PullTest() {
    config_.https_proxy = Secret("http://u:c4nary@proxy.example.com:3128");
    config_.http_proxy = config_.https_proxy;
    config_.no_proxy = "storage.example.com";
    image_.image = {"r.example.com", "org/app", "v1", ""};
    image_.endpoints = {At("https://r.example.com/v2")};
    sample_ = SampleImage::PutAt(web_, kRoot);
    options_.roots = {"der"};
  }

  static registries::Endpoint At(const std::string& url) {
    registries::Endpoint out;
    out.url = url;
    out.repository = "org/app";
    return out;
  }

  void AddMirror() {
    registries::Endpoint mirror = At("https://m.example.com/v2/copy");
    mirror.mirror = true;
    image_.endpoints.insert(image_.endpoints.begin(), mirror);
  }

  Pulled Run() { return Must(Pull(web_, web_, config_, image_, options_)); }

  static std::vector<std::string> PurposesOf(const Pulled& pulled) {
    std::vector<std::string> out;
    for (const Step& step : pulled.steps) out.emplace_back(NameOf(step.purpose));
    return out;
  }

  // The registry and its token service, which takes the login below, or none where `anonymous`.
  void AskForTokens(bool anonymous) {
    web_.guard = [anonymous](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
      if (one.url.starts_with("https://token.example.com/")) {
        const bool good = anonymous || one.authorization == "Basic dTpzM2NyZXQ=" ||
                          one.body.find("username=u&password=s3cret") != std::string::npos;
        if (!good) return FakeRegistries::Page("{}", 401);
        return FakeRegistries::Page(R"({"token":"t0ken","access_token":"t0ken"})");
      }
      if (one.url.starts_with("https://r.example.com/") && one.authorization != "Bearer t0ken") {
        return FakeRegistries::Page(
            "", 401,
            {{"www-authenticate",
              R"(Bearer realm="https://token.example.com/auth",service="r",scope="repository:org/app:pull")"}});
      }
      return FakeRegistries::Page("", 0);
    };
  }

  void LogIn(std::string_view text = R"({"auths":{"r.example.com":{"auth":"dTpzM2NyZXQ="}}})") {
    auto secret = Must(PullSecret::Parse(text, "pull-secret.json"));
    secret_ = std::move(secret);
    options_.logins = &*secret_;
  }

  FakeRegistries web_;
  egress::EgressConfig config_;
  registries::ImageEndpoints image_;
  PullOptions options_;
  std::optional<PullSecret> secret_;
  SampleImage sample_;
};

TEST_F(PullTest, AsksForAllThatANodeNeedsAndForNothingElse) {
  options_.platform.os_version = "10.0.20348";
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives()) << pulled.error->message;
  EXPECT_EQ(pulled.endpoint, "https://r.example.com/v2");
  EXPECT_EQ(pulled.digest, sample_.index);
  EXPECT_THAT(PurposesOf(pulled), ElementsAre("ping", "index", "index", "manifest", "config", "layer"));
  EXPECT_EQ(web_.Urls()[1], std::string("HEAD ") + kRoot + "/manifests/v1");
  EXPECT_EQ(web_.Urls()[3], std::string("GET ") + kRoot + "/manifests/" + sample_.windows);
  EXPECT_EQ(web_.Urls()[5], std::string("GET ") + kRoot + "/blobs/" + sample_.layer);
  for (const auto& one : web_.asked) {
    EXPECT_TRUE(one.proxied);
    EXPECT_EQ(one.roots, 1U);
    EXPECT_EQ(one.authorization, "");
  }
}

TEST_F(PullTest, WithoutABuildAllOfThePlatformAreAskedFor) {
  EXPECT_THAT(PurposesOf(Run()),
              ElementsAre("ping", "index", "index", "manifest", "config", "layer", "manifest", "config", "layer"));
}

TEST_F(PullTest, AnImageForOtherPlatformsDoesNotArrive) {
  options_.platform.architecture = "arm64";
  const Pulled pulled = Run();
  ASSERT_FALSE(pulled.arrives());
  EXPECT_THAT(pulled.error->message,
              AllOf(HasSubstr("windows/arm64"), HasSubstr("windows/amd64 10.0.17763.1"), HasSubstr("linux/amd64")));
  options_.platform = {.os_version = "10.0.26100"};
  EXPECT_TRUE(Run().arrives());  // a container of Server 2022 on Server 2025
  options_.platform = {.os_version = "10.0.14393"};
  EXPECT_THAT(Run().error->message, HasSubstr("windows/amd64 10.0.14393"));
}

TEST_F(PullTest, ATokenIsFetchedWithTheLoginAndSentToTheRegistryOnly) {
  AskForTokens(false);
  LogIn();
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives()) << pulled.error->message;
  EXPECT_THAT(PurposesOf(pulled), Contains("token").Times(1));
  for (const auto& one : web_.asked) {
    if (one.url.find("token.example.com") == std::string::npos) continue;
    EXPECT_EQ(one.method, "POST");
    EXPECT_THAT(one.body, AllOf(HasSubstr("grant_type=password"), HasSubstr("service=r"),
                                HasSubstr("scope=repository%3Aorg%2Fapp%3Apull")));
  }
}

TEST_F(PullTest, ATokenServiceWithoutPostIsAskedByGet) {
  AskForTokens(false);
  const auto inner = web_.guard;
  web_.guard = [inner](const FakeRegistries::Asked& one) {
    return one.method == "POST" ? FakeRegistries::Page("", 404) : inner(one);
  };
  LogIn();
  EXPECT_TRUE(Run().arrives());
}

TEST_F(PullTest, ATokenWithoutALoginIsAskedByGetWithoutOne) {
  AskForTokens(true);
  EXPECT_TRUE(Run().arrives());
  for (const auto& one : web_.asked) {
    if (one.url.find("token.example.com") == std::string::npos) continue;
    EXPECT_EQ(one.method, "GET");
    EXPECT_EQ(one.authorization, "");
  }
}

TEST_F(PullTest, AMissingOrWrongLoginIsNamed) {
  AskForTokens(false);
  EXPECT_THAT(Run().error->message, HasSubstr("--pull-secret"));
  LogIn(R"({"auths":{"r.example.com":{"username":"u","password":"wr0ng"}}})");
  const Pulled pulled = Run();
  EXPECT_THAT(pulled.error->message, AllOf(HasSubstr("refuses the login"), Not(HasSubstr("wr0ng"))));
}

TEST_F(PullTest, BasicIsSentOnceItIsAskedFor) {
  web_.guard = [](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (one.authorization == "Basic dTpzM2NyZXQ=") return FakeRegistries::Page("", 0);
    return FakeRegistries::Page("", 401, {{"www-authenticate", "Basic realm=\"r\""}});
  };
  EXPECT_THAT(Run().error->message, HasSubstr("asks for a login (status 401)"));
  LogIn();
  EXPECT_TRUE(Run().arrives());
}

TEST_F(PullTest, ARedirectIsFollowedWithoutTheRegistrysLogin) {
  AskForTokens(false);
  LogIn();
  const std::string blob = std::string(kRoot) + "/blobs/" + sample_.layer;
  web_.pages["https://storage.example.com/x?sig=c4nary"] = FakeRegistries::Page("layer");
  web_.pages[blob] = FakeRegistries::Leads("https://storage.example.com/x?sig=c4nary");
  options_.platform.os_version = "10.0.20348";
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives()) << pulled.error->message;
  const Step& last = pulled.steps.back();
  EXPECT_EQ(last.url, "https://storage.example.com/x");
  EXPECT_EQ(last.via, "direct");
  EXPECT_EQ(pulled.steps[pulled.steps.size() - 2].redirected_to, "https://storage.example.com/x");
  EXPECT_EQ(web_.asked.back().authorization, "");
  EXPECT_FALSE(web_.asked.back().proxied);
}

TEST_F(PullTest, TheUrlsShowDigestsAndNoPasswords) {
  options_.platform.os_version = "10.0.20348";
  const std::string blob = std::string(kRoot) + "/blobs/" + sample_.layer;
  web_.pages[blob] = FakeRegistries::Leads("https://u:c4nary@storage.example.com/sha256:5a#c4nary");
  const Pulled pulled = Run();
  EXPECT_EQ(pulled.steps[3].url, std::string(kRoot) + "/manifests/" + sample_.windows);
  for (const Step& step : pulled.steps) EXPECT_THAT(step.url + step.redirected_to, Not(HasSubstr("c4nary")));
}

TEST_F(PullTest, ALoginAtTheHostOfARedirectIsSaidToBeThat) {
  LogIn();
  web_.pages[std::string(kRoot) + "/blobs/" + sample_.layer] = FakeRegistries::Leads("https://storage.example.com/x");
  web_.pages["https://storage.example.com/x"] =
      FakeRegistries::Page("", 401, {{"www-authenticate", "Basic realm=\"s\""}});
  EXPECT_THAT(Run().error->message,
              HasSubstr("storage.example.com asks for a login (status 401), and where a redirect"));
}

TEST_F(PullTest, WhereContainerdSendsTheLoginOnIsSaid) {
  LogIn();
  const std::string blob = std::string(kRoot) + "/blobs/" + sample_.layer;
  for (const auto& [host, sent_on] : {std::pair{"cdn.r.example.com", true}, std::pair{"cdnr.example.com", false}}) {
    const std::string url = fmt::format("https://{}/x", host);
    web_.pages[blob] = FakeRegistries::Leads(url);
    for (const int status : {401, 403}) {
      web_.pages[url] = FakeRegistries::Page("", status);
      EXPECT_EQ(Run().error->message.contains("containerd sends the registry's login on"), sent_on) << url;
      EXPECT_EQ(web_.asked.back().authorization, "");
    }
  }
}

TEST_F(PullTest, AStatusComesWithWhatToDo) {
  const std::pair<int, std::string> kCases[] = {
      {500, "look at its log"}, {503, "look at its log"}, {418, "check its address"}, {304, "check its address"}};
  for (const auto& [status, what] : kCases) {
    web_.pages[std::string(kRoot) + "/manifests/v1"] = FakeRegistries::Page("", status);
    EXPECT_THAT(Run().error->message,
                AllOf(HasSubstr("r.example.com answers with status " + std::to_string(status)), HasSubstr(what)));
  }
}

TEST_F(PullTest, RedirectsEnd) {
  web_.pages[std::string(kRoot) + "/manifests/v1"] = FakeRegistries::Leads(std::string(kRoot) + "/manifests/v1");
  EXPECT_THAT(Run().error->message, HasSubstr("redirects"));
}

TEST_F(PullTest, TheNextEndpointIsAskedForEachObject) {
  AddMirror();
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives()) << pulled.error->message;
  EXPECT_EQ(pulled.endpoint, "https://r.example.com/v2");
  // Each object is asked for at the mirror first.
  EXPECT_THAT(web_.Urls(), Contains(std::string("HEAD ") + kMirror + "/manifests/v1"));
  EXPECT_THAT(web_.Urls(), Contains(std::string("GET ") + kMirror + "/blobs/" + sample_.layer));
  SampleImage::PutAt(web_, kMirror);
  web_.asked.clear();
  const Pulled again = Run();
  EXPECT_EQ(again.endpoint, "https://m.example.com/v2/copy");
  EXPECT_THAT(web_.Urls(), Each(Not(HasSubstr("r.example.com"))));
}

TEST_F(PullTest, AMirrorThatMayNotResolveIsAskedForDigestsOnly) {
  AddMirror();
  image_.endpoints.front().resolve = false;
  SampleImage::PutAt(web_, kMirror);
  EXPECT_EQ(Run().endpoint, "https://r.example.com/v2");
  image_.image.tag.clear();
  image_.image.digest = sample_.index;
  EXPECT_EQ(Run().endpoint, "https://m.example.com/v2/copy");
  image_.image = {"r.example.com", "org/app", "v1", ""};
  image_.endpoints.pop_back();
  EXPECT_THAT(Run().error->message, HasSubstr("by its digest"));
}

TEST_F(PullTest, TheFirstErrorThatIsNoAbsenceCounts) {
  AddMirror();
  web_.pages[std::string(kRoot) + "/manifests/v1"] = FakeRegistries::Page("", 404);
  Pulled pulled = Run();
  EXPECT_EQ(pulled.error->code, Code::kNotFound);
  web_.pages["https://m.example.com/v2/"] = Fail(Code::kTls, "the server shows a certificate that ...", "there");
  pulled = Run();
  EXPECT_EQ(pulled.error->code, Code::kTls);
  EXPECT_THAT(web_.Urls(), Contains(std::string("HEAD ") + kRoot + "/manifests/v1"));
}

TEST_F(PullTest, WhatNoProxySendsIntoAWallIsSaid) {
  config_.no_proxy = "*.example.com";
  web_.guard = [](const FakeRegistries::Asked&) -> FakeRegistries::Answer {
    return Fail(Code::kNetwork, "no connection", "there");
  };
  web_.unreachable = true;
  const Pulled pulled = Run();
  EXPECT_THAT(pulled.error->message, AllOf(HasSubstr("no connection"), HasSubstr("\"*.example.com\" of NO_PROXY")));
  EXPECT_FALSE(pulled.reached);
  web_.unreachable = false;
  EXPECT_EQ(Run().error->message, "no connection") << "NO_PROXY is no cause of other failures";
}

TEST_F(PullTest, TheProxysRefusalIsNoAnswerOfTheRegistry) {
  web_.guard = [](const FakeRegistries::Asked&) -> FakeRegistries::Answer {
    auto out = FakeRegistries::Page("", 407);
    out->proxy_refusal = "the proxy refuses the credentials";
    return out;
  };
  const Pulled pulled = Run();
  EXPECT_EQ(pulled.error->message, "the proxy refuses the credentials");
  EXPECT_FALSE(pulled.reached);
}

TEST_F(PullTest, BytesThatAreNotThoseOfTheDigestAreRefused) {
  web_.pages[std::string(kRoot) + "/manifests/" + sample_.index] = FakeRegistries::Page("{}");
  EXPECT_THAT(Run().error->message, HasSubstr("has not the digest"));
  web_.pages[std::string(kRoot) + "/manifests/" + sample_.index] =
      FakeRegistries::Page("<html>", 200, {{"content-type", "text/html; charset=utf-8"}});
  EXPECT_THAT(Run().error->message, HasSubstr("HTML page"));
}

TEST_F(PullTest, WithoutADigestInTheHeadersTheManifestIsFetched) {
  auto page = *web_.pages.at(std::string(kRoot) + "/manifests/v1");
  std::erase_if(page.headers, [](const auto& header) { return header.first == "docker-content-digest"; });
  web_.pages[std::string(kRoot) + "/manifests/v1"] = page;
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives()) << pulled.error->message;
  EXPECT_EQ(pulled.digest, sample_.index);
}

TEST_F(PullTest, HeadThatIsNotKnownIsFollowedByGet) {
  web_.pages[std::string("HEAD ") + kRoot + "/manifests/v1"] = FakeRegistries::Page("", 405);
  EXPECT_TRUE(Run().arrives());
}

TEST_F(PullTest, ALayersOwnPlaceIsAskedFirst) {
  const std::string config = web_.Put(kRoot, "blobs", R"({"os":"windows","architecture":"amd64"})");
  const std::string layer = web_.Put(kRoot, "blobs", "foreign");
  const std::string manifest =
      web_.Put(kRoot, "manifests",
               fmt::format(R"({{"config":{},"layers":[{}]}})", web_.Descriptor(config, "c"),
                           web_.Descriptor(layer, "l", R"("urls":["HTTPS://mcr.example.com/l"])")),
               "application/vnd.docker.distribution.manifest.v2+json");
  web_.Tag(kRoot, "v1", manifest);
  EXPECT_TRUE(Run().arrives());  // 404 there
  EXPECT_THAT(web_.Urls(), Contains("GET https://mcr.example.com/l"));
  web_.pages["https://mcr.example.com/l"] = FakeRegistries::Page("", 403);
  EXPECT_THAT(Run().error->message, HasSubstr("mcr.example.com refuses"));
  web_.pages["https://mcr.example.com/l"] = FakeRegistries::Page("foreign");
  web_.asked.clear();
  const Pulled pulled = Run();
  EXPECT_THAT(PurposesOf(pulled), ElementsAre("ping", "manifest", "manifest", "config", "layer"));
}

TEST_F(PullTest, AnImageWithoutAnIndexSaysInItsConfigWhatItIsFor) {
  const std::string config = web_.Put(kRoot, "blobs", R"({"os":"linux","architecture":"amd64"})");
  const std::string manifest =
      web_.Put(kRoot, "manifests", fmt::format(R"({{"config":{},"layers":[]}})", web_.Descriptor(config, "c")));
  web_.Tag(kRoot, "v1", manifest);
  EXPECT_THAT(Run().error->message, HasSubstr("is for linux/amd64, and not for windows/amd64"));
}

TEST_F(PullTest, ATooBusyRegistryIsAskedAgainAndNamed) {
  web_.pages[std::string(kRoot) + "/manifests/v1"] = FakeRegistries::Page("", 429);
  EXPECT_THAT(Run().error->message, HasSubstr("status 429"));
  EXPECT_THAT(web_.Urls(), Contains(std::string("HEAD ") + kRoot + "/manifests/v1").Times(3));
}

TEST_F(PullTest, HeadersOfAnEndpointGoToItsHostOnly) {
  image_.endpoints.front().headers = {{"Authorization", Secret("Basic eDp5")}};
  web_.pages["https://storage.example.com/x"] = FakeRegistries::Page("layer");
  web_.pages[std::string(kRoot) + "/blobs/" + sample_.layer] = FakeRegistries::Leads("https://storage.example.com/x");
  EXPECT_TRUE(Run().arrives());
  for (const auto& one : web_.asked)
    EXPECT_EQ(one.authorization, one.url.starts_with(kRoot) ? "Basic eDp5" : "") << one.url;
}

TEST_F(PullTest, TheTimeForAllEnds) {
  options_.total_seconds = 10;
  web_.guard = [this](const FakeRegistries::Asked&) {
    web_.now += 6;
    return FakeRegistries::Page("", 0);
  };
  EXPECT_THAT(Run().error->message, HasSubstr("was not requested"));
}

TEST_F(PullTest, ADigestThatCanNotBeCheckedIsRefused) {
  image_.image.digest = "sha384:" + std::string(96, '0');
  EXPECT_EQ(Run().error->code, Code::kImageReference);
  EXPECT_THAT(web_.asked, IsEmpty());
}

TEST_F(PullTest, ARefusalOfTheRuntimeIsTheReason) {
  image_.endpoints.clear();
  image_.refusal = "the registry is blocked";
  const Pulled pulled = Run();
  EXPECT_EQ(pulled.error->message, "the registry is blocked");
  EXPECT_THAT(pulled.steps, IsEmpty());
}

// --- What containerd compares

TEST_F(PullTest, SizesAreComparedAsContainerdDoes) {
  const std::string url = std::string(kRoot) + "/manifests/v1";
  const auto with_length = [&](const std::string& length) {
    auto page = *web_.pages.at(url);
    for (auto& [name, value] : page.headers) {
      if (name == "content-length") value = length;
    }
    web_.pages["HEAD " + url] = page;
    return Run();
  };
  EXPECT_THAT(with_length("0").error->message, HasSubstr("states a length of 0"));
  EXPECT_THAT(with_length("7").error->message, HasSubstr("and 7 were stated"));
  EXPECT_THAT(with_length("-1").error->message, HasSubstr("malformed Content-Length"));
  web_.pages.erase("HEAD " + url);
  const std::string index = web_.Put(
      kRoot, "manifests",
      fmt::format(R"({{"manifests":[{{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"{}","size":3,)"
                  R"("platform":{{"os":"windows","architecture":"amd64"}}}}]}})",
                  sample_.windows),
      "application/vnd.oci.image.index.v1+json");
  web_.Tag(kRoot, "v1", index);
  EXPECT_THAT(Run().error->message, HasSubstr("and 3 were stated"));
}

TEST_F(PullTest, TypeAndContentHaveToAgree) {
  const std::string index = web_.Put(kRoot, "manifests", R"({"manifests":[]})");
  web_.Tag(kRoot, "v1", index);
  EXPECT_THAT(Run().error->message, HasSubstr("is an index, and the registry calls it a manifest"));
  const std::string manifest = web_.Put(kRoot, "manifests", R"({"config":{},"layers":[]})",
                                        "application/vnd.docker.distribution.manifest.list.v2+json");
  web_.Tag(kRoot, "v1", manifest);
  EXPECT_THAT(Run().error->message, HasSubstr("is a manifest, and the registry calls it an index"));
}

TEST_F(PullTest, IndexesWithinAnIndexAreFollowedToAnEnd) {
  const auto wrap = [&](const std::string& digest, const std::string& type) {
    return web_.Put(kRoot, "manifests", fmt::format(R"({{"manifests":[{}]}})", web_.Descriptor(digest, type)),
                    "application/vnd.oci.image.index.v1+json");
  };
  const std::string type = "application/vnd.oci.image.index.v1+json";
  std::string index = wrap(sample_.index, type);
  web_.Tag(kRoot, "v1", index);
  EXPECT_TRUE(Run().arrives());
  for (int i = 0; i < 3; ++i) index = wrap(index, type);
  web_.Tag(kRoot, "v1", index);
  EXPECT_THAT(Run().error->message, HasSubstr("indexes lie one within the other"));
  web_.Tag(kRoot, "v1", wrap(sample_.windows, "application/vnd.other"));
  EXPECT_THAT(Run().error->message, HasSubstr("containerd does not look into that"));
}

// --- Several endpoints

TEST_F(PullTest, AnEndpointThatFailedIsNamedThoughTheImageArrives) {
  AddMirror();
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives());
  ASSERT_EQ(pulled.failures.size(), 1U);
  EXPECT_EQ(pulled.failures[0].endpoint, "https://m.example.com/v2/copy");
  EXPECT_THAT(pulled.failures[0].error.message, HasSubstr("the mirror lacks it"));
}

TEST_F(PullTest, AnEndpointThatMayNotPullIsAskedForWhatADigestNames) {
  AddMirror();
  image_.endpoints.front().pull = image_.endpoints.front().resolve = false;
  EXPECT_TRUE(Run().arrives());
  EXPECT_THAT(web_.Urls(), AllOf(Not(Contains(std::string("HEAD ") + kMirror + "/manifests/v1")),
                                 Contains(std::string("GET ") + kMirror + "/blobs/" + sample_.layer)));
}

TEST_F(PullTest, ServersAreReachedForEachEndpointByItself) {
  AddMirror();
  image_.endpoints[1].url = "https://m.example.com/v2/copy";
  image_.endpoints[1].roots = {"another"};
  SampleImage::PutAt(web_, kMirror);
  bool first = true;
  web_.guard = [&](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (one.url.ends_with("/v2/") && std::exchange(first, false)) return Fail(Code::kTls, "not trusted", "there");
    return FakeRegistries::Page("", 0);
  };
  EXPECT_TRUE(Run().arrives());
}

// CRI-O does not send a mirror the login of the registry.
TEST_F(PullTest, AnEndpointWithItsOwnNameGetsTheLoginOfThatName) {
  AddMirror();
  image_.endpoints.front().login_name = registries::ImageReference{"m.example.com", "copy/org/app", "v1", ""};
  SampleImage::PutAt(web_, kMirror);
  LogIn(R"({"auths":{"r.example.com":{"auth":"dTpzM2NyZXQ="},"m.example.com":{"auth":"bTptaXJyb3I="}}})");
  web_.guard = [](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (one.authorization == "Basic bTptaXJyb3I=") return FakeRegistries::Page("", 0);
    return FakeRegistries::Page("", 401, {{"www-authenticate", "Basic realm=\"x\""}});
  };
  EXPECT_TRUE(Run().arrives());
  LogIn();
  web_.asked.clear();
  const Pulled pulled = Run();
  EXPECT_THAT(pulled.failures.front().error.message, HasSubstr("none is given for m.example.com/copy/org/app"));
  for (const auto& one : web_.asked) {
    if (one.url.starts_with("https://m.example.com/")) {
      EXPECT_EQ(one.authorization, "") << one.url;
    }
  }
}

// As on Linux nodes, where the registry itself holds the copies.
TEST_F(PullTest, TwoNamesAtOneHostHaveTheirOwnLogins) {
  AddMirror();
  image_.endpoints.front().url = "https://r.example.com/v2/copy";
  image_.endpoints.front().login_name = registries::ImageReference{"r.example.com", "copy/org/app", "v1", ""};
  image_.endpoints.back().login_name = registries::ImageReference{"r.example.com", "org/app", "v1", ""};
  LogIn(R"({"auths":{"r.example.com/copy":{"auth":"dTpzM2NyZXQ="}}})");
  web_.guard = [](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (!one.authorization.empty()) return FakeRegistries::Page("", 404);
    return FakeRegistries::Page("", 401, {{"www-authenticate", "Basic realm=\"x\""}});
  };
  const Pulled pulled = Run();
  EXPECT_THAT(pulled.error->message, HasSubstr("none is given for r.example.com/org/app"));
  for (const auto& one : web_.asked) {
    if (one.url.find("/copy/") == std::string::npos) {
      EXPECT_EQ(one.authorization, "") << one.url;
    }
  }
}

TEST_F(PullTest, WhoGaveTheObjectsIsNoted) {
  AddMirror();
  SampleImage::PutAt(web_, kMirror);
  web_.pages.erase(std::string(kMirror) + "/blobs/" + sample_.layer);
  const Pulled pulled = Run();
  EXPECT_TRUE(pulled.arrives());
  EXPECT_THAT(pulled.sources, ElementsAre("https://m.example.com/v2/copy", "https://r.example.com/v2"));
  EXPECT_FALSE(pulled.used_login);
}

// The fault may be at another host than the endpoint's.
TEST_F(PullTest, AFailureNamesTheRequestsHost) {
  LogIn();
  AskForTokens(false);
  const auto guard = web_.guard;
  web_.guard = [&](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (!one.url.starts_with("https://token.example.com/")) return guard(one);
    return Fail(Code::kTls, "the server shows a certificate", one.url);
  };
  const Pulled pulled = Run();
  ASSERT_EQ(pulled.failures.size(), 1U);
  EXPECT_EQ(pulled.failures[0].endpoint, "https://r.example.com/v2");
  EXPECT_THAT(pulled.failures[0].error.where, StartsWith("https://token.example.com/"));
  web_.guard = guard;
  EXPECT_TRUE(Run().used_login);
}

TEST_F(PullTest, A401WithoutAWayToLogInIsNoWrongLogin) {
  LogIn();
  web_.guard = [](const FakeRegistries::Asked&) -> FakeRegistries::Answer { return FakeRegistries::Page("", 401); };
  EXPECT_THAT(Run().error->message, HasSubstr("names no way to log in"));
}

// --- What leads elsewhere

TEST_F(PullTest, ATokenServiceThatLeadsOnGetsTheLoginWhereItIsAsSafe) {
  LogIn();
  AskForTokens(false);
  const auto guard = web_.guard;
  const auto lead = [&](const std::string& method, const std::string& to) {
    web_.asked.clear();
    web_.guard = [&, method, to](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
      if (!one.url.starts_with("https://token.example.com/auth")) return guard(one);
      if (one.method != method) return FakeRegistries::Page("", 404);
      return FakeRegistries::Leads(to);
    };
    return Run();
  };
  EXPECT_TRUE(lead("POST", "https://token.example.com/other").arrives());
  EXPECT_THAT(lead("POST", "https://evil.example.com/").error->message, HasSubstr("which would get the login"));
  EXPECT_FALSE(lead("GET", "http://token.example.com/plain").arrives());
  for (const auto& one : web_.asked) {
    if (one.url.starts_with("http://")) {
      EXPECT_EQ(one.authorization + one.body, "") << one.url;
    }
  }
}

TEST_F(PullTest, ARedirectToTheSameHostWithItsOwnPortKeepsTheLogin) {
  LogIn();
  AskForTokens(false);
  const std::string blob = "/v2/org/app/blobs/" + sample_.layer;
  const auto guard = web_.guard;
  web_.guard = [&](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (one.url == "https://r.example.com" + blob) return FakeRegistries::Leads("https://r.example.com:443" + blob);
    if (!one.url.starts_with("https://r.example.com:443/")) return guard(one);
    return one.authorization == "Bearer t0ken" ? FakeRegistries::Page("layer") : FakeRegistries::Page("", 401);
  };
  EXPECT_TRUE(Run().arrives());
}

TEST_F(PullTest, AHostThatIsNoNameIsNotTakenIntoAList) {
  const std::string config = web_.Put(kRoot, "blobs", R"({"os":"windows","architecture":"amd64"})");
  const std::string layer = web_.Put(kRoot, "blobs", "foreign");
  for (const char* host : {"*", "*.example.com", "a,b", "\xC2\x9B.example.com"}) {
    web_.Tag(kRoot, "v1",
             web_.Put(kRoot, "manifests",
                      fmt::format(R"({{"config":{},"layers":[{}]}})", web_.Descriptor(config, "c"),
                                  web_.Descriptor(layer, "l", fmt::format(R"("urls":["https://{}/x"])", host)))));
    const Pulled pulled = Run();
    EXPECT_THAT(pulled.error->message, HasSubstr("malformed")) << host;
    EXPECT_EQ(pulled.steps.back().host, "");
  }
}

TEST_F(PullTest, AnInsecureEndpointIsAskedWithoutTlsWhereContainerdDoes) {
  image_.endpoints = {At("http://r.example.com/v2")};
  image_.endpoints[0].tls_first = true;
  SampleImage::PutAt(web_, "http://r.example.com/v2/org/app");
  web_.guard = [](const FakeRegistries::Asked& one) -> FakeRegistries::Answer {
    if (one.url.starts_with("https://")) return Fail(Code::kNetwork, "nothing listens", "there");
    return FakeRegistries::Page("", 0);
  };
  EXPECT_FALSE(Run().arrives()) << "the server was reached, and not without TLS";
  web_.unreachable = true;
  EXPECT_TRUE(Run().arrives());
  image_.endpoints[0].url = "http://r.example.com:5000/v2";
  EXPECT_FALSE(Run().arrives()) << "a port is for one scheme";
  image_.endpoints[0].plain_after_any_failure = true;
  SampleImage::PutAt(web_, "http://r.example.com:5000/v2/org/app");
  EXPECT_TRUE(Run().arrives());
}

}  // namespace
}  // namespace prov::pull
