// Reads CSV (RFC 4180) row by row: commas, double quotes, CRLF or LF. Every field has its place in the text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/result.h"
#include "provisioner/base/text_place.h"

namespace prov::payload {

// "FILE: line 3, column 7".
std::string Describe(std::string_view file, TextPlace place);

struct CsvField {
  std::string text;
  TextPlace place;
};

class CsvReader {
 public:
  // Keeps views of both arguments.
  CsvReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // The next row that isn't an empty line; nullopt at the end. Errors: row (a misplaced quote).
  Result<std::optional<std::vector<CsvField>>> Next();

 private:
  bool AtLineEnd() const;
  void Advance();
  void SkipLineEnd();
  Result<CsvField> ReadField();
  Result<void> ReadQuoted(CsvField& field);
  std::unexpected<Error> Refuse(TextPlace place, std::string message) const;

  std::string_view text_;
  std::string_view file_;
  std::size_t at_ = 0;
  TextPlace place_;
};

}  // namespace prov::payload
