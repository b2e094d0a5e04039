// Finds the network namespace of a container in the output of `crictl inspect` (CRI v1 and v1alpha2). Facts:
// docs/hns-proxy.md#containers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::hns {

inline constexpr std::size_t kMostContainerBytes = std::size_t{16} << 20U;

struct Container {
  std::string id;                 // the full ID
  std::string network_namespace;  // GUID of HCN's namespace, without braces

  bool operator==(const Container&) const = default;
};

// The container whose ID is `container` or begins with it, with or without Kubernetes' prefix "containerd://". The
// document is the output of `crictl inspect` for one container, or a list of such; UTF-8, or UTF-16 with a byte order
// mark. Errors: usage (not an ID); json; too-large; kind (another document, another container, several that begin so,
// not a Windows container, one with Hyper-V isolation, one without a network of its own).
Result<Container> ReadContainer(std::string bytes, std::string_view container, const std::string& where);

// Returns a GUID without braces, in its own case; the text may have them. Errors: usage, with `where`.
Result<std::string> ParseGuid(std::string_view text, const std::string& where);

}  // namespace prov::hns
