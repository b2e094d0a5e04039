// Reads what systemd reads from an EnvironmentFile= (such as /etc/mco/proxy.env) and from the Environment= lines of a
// unit. Facts: docs/openshift.md#environment-files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "provisioner/base/finding.h"
#include "provisioner/base/result.h"
#include "provisioner/base/secret.h"

namespace prov::egress {

struct Assignment {
  std::string name;      // [A-Za-z_][A-Za-z0-9_]*
  Secret value;          // UTF-8 without NUL, unquoted; may be empty and may hold line ends
  std::size_t line = 0;  // 1-based line on which the last assignment begins

  bool operator==(const Assignment&) const = default;
};

// Linux passes at most 128 KiB per variable to a program. A larger file is a mistake, and would use memory.
inline constexpr std::size_t kMostEnvironmentBytes = std::size_t{1} << 20U;

// Errors: too-large if the text is longer.
Result<void> CheckEnvironmentSize(std::string_view bytes, std::string_view where);

// Reads an environment file by the rules of systemd 252. Returns the assignments with a valid name, the last one of
// each name, in the order in which the names first appear. Lower-case names are returned and reported; the caller picks
// the ones it needs. Errors: env-nul (a NUL anywhere); too-large; env-utf8 (a name or value that systemd does not
// accept as text: malformed UTF-8, a noncharacter; systemd then drops the whole file). `where` names the file; ", line
// N" is appended. Findings never hold values, nor anything that could be a part of one. At most 20 of each, then one
// that counts the rest:
//   env-name               a name that systemd drops (`export A=b`, a byte order mark before the first name)
//   env-line               a line without '='
//   env-lower-case         http_proxy, https_proxy or no_proxy: no component of the cluster writes or needs it
//   env-quote              an unterminated quote, which takes the rest of the file
//   env-quoted             a quoted value: systemd removes the quotes, podman --env-file keeps them
//   env-duplicate          a name assigned again
//   env-backslash          a backslash that systemd drops, before a letter or digit
//   env-comment-continues  a comment that ends in a backslash swallows the next line (systemd before 254)
Result<std::vector<Assignment>> ParseEnvironmentFile(std::string_view bytes, std::string_view where,
                                                     Findings& findings);

// The line, without its end, from which ParseEnvironmentFile() reads this value. It is quoted only if it must be. The
// value holds no line end and no NUL.
std::string EnvironmentLine(std::string_view name, std::string_view value);

// Reads the Environment= lines of the [Service] sections of a unit or drop-in, as used before OpenShift 4.7: words
// separated by blanks, quotes, C escapes, lines continued by a backslash. An empty Environment= drops what came before.
// A '%' is kept, because the machine-config operator wrote values without doubling it. Lines that systemd could not
// read are reported (env-line, env-name, env-quote, env-utf8, env-nul) and left out. The caller limits the text's size.
std::vector<Assignment> ParseUnitEnvironment(std::string_view unit_text, std::string_view where, Findings& findings);

// The names of variables in other lines of a unit or drop-in.
struct UnitNames {
  struct Name {
    std::string name;
    std::string line;  // "PassEnvironment="
    std::size_t number = 0;
  };
  std::vector<Name> unset;      // UnsetEnvironment=: the service does not get them
  std::vector<Name> passed;     // PassEnvironment=: those of systemd itself
  std::vector<Name> elsewhere;  // Environment= outside [Service]
};
UnitNames ReadUnitNames(std::string_view unit_text);

}  // namespace prov::egress
