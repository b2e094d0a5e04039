#include "provisioner/hns/crictl.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"
#include "provisioner/hns/container.h"

namespace prov::hns {
namespace {

constexpr std::int64_t kMilliseconds = 10'000;
constexpr std::size_t kLongestError = 300;
constexpr std::string_view kNamespaceLabel = "io.kubernetes.pod.namespace";  // docs/hns-proxy.md#containers

// The part of an ID that crictl accepts. Refuses other text, which crictl could take as an option.
Result<std::string> ContainerWord(std::string_view id) {
  constexpr std::string_view kScheme = "containerd://";
  std::string_view word = id;
  if (word.starts_with(kScheme)) word.remove_prefix(kScheme.size());
  const auto fits = [](char c) { return IsLetter(c) || IsDigit(c) || c == '-' || c == '_' || c == '.'; };
  if (!word.empty() && word.front() != '-' && std::ranges::all_of(word, fits)) return std::string(word);
  return Fail(Code::kUsage, fmt::format("\"{}\" is not the ID of a container, or its beginning", Shorten(id)),
              "container");
}

Result<std::string> Ask(machine::Programs& programs, const std::string& crictl, std::vector<std::string> words) {
  const std::string command = fmt::format("crictl {}", fmt::join(words, " "));
  machine::ProgramOutput output =
      PROV_TRY(programs.Run({crictl, std::move(words), kMilliseconds, kMostContainerBytes}));
  if (output.exit == 0) return std::move(output.out);
  const std::string_view said = TrimBlanks(output.err);
  return Fail(said.find("not found") != std::string_view::npos ? Code::kNotFound : Code::kTarget,
              fmt::format("{} failed with exit {}: {}", command, output.exit,
                          said.empty() ? "it says nothing" : Shorten(said, kLongestError)),
              crictl);
}

Result<std::string> MemberText(const JsonNode& node, std::string_view name) {
  return PROV_TRY(node.Find(name, &JsonNode::Text)).value_or("");
}

struct Listed {
  std::string id, pod;
  bool is_running = false;
};

// nullopt: the container is in another namespace. crictl filtered by the label, but another program called crictl may
// not.
Result<std::optional<Listed>> ReadListed(const JsonNode& item, std::string_view name_space) {
  const auto labels = PROV_TRY(item.Find("labels"));
  if (!labels || PROV_TRY(MemberText(*labels, kNamespaceLabel)) != name_space) return std::nullopt;
  Listed out;
  out.id = PROV_TRY(MemberText(item, "id"));
  if (out.id.empty()) return item.Refuse(Code::kKind, "has no id");
  out.pod = PROV_TRY(MemberText(item, "podSandboxId"));
  if (out.pod.empty()) out.pod = out.id;
  out.is_running = PROV_TRY(MemberText(item, "state")) == "CONTAINER_RUNNING";
  return out;
}

}  // namespace

Result<std::string> InspectContainer(machine::Programs& programs, const std::string& crictl, std::string_view id) {
  const std::string word = PROV_TRY(ContainerWord(id));
  return Ask(programs, crictl, {"inspect", "--output", "json", word});
}

Result<std::vector<std::string>> ContainersOfPods(machine::Programs& programs, const std::string& crictl,
                                                  std::string_view name_space) {
  const std::string text =
      PROV_TRY(Ask(programs, crictl,
                   {"ps", "--all", "--output", "json", "--label", fmt::format("{}={}", kNamespaceLabel, name_space)}));
  const JsonNode root = PROV_TRY(ParseJsonDocument(text, crictl));
  const auto containers = root.Find("containers");
  if (!containers) return root.Refuse(Code::kKind, "is not what `crictl ps` prints of containers");
  std::vector<std::string> out;
  if (!*containers) return out;
  std::set<std::string> pods;
  const std::vector<JsonNode> items = PROV_TRY((*containers)->Items());
  for (const bool running : {true, false}) {
    for (const JsonNode& item : items) {
      const std::optional<Listed> one = PROV_TRY(ReadListed(item, name_space));
      if (one && one->is_running == running && pods.insert(one->pod).second) out.push_back(one->id);
    }
  }
  return out;
}

}  // namespace prov::hns
