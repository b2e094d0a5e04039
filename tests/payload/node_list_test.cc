#include "provisioner/payload/node_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/payload/csv_reader.h"
#include "tests/support/result.h"

namespace prov::payload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Node> ReadNodes(std::string_view text) { return Must(ReadNodeList(text, "nodes.csv")); }

Error NodeListError(std::string_view text) { return ErrorIn(ReadNodeList(text, "nodes.csv")); }

TEST(NodeList, NamesAloneAreEnough) {
  const auto nodes = ReadNodes("name\nwin-2\nwin-1\n");
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "win-1");  // sorted
  EXPECT_FALSE(nodes[0].network);
}

TEST(NodeList, ReadsEachColumnInAnyOrder) {
  const auto nodes = ReadNodes(
      "\xEF\xBB\xBFmac,dns,gateway,address,name\r\n"
      "00-15-5D-0A-0B-0C,\"10.0.0.2, 10.0.0.3\",10.0.0.1,10.0.0.5/24,WIN-1\r\n"
      ",2001:DB8::53,fe80::1,2001:db8:0::7/64,win-2");
  ASSERT_EQ(nodes.size(), 2U);
  ASSERT_TRUE(nodes[0].network && nodes[1].network);
  EXPECT_EQ(nodes[0].network->address, "10.0.0.5");
  EXPECT_EQ(nodes[0].network->prefix, 24U);
  EXPECT_TRUE(nodes[0].network->ipv4);
  EXPECT_EQ(nodes[0].network->gateway, "10.0.0.1");
  EXPECT_THAT(nodes[0].network->dns, ElementsAre("10.0.0.2", "10.0.0.3"));
  EXPECT_EQ(nodes[0].network->mac, "00:15:5d:0a:0b:0c");
  EXPECT_EQ(nodes[1].network->address, "2001:db8::7");
  EXPECT_FALSE(nodes[1].network->ipv4);
  EXPECT_THAT(nodes[1].network->dns, ElementsAre("2001:db8::53"));
}

struct Bad {
  const char* text;
  const char* place;
  const char* message;
};

class BadRow : public testing::TestWithParam<Bad> {};

TEST_P(BadRow, IsNamedWithItsPlace) {
  const Error error = NodeListError(GetParam().text);
  EXPECT_EQ(error.code, Code::kRow);
  EXPECT_THAT(error.message, HasSubstr(GetParam().message));
  EXPECT_THAT(error.where, HasSubstr(std::string("nodes.csv") + GetParam().place));
}

