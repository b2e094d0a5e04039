#include "provisioner/userdata/user_data_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/userdata/user_data_forms.h"
#include "templates/templates.h"

namespace prov::userdata {
namespace {

// Windows accepts longer lines, but a MIME part allows only 998 characters in one.
constexpr std::size_t kColumns = 900;
// Windows logs a whole script for this word, in any case. It is the only such word that is short enough to occur in the
// data by chance.
constexpr std::string_view kLoggedWord = "emit";
// The place of the data: the only line of a here-string, which allows every letter and ends at the first line that
// begins with '@.
constexpr std::string_view kDataBegin = "$b=@'\n";
constexpr std::string_view kDataPlace = "DATA\n";
constexpr std::string_view kDataEnd = "'@";
constexpr std::size_t kScripts = 2;  // in the data, before the container

bool IsNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

using Regions = std::span<const std::string_view>;
constexpr std::array<std::string_view, 1> kFull = {"full"};

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

// Whether a blank between these two is not needed: PowerShell's own separators need none.
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

// Whether the name is PowerShell's own; `script`, `global` and `env` precede a colon.
bool IsOwnName(std::string_view name) {
  constexpr std::array<std::string_view, 14> kForeign = {
      "_",       "args", "env",    "ErrorActionPreference", "ExecutionContext", "false", "global", "LASTEXITCODE",
      "Matches", "null", "PSHOME", "PSScriptRoot",          "PSVersionTable",   "script"};
  return name != "true" && std::ranges::find(kForeign, name) == kForeign.end();
}

// The place of a variable's name, without `$`, `${` and a scope.
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
    if (begin < code.size() && IsDigit(code[begin])) continue;  // refers to a group of a regular expression
    if (at > begin && IsOwnName(code.substr(begin, at - begin))) out.push_back({begin, at});
  }
  return out;
}

// Joins lines at braces, where a line end has no meaning.
std::string Joined(std::string_view script, Regions regions) {
  std::string out;
  for (const std::string_view line : CodeLines(script, regions)) {
    if (!out.empty() && out.back() != '{' && line.front() != '}') out += '\n';
    out += Squeeze(line);
  }
  return out + '\n';
}

// a … z, aa, ab …
std::string ShortName(std::size_t number) {
  constexpr std::size_t kLetters = 26;
  std::string out(1, static_cast<char>('a' + number % kLetters));
  return number < kLetters ? out : ShortName(number / kLetters - 1) + out;
}

struct NameUse {
  std::string name;
  std::size_t first = 0;
  std::size_t times = 0;
};

// Gives the shortest names to those that occur most often, then to those that occur first. PowerShell's names ignore
// case.
std::map<std::string, std::string> ShortNames(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> places;
  std::vector<NameUse> uses;
  for (const std::string& name : names) {
    const auto [found, is_new] = places.try_emplace(name, uses.size());
    if (is_new) uses.push_back({name, uses.size(), 0});
    ++uses[found->second].times;
  }
  std::ranges::sort(uses, [](const NameUse& a, const NameUse& b) {
    return a.times != b.times ? a.times > b.times : a.first < b.first;
  });
  std::map<std::string, std::string> out;
  for (const NameUse& use : uses) out.emplace(use.name, ShortName(out.size()));
  return out;
}

std::string ShortenNames(std::string_view code) {
  const std::vector<NamePlace> places = VariableNames(code);
  std::vector<std::string> names;
  names.reserve(places.size());
  for (const NamePlace& place : places) {
    names.push_back(AsciiLower(code.substr(place.begin, place.end - place.begin)));
  }
  const std::map<std::string, std::string> to = ShortNames(names);
  std::string out;
  std::size_t copied = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    out.append(code.substr(copied, places[i].begin - copied)).append(to.at(names[i]));
    copied = places[i].end;
  }
  return out.append(code.substr(copied));
}

// The functions that the script defines with names of the form Verb-Noun, in order.
std::vector<std::string> FunctionNames(std::string_view code) {
  constexpr std::string_view kFunction = "function ";
  std::vector<std::string> out;
  for (std::size_t at = code.find(kFunction); at != std::string_view::npos; at = code.find(kFunction, at)) {
    at += kFunction.size();
    const std::string_view name = code.substr(at, code.find_first_of("({ ", at) - at);
    if (name.find('-') != std::string_view::npos) out.emplace_back(name);
  }
  return out;
}

bool IsPartOfWord(char c) { return IsNameChar(c) || c == '-' || c == '$' || c == '.'; }

