// ParseEnvironmentFile against systemd's own reader, called in its private library: what a service gets from
// EnvironmentFile= is what load_env_file gives, less what strv_env_clean_with_callback drops.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provisioner/base/text.h"
#include "provisioner/egress/environment_file.h"
#include "tests/differential/seed.h"

namespace prov::differential {
namespace {

constexpr std::size_t kTexts = 30000;

struct Reading {
  int error = 0;  // 0, or an errno
  std::vector<std::string> assignments;
  bool dropped_names = false;

  bool operator==(const Reading&) const = default;
};

void PrintTo(const Reading& reading, std::ostream* out) {
  *out << "error " << reading.error << (reading.dropped_names ? ", dropped names" : "");
  for (const std::string& one : reading.assignments) *out << " [" << Printable(one) << "]";
}

class Systemd {
 public:
  // nullopt where the library is missing or has not got the functions.
  static std::optional<Systemd> Load() {
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu/systemd", "/usr/lib/aarch64-linux-gnu/systemd",
                               "/usr/lib/systemd", "/lib/systemd", "/usr/lib64/systemd"}) {
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kPrefix) || !name.ends_with(".so")) continue;
        Systemd out;
        if (out.Open(entry.path(), std::atoi(name.c_str() + kPrefix.size()))) return out;
      }
    }
    return std::nullopt;
  }

  int version() const { return version_; }

  Reading Read(std::string text) const {
    char** list = nullptr;
    const std::unique_ptr<FILE, int (*)(FILE*)> file(fmemopen(text.data(), text.size(), "r"), fclose);
    const int error = load_(file.get(), "text", &list);
    Reading out;
    if (error < 0) {
      out.error = -error;
      return out;
    }
    list = clean_(list, [](const char*, void* dropped) { *static_cast<bool*>(dropped) = true; }, &out.dropped_names);
    for (char** one = list; one != nullptr && *one != nullptr; ++one) {
      out.assignments.emplace_back(*one);
      free(*one);
    }
    free(list);
    return out;
  }

 private:
  using LoadFunction = int (*)(FILE*, const char*, char***);
  using CleanFunction = char** (*)(char**, void (*)(const char*, void*), void*);
  static constexpr std::string_view kPrefix = "libsystemd-shared-";

  bool Open(const std::filesystem::path& path, int version) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return false;
    version_ = version;
    load_ = reinterpret_cast<LoadFunction>(dlsym(library, "load_env_file"));
    clean_ = reinterpret_cast<CleanFunction>(dlsym(library, "strv_env_clean_with_callback"));
    const auto log_level = reinterpret_cast<void (*)(int)>(dlsym(library, "log_set_max_level"));
    if (log_level != nullptr) log_level(0);  // it would print each text that it refuses
    return load_ != nullptr && clean_ != nullptr;
  }

  int version_ = 0;
  LoadFunction load_ = nullptr;
  CleanFunction clean_ = nullptr;
};

// Ours in systemd's terms. The differences that are meant:
//  - refusing the file is env-nul for EBADMSG and env-utf8 for EINVAL;
//  - what systemd drops without a word is a finding: env-name.
// Findings of other kinds change nothing of what is read.
struct OurReading {
  Reading reading;
  bool comment_continues = false;
};

OurReading ReadOurs(const std::string& text) {
  Findings findings;
  const auto read = egress::ParseEnvironmentFile(text, "text", findings);
  OurReading out;
  if (!read) {
    out.reading.error = read.error().code == Code::kEnvNul    ? EBADMSG
                        : read.error().code == Code::kEnvUtf8 ? EINVAL
                                                              : -1;
    return out;
  }
  for (const egress::Assignment& one : *read) out.reading.assignments.push_back(one.name + "=" + one.value.Reveal());
  const auto has = [&](std::string_view code) {
    return std::ranges::any_of(findings, [&](const Finding& one) { return one.code == code; });
  };
  out.reading.dropped_names = has("env-name");
  out.comment_continues = has("env-comment-continues");
  return out;
}

// Grouped so that a pick of a group, then of a piece, makes texts that are mostly assignments.
constexpr std::array<std::string_view, 14> kStarts = {
    "HTTP_PROXY=", "HTTPS_PROXY=", "NO_PROXY=",   "A=",  "_b1=",      "A =",  " A=",
    "\tA\t=",      "A=A=",         "http_proxy=", "1A=", "export A=", "A-B=", "\ufeffA="};
constexpr std::array<std::string_view, 20> kTexts1 = {
    "a", "b c", " ",  "  ",   "\t",   "=", "x=y", "http://p:1", "$A", "`",
    "%", "\v",  "\f", "\x1B", "\x7F", "n", "t",   ",",          "\b", "127.0.0.1,.svc"};
constexpr std::array<std::string_view, 12> kQuotes = {"\"",         "'",       "\"\"", "''", "\"a b\"", "'a b'",
                                                      "\"a\\\"b\"", "'a\\'b'", "\"a",  "'",  "\" ",     " '"};
