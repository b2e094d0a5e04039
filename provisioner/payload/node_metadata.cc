#include "provisioner/payload/node_metadata.h"

#include <fmt/format.h>

#include "provisioner/base/hash.h"
#include "provisioner/base/ip_address.h"
#include "provisioner/base/json_writer.h"
#include "provisioner/base/text.h"

namespace prov::payload {
namespace {

// cloudbase-init renames the adapter with this MAC address to this name, and sets no address if another adapter has the
// name. So the name must be one that Windows does not give ("Ethernet", "Ethernet 2", …), and differ for each adapter.
std::string AdapterName(const NodeNetwork& network) {
  std::string digits = AsciiLower(network.mac);
  std::erase_if(digits, [](char c) { return c == ':' || c == '-'; });
  return "Ethernet " + digits;
}

// A prefix as OpenStack writes it: "255.255.255.0" or "ffff:ffff::".
std::string Netmask(bool ipv4, unsigned prefix) {
  IpAddress::Bytes bytes{};
  const unsigned first = ipv4 ? 96 : 0;
  for (unsigned bit = 0; bit < first + prefix; ++bit)
    bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 0x80U >> bit % 8);
  if (!ipv4) return IpAddress(bytes).ToString();
  return fmt::format("{}.{}.{}.{}", bytes[12], bytes[13], bytes[14], bytes[15]);
}

void WriteDns(JsonWriter& json, const NodeNetwork& network) {
  json.Key("services").BeginArray();
  for (const std::string& server : network.dns)
    json.BeginObject().Member("type", "dns").Member("address", server).EndObject();
  json.EndArray();
}

}  // namespace

std::string InstanceId(std::string_view payload, const Node* node) {
  std::string text(payload);
  if (node != nullptr) text += node->name;
  if (node != nullptr && node->network) {
    const NodeNetwork& n = *node->network;
    text += fmt::format("\n{}/{}\n{}\n{}\n{}", n.address, n.prefix, n.gateway, fmt::join(n.dns, " "), n.mac);
  }
  std::string bytes = Sha256(text).substr(0, 16);
  // UUID version 8: custom contents, neither time nor random numbers.
  bytes[6] = static_cast<char>((static_cast<unsigned char>(bytes[6]) & 0x0FU) | 0x80U);
  bytes[8] = static_cast<char>((static_cast<unsigned char>(bytes[8]) & 0x3FU) | 0x80U);
  const std::string hex = ToHex(bytes);
  const std::string_view view = hex;
  return fmt::format("{}-{}-{}-{}-{}", view.substr(0, 8), view.substr(8, 4), view.substr(12, 4), view.substr(16, 4),
                     view.substr(20));
}

std::string MetaDataJson(std::string_view instance_id, const Node* node) {
  JsonWriter json;
  json.BeginObject().Member("uuid", instance_id);
  if (node != nullptr) json.Member("hostname", node->name).Member("name", node->name);
  return json.EndObject().Text();
}

std::string NetworkDataJson(const NodeNetwork& network) {
  const std::string adapter = AdapterName(network);
  JsonWriter json;
  json.BeginObject().Key("links").BeginArray().BeginObject();
  json.Member("id", adapter).Member("type", "phy").Member("ethernet_mac_address", network.mac);
  json.EndObject().EndArray().Key("networks").BeginArray().BeginObject();
  json.Member("id", "network0").Member("type", network.ipv4 ? "ipv4" : "ipv6").Member("link", adapter);
  json.Member("ip_address", network.address).Member("netmask", Netmask(network.ipv4, network.prefix));
  json.Key("routes").BeginArray();
  if (!network.gateway.empty()) {
    const std::string_view any = network.ipv4 ? "0.0.0.0" : "::";
    json.BeginObject().Member("network", any).Member("netmask", any).Member("gateway", network.gateway).EndObject();
  }
  json.EndArray();
  WriteDns(json, network);
  json.EndObject().EndArray();
  WriteDns(json, network);
  return json.EndObject().Text();
}

// Values are quoted, because YAML would read a name such as 0x10 as a number.
std::string MetaDataYaml(std::string_view instance_id, const Node* node) {
  std::string out = fmt::format("instance-id: \"{}\"\n", instance_id);
  if (node != nullptr) out += fmt::format("local-hostname: \"{}\"\n", node->name);
  return out;
}

std::string NetworkConfigYaml(const NodeNetwork& network) {
  std::string out = fmt::format(
      "version: 1\n"
      "config:\n"
      "  - type: physical\n"
      "    name: \"{}\"\n"
      "    mac_address: \"{}\"\n"
      "    subnets:\n"
      "      - type: {}\n"
      "        address: \"{}/{}\"\n",
      AdapterName(network), network.mac, network.ipv4 ? "static" : "static6", network.address, network.prefix);
  if (!network.gateway.empty()) out += fmt::format("        gateway: \"{}\"\n", network.gateway);
  if (!network.dns.empty()) out += "        dns_nameservers:\n";
  for (const std::string& server : network.dns) out += fmt::format("          - \"{}\"\n", server);
  return out;
}

std::vector<PayloadFile> OpenStackMetadata(const std::string& instance_id, const Node* node) {
  std::vector<PayloadFile> out{
      {"meta_data.json", MetaDataJson(instance_id, node), false, "metadata in OpenStack's form, for cloudbase-init"}};
  if (HasNetworkMetadata(node)) {
    out.push_back({"network_data.json", NetworkDataJson(*node->network), false,
                   "network in OpenStack's form, for cloudbase-init"});
  }
  return out;
}

std::vector<PayloadFile> NoCloudMetadata(const std::string& instance_id, const Node* node) {
  std::vector<PayloadFile> out{
      {"meta-data", MetaDataYaml(instance_id, node), false, "metadata in NoCloud's form, for cloudbase-init"}};
  if (HasNetworkMetadata(node)) {
    out.push_back(
        {"network-config", NetworkConfigYaml(*node->network), false, "network in NoCloud's form, for cloudbase-init"});
  }
  return out;
}

}  // namespace prov::payload
