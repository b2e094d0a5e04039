// The position of a value in a document. Cheap to pass down; becomes text only for an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov::ignition {

// A chain on the stack: each part refers to its parent, which must outlive it.
class JsonPath {
 public:
  explicit JsonPath(std::string_view root) : text_(root) {}
  JsonPath Key(std::string_view name) const { return {this, name, kNoIndex}; }
  JsonPath At(std::size_t index) const { return {this, {}, index}; }

  // E.g. $.storage.files[3].path
  std::string Text() const {
    if (parent_ == nullptr) return std::string(text_);
    std::string out = parent_->Text();
    if (index_ == kNoIndex) {
      out += '.';
      out += text_;
    } else {
      out += '[';
      out += std::to_string(index_);
      out += ']';
    }
    return out;
  }

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
  JsonPath(const JsonPath* parent, std::string_view text, std::size_t index)
      : parent_(parent), text_(text), index_(index) {}

  const JsonPath* parent_ = nullptr;
  std::string_view text_;
  std::size_t index_ = kNoIndex;
};

}  // namespace prov::ignition
