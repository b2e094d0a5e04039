#include "provisioner/userdata/user_data_append.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>

#include "provisioner/base/base64.h"
#include "provisioner/base/command_output.h"
#include "provisioner/base/text.h"

namespace prov::userdata {
namespace {

constexpr std::string_view kOpen = "<powershell>";
constexpr std::string_view kClose = "</powershell>";
constexpr std::string_view kPersist = "<persist>true</persist>";
// Occurs in every script of ours.
constexpr std::string_view kOurs = "ProvisionerUserData";
// Tags that launch agents search for anywhere in user data, without case.
constexpr std::array<std::string_view, 6> kTags = {"powershell>", "script>",           "persist>",
                                                   "detach>",     "runaslocalsystem>", "powershellarguments>"};

std::unexpected<Error> Refuse(std::string_view reason, std::string_view where) {
  return Fail(Code::kKind, std::string(reason), std::string(where));
}

// How other forms begin, in lower case: at the first byte that is no blank, or after comments (`behind_comments`).
struct OtherForm {
  std::string_view begin;
  bool behind_comments;
  std::string_view reason;
};
constexpr std::array kOtherForms = {
    OtherForm{"\x1f\x8b", false, "is compressed; give the user data itself"},
    OtherForm{"\xef\xbb\xbf", false,
              "begins with a byte order mark, which would come to lie within the script; remove it"},
    OtherForm{"\xff\xfe", false, "is UTF-16; convert it to ASCII"},
    OtherForm{"#cloud-config", true, "is a cloud-config, not a script; its runcmd is the place for a second script"},
    OtherForm{"content-type:", true, "is a MIME message; add our user data as a separate part"},
    OtherForm{"mime-version:", true, "is a MIME message; add our user data as a separate part"},
    OtherForm{"-----begin ", false,
              "is a PEM file, not a script; certificates come from the source, and this option takes the operator's "
              "Secret or a script"},
    OtherForm{"---", true, "is YAML, not a script; add our user data as a separate task or command"},
    OtherForm{"version:", true, "is EC2Launch's YAML; add our script as a separate task"},
    OtherForm{"tasks:", true, "is EC2Launch's YAML; add our script as a separate task"},
    OtherForm{"#ps1", false,
              "is marked for cloudbase-init, whose mark must be the first line; give the script without it"},
    OtherForm{"rem cmd", false, "is a batch script, and ours is PowerShell"},
    OtherForm{"#!", false, "is a shell script, and ours is PowerShell"},
};

std::size_t Count(std::string_view text, std::string_view piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at + piece.size()))
    ++count;
  return count;
}

std::string_view WithoutBlanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
}

// The text after the comment or the attribute at its beginning; all of it if that has no end.
std::string_view BehindComment(std::string_view text) {
  const std::string_view end = text.starts_with('#') ? "\n" : "#>";
  const std::size_t at = text.find(end);
  return at == std::string_view::npos ? std::string_view() : text.substr(at + end.size());
}

std::string_view BehindAttribute(std::string_view text) {
  std::size_t depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']' && --depth == 0) {
      return text.substr(i + 1);
    }
  }
  return {};
}

bool IsComment(std::string_view text) { return text.starts_with('#') || text.starts_with("<#"); }

std::string_view OtherFormOf(std::string_view lower) {
  bool first = true;
  for (std::string_view rest = WithoutBlanks(lower);; rest = WithoutBlanks(BehindComment(rest)), first = false) {
    const auto found = std::ranges::find_if(kOtherForms, [&](const OtherForm& form) {
      return (first || form.behind_comments) && rest.starts_with(form.begin);
    });
    if (found != kOtherForms.end()) return found->reason;
    if (!IsComment(rest)) return {};
  }
}

