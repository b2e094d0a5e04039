// RapidJSON as this program uses it: every include of RapidJSON goes through this header, so that its switches are the
// same everywhere (they change inline functions, so differing ones would be mixed by the linker).
#pragma once

namespace prov::internal {
// Prints the failed assertion and aborts: a wrong access to the DOM is a defect in this program, never a matter of the
// input.
[[noreturn]] void JsonAssertionFailed(const char* expression);
}  // namespace prov::internal

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
// Also in release builds: without it an access of the wrong type would be silent memory corruption.
#define RAPIDJSON_ASSERT(x) ((x) ? static_cast<void>(0) : ::prov::internal::JsonAssertionFailed(#x))
#define RAPIDJSON_HAS_STDSTRING 1
#define RAPIDJSON_HAS_CXX11_RVALUE_REFS 1
#define RAPIDJSON_HAS_CXX11_NOEXCEPT 1
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
// RapidJSON 1.1's SSE2 scan of strings takes 0x1A to 0x1F for ordinary characters. The reader is guarded against it
// (ignition/json.cc); a writer with it would print them as they are, which is no JSON, and steers a terminal.
#undef RAPIDJSON_SSE2
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <string_view>

namespace prov {

// What is wrong with a text, for a message: without the full stop that RapidJSON's sentences end in.
std::string_view JsonErrorText(rapidjson::ParseErrorCode code);

}  // namespace prov
