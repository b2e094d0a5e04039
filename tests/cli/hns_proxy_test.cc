// `hns-proxy` as its callers see it, on a node with endpoints in memory and on a system that is no Windows.
#include "tests/cli/machine_commands_fixture.h"
#include "tests/support/memory_network.h"
#include "tests/support/memory_programs.h"

namespace prov::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_support::MemoryNetwork;
using testing_support::MemoryPrograms;

constexpr char kOne[] = "93F86A7F-E361-4362-B8A4-81BBB6A622DD";
constexpr char kTwo[] = "00000000-0000-0000-0000-000000000001";
constexpr char kNamespace[] = "AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE";
constexpr char kContainer[] = "ccaae3aba155c0ffee";
constexpr char kAcl[] = R"({"Type":"ACL","Settings":{"Action":"Allow"}})";
constexpr char kOld[] = R"({"Type":"L4WFPPROXY","Settings":{"Port":"8000","FilterTuple":{"Protocols":"6"}}})";
constexpr char kSettings[] = R"({"InboundProxyPort":"9191","OutboundProxyPort":"9191","FilterTuple":{"Protocols":"6"},)"
                             R"("UserSID":"S-1-5-32-556","InboundExceptions":{},"OutboundExceptions":{}})";

class HnsProxy : public machine_commands::MachineCommands {
 protected:
  HnsProxy() {
    network_.endpoints = {{kOne, {kAcl}}, {kTwo, {kAcl, kOld}}};
    network_.namespaces = {{kNamespace, {kOne}}};
    host_.memory.network = &network_;
    host_.memory.programs = &programs_;
  }
  ~HnsProxy() override { EXPECT_EQ(network_.open, 0U) << "handles are left open"; }

  std::string File(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
    return (root_ / name).string();
  }
  rapidjson::Document Json(std::vector<std::string> words, int exit = 0) {
    return MachineCommands::Json(HnsProxyCommand, std::move(words), exit);
  }
  // Those with a policy of one port and account.
  std::vector<std::string> With(std::vector<std::string> words) {
    words.insert(words.end(), {"--port", "9191", "--usersid", "S-1-5-32-556"});
    return words;
  }
  std::string Output(const std::vector<std::string>& words) {
    const auto outcome = Run(HnsProxyCommand, words);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? outcome->out : "";
  }
  Code CodeOf(const std::vector<std::string>& words) {
    const auto outcome = Run(HnsProxyCommand, words);
    EXPECT_FALSE(outcome) << outcome->out;
    return outcome ? Code::kInternal : outcome.error().code;
  }
  std::string Inspected() const {
    return std::string(R"({"status":{"id":")") + kContainer +
           R"("},"info":{"runtimeSpec":{"windows":{"network":{"networkNamespace":")" + kNamespace + R"("}}}}})";
  }

  MemoryNetwork network_;
  MemoryPrograms programs_;
};

TEST_F(HnsProxy, RendersThePolicyInEachForm) {
  const std::string policy = std::string(R"({"Type":"L4WFPPROXY","Settings":)") + kSettings + "}";
  EXPECT_EQ(Output(With({"render"})), policy + "\n");
  EXPECT_EQ(Output(With({"render", "--format", "request"})),
            R"({"ResourceType":"Policy","RequestType":"Add","Settings":{"Policies":[)" + policy + "]}}\n");
  const auto cni = Run(HnsProxyCommand, With({"render", "--format", "cni"}));
  ASSERT_TRUE(cni);
  EXPECT_EQ(cni->out,
            std::string(R"({"name":"EndpointPolicy","value":{"type":"L4WFPPROXY","settings":)") + kSettings + "}}\n");
  ASSERT_EQ(cni->findings.size(), 1U);
  EXPECT_EQ(cni->findings[0].code, "hns-cni");
  const std::string flat = Output(With({"render", "--format", "azure-vnet"}));
  EXPECT_EQ(flat, std::string(R"({"Name":"EndpointPolicy","Value":{"Type":"L4WFPPROXY",)") + (kSettings + 1) + "}\n");
  EXPECT_EQ(Output({"check", File("entry.json", flat)}), "valid: 1 policy\n");
  EXPECT_EQ(Output({"render", File("entry.json", flat)}), policy + "\n");
  EXPECT_THAT(Output({"render", File("two.json", "[" + policy + "," + kOld + "]")}), HasSubstr("},{\"Type\""));
  EXPECT_THAT(network_.log, IsEmpty());
}

TEST_F(HnsProxy, ChecksAPolicyWithoutACall) {
  const auto good = Json(With({"check"}));
  EXPECT_TRUE(good["valid"].GetBool());
  EXPECT_EQ(good["policies"].Size(), 1U);
  const auto bad = Json({"check", "--port", "x"}, 11);
  EXPECT_FALSE(bad["valid"].GetBool());
  EXPECT_STREQ(bad["findings"][0]["code"].GetString(), "policy");
  EXPECT_EQ(CodeOf({"check", File("bad.json", "{")}), Code::kJson);
  EXPECT_EQ(Output(With({"check"})), "valid: 1 policy\n");
  EXPECT_THAT(network_.log, IsEmpty());
}

