// A payload for many nodes: the shared payload once, and the files of each node.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "images/archive/file_sink.h"
#include "provisioner/base/result.h"
#include "provisioner/payload/drive.h"
#include "provisioner/payload/node_answer_file.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/payload/payload.h"
#include "provisioner/payload/payload_signature.h"

namespace prov::payload {

class NodePayloads {
 public:
  using Progress = std::function<void(std::size_t done)>;  // called with the number of finished nodes
  using MakeDrive = std::function<Result<std::unique_ptr<images::FileSink>>(const Node&)>;

  // Keeps references to these. `key` signs the files of each node (node_files.h); null: they are not signed. Makes the
  // nodes' answer files from `answer`, or else from the payload's; `where` names it in messages. Errors: those of
  // NodeAnswerFile::Prepare. After this, only writing can fail.
  static Result<NodePayloads> Prepare(const Payload& payload, const std::vector<Node>& nodes, std::string_view where,
                                      const SigningKey* key = nullptr,
                                      const std::optional<std::string>& answer = std::nullopt);

  // Writes the payload into common/, which is itself a valid SOURCE, and for each node a folder nodes/NAME with its
  // answer file and metadata, and with a key their manifest and signature.
  Result<void> WriteTree(images::FileSink& sink, const Progress& progress) const;

  // Writes a drive for each node.
  Result<void> WriteDrives(const MakeDrive& make, DriveKind kind, const Progress& progress) const;

 private:
  NodePayloads(const Payload& payload, const std::vector<Node>& nodes, NodeAnswerFile answer, bool secret,
               const SigningKey* key)
      : payload_(payload),
        digest_(PayloadDigest(payload)),
        nodes_(nodes),
        answer_(std::move(answer)),
        secret_(secret),
        key_(key) {}

  Result<void> WriteNode(images::FileSink& sink, const Node& node) const;

  const Payload& payload_;
  std::string digest_;
  const std::vector<Node>& nodes_;
  NodeAnswerFile answer_;
  bool secret_;  // the answer files hold credentials
  const SigningKey* key_;
};

}  // namespace prov::payload
