// hosts.toml and containerd's config.toml: whatever the bytes are, each version of containerd's reading refuses them
// with a place, or what is written of the result is read back as the same.
#include <algorithm>

#include "provisioner/registries/containerd_config.h"
#include "provisioner/registries/endpoints.h"
#include "provisioner/registries/hosts_toml.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using registries::Containerd;
using registries::HostConfig;
using registries::HostsToml;

// What no file can say: a host twice, or one that may do nothing.
bool CanBeWritten(const HostsToml& hosts) {
  for (auto one = hosts.hosts.begin(); one != hosts.hosts.end(); ++one) {
    const auto is_same = [&](const HostConfig& other) { return other.url.Text() == one->url.Text(); };
    if (std::any_of(hosts.hosts.begin(), one, is_same) || !(one->pull || one->resolve || one->push)) return false;
  }
  return hosts.server.pull || hosts.server.resolve || hosts.server.push;
}

void CheckWritten(const HostsToml& hosts) {
  if (!CanBeWritten(hosts)) return;
  Findings findings;
  const auto read = ReadHostsToml(WriteHostsToml(hosts).Reveal(), "hosts.toml", Containerd::k2, findings);
  FUZZ_CHECK(read && *read == hosts);
}

void CheckEndpoints(const HostsToml& hosts, Containerd version) {
  static const auto kImage = registries::ParseImageReference("quay.io/org/app:v1", "--image");
  const auto list = ContainerdEndpoints(*kImage, &hosts, {.version = version});
  FUZZ_CHECK(list.endpoints.empty() == !list.refusal.empty());
  bool any_pulls = false;
  for (const registries::Endpoint& one : list.endpoints) {
    any_pulls = any_pulls || one.pull;
    FUZZ_CHECK(!one.Host().empty());
    FUZZ_CHECK(one.mirror != one.name_space.empty());
  }
  FUZZ_CHECK(any_pulls == list.refusal.empty());
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov::fuzz;
  const std::string_view text = TextOf(data, size);
  auto config = prov::registries::ReadContainerdConfig(text, "config.toml");
  if (!config) CheckError(config.error(), "config.toml");
  if (config) config->Merge(*config);
  if (config) FUZZ_CHECK(!config->Table().empty() && config->Folders().size() <= text.size());
  for (const Containerd version : {Containerd::k1_6, Containerd::k1_7, Containerd::k2}) {
    prov::Findings findings;
    const auto read = prov::registries::ReadHostsToml(text, "hosts.toml", version, findings);
    CheckFindings(findings);
    if (!read) {
      CheckError(read.error(), "hosts.toml");
      continue;
    }
    CheckEndpoints(*read, version);
    CheckWritten(*read);
  }
  return 0;
}