INSTANTIATE_TEST_SUITE_P(
    NodeList, BadRow,
    testing::Values(
        Bad{"", "", "names no node"}, Bad{"name\n\n\n", "", "names no node"},
        Bad{"name\nwin-1\nwin-2\nWIN-1\n", ": line 4, column 1", "the node in line 2, too"},
        Bad{"name\na\n\n\nabcdefghijklmnop\n", ": line 5, column 1", "16 characters"},
        Bad{"name\nwin_1\n", ": line 2, column 1", "not a host name"},
        Bad{"name\n-win\n", ": line 2, column 1", "not a host name"},
        Bad{"name\nwin-\n", ": line 2", "not a host name"}, Bad{"name\nw.x\n", ": line 2", "not a host name"},
        Bad{"name\nw\xC3\xBCx\n", ": line 2", "not a host name"}, Bad{"name\n12345\n", ": line 2", "digits only"},
        Bad{"name\nCom1\n", ": line 2", "a device"},
        Bad{"name,address\nb,10.0.0.5/24\n,10.0.0.6/24\n", ": line 3, column 1", "no name"},
        Bad{"name,address\na,10.0.0.5\n", ": line 2, column 3", "with its prefix"},
        Bad{"name,address\na,10.0.0.5/33\n", ": line 2, column 3", "with its prefix"},
        Bad{"name,address\na,10.0.0.5/0\n", ": line 2, column 3", "with its prefix"},
        Bad{"name,address\na,10.0.0.5/24\nb,10.0.0.5/16\n", ": line 3, column 3", "the node in line 2, too"},
        Bad{"name,address,gateway\na,10.0.0.5/24,10.0.1.1\n", ": line 2, column 15", "not in the node's network"},
        Bad{"name,address,gateway\na,10.0.0.5/24,10.0.0.5\n", ": line 2, column 15", "the node itself"},
        Bad{"name,address,gateway\na,2001:db8::1/64,10.0.0.1\n", ": line 2", "not in the node's network"},
        Bad{"name,address,dns\na,10.0.0.5/24,10.0.0.2 dns.example.com\n", ": line 2",
            "\"dns.example.com\" is not the address of a DNS server"},
        Bad{"name,gateway\na,10.0.0.1\n", ": line 2, column 3", "with an address only"},
        Bad{"name,mac,address\na,00-15-5D-0A-0B,10.0.0.5/8\n", ": line 2, column 3", "not a MAC address"},
        Bad{"name,mac,address\na,0-015-5D-0A-0B-0C,10.0.0.5/8\n", ": line 2, column 3", "not a MAC address"},
        Bad{"name,mac,address\na,00-15-5D-0A-0B-0C,10.0.0.5/8\nb,00:15:5d:0a:0b:0c,10.0.0.6/8\n", ": line 3",
            "the node in line 2, too"},
        Bad{"name,adress\na,10.0.0.5/24\n", ": line 1, column 6", "the column \"adress\" is not known"},
        Bad{"name,adress\na,10.0.0.5/24\n", ": line 1, column 6", "did you mean address?"},
        Bad{"name;address\na;10.0.0.5/24\n", ": line 1, column 1", "separated by commas"},
        Bad{"name,name\na,b\n", ": line 1, column 6", "twice"},
        Bad{"address\n10.0.0.5/24\n", ": line 1, column 1", "\"name\" is not among them"},
        Bad{"name,address\na\n", ": line 2, column 1", "1 fields, the first line 2"},
        Bad{"name\n\"a\n", ": line 2, column 1", "never closed"},
        Bad{"name\n\"a\"b\n", ": line 2, column 4", "closing quote"},
        Bad{"name\na\"b\"\n", ": line 2, column 2", "without quotes"}, Bad{"name\n\xFF\n", "", "not UTF-8"}));

INSTANTIATE_TEST_SUITE_P(
    NotOfOneMachine, BadRow,
    testing::Values(Bad{"name\nLocalHost\n", ": line 2, column 1", "each machine's name"},
                    Bad{"name,address\na,10.0.0.0/24\n", ": line 2, column 3", "of the network itself"},
                    Bad{"name,address\na,10.0.0.255/24\n", ": line 2, column 3", "broadcast"},
                    Bad{"name,address\na,10.0.3.255/22\n", ": line 2, column 3", "broadcast"},
                    Bad{"name,address\na,127.0.0.5/24\n", ": line 2, column 3", "loopback"},
                    Bad{"name,address\na,224.0.0.5/24\n", ": line 2, column 3", "multicast"},
                    Bad{"name,address\na,0.0.0.0/32\n", ": line 2, column 3", "unspecified"},
                    Bad{"name,address\na,255.255.255.255/32\n", ": line 2, column 3", "broadcast"},
                    Bad{"name,address\na,::1/128\n", ": line 2, column 3", "loopback"},
                    Bad{"name,address\na,::/127\n", ": line 2, column 3", "unspecified"},
                    Bad{"name,address\na,ff02::1/64\n", ": line 2, column 3", "multicast"},
                    Bad{"name,address\na,2001:db8::/64\n", ": line 2, column 3", "routers"},
                    Bad{"name,address,gateway\na,10.0.0.5/24,10.0.0.0\n", ": line 2, column 15",
                        "of the network itself"},
                    Bad{"name,address,gateway\na,10.0.0.5/24,10.0.0.255\n", ": line 2, column 15", "broadcast"},
                    Bad{"name,address,gateway\na,2001:db8::7/64,::1\n", ": line 2, column 18", "loopback"},
                    Bad{"name,address,dns\na,10.0.0.5/24,0.0.0.0\n", ": line 2, column 15", "unspecified"},
                    Bad{"name,address,dns\na,10.0.0.5/24,224.0.0.1\n", ": line 2, column 15", "multicast"},
                    Bad{"name,address,mac\na,10.0.0.5/24,00-00-00-00-00-00\n", ": line 2, column 15",
                        "not the MAC address of an adapter"},
                    Bad{"name,address,mac\na,10.0.0.5/24,01-00-5E-00-00-01\n", ": line 2, column 15",
                        "not the MAC address of an adapter"}));

