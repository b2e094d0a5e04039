#include "provisioner/bake/user_data_append.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "provisioner/base/text.h"

namespace prov::bake {
namespace {

constexpr std::string_view kOpen = "<powershell>";
constexpr std::string_view kClose = "</powershell>";
constexpr std::string_view kPersist = "<persist>true</persist>";

std::unexpected<Error> Refuse(std::string_view reason, std::string_view where) {
  return Fail(Code::kKind, std::string(reason), std::string(where));
}

// How other forms begin: their readers look at the first bytes, or at a whole document.
struct OtherForm {
  std::string_view begin;
  std::string_view reason;
};
constexpr std::array kOtherForms = {
    OtherForm{"\x1f\x8b", "is compressed; give the user data itself"},
    OtherForm{"\xef\xbb\xbf", "begins with a byte order mark, which would come to lie within the script; remove it"},
    OtherForm{"\xff\xfe", "is UTF-16; convert it to ASCII"},
    OtherForm{"#cloud-config", "is a cloud-config, not a script; its runcmd is the place for a second script"},
    OtherForm{"Content-Type:", "is a MIME message; add our user data as a part of its own (--userdata-form multipart)"},
    OtherForm{"MIME-Version:", "is a MIME message; add our user data as a part of its own (--userdata-form multipart)"},
    OtherForm{"version:", "is EC2Launch's YAML; add our user data as a task of its own (--ec2launch 2)"},
    OtherForm{"tasks:", "is EC2Launch's YAML; add our user data as a task of its own (--ec2launch 2)"},
    OtherForm{"#ps1", "is marked for cloudbase-init, whose mark must be the first line; give the script without it"},
    OtherForm{"rem cmd", "is a batch script, and ours is PowerShell"},
    OtherForm{"#!", "is a shell script, and ours is PowerShell"},
};

std::size_t Count(std::string_view text, std::string_view piece) {
  std::size_t count = 0;
  for (std::size_t at = text.find(piece); at != std::string_view::npos; at = text.find(piece, at + piece.size()))
    ++count;
  return count;
}

// What must be the first statement of a script. Comments may come before.
bool BeginsWithParameters(std::string_view script) {
  while (true) {
    script.remove_prefix(std::min(script.find_first_not_of(" \t\r\n"), script.size()));
    if (!script.starts_with('#') && !script.starts_with("<#")) break;
    const std::string_view end = script.starts_with('#') ? "\n" : "#>";
    const std::size_t at = script.find(end);
    if (at == std::string_view::npos) return false;
    script.remove_prefix(at + end.size());
  }
  const std::string start = AsciiLower(script.substr(0, 16));
  const auto is_word = [&](std::string_view word) {
    return start.starts_with(word) && start.substr(word.size()).find_first_of(" \t\r\n(") == 0;
  };
  return is_word("param") || is_word("using") || start.starts_with("[cmdletbinding");
}

Result<void> CheckScript(std::string_view script, std::string_view where) {
  const bool ascii =
      std::ranges::all_of(script, [](char c) { return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\r' || c == '\n'; });
  if (!ascii) {
    return Refuse(
        "holds bytes that are not printable ASCII, which each reader takes for something else; correct the script",
        where);
  }
  if (TrimBlanks(script).empty()) return Refuse("holds no script; leave --append-to out", where);
  if (script.find("ProvisionerUserData") != std::string_view::npos) {
    return Refuse("has a step of ours already; give the operator's own user data, as its Secret has it", where);
  }
  if (BeginsWithParameters(script)) {
    return Refuse("begins with param or using, before which no statement may stand; ours must come first", where);
  }
  return {};
}

Result<ForeignUserData> ReadTagged(std::string_view bytes, std::string_view where) {
  const std::size_t open = bytes.find(kOpen);
  const std::size_t close = bytes.find(kClose);
  if (Count(bytes, kOpen) != 1 || Count(bytes, kClose) != 1 || close < open) {
    return Refuse("does not have exactly one <powershell> and, behind it, one </powershell>", where);
  }
  ForeignUserData out;
  out.tagged = true;
  out.script = bytes.substr(open + kOpen.size(), close - open - kOpen.size());
  const std::string_view before = TrimBlanks(bytes.substr(0, open));
  const std::string_view behind = TrimBlanks(bytes.substr(close + kClose.size()));
  out.persist = behind == kPersist;
  if (!before.empty() || (!behind.empty() && !out.persist)) {
    return Refuse("has more around its script than <persist>true</persist>, and that would be lost", where);
  }
  return out;
}

}  // namespace

Result<ForeignUserData> ReadForeignUserData(std::string_view bytes, std::string_view where) {
  for (const OtherForm& form : kOtherForms) {
    if (bytes.starts_with(form.begin)) return Refuse(form.reason, where);
  }
  if (bytes.find("<script>") != std::string_view::npos) {
    return Refuse("has a batch script (<script>), which runs before all PowerShell whatever the order", where);
  }
  const bool tagged = bytes.find(kOpen) != std::string_view::npos || bytes.find(kClose) != std::string_view::npos;
  ForeignUserData out = tagged ? PROV_TRY(ReadTagged(bytes, where)) : ForeignUserData{std::string(bytes)};
  PROV_TRY(CheckScript(out.script, where));
  return out;
}

}  // namespace prov::bake
