#include "provisioner/payload/node_payloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "provisioner/base/text.h"
#include "provisioner/payload/node_files.h"
#include "provisioner/payload/node_metadata.h"

namespace prov::payload {

Result<NodePayloads> NodePayloads::Prepare(const Payload& payload, const std::vector<Node>& nodes,
                                           std::string_view where, const SigningKey* key,
                                           const std::optional<std::string>& answer) {
  const auto shared = std::ranges::find(payload.files, "unattend.xml", &PayloadFile::path);
  if (shared == payload.files.end()) return Fail(Code::kInternal, "the payload has no answer file", std::string(where));
  const bool network = std::ranges::any_of(nodes, [](const Node& node) { return node.network.has_value(); });
  const std::string& text = answer ? *answer : shared->bytes;
  return NodePayloads(payload, nodes, PROV_TRY(NodeAnswerFile::Prepare(text, network, where)), shared->secret, key);
}

Result<void> NodePayloads::WriteTree(images::FileSink& sink, const Progress& progress) const {
  for (const PayloadFile& file : payload_.files)
    PROV_TRY(sink.Add(fmt::format("{}{}", kCommonFolder, file.path), file.bytes, file.Mode()));
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    PROV_TRY(WriteNode(sink, nodes_[i]));
    progress(i + 1);
  }
  return {};
}

Result<void> NodePayloads::WriteNode(images::FileSink& sink, const Node& node) const {
  const std::string id = InstanceId(digest_, &node);
  std::vector<PayloadFile> files = NoCloudMetadata(id, &node);
  std::ranges::move(OpenStackMetadata(id, &node), std::back_inserter(files));
  files.push_back({"unattend.xml", answer_.Render(node), secret_, "answer file of this node"});
  std::ranges::sort(files, {}, &PayloadFile::path);
  if (key_ != nullptr) {
    const PayloadOfNode common{std::string(kPayloadOfNodes), ToHex(digest_)};
    PROV_TRY(SignNodeFiles(files, {payload_.generation, payload_.cluster, node.name, common}, *key_));
  }
  for (const PayloadFile& file : files)
    PROV_TRY(sink.Add(fmt::format("{}{}/{}", kNodesFolder, node.name, file.path), file.bytes, file.Mode()));
  return {};
}

Result<void> NodePayloads::WriteDrives(const MakeDrive& make, DriveKind kind, const Progress& progress) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const std::unique_ptr<images::FileSink> drive = PROV_TRY(make(nodes_[i]));
    PROV_TRY(WriteDrive(*drive, kind, payload_, {&nodes_[i], answer_.Render(nodes_[i]), secret_, key_}));
    PROV_TRY(drive->Finish());
    progress(i + 1);
  }
  return {};
}

}  // namespace prov::payload
