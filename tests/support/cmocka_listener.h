// GoogleTest results in the formats of CMocka 1.1.5, for a CI that reads those. One CMocka group stands for each test
// suite.
//
// CMOCKA_MESSAGE_OUTPUT = tap, subunit or xml (in any letter case) chooses a format and switches GoogleTest's
// own printing off; unset or anything else leaves that as it is. CMOCKA_XML_FILE names the file for XML, with the
// group's name for each %g. A file that was there before is never touched: the document goes to standard error then.
//
// On purpose different from CMocka: names and texts are escaped in XML; the exit code stays below 256 (a count of 256
// would be success), and is 1 where only a group's teardown failed (CMocka: 0). A failure's text is what GoogleTest
// says, followed by CMocka's "file:line: error: Failure!"; several failures of one test follow each other.
#pragma once

#include <string_view>

namespace prov::testing_support {

enum class CmockaFormat { kNone, kTap, kSubunit, kXml };

// Call after testing::InitGoogleTest(). Replaces GoogleTest's printer if CMOCKA_MESSAGE_OUTPUT chooses a format, or
// else `fallback` is one; further calls do nothing.
void InstallCmockaListener(CmockaFormat fallback = CmockaFormat::kNone);

// The format that is being written.
CmockaFormat InstalledCmockaFormat();

// Tests and groups that failed in the last run; at least 1 if anything did.
int CountCmockaFailures();

// RUN_ALL_TESTS(). The exit code is CMocka's in a CMocka format, else GoogleTest's.
int RunAllTests();

// How the shim (cmocka/cmocka.h) tells what GoogleTest has no words for.
inline constexpr std::string_view kCmockaGroup = "CMocka group: ";   // type parameter: the group's name as given
inline constexpr std::string_view kCmockaTest = "CMocka test: ";     // value parameter: the test's name as given
inline constexpr const char* kCmockaErrorProperty = "cmocka_error";  // of tests whose setup or teardown failed
inline constexpr std::string_view kGroupSetupFailed =
    "Group setup failed";  // failure that the format has its own line for
inline constexpr std::string_view kGroupTeardownFailed = "Group teardown failed";

}  // namespace prov::testing_support
