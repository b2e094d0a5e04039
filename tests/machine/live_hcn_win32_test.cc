// A node without the Containers feature, as Wine's Windows is one: its System32 has neither library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/machine/live_ports.h"

namespace prov::machine {
namespace {

using testing::HasSubstr;

TEST(LiveComputeNetwork, SaysWhatToInstallWhereHnsIsMissing) {
  const auto endpoints = LiveComputeNetwork().Enumerate(NetworkObject::kEndpoint, "{}");
  ASSERT_FALSE(endpoints);
  EXPECT_EQ(endpoints.error().code, Code::kHns);
  EXPECT_EQ(endpoints.error().where, "computenetwork.dll");
  EXPECT_THAT(endpoints.error().message, HasSubstr("Install-WindowsFeature -Name Containers"));
  const auto version = LiveComputeNetwork().Version();
  ASSERT_FALSE(version);
  EXPECT_EQ(version.error().code, Code::kHns);
  EXPECT_EQ(version.error().where, "vmcompute.dll");
}

TEST(LiveComputeNetwork, ClosesNothingWhereNothingIsOpen) {
  LiveComputeNetwork().Close(NetworkObject::kEndpoint, 1);
  LiveComputeNetwork().Close(NetworkObject::kNamespace, 1);
  EXPECT_EQ(LiveComputeNetwork().Open(NetworkObject::kNamespace, "x").error().code, Code::kHns);
}

}  // namespace
}  // namespace prov::machine
