// `explain --image` as its callers see it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>

#include "provisioner/base/rapidjson.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::Json;
using testing_support::ProcessResult;
using testing_support::Provisioner;

const std::string kPinned = "quay.io/org/app@sha256:" + std::string(64, 'a');

class ExplainImage : public testing_support::ProgramTest {
 protected:
  // A file of config_path: REGISTRY/hosts.toml.
  std::string WriteHosts(const std::string& registry, std::string_view text) const {
    std::filesystem::create_directories(At("certs.d/" + registry));
    return Write("certs.d/" + registry + "/hosts.toml", text);
  }

  std::string source_ = Write("proxy.env",
                              "HTTP_PROXY=http://user:s3cret@proxy.example.com:3128\n"
                              "HTTPS_PROXY=http://user:s3cret@proxy.example.com:3128\n"
                              "NO_PROXY=.svc,10.0.0.0/8,mirror.example.com\n");
  std::string hosts_ = WriteHosts("quay.io",
                                  "[host.\"https://mirror.example.com:5000/v2/quay\"]\n"
                                  "  capabilities = [\"pull\"]\n"
                                  "  override_path = true\n");
};

TEST_F(ExplainImage, JsonOfTheContract) {
  const ProcessResult result =
      Provisioner({"explain", source_, "--image", kPinned, "nginx", "--registries", hosts_, "--output", "json"});
  ASSERT_EQ(result.exit, 0) << result.err;
  const rapidjson::Document document = Json(result);
  EXPECT_FALSE(document.HasMember("decisions"));
  EXPECT_EQ(document["findings"].Size(), 0U);
  const auto& images = document["images"];
  ASSERT_EQ(images.Size(), 2U);
  EXPECT_EQ(images[0]["image"].GetString(), kPinned);
  const auto& endpoints = images[0]["endpoints"];
  ASSERT_EQ(endpoints.Size(), 2U);
  EXPECT_STREQ(endpoints[0]["url"].GetString(), "https://mirror.example.com:5000/v2/quay");
  EXPECT_TRUE(endpoints[0]["mirror"].GetBool());
  ASSERT_EQ(endpoints[0]["capabilities"].Size(), 1U);
  EXPECT_STREQ(endpoints[0]["capabilities"][0].GetString(), "pull");
  EXPECT_STREQ(endpoints[0]["decision"].GetString(), "direct");
  EXPECT_TRUE(endpoints[0]["proxy"].IsNull());
  EXPECT_STREQ(endpoints[0]["entry"].GetString(), "mirror.example.com");
  EXPECT_FALSE(endpoints[0].HasMember("route"));
  EXPECT_STREQ(endpoints[1]["url"].GetString(), "https://quay.io/v2");
  EXPECT_FALSE(endpoints[1]["mirror"].GetBool());
  EXPECT_EQ(endpoints[1]["capabilities"].Size(), 2U);
  EXPECT_STREQ(endpoints[1]["decision"].GetString(), "proxy");
  EXPECT_STREQ(endpoints[1]["proxy"].GetString(), "http://user:***@proxy.example.com:3128");
  EXPECT_TRUE(endpoints[1]["entry"].IsNull());
  EXPECT_STREQ(images[1]["image"].GetString(), "docker.io/library/nginx:latest");
  EXPECT_STREQ(images[1]["endpoints"][0]["url"].GetString(), "https://registry-1.docker.io/v2");
  EXPECT_THAT(result.out, Not(HasSubstr("s3cret")));
}

TEST_F(ExplainImage, TextHasALineForEachEndpoint) {
  const ProcessResult result =
      Provisioner({"explain", source_, "--image", "quay.io/org/app:v1", "10.1.2.3/app", "--registries", hosts_});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(
      result.out,
      "quay.io/org/app:v1\n"
      "  https://mirror.example.com:5000/v2/quay  mirror (no tags)  direct   mirror.example.com: NO_PROXY has the "
      "host\n"
      "  https://quay.io/v2                       registry          proxy    "
      "http://user:***@proxy.example.com:3128: HTTPS_PROXY applies\n"
      "  note: mirror.example.com:5000 is for digests only, so it is not asked which image the tag means: name the "
      "image "
      "by its digest, or make an ImageTagMirrorSet, too\n"
      "10.1.2.3/app:latest\n"
      "  https://10.1.2.3/v2  registry  direct   10.0.0.0/8: NO_PROXY has the host\n");
}

