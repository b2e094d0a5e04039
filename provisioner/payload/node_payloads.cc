#include "provisioner/payload/node_payloads.h"

#include <algorithm>
#include <string>

#include "provisioner/payload/node_metadata.h"

namespace prov::payload {

Result<NodePayloads> NodePayloads::Prepare(const Payload& payload, const std::vector<Node>& nodes,
                                           std::string_view where, const std::optional<std::string>& answer) {
  const auto shared = std::ranges::find(payload.files, "unattend.xml", &PayloadFile::path);
  if (shared == payload.files.end()) return Fail(Code::kInternal, "the payload has no answer file", std::string(where));
  const bool network = std::ranges::any_of(nodes, [](const Node& node) { return node.network.has_value(); });
  const std::string& text = answer ? *answer : shared->bytes;
  return NodePayloads(payload, nodes, PROV_TRY(NodeAnswerFile::Prepare(text, network, where)), shared->Mode());
}

Result<void> NodePayloads::WriteTree(images::FileSink& sink, const Progress& progress) const {
  for (const PayloadFile& file : payload_.files) PROV_TRY(sink.Add("common/" + file.path, file.bytes, file.Mode()));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PROV_TRY(WriteNode(sink, nodes_[i]));
    progress(i + 1);
  }
  return {};
}

Result<void> NodePayloads::WriteNode(images::FileSink& sink, const Node& node) const {
  const std::string folder = "nodes/" + node.name + "/";
  const std::string id = InstanceId(digest_, &node);
  constexpr unsigned kOpen = 0644;
  PROV_TRY(sink.Add(folder + "meta-data", MetaDataYaml(id, &node), kOpen));
  PROV_TRY(sink.Add(folder + "meta_data.json", MetaDataJson(id, &node), kOpen));
  if (HasNetworkMetadata(&node)) {
    PROV_TRY(sink.Add(folder + "network-config", NetworkConfigYaml(*node.network), kOpen));
    PROV_TRY(sink.Add(folder + "network_data.json", NetworkDataJson(*node.network), kOpen));
  }
  return sink.Add(folder + "unattend.xml", answer_.Render(node), answer_mode_);
}

Result<void> NodePayloads::WriteDrives(const MakeDrive& make, DriveKind kind, const Progress& progress) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::unique_ptr<images::FileSink> drive = PROV_TRY(make(nodes_[i]));
    PROV_TRY(WriteDrive(*drive, kind, payload_, {&nodes_[i], answer_.Render(nodes_[i]), answer_mode_}));
    PROV_TRY(drive->Finish());
    progress(i + 1);
  }
  return {};
}

}  // namespace prov::payload
