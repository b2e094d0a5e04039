// Lines of scripts that set a variable. People save them as an environment file, where they count for nothing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prov::egress {

struct ScriptAssignment {
  std::string_view command;   // "export"
  std::string_view language;  // whose command it is
  std::string_view name;      // of the variable, a valid one
  bool has_value = false;
};

// `export A=b`; `set A=b` and `setx A b` of cmd.exe; `$env:A = "b"` and [Environment]::SetEnvironmentVariable("A", "b")
// of PowerShell. nullopt: the line is none of them. The result refers to `line`.
std::optional<ScriptAssignment> ReadScriptAssignment(std::string_view line);

// Says why the line does not count, and what to write. Holds no value.
std::string DescribeScriptAssignment(const ScriptAssignment& assignment);

}  // namespace prov::egress