TEST_F(ExplainImage, RequestsAndImagesAreAnsweredTogether) {
  const ProcessResult result = Provisioner(
      {"explain", source_, "--url", "https://quay.io/", "--for", "go", "--image", "nginx", "--output", "json"});
  const rapidjson::Document document = Json(result);
  EXPECT_EQ(document["decisions"].Size(), 1U);
  EXPECT_EQ(document["images"].Size(), 1U);
}

TEST_F(ExplainImage, AFileCountsForItsRegistryAndAFolderForAll) {
  WriteHosts("_default", "server = \"https://cache.example.com\"\n[host.\"https://cache.example.com\"]\n");
  WriteHosts("host_5000_", "[host.\"http://plain.example.com\"]\n");
  const auto urls = [&](const std::string& registries) {
    const rapidjson::Document document = Json(Provisioner({"explain", source_, "--image", "quay.io/a", "host:5000/a",
                                                           "other/a", "--registries", registries, "--output", "json"}));
    std::vector<std::string> out;
    for (const auto& image : document["images"].GetArray()) out.emplace_back(image["endpoints"][0]["url"].GetString());
    return out;
  };
  EXPECT_THAT(urls(hosts_), testing::ElementsAre("https://mirror.example.com:5000/v2/quay", "https://host:5000/v2",
                                                 "https://registry-1.docker.io/v2"));
  EXPECT_THAT(urls(At("certs.d")), testing::ElementsAre("https://mirror.example.com:5000/v2/quay",
                                                        "http://plain.example.com/v2", "https://cache.example.com/v2"));
  const std::string anywhere = Write("hosts.toml", "[host.\"https://all.example.com\"]\n");
  EXPECT_THAT(urls(anywhere), testing::Each("https://all.example.com/v2"));
}

const char* const kMirrorSet =
    "apiVersion: config.openshift.io/v1\n"
    "kind: ImageDigestMirrorSet\n"
    "metadata: {name: mirrors}\n"
    "spec:\n"
    "  imageDigestMirrors:\n"
    "  - source: quay.io/org\n"
    "    mirrors: [mirror.example.com:5000/org]\n";

TEST_F(ExplainImage, MirrorSetsAreFollowedAsTheOperatorWritesThemOrAsLinuxReadsThem) {
  const std::string set = Write("mirrors.yaml", kMirrorSet);
  const std::string other = "quay.io/other/app@" + kPinned.substr(kPinned.find("sha256"));
  const ProcessResult windows = Provisioner({"explain", source_, "--image", kPinned, other, "--registries", set});
  EXPECT_EQ(windows.exit, 0) << windows.err;
  EXPECT_THAT(windows.err, HasSubstr("warning [mirror-widened]"));
  const std::string mirror =
      "  https://mirror.example.com:5000/v2  mirror    direct   mirror.example.com: NO_PROXY has the host\n";
  const std::string registry =
      "  https://quay.io/v2                  registry  proxy    http://user:***@proxy.example.com:3128: HTTPS_PROXY "
      "applies\n";
  EXPECT_EQ(windows.out, kPinned + "\n" + mirror + registry + other + "\n" + mirror + registry +
                             "  note: Linux nodes ask quay.io/other/app\n");
  const ProcessResult on_linux =
      Provisioner({"explain", source_, "--image", kPinned, "--registries", set, "--platform", "linux/amd64"});
  EXPECT_THAT(on_linux.out, HasSubstr("https://mirror.example.com:5000/v2"));
  EXPECT_EQ(on_linux.err, "");
}

