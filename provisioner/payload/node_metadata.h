// The metadata of a node for cloudbase-init: its identity and its network. Pure.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/payload/node_list.h"

namespace prov::payload {

// A UUID derived from the settings of a node: when it changes, cloudbase-init repeats what it does only once. `payload`
// is its digest; `node` is null for a drive that any node may read.
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
