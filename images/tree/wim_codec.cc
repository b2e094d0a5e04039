#include "images/tree/wim_codec.h"

#include <algorithm>
#include <vector>

#include "images/registry/hive_format.h"

namespace prov::images::wim {
namespace {

// A resource starts with the offsets of its chunks but the first, from the end of this table on.
std::size_t EntryBytes(std::uint64_t size) { return size > 0xFFFFFFFFU ? 8 : 4; }

std::uint64_t ChunksOf(std::uint64_t size, std::uint32_t chunk) { return (size + chunk - 1) / chunk; }

}  // namespace

Result<std::string> Unpack(Codec& codec, std::uint32_t chunk, std::string_view stored, std::uint64_t size,
                           std::uint64_t wanted, const std::string& where) {
  const std::uint64_t chunks = ChunksOf(size, chunk);
  const std::size_t entry = EntryBytes(size);
  if (chunks == 0 || (chunks - 1) > stored.size() / entry) return Damaged("compressed bytes are missing", where);
  const std::string_view table = stored.substr(0, static_cast<std::size_t>(chunks - 1) * entry);
  const std::string_view data = stored.substr(table.size());
  const auto start_of = [&](std::uint64_t i) -> std::uint64_t {
    if (i == 0) return 0;
    if (i == chunks) return data.size();
    const std::size_t at = static_cast<std::size_t>(i - 1) * entry;
    return entry == 8 ? regf::Load64(table, at) : regf::Load32(table, at);
  };
  const std::uint64_t needed = ChunksOf(std::min(wanted, size), chunk);
  std::string out(static_cast<std::size_t>(std::min(needed * chunk, size)), '\0');
  for (std::uint64_t i = 0; i < needed; ++i) {
    const std::uint64_t begin = start_of(i), end = start_of(i + 1);
    if (begin > end || end > data.size()) return Damaged("a chunk lies outside of its file", where);
    const std::string_view from = data.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
    char* const to = &out[static_cast<std::size_t>(i * chunk)];
    const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(chunk, size - i * chunk));
    if (from.size() == bytes) {
      from.copy(to, bytes);  // stored as it is
    } else if (from.size() > bytes || !codec.Decompress(from, to, bytes)) {
      return Damaged("compressed bytes are none", where);
    }
  }
  out.resize(static_cast<std::size_t>(std::min(wanted, size)));
  return out;
}

std::string Pack(Codec& codec, std::uint32_t chunk, std::string_view bytes,
                 const std::function<void(std::size_t)>& progress) {
  const std::size_t entry = EntryBytes(bytes.size());
  const auto table = static_cast<std::size_t>(ChunksOf(bytes.size(), chunk) - 1) * entry;
  std::string out(table, '\0');
  std::vector<char> packed(chunk);
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    if (at != 0) {
      char* const to = &out[(at / chunk - 1) * entry];
      const std::uint64_t start = out.size() - table;
      entry == 8 ? regf::Store64(to, start) : regf::Store32(to, static_cast<std::uint32_t>(start));
    }
    const std::string_view from = bytes.substr(at, chunk);
    const std::size_t size = codec.Compress(from, packed.data());
    out += size == 0 ? from : std::string_view(packed.data(), size);
    progress(from.size());
  }
  return out.size() < bytes.size() ? out : std::string();
}

}  // namespace prov::images::wim