TEST_F(ExplainImage, MirrorsOfTheSourceCountAndABrokenFileOfThemIsAnError) {
  const auto config = [&](const std::string& text) {
    return Write("ignition.json",
                 "{\"ignition\":{\"version\":\"3.4.0\"},\"storage\":{\"files\":[{\"path\":"
                 "\"/etc/containers/registries.conf\",\"contents\":{\"source\":\"data:," +
                     text + "\"}}]}}");
  };
  const std::string good = config(
      "%5B%5Bregistry%5D%5D%0Alocation=%22quay.io%22%0A%5B%5Bregistry.mirror%5D%5D%0Alocation=%22m.example.com%22");
  const ProcessResult found = Provisioner({"explain", good, "--image", "quay.io/app"});
  EXPECT_THAT(found.out, HasSubstr("https://m.example.com/v2")) << found.err;
  const ProcessResult broken = Provisioner({"explain", config("%5B%5Bregistry"), "--image", "quay.io/app"});
  EXPECT_EQ(broken.exit, 11);
  EXPECT_THAT(broken.err, HasSubstr("error [registries]"));
  EXPECT_EQ(broken.out, "");
}

TEST_F(ExplainImage, AFileThatContainerdRefusesIsAFindingAndTheRegistryIsAsked) {
  const std::string broken = Write("hosts.toml", "[host.\"https://m.example.com\"]\ncapabilities = [\"pul\"]\n");
  const ProcessResult result = Provisioner({"explain", source_, "--image", "quay.io/a", "--registries", broken});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, HasSubstr("https://quay.io/v2"));
  EXPECT_THAT(result.out, Not(HasSubstr("m.example.com")));
  EXPECT_THAT(result.err, HasSubstr("error [hosts-toml]"));
  EXPECT_THAT(result.err, HasSubstr("'pul' is unknown"));
  EXPECT_THAT(result.err, HasSubstr("line 2"));
}

TEST_F(ExplainImage, WithoutAHostNobodyIsAsked) {
  const std::string hosts =
      Write("hosts.toml",
            "server = \"https://m.example.com\"\ncapabilities = [\"pull\"]\n[host.\"https://n.example\"]\n"
            "capabilities = [\"pull\"]\n");
  const std::vector<std::string> words = {"explain", source_, "--image", "quay.io/a", "--registries", hosts};
  EXPECT_THAT(Provisioner(words).out, HasSubstr("nobody is asked: no host of hosts.toml has the capability resolve"));
  std::vector<std::string> json = words;
  json.insert(json.end(), {"--output", "json"});
  const rapidjson::Document document = Json(Provisioner(json));
  EXPECT_EQ(document["images"][0]["endpoints"].Size(), 0U);
  EXPECT_THAT(document["images"][0]["note"].GetString(), HasSubstr("resolve"));
}

TEST_F(ExplainImage, TheWayThroughRoutersIsShown) {
  const std::string list = Write("list", "!mcr.microsoft.com\nquay.io\n");
  const std::vector<std::string> words = {"explain",   source_, "--image", "quay.io/a", "mcr.microsoft.com/b",
                                          "--through", list};
  const ProcessResult text = Provisioner(words);
  EXPECT_EQ(text.exit, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("allow"));
  EXPECT_THAT(text.out, HasSubstr("deny"));
  std::vector<std::string> json = words;
  json.insert(json.end(), {"--output", "json"});
  const rapidjson::Document document = Json(Provisioner(json));
  EXPECT_STREQ(document["images"][0]["endpoints"][0]["route"]["decision"].GetString(), "allow");
  EXPECT_STREQ(document["images"][1]["endpoints"][0]["route"]["decision"].GetString(), "deny");
}

TEST_F(ExplainImage, PlainHttpAfterTlsSaysWhereItGoesThen) {
  const std::string source = Write("https.env", "HTTPS_PROXY=http://proxy.example.com:3128\nNO_PROXY=.svc\n");
  const std::string hosts = Write("hosts.toml", "[host.\"http://m.example.com:5000\"]\nskip_verify = true\n");
  EXPECT_THAT(Provisioner({"explain", source, "--image", "quay.io/a", "--registries", hosts}).out,
              HasSubstr("HTTPS_PROXY applies; without TLS if that fails, then direct"));
}

