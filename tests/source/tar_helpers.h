// Tar archives for tests, written block by block, so that each field can be wrong.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/source/tar_reader.h"

namespace prov::source {

inline std::string WithSum(std::string header) {
  constexpr std::size_t kSum = 148;
  header.replace(kSum, 8, 8, ' ');
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(kSum, 7, fmt::format("{:06o}", sum) + '\0');
  return header;
}

// A header with its sum. `type` as in the format: '0' file, '1' and '2' links, '3' a device, '5' folder, 'x' pax …
inline std::string TarHeader(std::string_view name, std::uint64_t size, char type = '0', bool gnu = false) {
  std::string out(kTarHeaderBytes, '\0');
  const auto put = [&](std::size_t at, std::string_view text) { out.replace(at, text.size(), text); };
  put(0, name.substr(0, 100));
  put(100, "0000644");
  put(124, fmt::format("{:011o}", size));
  put(136, "00000000000");
  out[156] = type;
  put(257, gnu ? std::string_view("ustar  ") : std::string_view("ustar\00000", 8));
  return WithSum(std::move(out));
}

inline std::string Padded(std::string_view bytes) {
  std::string out(bytes);
  out.append((kTarHeaderBytes - out.size() % kTarHeaderBytes) % kTarHeaderBytes, '\0');
  return out;
}

inline std::string TarFile(std::string_view name, std::string_view bytes) {
  return TarHeader(name, bytes.size()) + Padded(bytes);
}

inline std::string PaxRecord(std::string_view name, std::string_view value) {
  std::size_t length = name.size() + value.size() + 3;
  while (fmt::format("{}", length).size() + name.size() + value.size() + 3 != length) ++length;
  return fmt::format("{} {}={}\n", length, name, value);
}

inline std::string Pax(std::string_view records) { return TarHeader("pax", records.size(), 'x') + Padded(records); }

inline std::string TarEnd() { return std::string(2 * kTarHeaderBytes, '\0'); }

}  // namespace prov::source
