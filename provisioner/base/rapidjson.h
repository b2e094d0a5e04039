// RapidJSON with this program's settings. Include RapidJSON only through this header: its macros change inline
// functions, and the linker would mix functions with different settings.
#pragma once

namespace prov::internal {
// Prints the failed assertion and aborts: a wrong access to the DOM is a defect of this program, never of the input.
[[noreturn]] void JsonAssertionFailed(const char* expression);
}  // namespace prov::internal

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
// Also in release builds: without it, an access of the wrong type would silently corrupt memory.
#define RAPIDJSON_ASSERT(x) ((x) ? static_cast<void>(0) : ::prov::internal::JsonAssertionFailed(#x))
#define RAPIDJSON_HAS_STDSTRING 1
#define RAPIDJSON_HAS_CXX11_RVALUE_REFS 1
#define RAPIDJSON_HAS_CXX11_NOEXCEPT 1
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
// RapidJSON 1.1's SSE2 scan of strings treats 0x1A to 0x1F as ordinary characters. The reader has its own check
// (base/json.cc). The writer would print them unescaped, which is invalid JSON and can control a terminal.
#undef RAPIDJSON_SSE2
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <string_view>

namespace prov {

// The fault of a text, for a message; without the full stop of RapidJSON's sentences.
std::string_view JsonErrorText(rapidjson::ParseErrorCode code);

}  // namespace prov
