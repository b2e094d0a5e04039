// Lists of nodes: whatever the bytes are, they are refused with a place, or every node has a name and a network that
// Windows takes, each is there once, and what is rendered for it is an answer file and JSON still.
#include <set>

#include "provisioner/base/ip_address.h"
#include "provisioner/base/json_reader.h"
#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/payload/node_answer_file.h"
#include "provisioner/payload/node_list.h"
#include "provisioner/payload/node_metadata.h"
#include "templates/templates.h"
#include "tests/fuzz/check.h"

namespace prov::fuzz {
namespace {

using payload::Node;

const payload::NodeAnswerFile& AnswerFile() {
  static const auto file = payload::NodeAnswerFile::Prepare(templates::UnattendXml(), true, "unattend.xml");
  FUZZ_CHECK(file.has_value());
  return *file;
}

void CheckNode(const Node& node) {
  FUZZ_CHECK(!node.name.empty() && node.name.size() <= 15);
  FUZZ_CHECK(IsSafeRelativePath(node.name));
  const std::string answers = AnswerFile().Render(node);
  FUZZ_CHECK(Holds(answers, "<ComputerName>" + node.name + "</ComputerName>"));
  FUZZ_CHECK(payload::NodeAnswerFile::Prepare(answers, false, "again").has_value());
  FUZZ_CHECK(ParseJsonDocument(payload::MetaDataJson("id", &node), "m").has_value());
  if (!node.network) return;
  FUZZ_CHECK(IpNetwork::Parse(node.network->address + "/" + std::to_string(node.network->prefix)).has_value());
  FUZZ_CHECK(Holds(answers, "Microsoft-Windows-TCPIP"));
  FUZZ_CHECK(ParseJsonDocument(payload::NetworkDataJson(*node.network), "n").has_value());
}

}  // namespace
}  // namespace prov::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace prov;
  const auto nodes = payload::ReadNodeList(fuzz::TextOf(data, size), "nodes.csv");
  if (!nodes) {
    fuzz::CheckError(nodes.error(), "nodes.csv");
    return 0;
  }
  FUZZ_CHECK(!nodes->empty());
  std::set<std::string> names;
  for (const payload::Node& node : *nodes) {
    FUZZ_CHECK(names.insert(AsciiLower(node.name)).second);
    fuzz::CheckNode(node);
  }
  return 0;
}
