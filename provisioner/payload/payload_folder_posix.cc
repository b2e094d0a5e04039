#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "images/archive/output_file_posix.h"
#include "provisioner/base/beside_posix.h"
#include "provisioner/base/file.h"
#include "provisioner/base/posix_api.h"
#include "provisioner/payload/payload_folder.h"

namespace prov::payload {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> IoError(std::string_view what, const fs::path& path, const std::error_code& error) {
  return posix::Failure(Code::kIo, what, path.string(), error.value());
}

// Only an empty folder or an earlier payload may be replaced.
Result<void> CheckReplaceable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (status.type() != fs::file_type::directory) {
    return Fail(Code::kTarget, "exists and is not a folder; name another path or remove it", path.string());
  }
  bool manifest = false;
  std::size_t entries = 0;
  for (fs::recursive_directory_iterator it(path, error), end; it != end && !error; it.increment(error)) {
    ++entries;
    const std::string name = it->path().lexically_relative(path).generic_string();
    const fs::file_type type = it->symlink_status(error).type();
    manifest = manifest || name == "manifest.json";
    const bool ours = (type == fs::file_type::regular && IsPayloadPath(name)) ||
                      (type == fs::file_type::directory && IsPayloadFolder(name));
    if (!ours) {
      return Fail(Code::kTarget,
                  fmt::format("the folder holds {}, which is not part of a payload; name another path", name),
                  path.string());
    }
  }
  if (error) return IoError("cannot list the folder", path, error);
  if (entries > 0 && !manifest) {
    return Fail(Code::kTarget,
                "the folder is not empty and has no manifest.json, so it is not an earlier payload; name another path",
                path.string());
  }
  return {};
}

Result<void> WriteFiles(const Payload& payload, const fs::path& folder, std::int64_t time_unix,
                        const MayGoOn& may_go_on) {
  std::set<fs::path> folders = {folder};
  for (const PayloadFile& file : payload.files) {
    PROV_TRY(Ask(may_go_on));
    const fs::path path = folder / file.path;
    for (fs::path parent = path.parent_path(); parent != folder; parent = parent.parent_path()) folders.insert(parent);
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return IoError("cannot make the folder", path.parent_path(), error);
    PROV_TRY(WriteNewFile(path.string(), file.bytes, file.Mode()));
    PROV_TRY(images::SetTime(path, time_unix));
  }
  // Inner folders first. Setting the time of an inner folder does not change that of the outer one.
  for (auto it = folders.rbegin(); it != folders.rend(); ++it) {
    PROV_TRY(images::SetModeAndTime(*it, 0755, time_unix));
    PROV_TRY(FlushFolder(it->string()));
  }
  return {};
}

// Puts `fresh` at `path`; an earlier payload there is moved aside first and deleted last.
Result<void> Replace(const fs::path& fresh, const fs::path& path, const fs::path& aside) {
  std::error_code error;
  const bool occupied = fs::exists(fs::symlink_status(path, error));
  // Hold the folder, so that no other run removes it as a leftover while it is aside.
  const posix::Descriptor earlier(occupied ? open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1);
  if (earlier && !Hold(earlier))
    return Fail(Code::kTarget, "another run is replacing this payload: wait until it has ended", path.string());
  if (occupied) fs::rename(path, aside, error);
  if (occupied && error) return IoError("cannot move the earlier payload aside", path, error);
  fs::rename(fresh, path, error);
  if (error) {
    std::error_code ignored;
    if (occupied) fs::rename(aside, path, ignored);
    return IoError("cannot rename the finished payload into place", path, error);
  }
  PROV_TRY(FlushFolder(path.has_parent_path() ? path.parent_path().string() : "."));
  if (occupied) fs::remove_all(aside, error);
  if (occupied && error)
    return IoError("the new payload is in place, but the earlier one could not be deleted", aside, error);
  return {};
}

Result<void> WriteBeside(const Payload& payload, const fs::path& target, const fs::path& parent, std::int64_t time_unix,
                         const MayGoOn& may_go_on) {
  std::string fresh;
  const posix::Descriptor held = MakeFolderBeside((parent / target.filename()).string(), fresh);
  if (!held) return posix::Failure(Code::kTarget, "cannot make a folder here", parent);
  Result<void> done = WriteFiles(payload, fresh, time_unix, may_go_on);
  if (done) done = Replace(fresh, target, AsideOf(fresh));
  std::error_code ignored;
  if (!done) fs::remove_all(fresh, ignored);
  if (done) RemoveReplaced((parent / target.filename()).string());
  return done;
}

}  // namespace

Result<void> WritePayloadFolder(const Payload& payload, const std::string& path, std::int64_t time_unix,
                                const MayGoOn& may_go_on) {
  fs::path target = fs::path(path).lexically_normal();
  if (!target.has_filename()) target = target.parent_path();
  if (target.empty() || target == "." || target == "..")
    return Fail(Code::kUsage, "is not a name for a new folder", path);
  PROV_TRY(CheckReplaceable(target));
  const fs::path parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  images::MadeParents parents = PROV_TRY(images::MadeParents::Make(parent));
  PROV_TRY(WriteBeside(payload, target, parent, time_unix, may_go_on));
  parents.Keep();
  return {};
}

}  // namespace prov::payload
