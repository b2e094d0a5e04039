// What the requests of a pull are for.
#pragma once

#include <string_view>

namespace prov::pull {

enum class Purpose { kPing, kToken, kIndex, kManifest, kConfig, kLayer };

std::string_view NameOf(Purpose purpose);  // "ping", …: as in the output

}  // namespace prov::pull
