// Adds a command to an existing answer file, and removes it again. Edits the file in place: everything that isn't ours
// stays byte for byte, and a file that can't be edited safely is refused. Pure. Rules for the command:
// docs/formats/answer-file.md#commands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"

namespace prov::unattend {

// A command of the specialize pass, which runs as SYSTEM while setup specializes the machine.
struct AnswerFileCommand {
  // amd64, arm64 or x86: for a file that has no component of these. In any other, each architecture that the file has
  // components for gets the command: setup reads those of the machine's own architecture only.
  std::string architecture = "amd64";
  std::string description;
  std::string command_line;  // printable ASCII; later identifies the command
};

struct AnswerFileEdit {
  std::string bytes;
  bool changed = false;
  // What RemoveCommand needs to remove exactly what was added: one line of ASCII, which the caller keeps. "" if nothing
  // was added: the command was there already, and the elements around it aren't ours.
  std::string record;
  std::vector<std::string> architectures = {};  // of the commands that were added
};

// Adds the command as the last one, with an Order above all others. Adding it again changes nothing. Errors: xml,
// too-large (with "WHERE: line 3, column 7" as where; also if WasPassProcessed); usage, size-limit for a command that
// no answer file can hold.
Result<AnswerFileEdit> AddCommand(std::string_view file, const AnswerFileCommand& command, std::string_view where);

// Whether a component for some architecture has the command. Errors: xml, too-large.
Result<bool> HasCommand(std::string_view file, const AnswerFileCommand& command, std::string_view where);

// Whether it has settings for the pass windowsPE, which only setup from media runs. Errors: xml, too-large.
Result<bool> IsForSetupFromMedia(std::string_view file, std::string_view where);

// Whether Windows setup has marked the pass as processed. It then ignores the file for that pass and uses the
// next place. Errors: xml, too-large.
Result<bool> WasPassProcessed(std::string_view file, std::string_view where);

// Removes the command, and the elements that AddCommand made around it if they are empty now. If the file was not
// edited since, the result is the original file. Changes nothing if the record is empty or the command isn't there.
// Errors: as above; manifest for a damaged record.
Result<AnswerFileEdit> RemoveCommand(std::string_view file, const AnswerFileCommand& command, std::string_view record,
                                     std::string_view where);

}  // namespace prov::unattend
