#include "provisioner/router/typography.h"

#include <fmt/format.h>

#include <array>

#include "provisioner/base/text.h"

namespace prov::router {
namespace {

struct Character {
  std::string_view bytes;
  std::string_view name;
  std::string_view plain;  // the replacement
};

constexpr std::array<Character, 13> kCharacters = {{{"\xE2\x80\x9C", "U+201C, a left double quote", "\""},
                                                    {"\xE2\x80\x9D", "U+201D, a right double quote", "\""},
                                                    {"\xE2\x80\x9E", "U+201E, a low double quote", "\""},
                                                    {"\xC2\xAB", "U+00AB, an angle quote", "\""},
                                                    {"\xC2\xBB", "U+00BB, an angle quote", "\""},
                                                    {"\xE2\x80\x98", "U+2018, a left single quote", "'"},
                                                    {"\xE2\x80\x99", "U+2019, a right single quote", "'"},
                                                    {"\xE2\x80\x93", "U+2013, an en dash", "-"},
                                                    {"\xE2\x80\x94", "U+2014, an em dash", "-"},
                                                    {"\xE2\x88\x92", "U+2212, a minus sign", "-"},
                                                    {"\xC2\xA0", "U+00A0, a no-break space", " "},
                                                    {"\xE2\x80\xAF", "U+202F, a narrow no-break space", " "},
                                                    {"\xE2\x80\x8B", "U+200B, a space of no width", ""}}};

const Character* CharacterAt(std::string_view text) {
  for (const Character& one : kCharacters) {
    if (text.starts_with(one.bytes)) return &one;
  }
  return nullptr;
}

// Whether an item, a key or a value begins after `before`.
bool BeginsSomething(std::string_view before) {
  const std::string_view words = TrimBlanks(before);
  return words.empty() || (words.size() < before.size() && (words.ends_with(':') || words.ends_with('-'))) ||
         words.ends_with('[') || words.ends_with('{') || words.ends_with(',') || words.ends_with('=');
}

// The first such character of a line, before a comment.
struct Found {
  const Character* character = nullptr;
  bool structural = false;
};

Found FindIn(std::string_view line) {
  Found out;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '#' && (at == 0 || line[at - 1] == ' ')) break;
    const Character* character = static_cast<unsigned char>(line[at]) < 0x80 ? nullptr : CharacterAt(line.substr(at));
    if (character == nullptr) continue;
    const bool structural = BeginsSomething(line.substr(0, at));
    if (out.character == nullptr || structural) out = {character, structural};
    if (structural) break;
  }
  return out;
}

std::string_view NameOfPlain(const Character& character) {
  return character.plain.empty() ? "nothing" : character.plain == " " ? "a space" : character.plain;
}

}  // namespace

bool FindTypography(std::string_view text, const std::string& where, Findings& out) {
  CappedFindings findings(out, where);
  bool wrong = false;
  std::size_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    const Found found = FindIn(line);
    if (found.character == nullptr) continue;
    const std::string place = fmt::format("{}: line {}", where, number);
    wrong = wrong || found.structural;
    if (found.structural) {
      findings.Add(Severity::kError, "router-typography",
                   fmt::format("holds {}, which YAML takes for a letter; write {}", found.character->name,
                               NameOfPlain(*found.character)),
                   place);
    } else {
      findings.Warn("router-typography",
                    fmt::format("holds {}; if it is not part of a text for people, write {}", found.character->name,
                                NameOfPlain(*found.character)),
                    place);
    }
  }
  return wrong;
}

std::string WithoutTypography(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character* character = static_cast<unsigned char>(text.front()) < 0x80 ? nullptr : CharacterAt(text);
    out += character == nullptr ? text.substr(0, 1) : character->plain;
    text.remove_prefix(character == nullptr ? 1 : character->bytes.size());
  }
  return out;
}

}  // namespace prov::router
