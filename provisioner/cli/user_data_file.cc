#include "provisioner/cli/user_data_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>

#include "ignition/gzip.h"
#include "provisioner/base/base64.h"
#include "provisioner/base/file.h"
#include "provisioner/base/text.h"

namespace prov::cli {
namespace {

namespace fs = std::filesystem;

// More than any platform takes, in a Secret.
constexpr std::uint64_t kLimit = 4ULL << 20U;
// In every script of user data; a cloud-config names a file by it.
constexpr std::string_view kMark = "ProvisionerUserData";
constexpr std::string_view kSecretKey = "\n  userData: ";

// What a guestinfo value or a Secret holds; empty for other text.
std::string Unpacked(std::string_view text) {
  const std::size_t key = text.find(kSecretKey);
  if (key != std::string_view::npos) text.remove_prefix(key + kSecretKey.size());
  const auto bytes = DecodeBase64(TrimBlanks(text));
  if (!bytes) return {};
  if (!ignition::LooksLikeGzip(*bytes)) return *bytes;
  return ignition::Gunzip(*bytes, kLimit, "").value_or("");
}

Result<void> CheckReplaceable(const std::string& path, const fs::path& native) {
  std::error_code error;
  const fs::file_status there = fs::status(native, error);
  if (there.type() == fs::file_type::not_found) return {};
  if (there.type() == fs::file_type::regular) {
    const auto bytes = ReadFile(native.is_absolute() ? path : "./" + path, kLimit);
    if (bytes && (bytes->empty() || IsOurUserData(*bytes))) return {};
  }
  return Fail(Code::kTarget, "is there already and is no user data of this program; choose another --out or remove it",
              path);
}

}  // namespace

bool IsOurUserData(std::string_view bytes) {
  if (bytes.find(kMark) != std::string_view::npos) return true;
  const std::string inner = Unpacked(bytes);
  if (inner.find(kMark) != std::string_view::npos) return true;
  // A Secret with a guestinfo value.
  return Unpacked(inner).find(kMark) != std::string_view::npos;
}

Result<void> WriteUserData(const std::string& path, std::string_view bytes, bool secret) {
  const fs::path native(std::u8string(path.begin(), path.end()));
  PROV_TRY(CheckReplaceable(path, native));
  std::error_code error;
  if (const fs::path parent = native.parent_path(); !parent.empty()) fs::create_directories(parent, error);
  if (error) return Fail(Code::kTarget, fmt::format("cannot make the folder: {}", error.message()), path);
  return WriteFileAtomically(path, bytes, secret ? 0600 : 0644);
}

}  // namespace prov::cli
