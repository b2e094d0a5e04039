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

namespace prov::payload {

class NodePayloads {
 public:
  using Progress = std::function<void(std::size_t done)>;  // called with the number of finished nodes
  using MakeDrive = std::function<Result<std::unique_ptr<images::FileSink>>(const Node&)>;

  // Keeps references to both. Makes the nodes' answer files from `answer`, or else from the payload's; `where` names it
  // in messages. Errors: those of NodeAnswerFile::Prepare. After this, only writing can fail.
  static Result<NodePayloads> Prepare(const Payload& payload, const std::vector<Node>& nodes, std::string_view where,
                                      const std::optional<std::string>& answer = std::nullopt);

  // Writes the payload into common/, which is itself a valid SOURCE, and for each node a folder nodes/NAME with its
  // answer file and metadata.
  Result<void> WriteTree(images::FileSink& sink, const Progress& progress) const;

  // Writes a drive for each node.
  Result<void> WriteDrives(const MakeDrive& make, DriveKind kind, const Progress& progress) const;

 private:
  NodePayloads(const Payload& payload, const std::vector<Node>& nodes, NodeAnswerFile answer, unsigned answer_mode)
      : payload_(payload),
        digest_(PayloadDigest(payload)),
        nodes_(nodes),
        answer_(std::move(answer)),
        answer_mode_(answer_mode) {}

  Result<void> WriteNode(images::FileSink& sink, const Node& node) const;

  const Payload& payload_;
  std::string digest_;
  const std::vector<Node>& nodes_;
  NodeAnswerFile answer_;
  unsigned answer_mode_;
};

}  // namespace prov::payload
