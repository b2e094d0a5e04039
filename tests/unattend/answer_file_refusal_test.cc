// Commands that no answer file can hold, and files that are no answer file, are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "provisioner/unattend/answer_file.h"
#include "provisioner/unattend/xml_text.h"
#include "tests/unattend/answer_files.h"

namespace prov::unattend {
namespace {

using answer_files::Component;
using answer_files::kWhere;
using answer_files::OurCommand;
using answer_files::Unattend;
using testing::HasSubstr;

TEST(AnswerFileRefusal, CommandsThatNoAnswerFileCanHold) {
  const auto error = [](const std::function<void(AnswerFileCommand&)>& change) {
    AnswerFileCommand command = OurCommand();
    change(command);
    const auto edit = AddCommand(Unattend(""), command, kWhere);
    return edit ? Code::kInternal : edit.error().code;
  };
  EXPECT_EQ(error([](auto& c) { c.command_line = std::string(259, 'a'); }), Code::kInternal) << "fits";
  EXPECT_EQ(error([](auto& c) { c.command_line = std::string(260, 'a'); }), Code::kSizeLimit);
  EXPECT_EQ(error([](auto& c) { c.description = std::string(257, 'a'); }), Code::kSizeLimit);
  EXPECT_EQ(error([](auto& c) { c.command_line = " "; }), Code::kUsage);
  EXPECT_EQ(error([](auto& c) { c.command_line = "a\nb"; }), Code::kUsage);
  EXPECT_EQ(error([](auto& c) { c.description = "\xC3\xA4"; }), Code::kUsage);
  EXPECT_EQ(error([](auto& c) { c.architecture = "x64"; }), Code::kUsage);
}

TEST(AnswerFileRefusal, WhatIsNoAnswerFileIsRefusedWithThePlace) {
  struct Row {
    std::string file;
    const char* message;
    const char* where;
  };
  const std::string two_lists = "<RunSynchronous/>\n<RunSynchronous/>";
  const std::vector<Row> rows = {
      {"", "no element", "unattend.xml: line 1, column 1"},
      {"{\"json\": 1}", "not well-formed", "unattend.xml: line 1, column 1"},
      {"<?xml version=\"1.0\"?>\n<unattend/>", "namespace \"\"", "unattend.xml: line 2, column 1"},
      {"<a xmlns=\"urn:schemas-microsoft-com:unattend\"/>", "root element is <a>", "unattend.xml: line 1, column 1"},
      {"<unattend xmlns=\"urn:x\"/>", "\"urn:x\"", "unattend.xml: line 1, column 1"},
      {"\n <!DOCTYPE unattend SYSTEM \"a.dtd\"><unattend/>", "DOCTYPE", "unattend.xml: line 2, column 2"},
      {"<?xml version=\"1.0\" encoding=\"windows-1252\"?><unattend/>", "\"windows-1252\"",
       "unattend.xml: line 1, column 1"},
      {"<?xml version=\"1.0\" encoding=\"utf-16\"?><unattend/>", "read as utf-8", "unattend.xml: line 1, column 1"},
      {EncodeXml({XmlEncoding::kUtf16Le, "<?xml version=\"1.0\" encoding=\"utf-8\"?><unattend/>"}), "read as utf-16",
       "unattend.xml: line 1, column 1"},
      {std::string("\xFE\xFF\0<", 4), "UTF-16BE", "unattend.xml: line 1, column 1"},
      {std::string("<\0?\0", 4), "byte order mark", "unattend.xml: line 1, column 1"},
      {std::string("\xFF\xFE\0\0<\0\0\0", 8), "not XML", "unattend.xml: line 1, column 1"},
      {"<a>\n\xC3\xA4\xFF</a>", "not well-formed UTF-8", "unattend.xml: line 2, column 2"},
      {std::string("\xFF\xFE<\0\n\0\0\xDC", 8), "not well-formed UTF-16", "unattend.xml: line 2, column 1"},
      {Unattend("\x01"), "not well-formed", "unattend.xml: line 1, column 54"},
      {Unattend("<settings pass=\"specialize\">"), "mismatched tag", "unattend.xml: line 1, column 84"},
      {Unattend("<settings pass=\"specialize\">" + Component("Microsoft-Windows-Deployment", "amd64", two_lists) +
                "</settings>"),
       "more than one RunSynchronous", "unattend.xml: line 2, column 1"},
  };
  for (const Row& row : rows) {
    const auto edit = AddCommand(row.file, OurCommand(), kWhere);
    ASSERT_FALSE(edit) << row.file;
    EXPECT_EQ(edit.error().code, Code::kXml);
    EXPECT_THAT(edit.error().message, HasSubstr(row.message)) << row.file;
    EXPECT_EQ(edit.error().where, row.where) << row.file;
  }
}

}  // namespace
}  // namespace prov::unattend
