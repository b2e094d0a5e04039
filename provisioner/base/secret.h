// Secret: text that may hold a credential. It has no stream or format operator and no implicit conversion, so it can't
// reach a log, a message or a document by accident. The few writers that need the text call Reveal().
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace prov {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}

  // The text itself. Only for the writers of files that must contain it, and for parsers.
  const std::string& Reveal() const { return text_; }
  bool empty() const { return text_.empty(); }

  bool operator==(const Secret&) const = default;

 private:
  std::string text_;
};

}  // namespace prov
