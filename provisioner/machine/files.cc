#include "provisioner/machine/files.h"

#include <fmt/format.h>

#include "provisioner/base/text.h"

namespace prov::machine {
namespace {

std::unexpected<Error> NoFiles(std::string_view path) {
  return Fail(Code::kTarget, "this system has no files of Windows", std::string(path));
}

class NoneOfFiles final : public Files {
 public:
  Result<std::optional<std::string>> ReadFile(std::string_view path, std::uint64_t /*limit*/) override {
    return NoFiles(path);
  }
  Result<bool> IsForEverybody(std::string_view path) override { return NoFiles(path); }
  Result<void> PutFile(std::string_view path, std::string_view /*bytes*/, FileAccess /*access*/) override {
    return NoFiles(path);
  }
  Result<void> RemoveFile(std::string_view path) override { return NoFiles(path); }
  Result<bool> FolderExists(std::string_view path) override { return NoFiles(path); }
  Result<void> RemoveFolderIfEmpty(std::string_view path) override { return NoFiles(path); }
};

}  // namespace

std::unexpected<Error> RefuseWay(const std::vector<Error>& found) {
  std::string message = found.front().message;
  for (std::size_t i = 1; i < found.size(); ++i)
    message += fmt::format("; {}, too: {}", Printable(found[i].where), found[i].message);
  return Fail(Code::kOwner, std::move(message), found.front().where);
}

Files& AbsentFiles() {
  static NoneOfFiles files;
  return files;
}

}  // namespace prov::machine