TEST_F(HnsProxy, ChecksTheVersion) {
  EXPECT_TRUE(Json({"check"})["supported"].GetBool());
  network_.version = R"({"Success":true,"Output":{"Major":13,"Minor":1}})";
  const auto old = Json({"check"}, 13);
  EXPECT_FALSE(old["supported"].GetBool());
  EXPECT_STREQ(old["error"]["code"].GetString(), "unsupported");
  EXPECT_EQ(CodeOf({"check"}), Code::kUnsupported);
  EXPECT_EQ(CodeOf(With({"add", kOne})), Code::kUnsupported);
  EXPECT_EQ(CodeOf(With({"ensure", kOne})), Code::kUnsupported);
  EXPECT_EQ(Json({"list", kTwo})["endpoints"][0]["policies"].Size(), 1U);
  EXPECT_EQ(Json({"clear", kTwo})["writes"].GetInt(), 1) << "what is there can be taken away";
}

TEST_F(HnsProxy, AddsEnsuresListsAndClears) {
  const auto added = Json(With({"add", kTwo}));
  EXPECT_STREQ(added["endpoints"][0]["action"].GetString(), "add");
  EXPECT_EQ(added["endpoints"][0]["policies"].Size(), 2U);
  EXPECT_EQ(Json(With({"add", kTwo}))["writes"].GetInt(), 0);
  const auto ensured = Json(With({"ensure", kTwo}));
  EXPECT_STREQ(ensured["endpoints"][0]["action"].GetString(), "replace");
  EXPECT_EQ(Json(With({"ensure", kTwo}))["writes"].GetInt(), 0);
  EXPECT_EQ(Json({"list", kTwo})["endpoints"][0]["policies"].Size(), 1U);
  EXPECT_THAT(Output({"list", "--all"}), AllOf(HasSubstr(": 0 policies\n"), HasSubstr(": 1 policy\n")));
  EXPECT_EQ(Json({"clear", "--all"})["writes"].GetInt(), 1);
  EXPECT_EQ(network_.PoliciesOf(kTwo), kAcl);
}

TEST_F(HnsProxy, ADryRunChangesNothingAndTellsByItsExitCode) {
  const auto report = Json(With({"ensure", "--all", "--dry-run"}), 4);
  EXPECT_STREQ(report["endpoints"][0]["action"].GetString(), "replace");
  EXPECT_STREQ(report["endpoints"][1]["action"].GetString(), "add");
  EXPECT_EQ(report["writes"].GetInt(), 0);
  EXPECT_THAT(network_.CallNames(), Not(testing::Contains("HcnModifyEndpoint")));
  Json(With({"ensure", "--all"}));
  Json(With({"ensure", "--all", "--dry-run"}), 0);
}

// kube-proxy makes such endpoints, so that nearly every node has them.
TEST_F(HnsProxy, EndpointsOfOtherNodesGetNoPolicy) {
  network_.remote = {kOne};
  for (const char* const command : {"ensure", "add"}) {
    const auto report = Json(With({command, "--all"}));
    ASSERT_EQ(report["endpoints"].Size(), 1U);
    EXPECT_STREQ(report["endpoints"][0]["id"].GetString(), kTwo);
    EXPECT_EQ(network_.PoliciesOf(kOne), kAcl);
  }
  EXPECT_EQ(Json({"list", "--all"})["endpoints"].Size(), 2U);
  EXPECT_EQ(Json(With({"add", kOne}))["writes"].GetInt(), 1) << "one that is named is what somebody wants";
}

TEST_F(HnsProxy, OneThatFailsDoesNotStopTheOthers) {
  network_.without_effect = "Add";
  const auto report = Json(With({"add", "--all"}), 13);
  EXPECT_EQ(report["writes"].GetInt(), 0);
  for (const auto& endpoint : report["endpoints"].GetArray())
    EXPECT_STREQ(endpoint["error"]["code"].GetString(), "hns");
  EXPECT_EQ(CodeOf(With({"add", kOne})), Code::kHns);
}

TEST_F(HnsProxy, AnEndpointThatVanishesIsAFindingUnlessItIsTheOnlyOne) {
  const auto endpoints = network_.endpoints;
  network_.meanwhile = [this](std::string_view call) {
    if (call == "HcnModifyEndpoint") network_.endpoints.erase(kTwo);
  };
  const auto report = Json(With({"ensure", "--all"}));
  EXPECT_EQ(report["endpoints"].Size(), 1U);
  EXPECT_STREQ(report["findings"][0]["code"].GetString(), "hns-vanished");
  EXPECT_THAT(report["findings"][0]["message"].GetString(), HasSubstr("(0x803b0002)"));
  network_.endpoints = endpoints;
  EXPECT_EQ(CodeOf(With({"ensure", kTwo})), Code::kHns);
}

