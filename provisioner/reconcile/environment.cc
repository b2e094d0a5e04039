#include "provisioner/reconcile/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "images/registry/hive_names.h"
#include "provisioner/base/text.h"
#include "provisioner/egress/no_proxy.h"
#include "provisioner/egress/proxy_url.h"

namespace prov::reconcile {
namespace {

// An entry without '=' is its own name.
bool HasName(std::string_view entry, std::string_view name) { return EqualsIgnoreAsciiCase(NameOfEntry(entry), name); }

using Entries = std::vector<std::string>;

Entries EntriesOf(const Entries& all, std::string_view name) {
  Entries out;
  std::ranges::copy_if(all, std::back_inserter(out), [&](const std::string& one) { return HasName(one, name); });
  return out;
}

std::string Utf16Bytes(std::u16string_view units) {
  std::string out;
  for (const char16_t unit : units) {
    out.push_back(static_cast<char>(unit & 0xFFU));
    out.push_back(static_cast<char>(unit >> 8U));
  }
  return out;
}

std::string Entry(const EnvironmentVariable& variable) { return variable.name + "=" + variable.value.Reveal(); }

}  // namespace

std::string_view NameOfEntry(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool IsEntryOf(std::string_view entry, std::string_view name) {
  return entry.find('=') != std::string_view::npos && EqualsIgnoreAsciiCase(NameOfEntry(entry), name);
}

Result<void> CheckLength(const EnvironmentVariable& variable) {
  const std::size_t units = ToUtf16Le(variable.name).size() / 2 + ToUtf16Le(variable.value.Reveal()).size() / 2 + 2;
  if (units <= egress::kMaxVariableUnits) return {};
  return Fail(Code::kSizeLimit,
              fmt::format("needs {} UTF-16 units with its name, and Windows takes {}; shorten the list at its source",
                          units, egress::kMaxVariableUnits),
              variable.name);
}

images::RegValue EncodeVariable(const EnvironmentVariable& variable) {
  return {variable.name, images::RegType::kSz, images::EncodeSz(variable.value.Reveal())};
}

bool IsSecret(const EnvironmentVariable& variable) {
  return !EqualsIgnoreAsciiCase(variable.name, "NO_PROXY") && egress::MayHoldCredentials(variable.value.Reveal());
}

bool HoldsCredentials(const ServiceEnvironment& service) { return std::ranges::any_of(service.variables, IsSecret); }

std::vector<std::string> MergeServiceEnvironment(const std::vector<std::string>& existing,
                                                 const std::vector<EnvironmentVariable>& ours) {
  std::vector<std::string> merged;
  std::set<std::string_view> written;
  for (const std::string& entry : existing) {
    const auto found =
        std::ranges::find_if(ours, [&](const EnvironmentVariable& v) { return IsEntryOf(entry, v.name); });
    if (found == ours.end()) {
      merged.push_back(entry);
    } else if (written.insert(found->name).second) {  // a second entry of the same name would win on Windows
      merged.push_back(Entry(*found));
    }
  }
  for (const EnvironmentVariable& variable : ours) {
    if (!written.contains(variable.name)) merged.push_back(Entry(variable));
  }
  return merged;
}

bool SameEntries(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

ReplacedEntries ReplaceEntries(std::vector<std::string> entries, const std::vector<std::string>& from,
                               const std::vector<std::string>& to) {
  ReplacedEntries out{std::move(entries)};
  std::set<std::string> names;
  for (const Entries* list : {&from, &to}) {
    for (const std::string& entry : *list) {
      const std::string_view name = NameOfEntry(entry);
      if (!names.insert(AsciiLower(name)).second) continue;
      const Entries old = EntriesOf(from, name);
      const Entries wanted = EntriesOf(to, name);
      const Entries now = EntriesOf(out.entries, name);
      if (SameEntries(old, wanted) || SameEntries(now, wanted)) continue;
      const auto place = std::ranges::find_first_of(out.entries, old);
      const bool is_new = old.empty() && now.empty();
      if (place == out.entries.end() && !is_new) {
        out.is_foreign = true;
        continue;
      }
      const auto at = place - out.entries.begin();
      std::erase_if(out.entries, [&](const std::string& one) { return std::ranges::find(old, one) != old.end(); });
      out.entries.insert(out.entries.begin() + at, wanted.begin(), wanted.end());
    }
  }
  return out;
}

images::RegValue EncodeServiceEnvironment(const std::vector<std::string>& entries) {
  images::RegValue out{std::string(kServiceEnvironmentValue), images::RegType::kMultiSz, {}};
  for (const std::string& entry : entries) {
    const auto units = images::regf::NameFromUtf8(entry);
    out.data += units ? Utf16Bytes(*units) : ToUtf16Le(entry);
    out.data.append(2, '\0');
  }
  out.data.append(2, '\0');
  return out;
}

}  // namespace prov::reconcile
