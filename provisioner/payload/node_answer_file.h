// An answer file with a node's name and network in its specialize pass. It is read once; each node's file is put
// together from the same pieces. Everything that isn't ours stays byte for byte.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/unattend/answer_file_reader.h"
#include "provisioner/unattend/xml_text.h"

namespace prov::payload {

class NodeAnswerFile {
 public:
  // The file needs settings for the specialize pass; a ComputerName in it is replaced. `network`: whether some nodes
  // have addresses. Errors: those of DecodeXml; xml (no such settings; the file already sets a network).
  static Result<NodeAnswerFile> Prepare(std::string_view file, bool network, std::string_view where);

  std::string Render(const Node& node) const;

 private:
  friend class NodeAnswerFileBuilder;
  NodeAnswerFile() = default;
  std::string Encode(std::string_view text) const;
  std::string ComponentOf(std::string_view name) const;  // its attributes
  std::string Network(const NodeNetwork& network) const;

  unattend::XmlEncoding encoding_ = unattend::XmlEncoding::kUtf8;
  std::vector<std::string> pieces_;  // before the name, between name and network, after the network
  // The style in which our elements are written.
  std::string newline_;  // a line end and the indentation of a component; "" in a file without line ends
  std::string unit_;
  std::string prefix_;  // of element names, with its colon
  unattend::StatePrefix state_;
  std::string architecture_;
};

}  // namespace prov::payload
