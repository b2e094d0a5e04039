// Writes what happened in CMocka 1.1.5's formats. Knows nothing of GoogleTest.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/cmocka_listener.h"

namespace prov::testing_support {

enum class CmockaStatus { kPassed, kSkipped, kFailed, kError };  // kError: setup or teardown failed

struct CmockaTestResult {
  std::string name;
  CmockaStatus status = CmockaStatus::kPassed;
  std::string message;  // of kFailed and kError
  double seconds = 0;
};

// Calls come in the order in which things happen: begin, tests, end, next group.
class CmockaReport {
 public:
  // `xml_file` as CMOCKA_XML_FILE; nullopt for standard output.
  CmockaReport(CmockaFormat format, std::optional<std::string> xml_file)
      : format_(format), xml_file_(std::move(xml_file)) {}

  void BeginGroup(std::string_view name, int tests);
  void BeginTest(std::string_view name);
  void EndTest(CmockaTestResult result);
  void GroupSetupFailed();
  void GroupTeardownFailed();
  // A failed assertion in a group's setup or teardown.
  void GroupFailure(std::string_view text, std::string_view location);
  void EndGroup();

 private:
  struct XmlTarget {
    std::FILE* file;
    bool close;
    bool header;
  };

  int Count(CmockaStatus status) const;
  void GroupFixtureFailed(std::string_view which);
  void EndTestTap(const CmockaTestResult& result) const;
  void EndTestSubunit(const CmockaTestResult& result) const;
  void EndGroupXml();
  XmlTarget OpenXml();

  CmockaFormat format_;
  std::optional<std::string> xml_file_;
  std::string group_;
  std::vector<CmockaTestResult> results_;
  bool setup_failed_ = false;
  bool header_on_stream_ = false;
  bool created_file_ = false;
};

}  // namespace prov::testing_support
