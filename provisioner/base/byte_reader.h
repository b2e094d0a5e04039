// Bytes that are read piece by piece, so that a file need not fit into memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov {

// Reads at most `size` bytes, above 0, to `to` and returns how many; 0 at the end.
using ByteReader = std::function<Result<std::size_t>(char* to, std::size_t size)>;

// The bytes, which must outlive the reader.
ByteReader ReadBytesOf(std::string_view bytes);

// The bytes of a file. Errors: not-found, io; of the reader io.
Result<ByteReader> OpenBytes(const std::string& path);

}  // namespace prov