// A parameter block must be the first statement of a script; only comments and attributes may precede it.
bool BeginsWithParameters(std::string_view lower) {
  std::string_view rest = WithoutBlanks(lower);
  while (IsComment(rest) || rest.starts_with('[')) {
    rest = WithoutBlanks(IsComment(rest) ? BehindComment(rest) : BehindAttribute(rest));
  }
  const auto followed_by = [&](std::string_view word, std::string_view by) {
    if (!rest.starts_with(word)) return false;
    const std::string_view behind = WithoutBlanks(rest.substr(word.size()));
    return by.empty() ? behind.size() < rest.size() - word.size() : behind.starts_with(by);
  };
  constexpr std::array<std::string_view, 5> kBlocks = {"begin", "process", "end", "clean", "dynamicparam"};
  return followed_by("param", "(") || followed_by("using", "") ||
         std::ranges::any_of(kBlocks, [&](std::string_view word) { return followed_by(word, "{"); });
}

// A JSON object, such as `{"ignition": ...}`. A script block may begin with a brace too, but hardly followed by a
// quote.
std::string_view JsonReason(std::string_view text) {
  text = WithoutBlanks(text);
  if (!text.starts_with('{') || !WithoutBlanks(text.substr(1)).starts_with('"')) return {};
  if (text.find("\"ignition\"") == std::string_view::npos) return "is JSON, not a script; give the script itself";
  return "is an Ignition config, which Windows does not run: it is for Linux machines. Give the operator's user data "
         "for Windows: oc get secret windows-user-data -n openshift-machine-api -o yaml";
}

// Whether the text is base64 of a text (UTF-8 or UTF-16) or of compressed data. A script's words may look like base64,
// but do not decode to either.
bool IsBase64(std::string_view text) {
  constexpr std::size_t kShortest = 24;
  std::string letters;
  std::ranges::copy_if(text, std::back_inserter(letters), [](char c) { return c != '\r' && c != '\n'; });
  if (letters.size() < kShortest) return false;
  const auto decoded = DecodeBase64(letters);
  if (!decoded) return false;
  const bool utf16 = (*decoded)[1] == '\0';
  return utf16 || decoded->starts_with("\x1f\x8b") || IsUtf8(*decoded);
}

bool HasTag(std::string_view lower) {
  return std::ranges::any_of(kTags, [&](std::string_view name) {
    return lower.find(std::string("<").append(name)) != std::string_view::npos ||
           lower.find(std::string("</").append(name)) != std::string_view::npos;
  });
}

