#include "provisioner/cli/own_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "provisioner/base/file.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;

Result<void> CheckOwnFile(const std::string& path, const fs::path& native, const OwnFile& file) {
  std::error_code error;
  const fs::file_status there = fs::status(native, error);
  if (there.type() == fs::file_type::directory || !native.has_filename())
    return Fail(Code::kTarget, fmt::format("is a folder; choose another {}, with the name of a file", file.option),
                path);
  if (there.type() == fs::file_type::not_found) return {};
  std::string instead;
  if (there.type() == fs::file_type::regular) {
    const auto bytes = ReadFile(native.is_absolute() ? path : "./" + path, file.most_bytes);
    if (bytes && (bytes->empty() || file.is_ours(*bytes))) return {};
    if (bytes && file.other != nullptr) instead = file.other(*bytes);
    if (!bytes && bytes.error().code == Code::kIo) return Fail(Code::kIo, bytes.error().message, path);
  }
  return Fail(
      Code::kTarget,
      fmt::format("already exists and is {}; choose another {} or delete it",
                  instead.empty() ? fmt::format("not {} that provisioner wrote", file.kind) : instead, file.option),
      path);
}

}  // namespace

Result<void> WriteOwnFile(const std::string& path, std::string_view bytes, unsigned mode, const OwnFile& file) {
  const fs::path native(std::u8string(path.begin(), path.end()));
  PROV_TRY(CheckOwnFile(path, native, file));
  std::error_code error;
  if (const fs::path parent = native.parent_path(); !parent.empty()) fs::create_directories(parent, error);
  if (error)
    return Fail(Code::kTarget,
                fmt::format("cannot make the folder: {}; choose another {}", error.message(), file.option), path);
  return WriteFileAtomically(path, bytes, mode);
}

}  // namespace prov::cli
