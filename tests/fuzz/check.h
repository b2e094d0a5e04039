// What all fuzz targets share: checks that stop the run, and what holds for every error and finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "provisioner/base/error.h"
#include "provisioner/base/finding.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace prov::fuzz {

[[noreturn]] inline void Violated(const char* file, int line, const char* property) {
  std::fprintf(stderr, "%s:%d: property violated: %s\n", file, line, property);
  std::abort();
}

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char*>(data), size);
}

// Each byte 0x01 of an input stands for a secret.
inline std::string PlantSecrets(std::string_view input, std::string_view secret) {
  std::string out;
  for (const char c : input) out += c == '\x01' ? secret : std::string_view(&c, 1);
  return out;
}

inline bool Holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

inline bool Holds(const Error& error, std::string_view part) {
  return Holds(error.message, part) || Holds(error.where, part);
}

inline bool Holds(const Findings& findings, std::string_view part) {
  for (const Finding& finding : findings) {
    if (Holds(finding.code, part) || Holds(finding.message, part) || Holds(finding.where, part)) return true;
  }
  return false;
}

}  // namespace prov::fuzz

// Like assert, in every build: the property is what a target tests.
#define FUZZ_CHECK(property)                                                \
  do {                                                                      \
    if (!(property)) ::prov::fuzz::Violated(__FILE__, __LINE__, #property); \
  } while (false)

namespace prov::fuzz {

// An error that came from an input: it says something, ends without a full stop and is no defect of the program.
inline void CheckError(const Error& error) {
  FUZZ_CHECK(error.code != Code::kInternal);
  FUZZ_CHECK(error.code != Code::kUsage);
  FUZZ_CHECK(!error.message.empty());
  FUZZ_CHECK(error.message.back() != '.' && error.message.back() != '\n');
}

// The same of an error that names where it is.
inline void CheckError(const Error& error, std::string_view where) {
  CheckError(error);
  FUZZ_CHECK(Holds(error, where));
}

inline void CheckFindings(const Findings& findings) {
  for (const Finding& finding : findings) {
    FUZZ_CHECK(!finding.code.empty());
    FUZZ_CHECK(finding.code.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    FUZZ_CHECK(!finding.message.empty());
  }
}

}  // namespace prov::fuzz
