#include "provisioner/base/byte_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

namespace prov {

ByteReader ReadBytesOf(std::string_view bytes) {
  return [rest = bytes](char* to, std::size_t size) mutable -> Result<std::size_t> {
    const std::size_t piece = std::min(size, rest.size());
    std::copy_n(rest.data(), piece, to);
    rest.remove_prefix(piece);
    return piece;
  };
}

Result<ByteReader> OpenBytes(const std::string& path) {
  const std::filesystem::path native(std::u8string(path.begin(), path.end()));
  std::error_code error;
  if (!std::filesystem::exists(native, error)) return Fail(Code::kNotFound, "does not exist", path);
  auto file = std::make_shared<std::ifstream>(native, std::ios::binary);
  if (!*file) return Fail(Code::kIo, "cannot be opened", path);
  return ByteReader([file, path](char* to, std::size_t size) -> Result<std::size_t> {
    file->read(to, static_cast<std::streamsize>(size));
    if (file->bad()) return Fail(Code::kIo, "cannot be read", path);
    return static_cast<std::size_t>(file->gcount());
  });
}

}  // namespace prov
