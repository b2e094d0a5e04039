// What an installation put into an image beside the settings, so that it can be finished, renewed and taken out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/state_record.h"

namespace prov::node {

inline constexpr std::string_view kImageSection = "image";  // of the state record

struct ImageRecord {
  struct File {
    std::string path, sha256;  // hex, of what was written
    bool operator==(const File&) const = default;
  };
  struct AnswerFile {
    std::string path;
    bool made = false;   // there was none
    std::string record;  // of AddCommand
    bool operator==(const AnswerFile&) const = default;
  };

  bool complete = false;  // false: a run was cut short
  std::vector<File> files;
  std::optional<std::string> setup_complete_added;  // to SetupComplete.cmd, which holds nothing else if it was made
  std::vector<AnswerFile> answer_files;

  bool operator==(const ImageRecord&) const = default;
};

Result<std::optional<ImageRecord>> LoadImageRecord(machine::StateRecord& state);
Result<void> SaveImageRecord(machine::StateRecord& state, const ImageRecord& record);

}  // namespace prov::node
