#include "provisioner/payload/csv_reader.h"

#include <fmt/format.h>

namespace prov::payload {

std::string Describe(std::string_view file, TextPlace place) {
  return fmt::format("{}: {}", file, DescribePlace(place));
}

Result<std::optional<std::vector<CsvField>>> CsvReader::Next() {
  while (at_ < text_.size() && AtLineEnd()) SkipLineEnd();
  if (at_ == text_.size()) return std::nullopt;
  std::vector<CsvField> row;
  for (;;) {
    row.push_back(PROV_TRY(ReadField()));
    if (at_ == text_.size()) return row;
    if (AtLineEnd()) {
      SkipLineEnd();
      return row;
    }
    Advance();  // the comma
  }
}

bool CsvReader::AtLineEnd() const { return text_[at_] == '\n' || text_.substr(at_, 2) == "\r\n"; }

void CsvReader::Advance() { place_.Pass(text_[at_++]); }

void CsvReader::SkipLineEnd() {
  if (text_[at_] == '\r') Advance();
  Advance();
}

Result<CsvField> CsvReader::ReadField() {
  CsvField out{{}, place_};
  if (at_ < text_.size() && text_[at_] == '"') {
    PROV_TRY(ReadQuoted(out));
    return out;
  }
  while (at_ < text_.size() && text_[at_] != ',' && !AtLineEnd()) {
    if (text_[at_] == '"')
      return Refuse(place_, "a quote inside of a field without quotes; put the field into quotes and double this one");
    out.text += text_[at_];
    Advance();
  }
  return out;
}

Result<void> CsvReader::ReadQuoted(CsvField& field) {
  Advance();
  for (;;) {
    if (at_ == text_.size()) return Refuse(field.place, "the quote that begins here is never closed");
    const char c = text_[at_];
    Advance();
    if (c == '"') {
      if (at_ == text_.size() || text_[at_] != '"') break;
      Advance();
    }
    field.text += c;
  }
  if (at_ == text_.size() || text_[at_] == ',' || AtLineEnd()) return {};
  return Refuse(place_, "more text behind the closing quote; a quote inside of a field is written twice");
}

std::unexpected<Error> CsvReader::Refuse(TextPlace place, std::string message) const {
  return Fail(Code::kRow, std::move(message), Describe(file_, place));
}

}  // namespace prov::payload
