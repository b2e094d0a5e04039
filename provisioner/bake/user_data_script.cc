#include "provisioner/bake/user_data_script.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

#include "provisioner/bake/gzip_writer.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "templates/templates.h"

namespace prov::bake {
namespace {

// Windows takes longer lines; a MIME part may have 998 characters in one.
constexpr std::size_t kColumns = 900;
// Windows logs a whole script for this word, in whatever case. Of all such words it alone is short enough to come up in
// base64 by chance.
constexpr std::string_view kLoggedWord = "emit";
// Where the data goes: between the quotes of an empty text of two lines.
constexpr std::string_view kDataPlace = "$b='\n'\n";

bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

using Regions = std::span<const std::string_view>;

std::vector<std::string_view> CodeLines(std::string_view script, Regions regions) {
  constexpr std::string_view kRegion = "#region ";
  std::vector<std::string_view> out;
  bool left_out = false;
  for (std::string_view line : Split(script, '\n')) {
    line = TrimBlanks(line);
    if (line.starts_with(kRegion)) left_out = std::ranges::find(regions, line.substr(kRegion.size())) == regions.end();
    if (line == "#endregion") left_out = false;
    if (!left_out && !line.empty() && line.front() != '#') out.push_back(line);
  }
  return out;
}

// Whether a blank between these two says nothing: PowerShell's own separators need none.
bool IsIdleBlank(std::string_view before, char after) {
  constexpr std::string_view kSeparators = "=,|;{}+";
  if (!before.empty() && kSeparators.find(before.back()) != std::string_view::npos) return true;
  if (kSeparators.find(after) != std::string_view::npos) return true;
  return after == '(' && (before.ends_with("if") || before.ends_with("for") || before.ends_with("foreach"));
}

std::string Squeeze(std::string_view line) {
  std::string out;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == ' ' && i + 1 < line.size() && IsIdleBlank(out, line[i + 1])) continue;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
    out += c;
  }
  return out;
}

// PowerShell's own variables; `script`, `global` and `env` stand before a colon.
bool IsOwnName(std::string_view name) {
  constexpr std::array<std::string_view, 12> kForeign = {"_",     "args",   "env",          "ErrorActionPreference",
                                                         "false", "global", "LASTEXITCODE", "Matches",
                                                         "null",  "PSHOME", "PSScriptRoot", "script"};
  return name != "true" && std::ranges::find(kForeign, name) == kForeign.end();
}

// Where the names of variables are, without `$`, `${` and a scope.
struct NamePlace {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<NamePlace> VariableNames(std::string_view code) {
  std::vector<NamePlace> out;
  for (std::size_t at = code.find('$'); at != std::string_view::npos; at = code.find('$', at)) {
    ++at;
    if (at < code.size() && code[at] == '{') ++at;
    if (code.substr(at).starts_with("script:")) at += std::string_view("script:").size();
    const std::size_t begin = at;
    while (at < code.size() && IsNameChar(code[at])) ++at;
    if (at > begin && IsOwnName(code.substr(begin, at - begin))) out.push_back({begin, at});
  }
  return out;
}

// a … z, aa, ab …
std::string ShortName(std::size_t number) {
  constexpr std::size_t kLetters = 26;
  std::string out(1, static_cast<char>('a' + number % kLetters));
  return number < kLetters ? out : ShortName(number / kLetters - 1) + out;
}

// Each variable gets a name by the order in which they appear; PowerShell's names have no case.
std::string ShortenNames(std::string_view code) {
  std::map<std::string, std::string> names;
  std::string out;
  std::size_t copied = 0;
  for (const NamePlace& place : VariableNames(code)) {
    const std::string name = AsciiLower(code.substr(place.begin, place.end - place.begin));
    const auto [found, is_new] = names.try_emplace(name);
    if (is_new) found->second = ShortName(names.size() - 1);
    out.append(code.substr(copied, place.begin - copied)).append(found->second);
    copied = place.end;
  }
  return out.append(code.substr(copied));
}

// The size of the script, in two bytes of which the second counts more, then the script, then the container.
std::string Blob(const std::string& script, const Container& container) {
  std::string text;
  text += static_cast<char>(script.size() & 0xFFU);
  text += static_cast<char>(script.size() >> 8U);
  text.append(script).append(container.json);
  const std::array<std::string_view, 2> parts = {text, container.certificates};
  return EncodeBase64(Gzip(parts));
}

}  // namespace

std::string CompactScript(std::string_view script, Regions regions) {
  std::string out;
  for (const std::string_view line : CodeLines(script, regions)) out.append(Squeeze(line)).append("\n");
  return ShortenNames(out);
}

std::string WrapData(std::string_view base64) {
  std::string out;
  while (!base64.empty()) {
    const std::string_view line = base64.substr(0, kColumns);
    const std::size_t word = AsciiLower(line).find(kLoggedWord);
    const std::size_t size = word == std::string::npos ? line.size() : word + kLoggedWord.size() / 2;
    out.append(line.substr(0, size)).append("\n");
    base64.remove_prefix(size);
  }
  return out;
}

std::string UserDataScript(const Container& container, const ContainerOptions& options) {
  std::vector<std::string_view> regions;
  if (options.exe || options.bundle) regions.push_back("download");
  if (options.exe) regions.push_back("program");
  if (options.bundle) regions.push_back("bundle");
  if (options.later) regions.push_back("later");
  const std::string install = CompactScript(templates::UserDataInstallPs1(), regions);
  std::string out;
  // Its names are short already; $b marks the place.
  for (const std::string_view line : CodeLines(templates::UserDataPs1(), {})) out.append(Squeeze(line)).append("\n");
  const std::size_t place = out.find(kDataPlace) + kDataPlace.find('\n') + 1;
  return out.insert(place, WrapData(Blob(install, container)));
}

}  // namespace prov::bake
