// What several tests of this room need: encoders (the mirror image of what is tested) and a fetcher with known pages.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ignition/document.h"
#include "ignition/fetcher.h"
#include "provisioner/base/base64.h"

namespace prov::ignition {

// A limit that nothing in these tests reaches.
inline constexpr std::uint64_t kPlenty = 64 << 20;

// One gzip member; `level` 0 to 9.
inline std::string Gzip(std::string_view bytes, int level = 6) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// As the templates of OpenShift write files.
inline std::string PlainUrl(std::string_view bytes) {
  std::string out = "data:,";
  for (const char c : bytes) {
    const bool unreserved = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                            std::string_view("-_.!~*'()").find(c) != std::string_view::npos;
    if (unreserved) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

inline std::string Base64Url(std::string_view bytes) { return "data:;base64," + EncodeBase64(bytes); }

inline std::string RandomBytes(std::mt19937& random, std::size_t size) {
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(static_cast<unsigned char>(random() & 0xFFU));
  return out;
}

class FakeFetcher : public Fetcher {
 public:
  Result<std::string> Fetch(const FetchOrder& order) override {
    urls.push_back(order.url);
    last_headers = order.headers;
    last = order;
    const auto page = pages.find(order.url);
    if (page == pages.end()) return Fail(Code::kNetwork, "no such page");
    return page->second;
  }

  std::map<std::string, std::string> pages;
  std::vector<std::string> urls;
  std::vector<std::pair<std::string, std::string>> last_headers;
  FetchOrder last;
};

// A bare config with these members beside "ignition".
inline std::string Bare(std::string_view version, std::string_view members = "") {
  return fmt::format(R"({{"ignition":{{"version":"{}"}}{}{}}})", version, members.empty() ? "" : ",", members);
}

inline std::string BareFiles(std::string_view version, std::string_view files) {
  return Bare(version, fmt::format(R"("storage":{{"files":[{}]}})", files));
}

inline Result<Document> ReadText(std::string text, Fetcher* fetcher = nullptr, const Limits& limits = {},
                                 const Selection& selection = {}) {
  return ReadConfig(std::move(text), "input", selection, limits, fetcher);
}

// The document of a text that must be readable; otherwise ends the test.
inline Document MustRead(std::string text, Fetcher* fetcher = nullptr) {
  auto document = ReadText(std::move(text), fetcher);
  if (!document) throw std::runtime_error(document.error().message + " at " + document.error().where);
  return *std::move(document);
}

// The error of reading `text`; a Code::kInternal error if it can be read.
inline Error ErrorOf(const std::string& text, Fetcher* fetcher = nullptr, const Limits& limits = {},
                     const Selection& selection = {}) {
  auto document = ReadText(text, fetcher, limits, selection);
  if (document) return {Code::kInternal, "no error", ""};
  return document.error();
}

// The bytes at `path`, "<none>" where there is no statement, "<code> where: message" for an error.
inline std::string Show(const Result<std::optional<FileContents>>& file) {
  if (!file) return fmt::format("<{}> {}", InfoOf(file.error().code).name, file.error().where);
  return *file ? (*file)->bytes : "<none>";
}
inline std::string ShowFile(const std::string& text, std::string_view path, Fetcher* fetcher = nullptr,
                            const Limits& limits = {}) {
  auto document = ReadText(text, fetcher, limits);
  if (!document) return fmt::format("<{}> {}", InfoOf(document.error().code).name, document.error().where);
  return Show(document->config.Read(path));
}

}  // namespace prov::ignition
