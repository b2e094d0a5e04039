#include "provisioner/publish/pod_policy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/source/kube_client.h"
#include "tests/support/json_text.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"
#include "tests/support/sample.h"

namespace prov::publish {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::JsonOf;

std::string Parsed(std::string_view selector) {
  const auto requirements = ParseLabelSelector(selector, "--namespace-selector");
  if (!requirements) return fmt::format("{}: {}", InfoOf(requirements.error().code).name, requirements.error().where);
  std::string out;
  for (const LabelRequirement& one : *requirements)
    out += fmt::format("{} {} [{}];", one.key, one.what, fmt::join(one.values, " "));
  return out;
}

TEST(LabelSelectorText, TakesWhatKubectlTakes) {
  EXPECT_EQ(Parsed(""), "");
  EXPECT_EQ(Parsed("env=prod"), "env In [prod];");
  EXPECT_EQ(Parsed(" env = prod , tier!=web,!canary "), "env In [prod];tier NotIn [web];canary DoesNotExist [];");
  EXPECT_EQ(Parsed("example.com/a=x,c"), "example.com/a In [x];c Exists [];");
  EXPECT_EQ(Parsed("env="), "env In [];") << "the empty value";
}

TEST(LabelSelectorText, RefusesTheRest) {
  for (const char* text : {"=x", "a b", "a in (x)", ",", "a,", "!", "a=b c", "a==b", "!a=b", "-a", "a.=x", "a/b/c",
                           "/a", "A_/a=x", "a=\"x\"", "a>1"})
    EXPECT_EQ(Parsed(text), "usage: --namespace-selector") << text;
  EXPECT_EQ(Parsed(std::string(63, 'a')), std::string(63, 'a') + " Exists [];");
  EXPECT_EQ(Parsed(std::string(64, 'a')), "usage: --namespace-selector");
}

TEST(PodParamsPlaceText, IsANamespaceAndAName) {
  const auto place = Must(ParsePodParamsPlace("shop/values", "--params"));
  EXPECT_EQ(place.name_space + " " + place.name, "shop values");
  for (const char* text : {"", "values", "shop/", "/values", "a/b/c", "Shop/values"})
    EXPECT_FALSE(ParsePodParamsPlace(text, "--params")) << text;
}

Result<Object> MadePolicy(const PodPolicy& policy = {}) { return MakePodPolicy(policy); }

// As the YAML is read again.
TEST(PodPolicy, HasItsPlaceItsNamespacesAndItsValues) {
  const PodPolicy policy{.params_place = {.name_space = "shop", .name = "values"},
                         .namespaces = std::vector<LabelRequirement>{{"env", "In", {"prod"}}, {"x", "Exists", {}}},
                         .params = {{"HTTP_PROXY", "http://u:\"#\\@p:1"}, {"NO_PROXY", "a: b"}, {"digest", "d"}},
                         .version = "1.2.3"};
  const auto objects = Must(MadePolicy(policy));
  const auto printed = Must(ReadManifest(WritePodPolicy(objects, false), "f"));
  const JsonValue& root = *printed.root;
  for (const JsonValue& object : root.GetArray())
    EXPECT_EQ(JsonTextAt(object, {"metadata", "labels", "app.kubernetes.io/version"}), "1.2.3");
  EXPECT_EQ(JsonOf(root[1]["spec"]["paramRef"]),
            R"({"name":"values","namespace":"shop","parameterNotFoundAction":"Allow"})");
  EXPECT_EQ(JsonOf(root[1]["spec"]["matchResources"]["namespaceSelector"]["matchExpressions"]),
            R"([{"key":"env","operator":"In","values":["prod"]},{"key":"x","operator":"Exists"}])");
  EXPECT_EQ(JsonTextAt(root[2], {"metadata", "namespace"}), "shop");
  EXPECT_EQ(JsonTextAt(root[2], {"metadata", "name"}), "values");
  EXPECT_EQ(JsonOf(root[2]["data"]), R"({"HTTP_PROXY":"http://u:\"#\\@p:1","NO_PROXY":"a: b","digest":"d"})");
}

TEST(PodPolicy, TheJsonIsOneListOfTheSameObjects) {
  const auto objects = Must(MadePolicy({.params = {{"digest", "d"}}}));
  const std::string text = WritePodPolicy(objects, true);
  const auto list = Must(ReadAnyObject(text, "f"));
  EXPECT_THAT(text, HasSubstr("\"kind\": \"List\""));
  EXPECT_EQ(JsonOf((*list.root)["items"]), JsonOf(*objects.root));
}

TEST(PodPolicy, WithoutValuesOrASelectorItIsTheTemplate) {
  const std::string folder = testing_support::TestsFolder() + "/../templates/kubernetes/pods/";
  const auto written = Must(ReadManifest(testing_support::ReadAll(folder + "pod-policy.yaml") + "---\n" +
                                             testing_support::ReadAll(folder + "pod-params.yaml"),
                                         "templates"));
  const std::string version(JsonTextAt((*written.root)[2], {"metadata", "labels", "app.kubernetes.io/version"}));
  const auto objects = Must(MadePolicy({.version = version}));
  EXPECT_EQ(JsonOf(*objects.root), JsonOf(*written.root));
  const JsonValue& binding = (*objects.root)[1];
  EXPECT_EQ(JsonTextAt(binding, {"spec", "policyName"}), kPodPolicyName);
  EXPECT_THAT(JsonOf(binding), HasSubstr(R"({"key":"control-plane","operator":"DoesNotExist"})"));
  const JsonValue& map = (*objects.root)[2];
  EXPECT_EQ(JsonTextAt(map, {"metadata", "labels", "egress-provisioner/keeps"}), source::kPodParamsMark);
  EXPECT_EQ(JsonOf(map["data"]), "{}");
  const auto all = Must(MadePolicy({.namespaces = std::vector<LabelRequirement>()}));
  EXPECT_EQ(JsonOf((*all.root)[1]["spec"]["matchResources"]["namespaceSelector"]), "{}") << "every namespace";
}

// The policy reads the keys that MakePodParams writes, and names what the patches name.
TEST(PodPolicy, ThePolicyAndTheCodeUseTheSameNames) {
  const auto objects = Must(MadePolicy());
  const std::string policy = JsonOf((*objects.root)[0]);
  for (const std::string_view name : {kPodParamsDigest, kTrustConfigMap, kTrustKey, kPodParamsAnnotation})
    EXPECT_THAT(policy, HasSubstr("'" + std::string(name) + "'"));
  EXPECT_TRUE(IsPlatformNamespace("kube-system") && IsPlatformNamespace("openshift-dns"));
  EXPECT_FALSE(IsPlatformNamespace("shop") || IsPlatformNamespace("kube"));
}

}  // namespace
}  // namespace prov::publish
