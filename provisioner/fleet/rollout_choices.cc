#include "provisioner/fleet/rollout_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "provisioner/base/json_reader.h"
#include "provisioner/base/text.h"
#include "provisioner/fleet/approver.h"
#include "provisioner/node/probe.h"
#include "provisioner/registries/image_reference.h"

namespace prov::fleet {
namespace {

constexpr std::int64_t kSoak = 300, kTimeout = 1800, kTrial = 300;  // seconds
constexpr std::int64_t kLongest = std::int64_t{7} * 86400;
constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::array<std::string_view, 2> kLists = {"probe", "image"};
constexpr std::array<std::string_view, 9> kNames = {"canary", "wave",    "probe",           "image",     "trial",
                                                    "soak",   "timeout", "max-unreachable", "on-failure"};

template <typename Names>
bool Has(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Parser {
 public:
  Parser(const RolloutWords& words, const std::function<std::string(std::string_view)>& place)
      : words_(words), place_(place) {}

  Result<RolloutChoices> Parse() const {
    for (const auto& [name, values] : words_) {
      if (!Has(kNames, name))
        return Refuse(name, fmt::format("is no choice of a rollout; there are {}", fmt::join(kNames, ", ")));
    }
    RolloutChoices out{PROV_TRY(Order()), PROV_TRY(Approval()), !words_.empty()};
    out.order.trial_seconds = out.approval.trial_seconds;
    return out;
  }

 private:
  Result<RolloutOrder> Order() const {
    RolloutOrder out;
    out.canaries = static_cast<std::size_t>(PROV_TRY(Number("canary", 1)));
    if (out.canaries == 0) return Refuse("canary", "takes at least 1");
    out.wave = PROV_TRY(Wave());
    out.soak_seconds = PROV_TRY(Seconds("soak", kSoak, 0, kLongest));
    out.timeout_seconds = PROV_TRY(Seconds("timeout", kTimeout, 1, kLongest));
    out.most_unreachable = static_cast<std::size_t>(PROV_TRY(Number("max-unreachable", 0)));
    const std::string on_failure = Get("on-failure", "hold");
    out.takes_back = on_failure == "rollback";
    if (out.takes_back || on_failure == "hold") return out;
    return Refuse("on-failure", fmt::format("takes hold or rollback, not \"{}\"", Printable(on_failure)));
  }

  Result<node::Approval> Approval() const {
    node::Approval out;
    out.probes = All("probe");
    out.images = All("image");
    for (const std::string_view name : kLists) {
      constexpr std::size_t kMostCharacters = 1500;  // so that the annotation of a Node holds all
      const std::vector<std::string> values = All(name);
      if (values.size() > kMostApprovalEntries)
        return Refuse(name, fmt::format("takes {} values at most", kMostApprovalEntries));
      if (std::ranges::any_of(values, [](const std::string& one) { return one.size() > kMostCharacters; }))
        return Refuse(name, fmt::format("takes values of {} characters at most", kMostCharacters));
    }
    out.trial_seconds = PROV_TRY(Seconds("trial", kTrial, kShortestTrial, kLongestTrial));
    if (auto checked = node::CheckProbeUrls(out.probes); !checked) {
      std::string& where = checked.error().where;
      if (constexpr std::string_view kOption = "--probe"; where.starts_with(kOption))
        where.replace(0, kOption.size(), place_("probe"));
      return std::unexpected(std::move(checked).error());
    }
    for (const std::string& url : out.probes) {
      if (const std::size_t query = url.find('?'); query != std::string::npos) {
        return Fail(Code::kUsage,
                    "has a query, which may be a token, and whoever may read Nodes reads it: leave it out, and probe a "
                    "URL that needs none",
                    fmt::format("{} {}", place_("probe"), url.substr(0, query)));
      }
    }
    for (const std::string& image : out.images) PROV_TRY(registries::ParseImageReference(image, place_("image")));
    return out;
  }

  Result<WaveSize> Wave() const {
    constexpr std::uint64_t kMost = 100'000, kPercent = 100;
    std::string text = Get("wave", "10%");
    WaveSize out;
    out.is_percent = text.ends_with('%');
    if (out.is_percent) text.pop_back();
    const auto number = ParseDecimal(text, out.is_percent ? kPercent : kMost);
    if (!number || *number == 0) return Refuse("wave", "takes a number of nodes, or a part of them such as 10%");
    out.number = static_cast<std::size_t>(*number);
    return out;
  }

  Result<std::int64_t> Seconds(std::string_view name, std::int64_t fallback, std::int64_t least,
                               std::int64_t most) const {
    const std::int64_t out = PROV_TRY(Number(name, fallback));
    if (out >= least && out <= most) return out;
    return Refuse(name, fmt::format("takes {} to {} seconds", least, most));
  }

  Result<std::int64_t> Number(std::string_view name, std::int64_t fallback) const {
    if (All(name).empty()) return fallback;
    const std::string text = Get(name, "");
    if (const auto value = ParseDecimal(text, kAnyNumber)) return static_cast<std::int64_t>(*value);
    return Refuse(name, fmt::format("takes a whole number of at least 0, not \"{}\"", Printable(text)));
  }

  std::vector<std::string> All(std::string_view name) const {
    const auto found = words_.find(name);
    return found == words_.end() ? std::vector<std::string>() : found->second;
  }
  std::string Get(std::string_view name, std::string_view fallback) const {
    const std::vector<std::string> all = All(name);
    return all.empty() ? std::string(fallback) : all.back();
  }
  std::unexpected<Error> Refuse(std::string_view name, std::string message) const {
    return Fail(Code::kUsage, std::move(message), place_(name));
  }

  const RolloutWords& words_;
  const std::function<std::string(std::string_view)>& place_;
};

// An editor ends a value with a line break.
std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = TrimBlanks(text.substr(0, end));
    if (!line.empty()) out.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace

Result<RolloutChoices> ParseRolloutChoices(const RolloutWords& words,
                                           const std::function<std::string(std::string_view name)>& place) {
  return Parser(words, place).Parse();
}

Result<RolloutChoices> ParseRolloutConfigMap(const std::string& body, const std::string& where) {
  const JsonNode root = PROV_TRY(ParseJsonDocument(body, where));
  RolloutWords words;
  if (const auto data = PROV_TRY(root.Find("data"))) {
    for (const auto& [name, value] : PROV_TRY(data->Members())) {
      const std::string text = PROV_TRY(value.Text());
      words[name] = Has(kLists, name) ? LinesOf(text) : std::vector<std::string>{std::string(TrimBlanks(text))};
    }
  }
  return ParseRolloutChoices(words, [&](std::string_view name) { return fmt::format("{}, key \"{}\"", where, name); });
}

}  // namespace prov::fleet
