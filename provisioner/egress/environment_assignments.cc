#include "provisioner/egress/environment_assignments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/script_assignment.h"

namespace prov::egress {

namespace {

// Whether well-formed UTF-8 has a noncharacter that ends with the byte at `last`.
bool NoncharacterEndsAt(std::string_view text, std::size_t last) {
  const auto byte = [&](std::size_t back) { return static_cast<unsigned char>(text[last - back]); };
  if (last < 2) return false;
  const bool block = byte(2) == 0xEF && byte(1) == 0xB7 && byte(0) >= 0x90 && byte(0) <= 0xAF;
  if (block) return true;
  if (byte(1) != 0xBF || byte(0) < 0xBE) return false;
  if (byte(2) == 0xEF) return true;
  return last >= 3 && byte(3) >= 0xF0 && (byte(2) & 0x0FU) == 0x0FU;
}

}  // namespace

bool IsSystemdText(std::string_view text) {
  if (!IsUtf8(text)) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (NoncharacterEndsAt(text, i)) return false;
  }
  return true;
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && !IsDigit(name[0]) &&
         std::ranges::all_of(name, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

std::string AtLine(std::string_view where, std::size_t line) { return fmt::format("{}, line {}", where, line); }

void ReportVariableName(std::string_view name, std::string_view where, std::size_t line, CappedFindings& findings) {
  std::string message;
  const std::string start = fmt::format("{}=", name);
  if (name.starts_with(kByteOrderMark)) {
    message =
        "the file starts with a UTF-8 byte order mark, which becomes part of the first name, so systemd drops this "
        "variable; "
        "save the file without byte order mark";
  } else if (const auto script = ReadScriptAssignment(start)) {
    message = DescribeScriptAssignment(*script);
  } else {
    message =
        "the text before '=' is not a variable name (letters, digits and _ only), so systemd drops this line; correct "
        "or remove it";
  }
  findings.Warn("env-name", std::move(message), AtLine(where, line));
}

std::string DescribeLowerCase(std::string_view name) {
  return fmt::format("{} is not a setting here: only the upper-case name counts; write {} if it is meant", name,
                     AsciiUpper(name));
}

void Assignments::Set(std::string name, std::string value, std::size_t line) {
  if (name == "http_proxy" || name == "https_proxy" || name == "no_proxy") {
    findings_.Warn("env-lower-case", DescribeLowerCase(name), AtLine(where_, line));
  }
  const auto [it, is_new] = index_.try_emplace(name, all_.size());
  if (is_new) {
    all_.push_back({std::move(name), Secret(std::move(value)), line});
    return;
  }
  Assignment& earlier = all_[it->second];
  findings_.Warn(
      "env-duplicate",
      fmt::format("{} is assigned again: this assignment counts, the one on line {} does not", name, earlier.line),
      AtLine(where_, line));
  earlier.value = Secret(std::move(value));
  earlier.line = line;
}

void Assignments::Clear() {
  all_.clear();
  index_.clear();
}

}  // namespace prov::egress
