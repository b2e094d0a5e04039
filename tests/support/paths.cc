#include "tests/support/paths.h"

namespace prov::testing_support {

const std::string& TestsFolder() {
  static const std::string path = TEST_SOURCE_DIR;
  return path;
}

const std::string& ProvisionerBinary() {
  static const std::string path = PROVISIONER_BINARY;
  return path;
}

const std::string& DifferentialFolder() {
  static const std::string path = DIFFERENTIAL_FOLDER;
  return path;
}

}  // namespace prov::testing_support
