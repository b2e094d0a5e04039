#include "provisioner/fleet/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/fleet/reboot_nodes.h"

namespace prov::fleet {
namespace {

// `kubernetes.io/os=windows`, in pages.
constexpr std::string_view kQuery = "labelSelector=kubernetes.io%2Fos%3Dwindows&limit=500";

// A Node or a Secret.
Result<FleetNode> ParseNode(const JsonNode& item) {
  const JsonNode metadata = PROV_TRY(item.Get("metadata"));
  FleetNode out;
  out.name = PROV_TRY(metadata.Get("name", &JsonNode::Text));
  out.name_space = PROV_TRY(metadata.Find("namespace", &JsonNode::Text)).value_or("");
  const auto annotations = PROV_TRY(metadata.Find("annotations"));
  const auto text = annotations ? PROV_TRY(annotations->Find(kStateAnnotation)) : std::nullopt;
  RebootNode turn{out.name};
  if (annotations) PROV_TRY(ReadTurn(*annotations, turn));
  out.stage = StageOf(turn);
  if (!text) return out;
  const std::string where =
      fmt::format("{} {}, annotation {}", out.name_space.empty() ? "node" : "Secret", out.name, kStateAnnotation);
  auto state = ParseState(PROV_TRY(text->Text()), where);
  if (state) {
    out.state = *std::move(state);
    turn.state = out.state;
    out.stage = StageOf(turn);
  } else {
    out.damage = std::move(state).error();
  }
  return out;
}

Result<void> AddPage(const std::string& body, const std::string& where, std::vector<FleetNode>& out) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  const auto items = PROV_TRY(root.Find("items"));
  if (!items) {
    const auto kind = PROV_TRY(root.Find("kind"));
    const std::string name = kind ? kind->Text().value_or("") : "";
    if (!name.ends_with("List")) return Fail(Code::kType, "the answer is not a list", where);
    return {};  // an empty list may be null
  }
  for (const JsonNode& item : PROV_TRY(items->Items())) out.push_back(PROV_TRY(ParseNode(item)));
  return {};
}

Result<std::vector<FleetNode>> ReadList(source::KubeClient& client, const source::KubeObject& objects,
                                        const std::string& query) {
  std::vector<FleetNode> out;
  PROV_TRY(client.ListPages(objects, query, source::KubeDetail::kMetadata,
                            [&](const std::string& page) { return AddPage(page, objects.Path(), out); }));
  std::ranges::sort(out, {}, [](const FleetNode& one) { return std::tie(one.name_space, one.name); });
  return out;
}

}  // namespace

Result<std::vector<FleetNode>> ReadNodes(source::KubeClient& client) {
  return ReadList(client, source::NodeObject(""), std::string(kQuery));
}

Result<std::vector<FleetNode>> ListKeptSecrets(source::KubeClient& client) {
  return ReadList(client, source::SecretObject("", ""),
                  fmt::format("labelSelector={}%3D{}&limit=500", source::PercentEncode(source::kKeepsLabel),
                              source::kUserDataMark));
}

Result<FleetNode> ReadNode(source::KubeClient& client, const std::string& name) {
  const source::KubeObject node = source::NodeObject(name);
  const std::string body = PROV_TRY(client.Get(node));
  return ParseNode(PROV_TRY(ParseJsonDocument(body, node.Path())));
}

}  // namespace prov::fleet
