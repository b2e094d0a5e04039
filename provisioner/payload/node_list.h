// The list of nodes and their differing settings: CSV with a header line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::payload {

struct NodeNetwork {
  std::string address;  // "10.0.0.5", in the form of Go's net/netip
  unsigned prefix = 0;
  bool ipv4 = true;
  std::string gateway;  // "" for none
  std::vector<std::string> dns;
  std::string mac;  // "00:15:5d:0a:0b:0c"; "" if the adapter's name is Ethernet
};

struct Node {
  std::string name;                    // ComputerName: valid both as a NetBIOS and as a DNS name
  std::optional<NodeNetwork> network;  // nullopt: by DHCP
};

inline constexpr std::size_t kNodeListLimit = 64U << 20U;
inline constexpr std::size_t kMostNodes = 100'000;

// Sorted by name. The columns are name, address (with its prefix), gateway, dns (several separated by blanks) and mac;
// all but name may be missing. Errors: row, with "FILE: line 3, column 7" as where, and one message for all bad rows.
Result<std::vector<Node>> ReadNodeList(std::string_view bytes, std::string_view file);

}  // namespace prov::payload
