#include "provisioner/payload/node_answer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "templates/templates.h"
#include "tests/support/result.h"

namespace prov::payload {
namespace {

using testing::HasSubstr;
using testing::Not;

const Node kPlain{"WIN-7", std::nullopt};
const Node kAddressed{"WIN-8",
                      NodeNetwork{"10.0.0.5", 24, true, "10.0.0.1", {"10.0.0.2", "10.0.0.3"}, "00:15:5d:0a:0b:0c"}};
const Node kSixth{"WIN-9", NodeNetwork{"2001:db8::7", 64, false, "fe80::1", {}, {}}};

NodeAnswerFile Prepare(std::string_view file, bool network = true) {
  return Must(NodeAnswerFile::Prepare(file, network, "unattend.xml"));
}

// Without the line ends and the blanks around them.
std::string OnOneLine(std::string_view text) {
  std::string out;
  for (const std::string_view line : Split(text, '\n')) out += TrimBlanks(line);
  return out;
}

TEST(NodeAnswerFile, PutsNameAndNetworkIntoTheConstantFile) {
  const std::string text = OnOneLine(Prepare(templates::UnattendXml()).Render(kAddressed));
  const std::string attributes =
      " processorArchitecture=\"amd64\" publicKeyToken=\"31bf3856ad364e35\" language=\"neutral\" "
      "versionScope=\"nonSxS\"";
  EXPECT_THAT(text, HasSubstr("<component name=\"Microsoft-Windows-Shell-Setup\"" + attributes +
                              "><ComputerName>WIN-8</ComputerName></component>"));
  const std::size_t network = text.find("<component name=\"Microsoft-Windows-TCPIP\"");
  ASSERT_NE(network, std::string::npos);
  EXPECT_GT(network, text.find("<settings pass=\"specialize\">"));
  EXPECT_EQ(text.find("</settings>"), text.rfind("</settings>")) << "all is in the one pass";
  EXPECT_THAT(text.substr(network),
              testing::AllOf(HasSubstr("<Ipv4Settings><DhcpEnabled>false</DhcpEnabled></Ipv4Settings>"
                                       "<Identifier>00-15-5D-0A-0B-0C</Identifier><Routes>"),
                             HasSubstr("<Identifier>1</Identifier><NextHopAddress>10.0.0.1</NextHopAddress>"
                                       "<Prefix>0.0.0.0/0</Prefix></Route></Routes>"),
                             HasSubstr("\"1\">10.0.0.5/24</IpAddress></UnicastIpAddresses></Interface></Interfaces>")));
  const std::size_t dns = text.find("<component name=\"Microsoft-Windows-DNS-Client\"");
  ASSERT_NE(dns, std::string::npos);
  EXPECT_THAT(text.substr(dns), HasSubstr("<Identifier>00-15-5D-0A-0B-0C</Identifier>"));
  EXPECT_THAT(text.substr(dns), HasSubstr("wcm:keyValue=\"1\">10.0.0.2</IpAddress>"));
  EXPECT_THAT(text.substr(dns), HasSubstr("wcm:keyValue=\"2\">10.0.0.3</IpAddress></DNSServerSearchOrder>"));
}

TEST(NodeAnswerFile, LeavesEveryOtherByteAlone) {
  const std::string_view before = templates::UnattendXml();
  const std::string after = Prepare(before).Render(kPlain);
  const std::string ours =
      "\r\n    <component name=\"Microsoft-Windows-Shell-Setup\" processorArchitecture=\"amd64\" "
      "publicKeyToken=\"31bf3856ad364e35\" language=\"neutral\" versionScope=\"nonSxS\">\r\n"
      "      <ComputerName>WIN-7</ComputerName>\r\n    </component>";
  const std::size_t at = after.find(ours);
  ASSERT_NE(at, std::string::npos) << after;
  EXPECT_EQ(after.substr(0, at) + after.substr(at + ours.size()), before);
}

TEST(NodeAnswerFile, SixthVersionHasItsOwnSettings) {
  const std::string text = Prepare(templates::UnattendXml()).Render(kSixth);
  EXPECT_THAT(text, HasSubstr("<Ipv6Settings>"));
  EXPECT_THAT(text, HasSubstr("<Prefix>::/0</Prefix>"));
  EXPECT_THAT(text, HasSubstr("<Identifier>Ethernet</Identifier>"));
  EXPECT_THAT(text, Not(HasSubstr("Ipv4Settings")));
  EXPECT_THAT(text, Not(HasSubstr("DNS-Client")));
}

std::string File(std::string_view inside) {
  return "<unattend xmlns=\"urn:schemas-microsoft-com:unattend\"><settings pass=\"specialize\">" + std::string(inside) +
         "</settings></unattend>";
}

TEST(NodeAnswerFile, ReplacesANameThatIsThere) {
  for (const char* name :
       {"<ComputerName>*</ComputerName>", "<ComputerName/>", "<ComputerName><!-- x --></ComputerName>"}) {
    const std::string text = Prepare(File(std::string("<component name=\"Microsoft-Windows-Shell-Setup\" "
                                                      "processorArchitecture=\"amd64\"><TimeZone>UTC</TimeZone>") +
                                          name + "</component>"))
                                 .Render(kPlain);
    EXPECT_THAT(text, HasSubstr("<TimeZone>UTC</TimeZone><ComputerName>WIN-7</ComputerName></component>")) << text;
  }
}

TEST(NodeAnswerFile, UsesTheComponentThatIsThere) {
  const std::string text =
      Prepare(File("<component name=\"Microsoft-Windows-Shell-Setup\" processorArchitecture=\"amd64\"/>"))
          .Render(kPlain);
  EXPECT_THAT(text,
              HasSubstr("processorArchitecture=\"amd64\"><ComputerName>WIN-7</ComputerName></component></settings>"));
  const std::string lines =
      Prepare(File("\n <component name=\"Microsoft-Windows-Shell-Setup\" processorArchitecture=\"amd64\">\n  "
                   "<TimeZone>UTC</TimeZone>\n </component>\n"))
          .Render(kPlain);
  EXPECT_THAT(lines, HasSubstr("<TimeZone>UTC</TimeZone>\n  <ComputerName>WIN-7</ComputerName>\n </component>\n"));
}

TEST(NodeAnswerFile, FollowsTheArchitectureAndPrefixes) {
  const std::string text =
      Prepare(
          "<u:unattend xmlns:u=\"urn:schemas-microsoft-com:unattend\"><u:settings pass=\"specialize\">"
          "<u:component name=\"X\" processorArchitecture=\"arm64\"/></u:settings></u:unattend>")
          .Render(kAddressed);
  EXPECT_THAT(text, HasSubstr("<u:component name=\"Microsoft-Windows-Shell-Setup\" processorArchitecture=\"arm64\""));
  EXPECT_THAT(text, HasSubstr("<u:ComputerName>WIN-8</u:ComputerName>"));
  EXPECT_THAT(text, HasSubstr("xmlns:wcm=\"http://schemas.microsoft.com/WMIConfig/2002/State\""));
}

TEST(NodeAnswerFile, KeepsUtf16) {
  const std::string file =
      "\xFF\xFE" + ToUtf16Le("<?xml version=\"1.0\" encoding=\"utf-16\"?>" + File("<component name=\"X\"/>"));
  const std::string text = Prepare(file).Render(kAddressed);
  ASSERT_TRUE(text.starts_with("\xFF\xFE"));
  const auto decoded = Must(FromUtf16Le(std::string_view(text).substr(2)));
  EXPECT_THAT(decoded, HasSubstr("<ComputerName>WIN-8</ComputerName>"));
  EXPECT_THAT(decoded, HasSubstr("10.0.0.5/24"));
}

TEST(NodeAnswerFile, RefusesWhatWouldBeSaidTwice) {
  const std::string own = File("<component name=\"Microsoft-Windows-TCPIP\" processorArchitecture=\"amd64\"/>");
  const Error refused = ErrorIn(NodeAnswerFile::Prepare(own, true, "mine.xml"));
  EXPECT_EQ(refused.code, Code::kXml);
  EXPECT_THAT(refused.where, HasSubstr("mine.xml: line 1"));
  EXPECT_TRUE(NodeAnswerFile::Prepare(own, false, "mine.xml"));
  const Error twice =
      ErrorIn(NodeAnswerFile::Prepare(File("<component name=\"Microsoft-Windows-Shell-Setup\" "
                                           "processorArchitecture=\"amd64\"><ComputerName>a</ComputerName>"
                                           "<ComputerName>b</ComputerName></component>"),
                                      false, "mine.xml"));
  EXPECT_THAT(twice.message, HasSubstr("more than one ComputerName"));
}

TEST(NodeAnswerFile, NeedsThePass) {
  EXPECT_EQ(
      ErrorIn(NodeAnswerFile::Prepare("<unattend xmlns=\"urn:schemas-microsoft-com:unattend\"/>", false, "x")).code,
      Code::kXml);
}

}  // namespace
}  // namespace prov::payload
