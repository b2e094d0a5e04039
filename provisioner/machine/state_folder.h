// Port: the few small files that this program keeps on a machine: the state record, the journal, copies of both.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "provisioner/base/result.h"

namespace prov::machine {

inline constexpr std::string_view kLockFile = "lock";  // in the folder; a run that writes holds it

// `name` is a plain file name. The files hold secrets: only SYSTEM and Administrators may read them.
class StateFolder {
 public:
  virtual ~StateFolder() = default;

  virtual Result<std::optional<std::string>> Read(std::string_view name) = 0;
  // Replaces the file: at any moment it has the old or the new content, and the new one is durable on return.
  virtual Result<void> Write(std::string_view name, std::string_view bytes) = 0;
  virtual Result<void> Remove(std::string_view name) = 0;  // durable; nothing to do if it is absent

  // The full path of a file, for messages.
  virtual std::string PathOf(std::string_view name) const { return std::string(name); }
};

}  // namespace prov::machine
