// What cloudbase-init reads of a node: who it is, and its network. Pure.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/payload/node_list.h"

namespace prov::payload {

// A UUID of what a node is told: cloudbase-init does again what it did once when this changes. `payload` is its
// digest; `node` null for a drive that any node may read.
std::string InstanceId(std::string_view payload, const Node* node);

// OpenStack's form: openstack/latest/meta_data.json and network_data.json.
std::string MetaDataJson(std::string_view instance_id, const Node* node);
std::string NetworkDataJson(const NodeNetwork& network);

// NoCloud's form: meta-data and network-config, both YAML.
std::string MetaDataYaml(std::string_view instance_id, const Node* node);
std::string NetworkConfigYaml(const NodeNetwork& network);

// cloudbase-init knows an adapter by its MAC address only.
inline bool HasNetworkMetadata(const Node* node) {
  return node != nullptr && node->network && !node->network->mac.empty();
}

}  // namespace prov::payload
