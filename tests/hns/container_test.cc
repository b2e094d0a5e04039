#include "provisioner/hns/container.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/support/result.h"

namespace prov::hns {
namespace {

using testing::HasSubstr;

constexpr const char* kContainer = "ccaae3aba155ccfb08fdf2e51fa4034f19db40d0ae5b485820544e49a60499c0";
constexpr const char* kGuid = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE";

std::string Spec(const std::string& guid = kGuid) {
  return R"({"ociVersion":"1.0.2","windows":{"layerFolders":[],"network":{"allowUnqualifiedDNSQuery":true,)"
         R"("networkNamespace":")" +
         guid + R"("}}})";
}

std::string Document(const std::string& id, const std::string& info) {
  return R"({"status":{"id":")" + id + R"(","state":"CONTAINER_RUNNING"},"info":)" + info + "}";
}

std::string WithSpec(const std::string& spec) {
  return Document(kContainer, R"({"sandboxID":"f04bda79168c8","pid":5,"runtimeSpec":)" + spec + "}");
}

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

Error RefusedContainer(const std::string& text, std::string_view container = kContainer) {
  return ErrorIn(ReadContainer(text, container, "c.json"));
}

TEST(ReadContainer, FindsTheNamespaceOfWhatCrictlPrints) {
  EXPECT_EQ(ReadContainer(WithSpec(Spec()), kContainer, "c.json"), (Container{kContainer, kGuid}));
  EXPECT_EQ(ReadContainer("\xFF\xFE" + ToUtf16Le(WithSpec(Spec())), kContainer, "c.json"),
            (Container{kContainer, kGuid}));
}

// CRI itself, v1alpha2 and v1, has the runtime's info as JSON in a text.
TEST(ReadContainer, FindsItInTheAnswersOfCri) {
  const std::string inner = R"({"sandboxID":"s","runtimeSpec":)" + Spec() + "}";
  for (const std::string& info :
       {R"({"info":")" + Escaped(inner) + "\"}", R"({"info":)" + inner + "}", "\"" + Escaped(inner) + "\""}) {
    EXPECT_EQ(ReadContainer(Document(kContainer, info), kContainer, "c.json"), (Container{kContainer, kGuid})) << info;
  }
}

TEST(ReadContainer, TakesTheBeginningOfAnId) {
  for (const char* id :
       {"ccaae3aba155c", "c", "containerd://ccaae3aba155ccfb08fdf2e51fa4034f19db40d0ae5b485820544e49a60499c0",
        "containerd://ccaae"}) {
    const auto read = ReadContainer(WithSpec(Spec()), id, "c.json");
    ASSERT_TRUE(read) << id;
    EXPECT_EQ(read->id, kContainer);
  }
}

TEST(ReadContainer, ChoosesOneOfAList) {
  const std::string other =
      Document("ccffff", R"({"runtimeSpec":)" + Spec("11111111-2222-3333-4444-555555555555") + "}");
  const std::string list = "[" + WithSpec(Spec()) + "," + other + "," + Document("ccfff", "{}") + "]";
  EXPECT_EQ(ReadContainer(list, "ccaa", "c.json"), (Container{kContainer, kGuid}));
  EXPECT_EQ(ReadContainer(list, "ccffff", "c.json")->network_namespace, "11111111-2222-3333-4444-555555555555");
  EXPECT_THAT(RefusedContainer(list, "cc").message, HasSubstr("3 containers"));
  EXPECT_THAT(RefusedContainer(list, "d").message, HasSubstr("none is d"));
  // Whole, although another one begins so.
  EXPECT_THAT(RefusedContainer(list, "ccfff").message, HasSubstr("no runtimeSpec"));
}

TEST(ReadContainer, RefusesAnotherContainer) {
  const Error error = RefusedContainer(WithSpec(Spec()), "abc");
  EXPECT_EQ(error.code, Code::kKind);
  EXPECT_THAT(error.message, HasSubstr("not of abc"));
}

TEST(ReadContainer, RefusesWhatHasNoEndpointOfItsOwn) {
  struct {
    std::string spec;
    const char* says;
  } const refusals[] = {
      {R"({"linux":{}})", "not a Windows container"},
      {R"({"windows":null})", "not a Windows container"},
      {R"({"windows":{"hyperv":{},"network":{"networkNamespace":"x"}}})", "Hyper-V"},
      {R"({"annotations":{"microsoft.com/hostprocess-container":"true"},"windows":{}})", "HostProcess"},
      {R"({"windows":{}})", "no network of its own"},
      {R"({"windows":{"network":{}}})", "no network of its own"},
      {R"({"windows":{"network":{"networkNamespace":""}}})", "no network of its own"},
      {R"({"windows":{"network":{"networkNamespace":"/var/run/netns/a"}}})", "not the GUID of a namespace"},
      {R"({"windows":[]})", "no network of its own"},
      {"5", "not a Windows container"},
  };
  for (const auto& refusal : refusals) {
    const Error error = RefusedContainer(WithSpec(refusal.spec));
    EXPECT_EQ(error.code, Code::kKind) << refusal.spec;
    EXPECT_THAT(error.message, HasSubstr(refusal.says)) << refusal.spec;
    EXPECT_THAT(error.where, HasSubstr("c.json")) << refusal.spec;
  }
}

TEST(ReadContainer, RefusesWhatCrictlDoesNotPrintOfAContainer) {
  for (const char* text : {"{}", "5", "[5]", R"({"containers":[]})", R"({"status":{"id":""}})", R"({"status":5})"})
    EXPECT_EQ(RefusedContainer(text).code, Code::kKind) << text;
  EXPECT_THAT(RefusedContainer("[]").message, HasSubstr("0 containers"));
  EXPECT_THAT(RefusedContainer(std::string(R"({"status":{"id":")") + kContainer + "\"}}").message,
              HasSubstr("no info"));
  EXPECT_EQ(RefusedContainer(Document(kContainer, R"({"info":"{"})")).code, Code::kJson);
  EXPECT_EQ(RefusedContainer("").code, Code::kJson);
  EXPECT_EQ(RefusedContainer("time=\"2026\" level=fatal msg=\"x\"").code, Code::kJson);
  EXPECT_EQ(RefusedContainer("\xFF\xFE{").code, Code::kJson);
  EXPECT_EQ(RefusedContainer(WithSpec(Spec()), "").code, Code::kUsage);
  EXPECT_EQ(RefusedContainer(WithSpec(Spec()), "containerd://").code, Code::kUsage);
}

TEST(ParseGuid, TakesItWithAndWithoutBraces) {
  EXPECT_EQ(ParseGuid(kGuid, "w"), kGuid);
  EXPECT_EQ(ParseGuid("{93f86a7f-e361-4362-b8a4-81bbb6a622dd}", "w"), "93f86a7f-e361-4362-b8a4-81bbb6a622dd");
  for (const char* text :
       {"", "{}", "not-a-guid", "93f86a7f-e361-4362-b8a4-81bbb6a622d", "{93f86a7f-e361-4362-b8a4-81bbb6a622dd",
        "93f86a7fe3614362b8a481bbb6a622dd", "93f86a7g-e361-4362-b8a4-81bbb6a622dd", "ccaae3aba155c"}) {
    const auto guid = ParseGuid(text, "TARGET");
    ASSERT_FALSE(guid) << text;
    EXPECT_EQ(guid.error().code, Code::kUsage);
    EXPECT_EQ(guid.error().where, "TARGET");
  }
}

}  // namespace
}  // namespace prov::hns
