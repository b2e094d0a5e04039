// Settings as a node reads them that remembers a command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/cli/command.h"
#include "provisioner/cli/settings_spec.h"
#include "provisioner/node/source_reader.h"

namespace prov::cli {

inline Result<node::Settings> SettingsOf(machine::Host& host, const std::vector<std::string>& words) {
  const Arguments arguments = PROV_TRY(ParseArguments(ApplyCommand().spec, words));
  return node::ReadSettings(host, PROV_TRY(SpecToRemember(PROV_TRY(ParseSettingsSpec(arguments)))),
                            {.is_followed = true});
}

// The words of a printed command as a shell takes them, where no quoted word has a quote.
inline std::vector<std::string> TypedWords(std::string_view command) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : command) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace prov::cli
