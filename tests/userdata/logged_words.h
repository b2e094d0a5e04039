// The words for which Windows logs a script, with what it holds (tests/golden/powershell/logged-words.txt).
#pragma once

#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "provisioner/base/text.h"
#include "tests/support/paths.h"

namespace prov::testing_support {

// Those that are in a text.
inline std::set<std::string> LoggedWords(std::string_view text) {
  std::set<std::string> out;
  std::ifstream file(TestsFolder() + "/golden/powershell/logged-words.txt");
  const std::string lower = AsciiLower(text);
  for (std::string word; std::getline(file, word);) {
    if (!word.empty() && !word.starts_with('#') && lower.find(AsciiLower(word)) != std::string::npos) out.insert(word);
  }
  return out;
}

}  // namespace prov::testing_support
