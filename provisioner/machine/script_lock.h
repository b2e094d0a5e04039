// Script lock: the lock that payloads' scripts honour, too. A script in Constrained Language Mode can't hold a file
// open, so the lock is a file that is there while a run is at work and holds the number of its process
// (docs/design/scripts.md#lock). On a live Windows a lock of this program (lock.h) holds it besides its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prov::machine {

inline constexpr std::string_view kScriptLockFile = "script.lock";

// What the file of process `id` holds, and the process of a file; nullopt: it is torn or of nobody.
std::string ScriptLockText(std::uint32_t id);
std::optional<std::uint32_t> HolderOfScriptLock(std::string_view text);

// Whether a program of this path runs scripts. The number of a process that is gone may be another program's now; one of
// this program is left over, too, as who asks holds this program's own lock.
bool RunsScripts(std::string_view program);

}  // namespace prov::machine
