#include "provisioner/fleet/nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/source/kube_uri.h"

namespace prov::fleet {
namespace {

// `kubernetes.io/os=windows`, in pages.
constexpr std::string_view kQuery = "labelSelector=kubernetes.io%2Fos%3Dwindows&limit=500";
constexpr int kMostPages = 1000;

struct Page {
  std::vector<FleetNode> nodes;
  std::string rest;  // token of the next page; "": this is the last one
};

Result<FleetNode> ParseNode(const JsonNode& item) {
  const JsonNode metadata = PROV_TRY(item.Get("metadata"));
  FleetNode out;
  out.name = PROV_TRY(PROV_TRY(metadata.Get("name")).Text());
  const auto annotations = PROV_TRY(metadata.Find("annotations"));
  const auto text = annotations ? PROV_TRY(annotations->Find(kStateAnnotation)) : std::nullopt;
  if (!text) return out;
  const std::string where = fmt::format("node {}, annotation {}", out.name, kStateAnnotation);
  auto state = ParseState(PROV_TRY(text->Text()), where);
  if (state) {
    out.state = *std::move(state);
  } else {
    out.damage = std::move(state).error();
  }
  return out;
}

Result<Page> ReadPage(const std::string& body, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  Page out;
  const auto items = PROV_TRY(root.Find("items"));
  if (!items) {
    const auto kind = PROV_TRY(root.Find("kind"));
    const std::string name = kind ? kind->Text().value_or("") : "";
    if (!name.ends_with("List")) return Fail(Code::kType, "the answer is not a list of nodes", where);
    return out;  // an empty list may be null
  }
  for (const JsonNode& item : PROV_TRY(items->Items())) out.nodes.push_back(PROV_TRY(ParseNode(item)));
  const auto metadata = PROV_TRY(root.Find("metadata"));
  const auto rest = metadata ? PROV_TRY(metadata->Find("continue")) : std::nullopt;
  if (rest) out.rest = PROV_TRY(rest->Text());
  return out;
}

}  // namespace

Result<std::vector<FleetNode>> ReadNodes(source::KubeClient& client) {
  const source::KubeObject nodes = source::NodeObject("");
  std::vector<FleetNode> out;
  std::string query(kQuery);
  for (int pages = 0; pages < kMostPages; ++pages) {
    Page page = PROV_TRY(ReadPage(PROV_TRY(client.List(nodes, query)), nodes.Path()));
    std::ranges::move(page.nodes, std::back_inserter(out));
    if (page.rest.empty()) {
      std::ranges::sort(out, {}, &FleetNode::name);
      return out;
    }
    query = fmt::format("{}&continue={}", kQuery, source::PercentEncode(page.rest));
  }
  return Fail(Code::kTooLarge, "the API server's list of nodes does not end", nodes.Path());
}

Result<FleetNode> ReadNode(source::KubeClient& client, const std::string& name) {
  const source::KubeObject node = source::NodeObject(name);
  const std::string body = PROV_TRY(client.Get(node));
  return ParseNode(PROV_TRY(ParseJsonDocument(body, node.Path())));
}

}  // namespace prov::fleet
