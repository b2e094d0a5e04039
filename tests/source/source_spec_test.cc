#include "provisioner/source/source_spec.h"

#include <gmock/gmock.h>

namespace prov::source {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string WrittenSpec(const SourceSpec& spec) {
  JsonWriter json;
  WriteSourceSpec(json, spec);
  return json.Text();
}

Result<SourceSpec> ReadSpec(std::string_view text) {
  return ReadSourceSpec(PROV_TRY(ParseJsonDocument(text, "state.json")));
}

TEST(SourceSpec, ComesBackAsItWasWritten) {
  const SourceSpec plain{.source = R"(C:\egress\worker.json)"};
  EXPECT_EQ(ReadSpec(WrittenSpec(plain)).value(), plain);
  SourceSpec full{.source = "kube:///infra", .selection = {.pool = "infra", .name = "rendered-infra-1"}};
  full.ca_file = "/ca.pem";
  full.kubeconfig = "in-cluster";
  full.proxy_url = Secret("http://u:a,b@p:1");
  full.timeout_seconds = 30;
  full.add_cluster_suffixes = true;
  EXPECT_EQ(ReadSpec(WrittenSpec(full)).value(), full);
  EXPECT_EQ(WrittenSpec(ReadSpec(WrittenSpec(full)).value()), WrittenSpec(full));
}

TEST(SourceSpec, NamesOnlyWhatWasChosen) {
  EXPECT_EQ(WrittenSpec({.source = "mcs://h"}), "{\n  \"source\": \"mcs://h\",\n  \"pool\": \"worker\"\n}\n");
}

TEST(SourceSpec, RefusesWhatNoOptionCouldSay) {
  const std::string head = R"({"source":"mcs://h","pool":"worker",)";
  for (const char* rest : {R"("timeout":0})", R"("timeout":3601})", R"("timeout":"30"})", R"("caFile":1})",
                           R"("addClusterSuffixes":"yes"})"}) {
    const auto spec = ReadSpec(head + rest);
    ASSERT_FALSE(spec) << rest;
    EXPECT_EQ(spec.error().code, Code::kType) << rest;
  }
  const auto proxy = ReadSpec(head + R"("proxy":"socks5://u:hunter2@p:1"})");
  ASSERT_FALSE(proxy);
  EXPECT_EQ(proxy.error().code, Code::kProxyUrl);
  EXPECT_THAT(proxy.error().message + proxy.error().where, Not(HasSubstr("hunter2")));
  EXPECT_FALSE(ReadSpec(R"({"pool":"worker"})")) << "no source";
}

TEST(SourceSpec, AMemberOfANewerProgramIsIgnored) {
  EXPECT_TRUE(ReadSpec(R"({"source":"mcs://h","pool":"worker","newer":{"a":1}})"));
}

TEST(SourceSpec, KnowsItsPaths) {
  EXPECT_THAT((SourceSpec{.source = "/a", .ca_file = "/b", .kubeconfig = "/c"}.Files()), ElementsAre("/a", "/b", "/c"));
  EXPECT_THAT((SourceSpec{.source = "kube://", .kubeconfig = "in-cluster"}.Files()), IsEmpty());
  EXPECT_THAT(SourceSpec{.source = "-"}.Files(), IsEmpty());
  EXPECT_THAT(SourceSpec{.source = "https://h/x"}.Files(), IsEmpty());
}

}  // namespace
}  // namespace prov::source