// New names begin with an underscore, as no alias does.
std::string ShortenFunctions(std::string code) {
  std::size_t number = 0;
  for (const std::string& name : FunctionNames(code)) {
    const std::string to = "_" + ShortName(number++);
    for (std::size_t at = code.find(name); at != std::string::npos; at = code.find(name, at)) {
      const std::size_t end = at + name.size();
      const bool whole = (at == 0 || !IsPartOfWord(code[at - 1])) && (end == code.size() || !IsPartOfWord(code[end]));
      if (whole) code.replace(at, name.size(), to);
      at += whole ? to.size() : name.size();
    }
  }
  return code;
}

// Pads a gzip to whole groups of Ascii85 with a comment in its header, which readers ignore.
std::string InWholeGroups(std::string gzip) {
  constexpr std::size_t kGroup = 4;
  constexpr std::size_t kFlags = 3;
  constexpr char kHasComment = 16;
  constexpr std::size_t kHeader = 10;
  const std::size_t missing = (kGroup - gzip.size() % kGroup) % kGroup;
  if (missing == 0) return gzip;
  gzip[kFlags] = kHasComment;
  std::string comment(missing, ' ');
  comment.back() = '\0';
  return gzip.insert(kHeader, comment);
}

// The scripts, each after its size in two bytes (little-endian), and then the container.
std::string Blob(std::span<const std::string> scripts, std::string_view container) {
  std::string text;
  for (const std::string& script : scripts) {
    text += static_cast<char>(script.size() & 0xFFU);
    text += static_cast<char>(script.size() >> 8U);
    text += script;
  }
  const auto [begin, end] = CertificatesIn(container);
  text += container.substr(0, begin);
  const std::array parts = {std::string_view(text), container.substr(begin, end - begin), container.substr(end)};
  return EncodeAscii85(InWholeGroups(Gzip(parts)));
}

}  // namespace

std::string CompactScript(std::string_view script, Regions regions) {
  return ShortenFunctions(ShortenNames(Joined(script, regions)));
}

std::string HereStringLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t columns = std::min(kColumns, text.size());
    const std::size_t word = AsciiLower(text.substr(0, columns)).find(kLoggedWord);
    if (word != std::string::npos) columns = word + kLoggedWord.size() / 2;
    if (text.substr(columns).starts_with(kDataEnd)) --columns;
    out.append(text.substr(0, columns)).append("\n");
    text.remove_prefix(columns);
  }
  return out;
}

Result<std::string> UserDataScript(std::string_view container, const ContainerOptions& options) {
  std::vector<std::string_view> regions;
  if (options.exe || options.bundle) regions.push_back("download");
  if (options.exe) regions.push_back("program");
  if (options.bundle) regions.push_back("bundle");
  if (options.later || options.retry) regions.push_back("later");
  const std::array<std::string, kScripts> scripts = {
      CompactScript(templates::UserDataRunPs1(), regions),
      CompactScript(templates::ApplyEgressPs1(), options.full ? kFull : Regions())};
  const std::size_t size = container.size();
  if (size > kMostUnpackedBytes) {
    return Fail(
        Code::kSizeLimit,
        fmt::format("has {} bytes unpacked, and its script unpacks {}; --ca-transport URL#sha256=... has it fetch "
                    "the certificates",
                    size, kMostUnpackedBytes),
        "user data");
  }
  std::vector<std::string_view> outside;
  if (options.web) outside.push_back("web");
  if (options.web && options.account) outside.push_back("account");
  // Does not shorten names: they are short already.
  std::string out = Joined(templates::UserDataPs1(), outside);
  const std::size_t place = out.find(kDataBegin) + kDataBegin.size();
  return out.replace(place, kDataPlace.size(), HereStringLines(Blob(scripts, container)));
}

std::string_view DataOfScript(std::string_view script) {
  const std::size_t begin = script.find(kDataBegin);
  if (begin == std::string_view::npos) return {};
  script.remove_prefix(begin + kDataBegin.size());
  return script.substr(0, script.find("\n'@"));
}

std::optional<std::string> BehindScripts(std::string_view unpacked) {
  for (std::size_t script = 0; script < kScripts; ++script) {
    if (unpacked.size() < 2) return std::nullopt;
    const auto byte = [&](std::size_t at) { return std::size_t{static_cast<unsigned char>(unpacked[at])}; };
    const std::size_t end = 2 + byte(0) + (byte(1) << 8U);
    if (unpacked.size() < end) return std::nullopt;
    unpacked.remove_prefix(end);
  }
  return std::string(unpacked);
}

}  // namespace prov::userdata