constexpr std::array<std::string_view, 14> kEscapes = {"\\",   "\\\\",   "\\\"", "\\'", "\\n",    "\\$", "\\`",
                                                       "\\\n", "\\\r\n", "\\\r", "\\ ", "\\\\\n", "\\#", "\\\t"};
constexpr std::array<std::string_view, 8> kLineEnds = {"\n", "\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n\r"};
constexpr std::array<std::string_view, 9> kComments = {"#",       ";",        "# c\n",   ";c\r\n", "#c\\\n",
                                                       "#c\\d\n", "#c\\\\\n", "#\\\r\n", "  # c\n"};
// Well-formed UTF-8 at the edges of the ranges; U+FEFF within a text is a character as any other.
constexpr std::array<std::string_view, 8> kUnicode = {"\xC3\xA9",         "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                                      "\xC2\x80",         "\xED\x9F\xBF", "\xEE\x80\x80",
                                                      "\xF4\x8F\xBF\xBD", "\xEF\xBB\xBF"};
// Not UTF-8: lone and missing continuation bytes, overlong, a surrogate, above U+10FFFF; and noncharacters.
constexpr std::array<std::string_view, 12> kBroken = {"\xFF",
                                                      "\x80",
                                                      "\xC3",
                                                      "\xC0\xAF",
                                                      "\xE2\x82",
                                                      "\xED\xA0\x80",
                                                      "\xF4\x90\x80\x80",
                                                      "\xF0\x80\x80\x80",
                                                      "\xEF\xBF\xBF",
                                                      "\xEF\xB7\x90",
                                                      "\xF0\x9F\xBF\xBE",
                                                      "\xEF\xBF\xBE"};

std::string MakeText(Random& random) {
  std::string out;
  for (std::size_t left = 1 + random.Below(20); left > 0; --left) {
    const std::size_t kind = random.Below(16);
    if (kind < 4) {
      out += random.Pick(kLineEnds);
      out += random.Pick(kStarts);
    } else if (kind < 8) {
      out += random.Pick(kTexts1);
    } else if (kind < 10) {
      out += random.Pick(kQuotes);
    } else if (kind < 12) {
      out += random.Pick(kEscapes);
    } else if (kind == 12) {
      out += random.Pick(kComments);
    } else if (kind == 13) {
      out += random.Pick(kLineEnds);
    } else if (kind == 14) {
      out += random.Pick(kUnicode);
    } else if (random.OneIn(4)) {
      out += random.Pick(kBroken);
    } else if (random.OneIn(12)) {
      out += '\0';
    }
  }
  if (out.empty()) out = "\n";  // fmemopen takes no empty buffer
  return out;
}

TEST(EnvironmentSystemd, ReadsTheSameAssignments) {
  const auto systemd = Systemd::Load();
  if (!systemd) GTEST_SKIP() << "NOT RUN: no libsystemd-shared with load_env_file (Debian: libsystemd-shared)";
  Random random(Seed("EnvironmentSystemd"));
  // From systemd 254 on a comment never goes on; we keep to the version in RHCOS 8 and 9 and warn
  // (env-comment-continues).
  const bool other_comments = systemd->version() >= 254;
  std::size_t compared = 0;
  std::size_t assignments = 0;
  std::size_t refused_nul = 0;
  std::size_t refused_utf8 = 0;
  std::size_t dropped = 0;
  std::size_t differences = 0;
  for (std::size_t i = 0; i < kTexts; ++i) {
    const std::string text = MakeText(random);
    const OurReading ours = ReadOurs(text);
    if (other_comments && ours.comment_continues) continue;
    const Reading theirs = systemd->Read(text);
    ++compared;
    assignments += theirs.assignments.size();
    refused_nul += theirs.error == EBADMSG ? 1 : 0;
    refused_utf8 += theirs.error == EINVAL ? 1 : 0;
    dropped += theirs.dropped_names ? 1 : 0;
    if (ours.reading != theirs && ++differences <= 10) {
      ADD_FAILURE() << "text " << i << " " << testing::PrintToString(text) << "\n  ours    "
                    << testing::PrintToString(ours.reading) << "\n  systemd " << testing::PrintToString(theirs);
    }
  }
  EXPECT_EQ(differences, 0U);
  std::cout << "EnvironmentSystemd: " << compared << " texts compared with systemd " << systemd->version() << ": "
            << assignments << " assignments, " << refused_nul << " texts refused for NUL, " << refused_utf8
            << " for UTF-8, " << dropped << " with dropped names; " << differences << " differences\n";
  // The comparison says something only if each of these happens often.
  EXPECT_GT(compared, 20000U);
  EXPECT_GT(assignments, 20000U);
  EXPECT_GT(refused_nul, 200U);
  EXPECT_GT(refused_utf8, 500U);
  EXPECT_GT(dropped, 2000U);
}

}  // namespace
}  // namespace prov::differential
