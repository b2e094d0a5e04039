// The record of what an installation put into an image beside the settings, so that it can be completed, renewed and
// removed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/machine/state_record.h"

namespace prov::node {

inline constexpr std::string_view kImageSection = "image";                               // of the state record
inline constexpr std::string_view kPayloadFolder = "Windows/Setup/Scripts/Provisioner";  // of an image

// A file of the installation that is not as it was put there.
struct LostFile {
  std::string path;     // in an image, relative to its root
  std::string problem;  // "is missing"
};

struct ImageRecord {
  struct File {
    std::string path, sha256;  // hex, of what was written
    bool operator==(const File&) const = default;
  };
  struct AnswerFile {
    std::string path;
    bool made = false;   // true: there was no such file before
    std::string record;  // from AddCommand
    bool operator==(const AnswerFile&) const = default;
  };

  bool complete = false;  // false: a run was interrupted
  std::vector<File> files;
  std::optional<std::string> setup_complete_added;  // text added to SetupComplete.cmd; the whole file if we made it
  std::vector<AnswerFile> answer_files;
  bool setup_folder_made = false;  // the folder of SetupComplete.cmd was not there before

  bool operator==(const ImageRecord&) const = default;
};

Result<std::optional<ImageRecord>> LoadImageRecord(machine::StateRecord& state);
Result<void> SaveImageRecord(machine::StateRecord& state, const ImageRecord& record);

}  // namespace prov::node
