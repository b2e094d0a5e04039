// The metadata of a node for cloudbase-init: its identity and its network. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/payload/node_list.h"
#include "provisioner/payload/payload.h"

namespace prov::payload {

// A UUID derived from the settings of a node. When it changes, cloudbase-init repeats the steps that it otherwise runs
// only once. `payload` is its digest; `node` is null for a drive for any node.
std::string InstanceId(std::string_view payload, const Node* node);

// OpenStack's form: openstack/latest/meta_data.json and network_data.json.
std::string MetaDataJson(std::string_view instance_id, const Node* node);
std::string NetworkDataJson(const NodeNetwork& network);

// NoCloud's form: meta-data and network-config, both YAML.
std::string MetaDataYaml(std::string_view instance_id, const Node* node);
std::string NetworkConfigYaml(const NodeNetwork& network);

// The files with these names: meta_data.json and network_data.json; meta-data and network-config. The network only if
// HasNetworkMetadata().
std::vector<PayloadFile> OpenStackMetadata(const std::string& instance_id, const Node* node);
std::vector<PayloadFile> NoCloudMetadata(const std::string& instance_id, const Node* node);

// Without a MAC address there is no network metadata: cloudbase-init identifies an adapter only by that.
inline bool HasNetworkMetadata(const Node* node) {
  return node != nullptr && node->network && !node->network->mac.empty();
}

}  // namespace prov::payload
