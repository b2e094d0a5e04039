#include "provisioner/egress/cluster_no_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prov::egress {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;

TEST(ClusterNoProxy, WhatIsNotKnownAddsNothing) {
  EXPECT_THAT(ClusterNoProxy({}), ElementsAre("127.0.0.1", "localhost", ".svc", ".cluster.local"));
  ClusterDescription aws;
  aws.platform = "AWS";
  EXPECT_THAT(ClusterNoProxy(aws), ElementsAre("127.0.0.1", "localhost", ".svc", ".cluster.local", "169.254.169.254"));
}

TEST(ClusterNoProxy, OnlyAMachineNetworkOfAllIsLeftOut) {
  ClusterDescription cluster;
  cluster.machine_networks = {"0.0.0.0/0", "::/0"};
  EXPECT_THAT(ClusterNoProxy(cluster), Not(Contains("0.0.0.0/0")));
  EXPECT_THAT(ClusterNoProxy(cluster), Contains("::/0"));
  cluster.cluster_networks = {"0.0.0.0/0"};
  EXPECT_THAT(ClusterNoProxy(cluster), Contains("0.0.0.0/0"));
}

}  // namespace
}  // namespace prov::egress