TEST_F(ExplainImage, SlipsOfTheCommandLine) {
  const std::pair<std::vector<std::string>, std::string> kCases[] = {
      {{"--image", "https://quay.io/org/app"}, "or give a request to --url"},
      {{"--image", "quay.io/Org/App"}, "--image quay.io/Org/App has upper-case letters"},
      {{"--url", "quay.io/org/app:v1"}, "an image is given to --image"},
      {{"--registries", hosts_, "--url", "https://a/"}, "--registries is for the images that --image names"},
      {{"--platform", "linux/amd64", "--url", "https://a/"}, "--platform is for the images"},
      {{"--image", "a", "--platform", "windows"}, "windows/amd64"},
      {{"--image", "a", "--html", At("page.html")}, "--html shows requests"},
      {{"--image", "a", "--registries", At("absent")}, "absent"},
      {{}, "--image REF"},
  };
  for (const auto& [more, what] : kCases) {
    std::vector<std::string> words = {"explain", source_};
    words.insert(words.end(), more.begin(), more.end());
    const ProcessResult result = Provisioner(words);
    EXPECT_NE(result.exit, 0) << what;
    EXPECT_THAT(result.err, HasSubstr(what));
  }
  EXPECT_THAT(Provisioner({"explain", source_, "--image", "https://user:s3cret@quay.io/app"}).err,
              Not(HasSubstr("s3cret")));
  EXPECT_EQ(Provisioner({"explain", source_, "--image", "a b"}).exit, 11);
}

// It takes some milliseconds; reading a file again for each image would take seconds.
TEST_F(ExplainImage, AThousandImagesTakeLessThanASecond) {
  for (int i = 0; i < 200; ++i)
    WriteHosts(fmt::format("r{}.example.com", i), fmt::format("[host.\"https://m{}.example.com\"]\n", i));
  std::vector<std::string> words = {"explain", source_, "--registries", At("certs.d"), "--output", "json", "--image"};
  for (int i = 0; i < 1000; ++i) words.push_back(fmt::format("r{}.example.com/org/app{}:v1", i % 250, i));
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult result = Provisioner(words);
  const auto took = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(Json(result)["images"].Size(), 1000U);
  EXPECT_LT(took, std::chrono::seconds(10));  // far less without sanitizers
}

TEST_F(ExplainImage, SlipsAreNamed) {
  const std::string oc = Write("oc.txt", "Error from server (Forbidden): forbidden\n");
  struct Slip {
    std::vector<std::string> words;
    const char* told;
  };
  const std::vector<Slip> slips = {
      {{"--image", "quay.io/a,quay.io/b"}, "separated by blanks"},
      {{"--image", "@images.txt"}, "not a file of them"},
      {{"--image", "quay.io/a@sha256:abc"}, "--image quay.io/a@sha256:abc has an invalid digest"},
      {{"--image", "nginx", "--format", "required"}, "provisioner check SOURCE --image REF has it"},
      {{"--image", "nginx", "--registries", "https://m.example/hosts.toml"}, "and no URL"},
      {{"--image", "nginx", "--registries", hosts_, "--registries", hosts_}, "given twice"},
      {{"--image", "nginx", "--registries", oc}, "is an error message"},
      {{"--image", "nginx", "--registries", At("certs.d/quay.io")}, "give the folder above it"}};
  for (const Slip& slip : slips) {
    std::vector<std::string> words = {"explain", source_};
    words.insert(words.end(), slip.words.begin(), slip.words.end());
    const ProcessResult result = Provisioner(words);
    EXPECT_THAT(result.exit, testing::AnyOf(10, 11)) << slip.words.back();
    EXPECT_THAT(result.err, HasSubstr(slip.told));
  }
}

