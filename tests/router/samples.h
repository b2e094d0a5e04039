// What several tests of this room make their policies of.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "provisioner/router/destinations.h"

namespace prov::router {

// Of a list that can be read.
inline RouterPolicy ListedPolicy(RouterKind kind, std::string_view text) {
  RouterPolicy out{.kind = kind, .where = "list"};
  const auto read = ReadDestinations(text, out);
  EXPECT_TRUE(read) << text << ": " << (read ? "" : read.error().message);
  return out;
}

// With `to` for the first `from`, which must be there.
inline std::string ReplacedOnce(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A router that is right.
inline const std::string kRightRouter = R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: egress-1
spec:
  replicas: 1
  strategy: {type: Recreate}
  selector: {matchLabels: {app: egress-1}}
  template:
    metadata:
      labels: {app: egress-1}
      annotations:
        pod.network.openshift.io/assign-macvlan: "true"
    spec:
      serviceAccountName: egress
      nodeSelector:
        kubernetes.io/os: linux
      initContainers:
      - name: router
        image: r
        securityContext:
          privileged: true
        env:
        - {name: EGRESS_SOURCE, value: 192.168.12.99/24}
        - {name: EGRESS_GATEWAY, value: 192.168.12.1}
        - {name: EGRESS_ROUTER_MODE, value: http-proxy}
      containers:
      - name: proxy
        image: p
        env:
        - name: EGRESS_HTTP_PROXY_DESTINATION
          value: "*.example"
)";

}  // namespace prov::router
