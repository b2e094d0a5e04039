// The temporary names beside a path: ".NAME.provisioner-" and random characters, on each system.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prov {

inline constexpr std::size_t kMostOfName = 200;  // of NAME; a file system allows 255 for the whole name

// What precedes the random characters. `name`: the last part of the path, shortened to kMostOfName.
std::string BesidePrefix(std::string_view name);

// What a killed run left: its unfinished file or folder, or the old one that it moved aside (AsideOf).
enum class Leftover { kUnfinished, kReplaced };

// Whether an entry of the folder is a temporary name with this prefix and number of random characters.
bool IsLeftover(std::string_view entry, std::string_view prefix, std::size_t random, Leftover which);

// The temporary name for the old file or folder until its successor is in place.
std::string AsideOf(const std::string& made);

}  // namespace prov
