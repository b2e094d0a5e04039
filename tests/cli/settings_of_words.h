// Settings as a node reads them that remembers a command line.
#pragma once

#include <string>
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

}  // namespace prov::cli
