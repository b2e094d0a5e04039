#include "provisioner/publish/go_pem.h"

#include <algorithm>
#include <iterator>

#include "provisioner/base/base64.h"

namespace prov::publish {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";
constexpr std::string_view kBeginLine = "\n-----BEGIN ";
constexpr std::string_view kEnd = "-----END ";
constexpr std::string_view kEndLine = "\n-----END ";
constexpr std::string_view kDashes = "-----";

// Decodes base64 with blanks and line ends; nullopt if it is invalid.
std::optional<std::string> Decode(std::string_view body) {
  std::string text;
  text.reserve(body.size());
  std::ranges::copy_if(body, std::back_inserter(text),
                       [](char c) { return c != ' ' && c != '\t' && c != '\r' && c != '\n'; });
  auto bytes = DecodeBase64(text);
  if (!bytes) return std::nullopt;
  return *std::move(bytes);
}

}  // namespace

GoPemReader::Line GoPemReader::LineAt(std::size_t at) const {
  const std::size_t end = std::min(text_.find('\n', at), text_.size());
  std::string_view line = text_.substr(at, end - at);
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  return {line, std::min(end + 1, text_.size())};
}

bool GoPemReader::FindBegin() {
  if (text_.substr(position_).starts_with(kBegin)) {
    position_ += kBegin.size();
    return true;
  }
  const std::size_t at = text_.find(kBeginLine, position_);
  if (at == std::string_view::npos) return false;
  position_ = at + kBeginLine.size();
  return true;
}

std::size_t GoPemReader::FindEnd(std::size_t from) {
  if (end_ < from) end_ = text_.find(kEndLine, from);
  return end_;
}

std::optional<GoPemBlock> GoPemReader::ReadBlock(std::string_view type) {
  GoPemBlock block{.type = type, .has_headers = false, .bytes = {}};
  while (position_ < text_.size()) {
    const Line line = LineAt(position_);
    if (line.text.find(':') == std::string_view::npos) break;
    block.has_headers = true;
    position_ = line.next;
  }
  const std::size_t body = position_;
  std::size_t end = body;  // end of the body
  std::size_t trailer = body + kEnd.size();
  if (block.has_headers || !text_.substr(body).starts_with(kEnd)) {
    end = FindEnd(body);
    if (end == std::string_view::npos) return std::nullopt;
    trailer = end + kEndLine.size();
  }
  // Another BEGIN inside. Test this first, because many may precede one END.
  if (text_.substr(body, end - body).find('-') != std::string_view::npos) return std::nullopt;
  const Line last = LineAt(trailer);
  const bool closed =
      last.text.size() == type.size() + kDashes.size() && last.text.starts_with(type) && last.text.ends_with(kDashes);
  if (!closed) return std::nullopt;
  auto bytes = Decode(text_.substr(body, end - body));
  if (!bytes) return std::nullopt;
  block.bytes = *std::move(bytes);
  position_ = last.next;
  return block;
}

std::optional<GoPemBlock> GoPemReader::Next() {
  while (FindBegin()) {
    const Line line = LineAt(position_);
    position_ = line.next;
    if (!line.text.ends_with(kDashes)) continue;
    if (auto block = ReadBlock(line.text.substr(0, line.text.size() - kDashes.size()))) return block;
  }
  return std::nullopt;
}

}  // namespace prov::publish
