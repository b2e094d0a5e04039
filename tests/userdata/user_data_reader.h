// Decodes user data as their readers do: from any form to the script, and from the script to its data. It shares no
// code with the program that makes user data.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "provisioner/base/base64.h"

namespace prov::testing_support {

inline std::string Gunzip(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit2(&stream, MAX_WBITS + 16) != Z_OK) std::abort();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out(std::size_t{1} << 20U, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = inflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return end == Z_STREAM_END && stream.avail_in == 0 ? out : std::string();
}

inline std::string Between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t from = text.find(begin);
  if (from == std::string_view::npos) return {};
  const std::size_t to = text.find(end, from + begin.size());
  return std::string(text.substr(from + begin.size(), to - from - begin.size()));
}

// The PowerShell script of any form.
inline std::string ScriptOf(std::string_view bytes) {
  if (bytes.starts_with("<powershell>")) return Between(bytes, "<powershell>\n", "</powershell>");
  if (bytes.starts_with("#ps1_sysnative\n")) return std::string(bytes.substr(15));
  if (bytes.starts_with("H4sI")) return ScriptOf(Gunzip(*DecodeBase64(bytes)));
  return std::string(bytes);
}

struct UserDataParts {
  std::string outside;    // the script without its data
  std::string script;     // what it runs
  std::string apply;      // what that runs
  std::string container;  // what that applies
};

// Five digits of base 85 are four bytes; line ends mean nothing. Empty for what is no Ascii85.
inline std::string DecodeAscii85(std::string_view text) {
  std::string out;
  std::uint64_t value = 0;
  int digits = 0;
  for (const char c : text) {
    if (c == '\n') continue;
    if (c < '!' || c > 'u') return {};
    value = 85 * value + static_cast<std::uint64_t>(c - '!');
    if (++digits % 5 != 0) continue;
    if (value > 0xFFFFFFFFU) return {};
    for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xFFU);
    value = 0;
  }
  return digits % 5 == 0 ? out : std::string();
}

inline UserDataParts PartsOf(std::string script) {
  const std::string begin = "$b=@'\n";
  const std::size_t from = script.find(begin) + begin.size();
  const std::size_t to = script.find("\n'@\n", from) + 1;
  const std::string blob = Gunzip(DecodeAscii85(script.substr(from, to - from)));
  std::size_t at = 0;
  const auto take = [&] {
    if (blob.size() < at + 2) return std::string();
    const std::size_t size = static_cast<std::size_t>(static_cast<unsigned char>(blob[at])) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(blob[at + 1]));
    at += 2 + size;
    return blob.substr(at - size, size);
  };
  std::string run = take();
  std::string apply = take();
  return {script.erase(from, to - from), std::move(run), std::move(apply), blob.substr(std::min(at, blob.size()))};
}

}  // namespace prov::testing_support
