#include "provisioner/egressip/egress_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/egressip/helpers.h"
#include "tests/support/result.h"

namespace prov::egressip {
namespace {

using testing::HasSubstr;

Error ErrorOf(const std::string& text) {
  EgressObjects objects;
  return ErrorIn(AddEgressObjects(text, "objects.yaml", objects));
}

TEST(EgressObjects, ListsOfOneKindAndOfMany) {
  EgressObjects objects;
  const std::string json =
      R"({"kind":"List","apiVersion":"v1","items":[)"
      R"({"apiVersion":"network.openshift.io/v1","kind":"NetNamespace","metadata":{"name":"a"},"netid":7,)"
      R"("egressIPs":["10.0.0.1"]},{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}]})";
  ASSERT_TRUE(AddEgressObjects(json, "a.json", objects));
  const std::string typed =
      R"({"kind":"HostSubnetList","apiVersion":"network.openshift.io/v1","items":[{"metadata":{"name":"n"},)"
      R"("hostIP":"10.0.0.9","egressIPs":null}]})";
  ASSERT_TRUE(AddEgressObjects(typed, "b.json", objects));
  ASSERT_EQ(objects.net_namespaces.size(), 1U);
  EXPECT_EQ(objects.net_namespaces[0].net_id, 7);
  EXPECT_EQ(objects.net_namespaces[0].where, "a.json: $.items[0]");
  ASSERT_EQ(objects.host_subnets.size(), 1U);
  EXPECT_EQ(objects.host_subnets[0].host_ip, "10.0.0.9");
  EXPECT_EQ(objects.others, 1U);
}

TEST(EgressObjects, KindsOfOtherProjectsAreNotTheirs) {
  EgressObjects objects;
  ASSERT_TRUE(AddEgressObjects("apiVersion: submariner.io/v1\nkind: EgressIP\nmetadata: {name: x}\n", "f", objects));
  EXPECT_TRUE(objects.egress_ips.empty());
  EXPECT_EQ(objects.others, 1U);
}

TEST(EgressObjects, ErrorsNameTheirPlace) {
  const Error twice = ErrorOf(Documents({NetNamespaceYaml(1, ""), NetNamespaceYaml(1, "")}));
  EXPECT_EQ(twice.code, Code::kInvalidConfig);
  EXPECT_EQ(twice.where, "objects.yaml: $[1]");
  EXPECT_THAT(twice.message, HasSubstr("objects.yaml: $[0]"));
  EXPECT_EQ(ErrorOf("apiVersion: v1\nkind: Node\nmetadata: {}\n").code, Code::kInvalidConfig);
  EXPECT_EQ(ErrorOf("- a\n- b\n").code, Code::kKind);
  EXPECT_EQ(ErrorOf("kind: [\n").code, Code::kYaml);
  EXPECT_EQ(ErrorOf("{\"kind\":").code, Code::kJson);
  const Error type = ErrorOf("kind: NetNamespace\nmetadata: {name: a}\nnetid: seven\n");
  EXPECT_EQ(type.code, Code::kType);
  EXPECT_EQ(type.where, "objects.yaml: $.netid");
  EXPECT_THAT(ErrorOf("kind: EgressIP\nmetadata: {name: a}\nspec: {egressIPs: [10.0.0.1]}\n").message,
              HasSubstr("namespaceSelector"));
  EXPECT_THAT(ErrorOf(EgressIpYaml("a", "10.0.0.1", "matchExpressions: [{key: a, operator: in, values: [b]}]")).message,
              HasSubstr("In, NotIn, Exists or DoesNotExist"));
  const Error annotation = ErrorOf(NodeYaml("node", "", "k8s.ovn.org/node-primary-ifaddr: '{'"));
  EXPECT_EQ(annotation.code, Code::kInvalidConfig);
  EXPECT_THAT(annotation.where, HasSubstr("node-primary-ifaddr"));
}

TEST(EgressObjects, TheHurriedUsersFiles) {
  EXPECT_EQ(ErrorOf("").code, Code::kJson);
  EXPECT_EQ(ErrorOf("# nothing\n").code, Code::kYaml);
  EgressObjects objects;
  ASSERT_TRUE(AddEgressObjects("---\n" + NetNamespaceYaml(1, "10.0.0.1") + "---\n", "f", objects));
  EXPECT_EQ(objects.net_namespaces.size(), 1U);
}

Error EvaluationError(const std::vector<std::string>& documents, const std::vector<std::string>& offline = {}) {
  EgressObjects objects;
  if (!documents.empty()) {
    EXPECT_TRUE(AddEgressObjects(Documents(documents), "f", objects));
  }
  return ErrorIn(EvaluateEgressIps(objects, offline));
}

TEST(EgressObjects, OfNoPluginOrOfBothAreRefused) {
  EXPECT_EQ(EvaluationError({}).code, Code::kKind);
  EXPECT_EQ(EvaluationError({NetNamespaceYaml(1, ""), EgressIpYaml("p", "10.0.0.1", "")}).code, Code::kKind);
  const Error nobody = EvaluationError({HostSubnetYaml(3, ""), NetNamespaceYaml(1, "")}, {"node-7"});
  EXPECT_EQ(nobody.code, Code::kUsage);
  EXPECT_THAT(nobody.message, HasSubstr("node-7"));
}

}  // namespace
}  // namespace prov::egressip
