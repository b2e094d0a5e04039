// Which network namespace a container is in, from what `crictl inspect` prints (CRI v1 and v1alpha2). Facts:
// docs/hns-proxy.md#containers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::hns {

inline constexpr std::size_t kMostContainerBytes = std::size_t{16} << 20U;

struct Container {
  std::string id;                 // whole
  std::string network_namespace;  // GUID of HCN's namespace, without braces

  bool operator==(const Container&) const = default;
};

// The container whose ID is `container` or begins with it; "containerd://" before it, as Kubernetes writes it, is
// taken. The document is what `crictl inspect` prints of one container, or a list of such; UTF-8 or UTF-16 with a byte
// order mark. Errors: usage (no ID); json; too-large; kind (no such document, another container's, several begin so, no
// Windows container, one with Hyper-V isolation, one without a network of its own).
Result<Container> ReadContainer(std::string bytes, std::string_view container, const std::string& where);

// A GUID with or without braces: returns the text without them, in its own case. Errors: usage, with `where`.
Result<std::string> ParseGuid(std::string_view text, const std::string& where);

}  // namespace prov::hns
