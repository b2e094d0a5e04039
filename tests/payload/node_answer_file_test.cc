#include "provisioner/payload/node_answer_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "provisioner/base/text.h"
#include "templates/templates.h"
#include "tests/unattend/answer_files.h"

namespace prov::payload {
namespace {

using testing::HasSubstr;
using testing::Not;

const Node kPlain{"WIN-7", std::nullopt};
const Node kAddressed{"WIN-8",
                      NodeNetwork{"10.0.0.5", 24, true, "10.0.0.1", {"10.0.0.2", "10.0.0.3"}, "00:15:5d:0a:0b:0c"}};
const Node kSixth{"WIN-9", NodeNetwork{"2001:db8::7", 64, false, "fe80::1", {}, {}}};

NodeAnswerFile Prepare(std::string_view file, bool network = true) {
  auto out = NodeAnswerFile::Prepare(file, network, "unattend.xml");
  EXPECT_TRUE(out) << out.error().message << " at " << out.error().where;
  return *std::move(out);
}

// Of a component of the specialize pass, by a second reader.
pugi::xml_node Component(const pugi::xml_document& document, const char* name) {
  return document.child("unattend")
      .find_child_by_attribute("settings", "pass", "specialize")
      .find_child_by_attribute("component", "name", name);
}

TEST(NodeAnswerFile, PutsNameAndNetworkIntoTheConstantFile) {
  const std::string text = Prepare(templates::UnattendXml()).Render(kAddressed);
  pugi::xml_document document;
  ASSERT_TRUE(document.load_buffer(text.data(), text.size()));
  EXPECT_STREQ(Component(document, "Microsoft-Windows-Shell-Setup").child_value("ComputerName"), "WIN-8");
  const auto adapter = Component(document, "Microsoft-Windows-TCPIP").child("Interfaces").child("Interface");
  EXPECT_STREQ(adapter.child_value("Identifier"), "00-15-5D-0A-0B-0C");
  EXPECT_STREQ(adapter.child("Ipv4Settings").child_value("DhcpEnabled"), "false");
  EXPECT_STREQ(adapter.child("UnicastIpAddresses").child_value("IpAddress"), "10.0.0.5/24");
  EXPECT_STREQ(adapter.child("Routes").child("Route").child_value("Prefix"), "0.0.0.0/0");
  EXPECT_STREQ(adapter.child("Routes").child("Route").child_value("NextHopAddress"), "10.0.0.1");
  const auto dns = Component(document, "Microsoft-Windows-DNS-Client").child("Interfaces").child("Interface");
  EXPECT_STREQ(dns.child_value("Identifier"), "00-15-5D-0A-0B-0C");
  const auto servers = dns.child("DNSServerSearchOrder").children("IpAddress");
  EXPECT_EQ(std::distance(servers.begin(), servers.end()), 2);
  EXPECT_STREQ(std::next(servers.begin())->child_value(), "10.0.0.3");
  EXPECT_STREQ(std::next(servers.begin())->attribute("wcm:keyValue").value(), "2");
  EXPECT_STREQ(Component(document, "Microsoft-Windows-Deployment").attribute("processorArchitecture").value(), "amd64");
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
  const auto decoded = FromUtf16Le(std::string_view(text).substr(2));
  ASSERT_TRUE(decoded);
  EXPECT_THAT(*decoded, HasSubstr("<ComputerName>WIN-8</ComputerName>"));
  EXPECT_THAT(*decoded, HasSubstr("10.0.0.5/24"));
}

TEST(NodeAnswerFile, RefusesWhatWouldBeSaidTwice) {
  const std::string own = File("<component name=\"Microsoft-Windows-TCPIP\" processorArchitecture=\"amd64\"/>");
  const auto refused = NodeAnswerFile::Prepare(own, true, "mine.xml");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kXml);
  EXPECT_THAT(refused.error().where, HasSubstr("mine.xml: line 1"));
  EXPECT_TRUE(NodeAnswerFile::Prepare(own, false, "mine.xml"));
  const auto twice = NodeAnswerFile::Prepare(File("<component name=\"Microsoft-Windows-Shell-Setup\" "
                                                  "processorArchitecture=\"amd64\"><ComputerName>a</ComputerName>"
                                                  "<ComputerName>b</ComputerName></component>"),
                                             false, "mine.xml");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("more than one ComputerName"));
}

TEST(NodeAnswerFile, NeedsThePass) {
  const auto refused = NodeAnswerFile::Prepare("<unattend xmlns=\"urn:schemas-microsoft-com:unattend\"/>", false, "x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kXml);
}

}  // namespace
}  // namespace prov::payload
