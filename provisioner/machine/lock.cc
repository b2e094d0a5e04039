#include "provisioner/machine/lock.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "provisioner/base/text.h"

namespace prov::machine {

std::string ScriptLockText(std::uint32_t id) { return std::to_string(id); }

std::optional<std::uint32_t> HolderOfScriptLock(std::string_view text) {
  while (!text.empty() && (text.back() == '\r' || text.back() == '\n')) text.remove_suffix(1);
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return id;
}

bool RunsScripts(std::string_view program) {
  constexpr std::array<std::string_view, 2> kNames = {"powershell", "pwsh"};
  const std::size_t slash = program.find_last_of("\\/");
  const std::string name = AsciiLower(slash == std::string_view::npos ? program : program.substr(slash + 1));
  return std::ranges::any_of(kNames, [&](std::string_view one) { return name.find(one) != std::string::npos; });
}

}  // namespace prov::machine
