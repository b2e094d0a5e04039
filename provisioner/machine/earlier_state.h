// Earlier state: programs once kept each section of the state record in a file of its own. These files are read if
// there is no state record yet, and deleted when the first one is written.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/machine/state_record.h"

namespace prov::machine {

// What the files say; empty if there is none. If a mark can't be read (reboot, operator seen), it is an empty object,
// because its presence is all it says. A damaged count (boots, failure, restart) is left out. Errors: those of
// StateFolder::Read; json, type, version.
Result<Sections> ReadEarlierState(StateFolder& folder);

// The same, but a damaged file is reported and left out instead of being an error. Errors: those of StateFolder::Read;
// version.
struct DamagedEarlierFile {
  std::string file, section, text;
  Error error;
};
struct EarlierState {
  Sections sections;
  std::vector<DamagedEarlierFile> damaged;
};
Result<EarlierState> ReadGoodEarlierState(StateFolder& folder);

// Removes all of them that are there.
Result<void> RemoveEarlierState(StateFolder& folder);

// The section that was kept in `file`, with its contents in today's form. Error: type (not such a file).
struct EarlierSection {
  std::string name, json;
};
Result<EarlierSection> ReadEarlierFile(std::string_view file, std::string_view text);

// The section alone. Error: type (not such a file).
Result<std::string> NameOfEarlierFile(std::string_view file);

std::span<const std::string_view> EarlierFiles();

}  // namespace prov::machine