TEST(NodeList, AllBadRowsAreToldAtOnce) {
  const Error csv = NodeListError(
      "name,address\na_b,10.0.0.5/24\nwin-2,10.0.0.300/24\nwin-3,10.0.0.7/24\nwin-3\nwin-5,10.0.0.7/24\n");
  EXPECT_EQ(csv.code, Code::kRow);
  EXPECT_EQ(csv.where, "nodes.csv: line 2, column 1");
  EXPECT_EQ(
      csv.message,
      "4 rows are wrong: line 2, column 1: \"a_b\" is not a host name; use letters, digits and, between them, hyphens; "
      "line 3, column 7: \"10.0.0.300/24\" is not an address with its prefix, such as 10.0.0.5/24; "
      "line 5, column 1: the row has 1 fields, the first line 2; "
      "line 6, column 7: 10.0.0.7/24 is the address of the node in line 4, too");
}

TEST(NodeList, AListThatIsWrongAsAWholeIsNotToldRowByRow) {
  std::string text = "name\n";
  for (int i = 0; i < 1000; ++i) text += "a_b\n";
  const Error error = NodeListError(text);
  EXPECT_THAT(error.message, testing::StartsWith("20 rows or more are wrong: line 2, column 1: "));
  EXPECT_THAT(error.message, testing::Not(HasSubstr("line 22")));
}

TEST(NodeList, TakesTheEndsOfNetworksThatHaveNoOthers) {
  EXPECT_EQ(ReadNodes("name,address,gateway\na,10.0.0.0/31,10.0.0.1\nb,10.0.1.7/32,\nc,10.0.0.1/31,10.0.0.0\n").size(),
            3U);
  EXPECT_EQ(
      ReadNodes("name,address\na,2001:db8::/127\nb,2001:db8::1:0/128\nc,2001:db8:1::ffff:ffff:ffff:ffff/64\n").size(),
      3U);
  EXPECT_EQ(ReadNodes("name,address,gateway,dns\na,2001:db8::7/64,2001:db8::,::1\nb,10.0.1.0/22,10.0.2.255,127.0.0.1\n")
                .size(),
            2U);
}

TEST(CsvReader, QuotedFieldsHoldAnything) {
  CsvReader reader("a,\"b \"\"c\"\", \r\nd\",e\r\n\r\n,f", "x.csv");
  const auto first = reader.Next();
  ASSERT_TRUE(first && *first);
  ASSERT_EQ((*first)->size(), 3U);
  EXPECT_EQ((**first)[1].text, "b \"c\", \r\nd");
  EXPECT_EQ((**first)[2].text, "e");
  EXPECT_EQ((**first)[2].place.line, 2U);
  EXPECT_EQ((**first)[2].place.column, 4U);
  const auto second = reader.Next();
  ASSERT_TRUE(second && *second);
  EXPECT_EQ((**second)[0].text, "");
  EXPECT_EQ((**second)[1].text, "f");
  EXPECT_EQ((**second)[1].place.line, 4U);
  const auto end = Must(reader.Next());
  EXPECT_FALSE(end);
}

TEST(CsvReader, ColumnsCountCharacters) {
  CsvReader reader("\xC3\xBC\xE2\x82\xAC,b", "x.csv");
  const auto row = reader.Next();
  ASSERT_TRUE(row && *row);
  EXPECT_EQ((**row)[1].place.column, 4U);
}

}  // namespace
}  // namespace prov::payload
