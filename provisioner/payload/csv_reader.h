// Reads CSV as RFC 4180 has it, row by row: commas, double quotes, CRLF or LF. Every field says where it begins.
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
  // Keeps views of both.
  CsvReader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  // The next row that isn't an empty line, nothing at the end. Errors: row (a quote that isn't where one belongs).
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