TEST_F(HnsProxy, NoEndpointAtAllIsNothingToDo) {
  network_.endpoints.clear();
  EXPECT_EQ(Json(With({"ensure", "--all"}))["endpoints"].Size(), 0U);
  EXPECT_EQ(Output({"list", "--all"}), "no endpoints\n");
}

TEST_F(HnsProxy, AContainerIsFoundByWhatCrictlSays) {
  const std::string file = File("crictl.json", Inspected());
  const auto found = Json({"lookup", "ccaae3", "--crictl", file});
  EXPECT_STREQ(found["container"].GetString(), kContainer);
  EXPECT_STREQ(found["namespace"].GetString(), kNamespace);
  EXPECT_STREQ(found["endpoints"][0].GetString(), kOne);
  EXPECT_EQ(Json(With({"ensure", "--container", "ccaae3", "--crictl", file}))["writes"].GetInt(), 1);
  EXPECT_EQ(CodeOf({"lookup", "ffff", "--crictl", file}), Code::kKind);
  EXPECT_THAT(programs_.log, IsEmpty());
}

TEST_F(HnsProxy, CrictlIsRunWhereNoFileIsGiven) {
  EXPECT_EQ(CodeOf({"lookup", kContainer}), Code::kTarget) << "it is not in PATH";
  programs_.in_path["crictl"] = R"(C:\k\crictl.exe)";
  programs_.outputs["inspect --output json ccaae3"] = {0, Inspected(), ""};
  EXPECT_EQ(Json({"lookup", "ccaae3"})["endpoints"].Size(), 1U);
  EXPECT_EQ(Json({"lookup", "ccaae3", "--crictl-exe", "other.exe"})["endpoints"].Size(), 1U);
  EXPECT_THAT(programs_.log,
              ElementsAre(R"(C:\k\crictl.exe inspect --output json ccaae3)", "other.exe inspect --output json ccaae3"));
  EXPECT_EQ(CodeOf({"lookup", "ffff"}), Code::kTarget) << "there is no such container";
  EXPECT_EQ(CodeOf({"list", "--container=--version"}), Code::kUsage);
}

TEST_F(HnsProxy, WhatACommandDoesNotTakeIsRefusedBeforeAnyCall) {
  const std::string policy = File("p.json", kOld);
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"lst", kOne},
      {"list"},
      {"list", kOne, "--all"},
      {"list", "--all", "--namespace", kNamespace},
      {"list", kOne, kTwo},
      {"list", "not-a-guid"},
      {"list", kOne, "--port", "1"},
      {"list", kOne, "--dry-run"},
      {"list", ""},
      {"list", kOne, "--crictl", policy},
      {"list", "--all", "--crictl-exe", "crictl.exe"},
      {"list", "--container", "a", "--container", "b"},
      {"list", "--namespace", kNamespace, "--namespace", kNamespace},
      {"lookup", "a", "--crictl", policy, "--crictl-exe", "crictl.exe"},
      {"render", "--port", "1", "--port", "2"},
      {"lookup"},
      {"lookup", "a", "--all"},
      {"add", kOne},
      {"add", kOne, "--policy", policy, "--port", "1"},
      {"add", kOne, "--port", "1", "--inbound-port", "2"},
      {"render"},
      {"render", policy, "--format", "xml"},
      {"render", "-", "--crictl", "-"},
      {"check", policy, "--policy", policy}};
  for (const auto& words : wrong) EXPECT_EQ(CodeOf(words), Code::kUsage) << testing::PrintToString(words);
  for (const char* const port : {"x", "0", "65536", "", " "})
    EXPECT_EQ(CodeOf({"add", kOne, "--port", port}), Code::kPolicy) << port;
  EXPECT_EQ(CodeOf({"ensure", "--all", "--policy", File("empty.json", "[]")}), Code::kPolicy);
  EXPECT_THAT(network_.log, IsEmpty());
}

TEST_F(HnsProxy, ElsewhereThanOnWindowsOnlyPoliciesAreWorkedOn) {
  host_.memory.network = nullptr;
  host_.memory.programs = nullptr;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"list", "--all"}, {"check"}, {"lookup", kContainer}, With({"ensure", kOne})})
    EXPECT_EQ(CodeOf(words), Code::kTarget) << testing::PrintToString(words);
  EXPECT_TRUE(Run(HnsProxyCommand, With({"render"})));
  EXPECT_TRUE(Run(HnsProxyCommand, With({"check"})));
}

}  // namespace
}  // namespace prov::cli
