#include "tests/support/cmocka_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace prov::testing_support {
namespace {

void Write(std::FILE* to, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
}
void Out(const std::string& text) { Write(stdout, text); }
void Err(const std::string& text) { Write(stderr, text); }

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// XML 1.0 has no place for most control characters.
std::string XmlCharacters(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r'; }, '?');
  return text;
}

std::string XmlAttribute(std::string_view text) {
  std::string out = XmlCharacters(std::string(text));
  ReplaceAll(out, "&", "&amp;");
  ReplaceAll(out, "<", "&lt;");
  ReplaceAll(out, ">", "&gt;");
  ReplaceAll(out, "\"", "&quot;");
  return out;
}

std::string XmlCdata(std::string_view text) {
  std::string out = XmlCharacters(std::string(text));
  ReplaceAll(out, "]]>", "]]]]><![CDATA[>");
  return "<![CDATA[" + out + "]]>";
}

}  // namespace

int CmockaReport::Count(CmockaStatus status) const {
  return static_cast<int>(
      std::ranges::count_if(results_, [&](const CmockaTestResult& r) { return r.status == status; }));
}

void CmockaReport::BeginGroup(std::string_view name, int tests) {
  group_ = name;
  results_.clear();
  setup_failed_ = false;
  if (format_ == CmockaFormat::kTap) Out(fmt::format("1..{}\n", tests));
}

void CmockaReport::BeginTest(std::string_view name) {
  if (format_ == CmockaFormat::kSubunit) Out(fmt::format("test: {}\n", name));
}

void CmockaReport::EndTest(CmockaTestResult result) {
  results_.push_back(std::move(result));
  if (format_ == CmockaFormat::kTap) EndTestTap(results_.back());
  if (format_ == CmockaFormat::kSubunit) EndTestSubunit(results_.back());
}

void CmockaReport::EndTestTap(const CmockaTestResult& result) const {
  const std::size_t number = results_.size();
  switch (result.status) {
    case CmockaStatus::kPassed:
      return Out(fmt::format("ok {} - {}\n", number, result.name));
    case CmockaStatus::kSkipped:
      return Out(fmt::format("not ok {} # SKIP {}\n", number, result.name));
    case CmockaStatus::kError:
      return Out(fmt::format("not ok {} - {} Could not run test: {}\n", number, result.name, result.message));
    case CmockaStatus::kFailed:
      break;
  }
  std::string text = fmt::format("not ok {} - {}\n", number, result.name);
  for (std::size_t at = 0; at < result.message.size();) {
    const std::size_t end = std::min(result.message.find('\n', at), result.message.size());
    text += "# " + result.message.substr(at, end - at) + "\n";
    at = end + 1;
  }
  Out(text);
}

void CmockaReport::EndTestSubunit(const CmockaTestResult& result) const {
  switch (result.status) {
    case CmockaStatus::kPassed:
      return Out(fmt::format("success: {}\n", result.name));
    case CmockaStatus::kSkipped:
      return Out(fmt::format("skip: {}\n", result.name));
    case CmockaStatus::kFailed:
      return Out(result.message.empty() ? fmt::format("failure: {}\n", result.name)
                                        : fmt::format("failure: {} [\n{}\n]\n", result.name, result.message));
    case CmockaStatus::kError:
      return Out(fmt::format("error: {} [ Could not run test: {} ]\n", result.name, result.message));
  }
}

void CmockaReport::GroupSetupFailed() {
  setup_failed_ = true;
  GroupFixtureFailed("GROUP SETUP");
}

void CmockaReport::GroupTeardownFailed() { GroupFixtureFailed("GROUP TEARDOWN"); }

void CmockaReport::GroupFixtureFailed(std::string_view which) {
  const std::string text = fmt::format("[  FAILED  ] {}", which);
  if (format_ == CmockaFormat::kTap) Out(fmt::format("not ok 0 - {} {}\n", group_, text));
  if (format_ == CmockaFormat::kSubunit) Out(fmt::format("error: {} [ {} ]\n", group_, text));
}

void CmockaReport::GroupFailure(std::string_view text, std::string_view location) {
  if (!text.empty()) Err(fmt::format("[  ERROR   ] --- {}\n", text));
  if (!location.empty()) Err(fmt::format("{}: error: Failure!\n", location));
}

void CmockaReport::EndGroup() {
  const bool bad = Count(CmockaStatus::kFailed) + Count(CmockaStatus::kError) > 0;
  if (format_ == CmockaFormat::kTap) Out(fmt::format("# {} - {}\n", bad ? "not ok" : "ok", group_));
  if (format_ == CmockaFormat::kXml) EndGroupXml();
}

CmockaReport::XmlTarget CmockaReport::OpenXml() {
  std::FILE* stream = stdout;
  if (xml_file_) {
    std::string path = *xml_file_;
    ReplaceAll(path, "%g", group_);
    std::FILE* existing = std::fopen(path.c_str(), "r");
    const bool exists = existing != nullptr;
    if (exists) std::fclose(existing);
    // An existing file is taken for an earlier group's if this run made one.
    std::FILE* file = !exists ? std::fopen(path.c_str(), "w") : created_file_ ? std::fopen(path.c_str(), "a") : nullptr;
    if (file != nullptr) {
      created_file_ = true;
      return {file, true, !exists};
    }
    stream = stderr;
  }
  const bool header = !header_on_stream_;
  header_on_stream_ = true;
  return {stream, false, header};
}

void CmockaReport::EndGroupXml() {
  double seconds = 0;
  for (const CmockaTestResult& r : results_) seconds += r.seconds;
  const int errors = Count(CmockaStatus::kError) + (setup_failed_ ? 1 : 0);
  const XmlTarget target = OpenXml();
  std::string text = target.header ? "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>\n" : "";
  text += fmt::format(
      "<testsuites>\n  <testsuite name=\"{}\" time=\"{:.3f}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" "
      "skipped=\"{}\" >\n",
      XmlAttribute(group_), seconds, results_.size(), Count(CmockaStatus::kFailed), errors,
      Count(CmockaStatus::kSkipped));
  for (const CmockaTestResult& r : results_) {
    text += fmt::format("    <testcase name=\"{}\" time=\"{:.3f}\" >\n", XmlAttribute(r.name), r.seconds);
    const bool bad = r.status == CmockaStatus::kFailed || r.status == CmockaStatus::kError;
    if (bad) text += fmt::format("      <failure>{}</failure>\n", XmlCdata(r.message));
    if (r.status == CmockaStatus::kSkipped) text += "      <skipped/>\n";
    text += "    </testcase>\n";
  }
  text += "  </testsuite>\n</testsuites>\n";
  Write(target.file, text);
  if (target.close) std::fclose(target.file);
}

}  // namespace prov::testing_support
