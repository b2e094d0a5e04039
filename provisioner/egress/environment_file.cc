#include "provisioner/egress/environment_file.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_assignments.h"

namespace prov::egress {
namespace {

bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }
bool IsComment(char c) { return c == '#' || c == ';'; }

// The states of systemd's parser, named after its grammar: blanks and quotes before a value, then the value's text.
enum class State {
  kBeforeName,
  kName,
  kBeforeValue,
  kValue,
  kValueEscape,
  kSingleQuoted,
  kDoubleQuoted,
  kDoubleQuotedEscape,
  kComment,
  kCommentEscape,
};

class EnvironmentReader {
 public:
  EnvironmentReader(std::string_view where, CappedFindings& findings)
      : where_(where), findings_(findings), out_(where, findings) {}

  Result<std::vector<Assignment>> Read(std::string_view bytes) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const char c = bytes[i];
      Step(c);
      // "\r\n" counts as one line end.
      if (c == '\n' || (c == '\r' && !(i + 1 < bytes.size() && bytes[i + 1] == '\n'))) ++line_;
      if (error_) return std::unexpected(std::move(*error_));
    }
    Finish();
    if (error_) return std::unexpected(std::move(*error_));
    return std::move(out_).Release();
  }

 private:
  void Step(char c) {
    switch (state_) {
      case State::kBeforeName:
        if (IsComment(c)) {
          state_ = State::kComment;
        } else if (!IsEnvironmentBlank(c)) {
          Begin(c);
        }
        break;
      case State::kName:
        InName(c);
        break;
      case State::kBeforeValue:
        BeforeValue(c);
        break;
      case State::kValue:
        InValue(c);
        break;
      case State::kValueEscape:
        state_ = State::kValue;
        if (IsLineEnd(c)) break;
        if (IsLetter(c) || IsDigit(c)) {
          findings_.Warn("env-backslash",
                         "systemd drops the backslash before a letter or digit here; in a URL write %5C for it",
                         AtLine(where_, line_));
        }
        PutEscaped(c);
        break;
      case State::kSingleQuoted:
        if (c == '\'') {
          state_ = State::kBeforeValue;
        } else {
          PutEscaped(c);
        }
        break;
      case State::kDoubleQuoted:
        if (c == '"') {
          state_ = State::kBeforeValue;
        } else if (c == '\\') {
          state_ = State::kDoubleQuotedEscape;
        } else {
          PutEscaped(c);
        }
        break;
      case State::kDoubleQuotedEscape:
        state_ = State::kDoubleQuoted;
        if (c == '\n') break;
        if (c != '"' && c != '\\' && c != '`' && c != '$') PutEscaped('\\');
        PutEscaped(c);
        break;
      case State::kComment:
        InComment(c);
        break;
      case State::kCommentEscape:
        if (IsLineEnd(c)) {
          findings_.Warn("env-comment-continues",
                         "this comment ends in a backslash, so systemd before 254 takes the next line as a part of it; "
                         "remove the backslash",
                         AtLine(where_, line_));
        }
        state_ = State::kComment;
        break;
    }
  }

  void Begin(char c) {
    state_ = State::kName;
    begin_line_ = line_;
    name_.assign(1, c);
    value_.clear();
    kept_ = 0;
    quoted_ = false;
  }

  void InName(char c) {
    if (IsLineEnd(c)) {
      ReportNoEquals();
      state_ = State::kBeforeName;
    } else if (c == '=') {
      state_ = State::kBeforeValue;
    } else {
      name_.push_back(c);
    }
  }

  void BeforeValue(char c) {
    if (IsLineEnd(c)) {
      Push();
    } else if (c == '\'' || c == '"') {
      state_ = c == '"' ? State::kDoubleQuoted : State::kSingleQuoted;
      quoted_ = true;
      quote_line_ = line_;
    } else if (c == '\\') {
      state_ = State::kValueEscape;
    } else if (!IsEnvironmentBlank(c)) {
      state_ = State::kValue;
      PutEscaped(c);
    }
  }

  void InValue(char c) {
    if (IsLineEnd(c)) {
      Push();
    } else if (c == '\\') {
      kept_ = value_.size();
      state_ = State::kValueEscape;
    } else {
      value_.push_back(c);
      if (!IsEnvironmentBlank(c)) kept_ = value_.size();
    }
  }

  void InComment(char c) {
    if (c == '\\') {
      state_ = State::kCommentEscape;
    } else if (IsLineEnd(c)) {
      state_ = State::kBeforeName;
    }
  }

  // Adds a character that stays even if it is a blank at the end.
  void PutEscaped(char c) {
    value_.push_back(c);
    kept_ = value_.size();
  }

  void ReportNoEquals() {
    findings_.Warn("env-line", "this line has no '=', so systemd ignores it; remove it or make it a comment",
                   AtLine(where_, begin_line_));
  }

  void Finish() {
    const bool open_quote =
        state_ == State::kSingleQuoted || state_ == State::kDoubleQuoted || state_ == State::kDoubleQuotedEscape;
    if (open_quote) {
      findings_.Warn("env-quote",
                     "this quote is never closed, so the value goes on to the end of the file and swallows every line "
                     "after it; close or "
                     "remove the quote",
                     AtLine(where_, quote_line_));
    }
    if (state_ == State::kName) ReportNoEquals();
    if (open_quote || state_ == State::kBeforeValue || state_ == State::kValue || state_ == State::kValueEscape) Push();
  }

  void Push() {
    state_ = State::kBeforeName;
    value_.resize(kept_);
    if (!IsSystemdText(name_) || !IsSystemdText(value_)) {
      error_ = Error{Code::kEnvUtf8,
                     "this variable holds bytes that are not UTF-8, or a noncharacter, so systemd drops the whole "
                     "file; save the file as UTF-8",
                     AtLine(where_, begin_line_)};
      return;
    }
    const std::string_view name = TrimBlanks(name_);
    if (!IsVariableName(name)) {
      ReportVariableName(name, where_, begin_line_, findings_);
      return;
    }
    if (quoted_) {
      findings_.Warn("env-quoted",
                     fmt::format("the value of {} is quoted: systemd removes the quotes, `podman run --env-file` keeps "
                                 "them; write it without",
                                 name),
                     AtLine(where_, begin_line_));
    }
    out_.Set(std::string(name), value_, begin_line_);
  }

  std::string_view where_;
  CappedFindings& findings_;
  Assignments out_;
  State state_ = State::kBeforeName;
  std::string name_;
  std::string value_;
  std::size_t kept_ = 0;  // bytes of value_ that stay when trailing blanks are dropped
  bool quoted_ = false;
  std::size_t line_ = 1;
  std::size_t begin_line_ = 1;
  std::size_t quote_line_ = 1;
  std::optional<Error> error_;
};

}  // namespace

