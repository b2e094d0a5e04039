// Texts as the Windows event log takes them.
#pragma once

#include <string>
#include <string_view>

namespace prov::machine {

// Printable(), short enough for an event, and with a blank after each "%" that the Event Viewer would take for the
// number of another text ("%1", "%%5").
std::string EventText(std::string_view text);

}  // namespace prov::machine
