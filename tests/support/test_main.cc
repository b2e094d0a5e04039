// main() of all test programs: GoogleTest's, which can also report as CMocka does.
#include <gmock/gmock.h>

#include "tests/support/cmocka_listener.h"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);  // initialises GoogleTest too
  prov::testing_support::InstallCmockaListener();
  return prov::testing_support::RunAllTests();
}
