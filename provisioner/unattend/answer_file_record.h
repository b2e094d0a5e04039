// What was added to an answer file, as one line of ASCII.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::unattend {

// From the outside in.
enum class AnswerLevel { kRoot, kSettings, kComponent, kList, kItem };

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
