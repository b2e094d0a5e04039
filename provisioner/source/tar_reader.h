// Reads tar archives (POSIX ustar and pax, and GNU's long names) entry by entry. Nothing is written anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/byte_reader.h"
#include "provisioner/base/result.h"

namespace prov::source {

enum class TarKind {
  kFile,
  kFolder,
  kLink,   // hard or symbolic
  kOther,  // a device, a pipe, a sparse file …
};

struct TarEntry {
  std::string path;  // as written
  TarKind kind = TarKind::kFile;
  std::uint64_t size = 0;  // of a file's contents
};

inline constexpr std::size_t kTarHeaderBytes = 512;

// Whether the bytes begin as a tar archive with a POSIX or GNU header.
bool LooksLikeTar(std::string_view bytes);

class TarReader {
 public:
  // `where` names the archive in errors.
  TarReader(ByteReader from, std::string where) : from_(std::move(from)), where_(std::move(where)) {}

  // The next entry, whatever is left of the last one; nullopt behind the last. Errors: kind (damaged, cut short, or
  // bytes behind the end), too-large (a name or its headers), those of the reader. Do not use the reader after an
  // error.
  Result<std::optional<TarEntry>> Next();

  // The contents of the last entry, a file; once. Errors: too-large (more than `limit` bytes), and those of Next.
  Result<std::string> Contents(std::uint64_t limit);

 private:
  struct Extension;

  Result<void> ReadAll(char* to, std::size_t size);
  Result<void> Pass(std::uint64_t size);
  Result<void> PassRest();
  Result<void> CheckEnd();
  Result<void> ReadExtension(char type, std::uint64_t size, Extension& out);
  Result<TarEntry> EntryOf(std::string_view header, const Extension& extension);
  std::unexpected<Error> Refuse(std::string_view fault) const;

  ByteReader from_;
  std::string where_;
  std::uint64_t left_ = 0;     // of the last entry's contents
  std::uint64_t padding_ = 0;  // behind them
};

}  // namespace prov::source