Result<void> CheckScript(std::string_view script, std::string_view where) {
  const bool ascii =
      std::ranges::all_of(script, [](char c) { return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n'; });
  if (!ascii) {
    return Refuse(
        "holds bytes that are not printable ASCII, which each reader takes for something else; correct the script",
        where);
  }
  if (TrimBlanks(script).empty())
    return Refuse("holds no script (did the command that wrote it fail?); correct it, or leave --append-to out", where);
  if (script.find(kOurs) != std::string_view::npos) {
    return Refuse("has a step of ours already; give the operator's own user data, as its Secret has it", where);
  }
  const std::string lower = AsciiLower(script);
  if (HasTag(lower)) {
    return Refuse("names a tag of the launch agents within its script, which they would take for one", where);
  }
  if (BeginsWithParameters(lower)) {
    return Refuse(
        "begins with param, using or a named block, before which no statement may stand; ours must come first", where);
  }
  return {};
}

Result<ForeignUserData> ReadTagged(std::string_view bytes, std::string_view lower, std::string_view where) {
  const std::size_t open = lower.find(kOpen);
  const std::size_t close = lower.find(kClose);
  if (Count(lower, kOpen) != 1 || Count(lower, kClose) != 1 || close < open) {
    return Refuse("does not have exactly one <powershell> and, behind it, one </powershell>", where);
  }
  ForeignUserData out;
  out.script = bytes.substr(open + kOpen.size(), close - open - kOpen.size());
  const std::string_view before = TrimBlanks(lower.substr(0, open));
  const std::string_view behind = TrimBlanks(lower.substr(close + kClose.size()));
  out.persist = behind == kPersist;
  if (!before.empty() || (!behind.empty() && !out.persist)) {
    return Refuse("has more around its script than <persist>true</persist>, and that would be lost", where);
  }
  return out;
}

// The text after our step; empty if there is none. The data in our step has no brace, so the first end is its own.
std::string_view BehindOurs(std::string_view ours) {
  constexpr std::string_view kEnd = "$global:LASTEXITCODE=13}}\n";
  const std::size_t end = ours.find(kEnd);
  return end == std::string_view::npos ? std::string_view() : ours.substr(end + kEnd.size());
}

// Whether the text is the exit line that follows our step without another script: "exit $LASTEXITCODE", or for
// cloudbase-init "exit ($LASTEXITCODE,1002)[...]".
bool IsOurExit(std::string_view behind) {
  const std::string_view line = TrimBlanks(behind);
  return (line.starts_with("exit $LASTEXITCODE") || line.starts_with("exit ($LASTEXITCODE")) &&
         line.find('\n') == std::string_view::npos;
}

}  // namespace

Result<ForeignUserData> ReadForeignUserData(std::string_view bytes, std::string_view where) {
  const std::string lower = AsciiLower(bytes);
  if (const std::string_view reason = OtherFormOf(lower); !reason.empty()) return Refuse(reason, where);
  if (const std::string_view reason = JsonReason(bytes); !reason.empty()) return Refuse(reason, where);
  if (const auto output = DescribeCommandOutput(bytes)) return Refuse(*output, where);
  if (IsBase64(TrimBlanks(bytes))) {
    return Refuse(
        "is base64, not a script; decode it (base64 -d), or give the Secret as oc get secret -o yaml prints it", where);
  }
  if (lower.find("<script>") != std::string_view::npos) {
    return Refuse("has a batch script (<script>), which runs before all PowerShell whatever the order", where);
  }
  const bool tagged = lower.find(kOpen) != std::string_view::npos || lower.find(kClose) != std::string_view::npos;
  ForeignUserData out = tagged ? PROV_TRY(ReadTagged(bytes, lower, where)) : ForeignUserData{std::string(bytes)};
  PROV_TRY(CheckScript(out.script, where));
  return out;
}

bool SetsUpKeys(const ForeignUserData& user_data) {
  return AsciiLower(user_data.script).find("authorized_keys") != std::string::npos;
}

bool IsOperators(const ForeignUserData& user_data) { return user_data.of_operators_secret || SetsUpKeys(user_data); }

bool DownloadsByWeb(const ForeignUserData& user_data) {
  constexpr std::array<std::string_view, 9> kWords = {
      "invoke-webrequest", "invoke-restmethod", "webrequest", "webclient", "httpclient", "iwr ", "irm ",
      "install-module",    "install-package"};
  const std::string lower = AsciiLower(user_data.script);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

Result<bool> RunsBehindOurs(std::string_view ours, const ForeignUserData& user_data, std::string_view where) {
  if (!IsOurs(ours)) {
    return Refuse("is not user data of this program; give the Secret that bake --secret wrote, or what it holds",
                  where);
  }
  std::string_view script = ours;
  bool persist = user_data.persist;
  if (const std::size_t close = ours.rfind(kClose); close != std::string_view::npos) {
    script = ours.substr(0, close);
    // Platforms other than AWS have no tags; there, both scripts run equally often.
    persist = TrimBlanks(ours.substr(close + kClose.size())) == kPersist;
  }
  // In a multipart form, the script ends at the boundary.
  if (const std::size_t end = script.rfind("\n--===provisioner===--"); end != std::string_view::npos) {
    script = script.substr(0, end);
  }
  const std::string_view behind = BehindOurs(script);
  if (behind == user_data.script) return persist == user_data.persist;
  if (IsOurExit(behind)) {
    return Refuse("runs no other script behind our step; it was made without --append-to", where);
  }
  return false;
}

bool IsOurs(std::string_view user_data) { return user_data.find(kOurs) != std::string_view::npos; }

}  // namespace prov::userdata
