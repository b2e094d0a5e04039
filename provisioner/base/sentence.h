// Messages as sentences: what is printed, logged and handed to programs names its subject and its place, each once.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/base/error.h"

namespace prov {

// Where an error is, with the document that it is a place of: "bad.json: $.spec".
std::string PlaceOf(const Error& error);

// A message that begins with its verb ("is no WIM file", "takes 1 to 60 seconds", "not JSON") speaks of its place,
// which becomes its subject: "install.wim is no WIM file". Others, and those without a place, stay as they are.
std::string Sentence(std::string_view message, std::string_view place);

// The same as a line, in which the place follows in brackets where it is not the subject.
std::string SentenceWithPlace(std::string_view message, std::string_view place);

}  // namespace prov
