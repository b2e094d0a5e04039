// An API server and a clock that do what a test says, and a kubeconfig that leads there.
#pragma once

#include <gmock/gmock.h>

#include <deque>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "provisioner/base/base64.h"
#include "provisioner/source/kube_access.h"
#include "tests/support/sample.h"
#include "tests/support/scratch_folder.h"

namespace prov::source {

class FakeCluster final : public net::Http, public Clock {
 public:
  using Step = std::function<Result<net::FetchAnswer>(const net::FetchRequest&)>;

  std::deque<Step> script;                     // taken in order; then `objects` answer
  std::map<std::string, std::string> objects;  // by path
  std::vector<net::FetchRequest> asked;
  std::vector<net::SendRequest> sent;
  std::vector<std::int64_t> waits;  // that were not 0
  std::int64_t now = 1'800'000'000;
  bool stop = false;

  Result<int> Get(const net::HttpRequest&) override { return Fail(Code::kInternal, "a probe"); }
  Result<net::FetchAnswer> Fetch(const net::FetchRequest& request) override {
    asked.push_back(request);
    if (!script.empty()) {
      const Step step = std::move(script.front());
      script.pop_front();
      return step(request);
    }
    const std::string path = PathOf(request);
    const auto found = objects.find(path);
    if (found != objects.end()) return Answer(200, found->second);
    const std::string name = path.substr(path.rfind('/') + 1);
    return Answer(404, R"({"kind":"Status","code":404,"reason":"NotFound","details":{"name":")" + name + R"("}})");
  }
  // What is sent is asked for as well.
  Result<net::FetchAnswer> Send(const net::SendRequest& request) override {
    sent.push_back(request);
    return Fetch(request.to);
  }
  std::int64_t NowUnix() override { return now; }
  bool Wait(std::int64_t milliseconds) override {
    if (milliseconds > 0) waits.push_back(milliseconds);
    now += (milliseconds + 999) / 1000;
    return !stop;
  }

  SourcePorts Ports() { return {*this, *this}; }
  std::vector<std::string> Paths() const {
    std::vector<std::string> out;
    for (const net::FetchRequest& request : asked) out.push_back(PathOf(request));
    return out;
  }

  static std::string PathOf(const net::FetchRequest& request) {
    return request.url.substr(request.url.find('/', std::string_view("https://").size()));
  }
  static net::FetchAnswer Answer(int status, std::string body = {}) {
    net::FetchAnswer out;
    out.status = status;
    out.body = std::move(body);
    return out;
  }
  static Step Says(int status, std::string body = {}) {
    return [=](const net::FetchRequest&) { return Answer(status, body); };
  }
  static Step Fails(Code code) {
    return [=](const net::FetchRequest&) -> Result<net::FetchAnswer> {
      return Fail(code, "the connection was lost", "test");
    };
  }
};

inline constexpr std::string_view kPools = "/apis/machineconfiguration.openshift.io/v1/machineconfigpools";
inline constexpr std::string_view kConfigs = "/apis/machineconfiguration.openshift.io/v1/machineconfigs";
inline constexpr std::string_view kSampleName = "rendered-worker-2bc062aab478c8eedb51de6562f88c21";

inline std::string Pool(std::string_view config, std::string_view version = "7", std::string_view spec = "{}") {
  return R"({"kind":"MachineConfigPool","metadata":{"name":"worker","resourceVersion":")" + std::string(version) +
         R"("},"spec":)" + std::string(spec) + R"(,"status":{"machineCount":3,"configuration":{"name":")" +
         std::string(config) + R"("}}})";
}

// No variables, no service account.
inline KubeEnvironment Nowhere() {
  return {.environment = [](const std::string&) { return std::nullopt; }, .account_folder = "/no/such/folder"};
}

class KubeTest : public ::testing::Test {
 protected:
  static constexpr std::string_view kToken = "c4nary.token";

  KubeTest() { WriteConfig("    token: " + std::string(kToken) + "\n"); }

  void Write(const std::string& name, std::string_view text) {
    std::ofstream(folder_.At(name), std::ios::binary) << text;
  }
  // A kubeconfig with these lines for its user and its cluster.
  void WriteConfig(const std::string& user, const std::string& cluster = "") {
    Write("config",
          "apiVersion: v1\nkind: Config\ncurrent-context: here\n"
          "contexts:\n- name: here\n  context: {cluster: c, user: u}\n"
          "- name: a/b:6443/x\n  context: {cluster: d, user: u}\n"
          "clusters:\n- name: c\n  cluster:\n    server: https://api.example.test:6443\n    "
          "certificate-authority: ca.crt\n" +
              cluster + "- name: d\n  cluster: {server: 'https://[fd00::1]:6443/k8s/'}\nusers:\n- name: u\n  user:\n" +
              user);
    Write("ca.crt", testing_support::SampleText("corporate-root.pem"));
  }
  SourceRequest Request(const std::string& source = "kube:///worker") {
    SourceRequest out;
    out.source = source;
    out.kubeconfig = folder_.At("config");
    return out;
  }
  static void ExpectNoSecret(const Error& error) {
    EXPECT_THAT(error.message + error.where, ::testing::Not(::testing::HasSubstr("c4nary")));
  }

  testing_support::ScratchFolder folder_;
  FakeCluster cluster_;
};

}  // namespace prov::source
