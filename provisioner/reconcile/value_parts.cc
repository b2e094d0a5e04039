#include "provisioner/reconcile/value_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

const ValuePart* FindPart(const ValueParts& parts, std::string_view name) {
  const auto found =
      std::ranges::find_if(parts, [&](const ValuePart& part) { return EqualsIgnoreAsciiCase(part.name, name); });
  return found == parts.end() ? nullptr : &*found;
}

std::vector<std::string> Without(std::vector<std::string> entries, const std::vector<std::string>& others) {
  std::erase_if(entries, [&](const std::string& one) { return std::ranges::find(others, one) != others.end(); });
  return entries;
}

// Either may be absent. nullopt: they are alike.
std::optional<Difference> Compare(const ValuePart* before, const ValuePart* after) {
  const ValuePart& any = before != nullptr ? *before : *after;
  const bool both = before != nullptr && after != nullptr;
  if (both ? before->value == after->value : any.value.empty()) return std::nullopt;
  Difference out;
  out.name = any.name;
  out.is_list = any.form == ValuePart::Form::kList;
  out.is_for_people = any.IsForPeople();
  const std::string was = before != nullptr ? before->Shown() : "";
  const std::string is = after != nullptr ? after->Shown() : "";
  out.only_password = both && was == is;
  if (!out.is_list) {
    out.before = was;
    out.after = is;
    return out;
  }
  const auto old_entries = before != nullptr ? before->Entries() : std::vector<std::string>();
  const auto new_entries = after != nullptr ? after->Entries() : std::vector<std::string>();
  out.added = Without(new_entries, old_entries);
  out.removed = Without(old_entries, new_entries);
  return out;
}

}  // namespace

std::string ValuePart::Shown() const {
  if (form == Form::kText || !IsForPeople()) return value.Reveal();
  return ReplaceMalformed(form == Form::kUrl ? egress::RedactUrl(value.Reveal())
                                             : egress::RedactNoProxy(value.Reveal(), separators));
}

std::vector<std::string> ValuePart::Entries() const {
  std::vector<std::string> out;
  const std::string text = Shown();
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
    const std::string_view entry = TrimBlanks(rest.substr(0, end));
    if (!entry.empty()) out.emplace_back(entry);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

ValuePart VariablePart(std::string_view name, std::string value) {
  const bool is_list = EqualsIgnoreAsciiCase(name, "NO_PROXY");
  return {std::string(name), Secret(std::move(value)), is_list ? ValuePart::Form::kList : ValuePart::Form::kUrl};
}

std::vector<Difference> DifferencesOf(const ValueParts& before, const ValueParts& after) {
  std::vector<Difference> out;
  for (const ValuePart& part : before) {
    if (auto difference = Compare(&part, FindPart(after, part.name))) out.push_back(*std::move(difference));
  }
  for (const ValuePart& part : after) {
    if (FindPart(before, part.name) != nullptr) continue;
    if (auto difference = Compare(nullptr, &part)) out.push_back(*std::move(difference));
  }
  return out;
}

}  // namespace prov::reconcile
