#include "provisioner/base/rapidjson.h"

#include <cstdio>
#include <cstdlib>

namespace prov::internal {

void JsonAssertionFailed(const char* expression) {
  std::fputs("internal error: JSON access violates ", stderr);
  std::fputs(expression, stderr);
  std::fputs("\n", stderr);
  std::abort();
}

}  // namespace prov::internal

namespace prov {

std::string_view JsonErrorText(rapidjson::ParseErrorCode code) {
  std::string_view sentence = rapidjson::GetParseError_En(code);
  if (sentence.ends_with('.')) sentence.remove_suffix(1);
  return sentence;
}

}  // namespace prov
