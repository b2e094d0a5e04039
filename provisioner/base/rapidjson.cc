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