TEST_F(ExplainImage, ARegistryOrAFileInThePlaceOfAnImageIsSaidToBeOneOfDockerHub) {
  for (const char* text : {"quay.io", "image.tar", "registry.example.com:5000", "localhost:5000"}) {
    const ProcessResult result = Provisioner({"explain", source_, "--image", text});
    EXPECT_EQ(result.exit, 0);
    EXPECT_THAT(result.err,
                HasSubstr(fmt::format("image-default-registry]: --image {} is read as docker.io/library/", text)));
  }
  for (const char* text : {"nginx:1.25", "quay.io/a", "localhost/a", "a/b.c"})
    EXPECT_THAT(Provisioner({"explain", source_, "--image", text}).err, Not(HasSubstr("image-default-registry")))
        << text;
}

// What looks like a digest must not let a password through.
TEST_F(ExplainImage, APasswordBeforeAHostIsHidden) {
  for (const char* text : {"user:c4n/ary@share.example.com:3128", "user:c4nary@sha256:abc"})
    EXPECT_THAT(Provisioner({"explain", source_, text, "--image", "nginx"}).err, Not(HasSubstr("ary@"))) << text;
}

TEST_F(ExplainImage, AFileWithoutAStatementIsNamed) {
  for (const std::string& file : {Write("empty.toml", ""), [&] {
                                    std::filesystem::create_directories(At("none.d"));
                                    return At("none.d");
                                  }()}) {
    const ProcessResult result = Provisioner({"explain", source_, "--image", "nginx", "--registries", file});
    EXPECT_EQ(result.exit, 0) << file;
    EXPECT_THAT(result.err, HasSubstr("warning [hosts-toml]")) << file;
  }
  const std::string one = Write("hosts.toml", "[host.\"https://m.example\"]\n");
  EXPECT_THAT(Provisioner({"explain", source_, "--image", "nginx", "quay.io/a", "--registries", one}).err,
              HasSubstr("counts here for every image"));
}

TEST_F(ExplainImage, ANodeWithFilesOfOursDoesNotAskAsTheOperators) {
  const std::string set = Write("mirrors.yaml", kMirrorSet);
  const auto explain = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"explain", source_, "--image", kPinned, "nginx"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Provisioner(arguments);
  };
  const ProcessResult result = explain({"--registries", set, "--registry-folder", "c:/ctr/certs.d"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("warning [mirror-widened]"));
  EXPECT_EQ(result.out,
            kPinned +
                "\n"
                "  https://mirror.example.com:5000/v2  mirror    direct   mirror.example.com: NO_PROXY has the host\n"
                "  https://quay.io/v2                  registry  proxy    http://user:***@proxy.example.com:3128: "
                "HTTPS_PROXY applies\n"
                "  note: by C:\\ctr\\certs.d\\quay.io\\hosts.toml\n"
                "docker.io/library/nginx:latest\n"
                "  https://registry-1.docker.io/v2  registry  proxy    http://user:***@proxy.example.com:3128: "
                "HTTPS_PROXY applies\n");
  EXPECT_THAT(explain({"--registry-folder", R"(C:\k\certs.d)"}).err, HasSubstr("is below C:\\k"));
  EXPECT_THAT(explain({"--registry-folder", R"(C:\c)", "--platform", "linux/amd64"}).err, HasSubstr("Windows nodes"));
  EXPECT_THAT(explain({"--registry-folder", R"(C:\c)", "--registries", hosts_}).err, HasSubstr("already"));
  EXPECT_THAT(Provisioner({"explain", source_, "--url", "https://a", "--registry-folder", R"(C:\c)"}).err,
              HasSubstr("is for the images that --image names"));
}

// The operator writes the registry's stand-in as mirror and as server.
TEST_F(ExplainImage, AnEndpointOfTheFileIsShownOnce) {
  const std::string set =
      Write("mirrors.yaml", std::string(kMirrorSet) + "    mirrorSourcePolicy: NeverContactSource\n");
  const ProcessResult result = Provisioner({"explain", source_, "--image", kPinned, "--registries", set});
  EXPECT_EQ(result.exit, 0) << result.err;
  const std::size_t at = result.out.find("mirror.example.com:5000");
  EXPECT_NE(at, std::string::npos);
  EXPECT_THAT(result.out, Not(HasSubstr("note: Linux")));
}

}  // namespace
}  // namespace prov