Result<void> CheckEnvironmentSize(std::string_view bytes, std::string_view where) {
  if (bytes.size() <= kMostEnvironmentBytes) return {};
  return Fail(Code::kTooLarge,
              fmt::format("has {} bytes, more than {}: no service could be started with such an environment",
                          bytes.size(), kMostEnvironmentBytes),
              std::string(where));
}

Result<std::vector<Assignment>> ParseEnvironmentFile(std::string_view bytes, std::string_view where,
                                                     Findings& findings) {
  PROV_TRY(CheckEnvironmentSize(bytes, where));
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) {
    std::size_t line = 1;
    for (std::size_t i = 0; i < nul; ++i) {
      if (bytes[i] == '\n' || (bytes[i] == '\r' && bytes[i + 1] != '\n')) ++line;
    }
    return Fail(Code::kEnvNul,
                "the file holds a NUL byte, so systemd drops the whole file; write it again as UTF-8 text (UTF-16 "
                "looks like this)",
                AtLine(where, line));
  }
  CappedFindings capped(findings, where);
  return EnvironmentReader(where, capped).Read(bytes);
}

std::string EnvironmentLine(std::string_view name, std::string_view value) {
  const auto needs_quotes_at = [](char c) { return IsEnvironmentBlank(c) || c == '"' || c == '\''; };
  const bool quoted = !value.empty() && (needs_quotes_at(value.front()) || IsEnvironmentBlank(value.back()) ||
                                         value.find('\\') != std::string_view::npos);
  if (!quoted) return fmt::format("{}={}", name, value);
  std::string out = fmt::format("{}=\"", name);
  for (const char c : value) {
    if (c == '"' || c == '\\' || c == '`' || c == '$') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

}  // namespace prov::egress
