#include "provisioner/machine/compute_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/machine/programs.h"

namespace prov::machine {
namespace {

using testing::HasSubstr;

TEST(AbsentComputeNetwork, EachCallSaysThatAWindowsNodeIsNeeded) {
  ComputeNetwork& network = AbsentComputeNetwork();
  EXPECT_EQ(network.EnumerateEndpoints("{}").error().code, Code::kTarget);
  EXPECT_EQ(network.OpenEndpoint("93f86a7f-e361-4362-b8a4-81bbb6a622dd").error().code, Code::kTarget);
  EXPECT_EQ(network.QueryEndpoint(1, "{}").error().code, Code::kTarget);
  EXPECT_EQ(network.ModifyEndpoint(1, "{}").error().code, Code::kTarget);
  EXPECT_EQ(network.EnumerateNamespaces("{}").error().code, Code::kTarget);
  EXPECT_EQ(network.OpenNamespace("93f86a7f-e361-4362-b8a4-81bbb6a622dd").error().code, Code::kTarget);
  EXPECT_EQ(network.QueryNamespace(1, "{}").error().code, Code::kTarget);
  // An image on a Windows machine gets this, too: the machine is then Windows, but the image does not run.
  EXPECT_THAT(network.Version().error().message, HasSubstr("this is not a running Windows"));
  EXPECT_THAT(network.Version().error().message, HasSubstr("provisioner.exe on the node"));
}

TEST(AbsentPrograms, FindAndRunNothing) {
  EXPECT_EQ(AbsentPrograms().Find("crictl"), std::nullopt);
  const Error error = AbsentPrograms().Run({"crictl", {}, 1000, 1000}).error();
  EXPECT_EQ(error.code, Code::kTarget);
  EXPECT_THAT(error.message, HasSubstr("this is not a running Windows"));
}

}  // namespace
}  // namespace prov::machine
