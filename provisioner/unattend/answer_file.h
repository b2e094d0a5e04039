// Adds a command to an answer file that somebody else wrote, and removes it again. The file is edited in place:
// everything that isn't ours stays byte for byte, and a file that can't be edited safely is refused. Pure. Rules for
// the command: docs/formats/answer-file.md#commands.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::unattend {

struct AnswerFileCommand {
  enum class Runs {
    kSpecialize,  // while setup specializes the machine, as SYSTEM
    kFirstLogon,  // when somebody logs on for the first time
  };

  Runs runs = Runs::kSpecialize;
  // amd64, arm64 or x86. If the file has components of another of them only, that is what it is for, and ours is, too.
  std::string architecture = "amd64";
  std::string description;
  std::string command_line;  // identifies the command later; printable ASCII
};

struct AnswerFileEdit {
  std::string bytes;
  bool changed = false;
  // What RemoveCommand needs to remove exactly what was added: one line of ASCII, to be kept by the caller. "" if
  // nothing was added: the command was there already, and what contains it isn't ours.
  std::string record;
};

// The command becomes the last one, with an Order above all others. Adding it again changes nothing. Errors: xml,
// too-large (with "WHERE: line 3, column 7" as where; also where WasPassProcessed); usage, size-limit for a command
// that no answer file can hold.
Result<AnswerFileEdit> AddCommand(std::string_view file, const AnswerFileCommand& command, std::string_view where);

// Whether Windows setup has marked the command's pass as processed: from then on it ignores the file for that pass, and
// looks in the next place. Errors: xml, too-large.
Result<bool> WasPassProcessed(std::string_view file, const AnswerFileCommand& command, std::string_view where);

// Removes the command, and the elements that AddCommand made around it if they hold nothing else now. If nobody edited
// the file since, the result is the original file. Nothing changes if the record is empty or the command isn't there.
// Errors: as above; manifest for a damaged record.
Result<AnswerFileEdit> RemoveCommand(std::string_view file, const AnswerFileCommand& command, std::string_view record,
                                     std::string_view where);

// The levels of an answer file, from the outside in.
enum class AnswerLevel { kRoot, kSettings, kComponent, kList, kItem };

// What was added to an answer file: AnswerFileEdit::record, read.
struct AnswerFileRecord {
  AnswerLevel made = AnswerLevel::kItem;  // the outermost element that was added
  std::string architecture;
  bool reopened = false;  // what it was added to was an empty-element tag
  bool padded = false;    // a line end was added behind it, too
};

std::string WriteRecord(const AnswerFileRecord& record);
// Errors: manifest.
Result<AnswerFileRecord> ReadRecord(std::string_view line, std::string_view where);

}  // namespace prov::unattend
