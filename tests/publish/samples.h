// Objects of a cluster for tests of what is published.
#pragma once

#include <string>

#include "provisioner/publish/publish.h"
#include "tests/support/sample.h"

namespace prov::publish {

inline constexpr const char* kPassword = "c4nAryKx7qZ";

inline std::string ProxyYaml(const std::string& spec) {
  return "apiVersion: config.openshift.io/v1\nkind: Proxy\nmetadata:\n  name: cluster\nspec:\n" + spec;
}

// With a password in both URLs, a list of one's own, and the user's bundle.
inline std::string FullProxy() {
  return ProxyYaml(
      std::string("  httpProxy: http://user:") + kPassword +
      "@proxy.example.com:3128\n  httpsProxy: http://user:" + kPassword +
      "@proxy.example.com:3128\n  noProxy: .example.com,10.0.0.0/16,registry.local\n  trustedCA:\n    name: "
      "user-ca-bundle\n");
}

inline std::string InfrastructureYaml(const std::string& platform_status) {
  return "apiVersion: config.openshift.io/v1\nkind: Infrastructure\nmetadata:\n  name: cluster\nstatus:\n"
         "  apiServerInternalURI: https://api-int.test.cluster.com:6443\n" +
         platform_status;
}

inline std::string Aws(const std::string& region) {
  return InfrastructureYaml("  platformStatus:\n    type: AWS\n    aws:\n      region: " + region + "\n");
}

inline std::string NetworkYaml() {
  return "apiVersion: config.openshift.io/v1\nkind: Network\nmetadata:\n  name: cluster\nstatus:\n  serviceNetwork:\n"
         "  - 172.30.0.0/16\n  clusterNetwork:\n  - cidr: 10.128.0.0/14\n    hostPrefix: 23\n";
}

inline std::string InstallConfigYaml() {
  return "apiVersion: v1\nbaseDomain: cluster.com\nnetworking:\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n";
}

using testing_support::Indented;
using testing_support::Pem;

inline std::string UserBundle(const std::string& pem = Pem("corporate-root")) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: user-ca-bundle\n  namespace: openshift-config\ndata:\n"
         "  ca-bundle.crt: |\n" +
         Indented(pem, 4);
}

inline PublishRequest Request(std::string proxy) {
  PublishRequest out;
  out.proxy = {std::move(proxy), "proxy.yaml"};
  out.infrastructure = {Aws("us-west-2"), "infrastructure.yaml"};
  out.network = {NetworkYaml(), "network.yaml"};
  out.install_config = NamedBytes{InstallConfigYaml(), "install-config.yaml"};
  return out;
}

// Answers what a test says, and never waits.
class FakePorts final : public net::Http, public Clock {
 public:
  Result<int> Get(const net::HttpRequest& request) override {
    requests.push_back(request);
    if (answers.empty()) return 200;
    auto answer = answers.front();
    if (answers.size() > 1) answers.erase(answers.begin());
    return answer;
  }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest&) override { return Fail(Code::kInternal, "unused"); }
  std::int64_t NowUnix() override { return 1'800'000'000; }
  bool Wait(std::int64_t milliseconds) override {
    waited.push_back(milliseconds);
    return goes_on;
  }

  ProbePorts ports() { return {*this, *this}; }

  std::vector<Result<int>> answers;
  std::vector<net::HttpRequest> requests;
  std::vector<std::int64_t> waited;
  bool goes_on = true;
};

}  // namespace prov::publish
