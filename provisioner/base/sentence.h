// Messages as sentences: output, logs and documents name the subject and the place of a message, each once.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/error.h"

namespace prov {

// The place of an error, with its document: "bad.json: $.spec".
std::string PlaceOf(const Error& error);

// Makes the place the subject of a message that begins with its verb ("is no WIM file", "takes 1 to 60 seconds", "not
// JSON"): "install.wim is no WIM file". Leaves other messages, and those without a place, unchanged.
std::string Sentence(std::string_view message, std::string_view place);

// The same, followed by the place in brackets if it is not the subject.
std::string SentenceWithPlace(std::string_view message, std::string_view place);

}  // namespace prov
