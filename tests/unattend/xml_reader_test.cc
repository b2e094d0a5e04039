#include "provisioner/unattend/xml_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "provisioner/base/text.h"

namespace prov::unattend {
namespace {

using testing::HasSubstr;

// What was read, one word per event, or "LINE:COLUMN message".
std::string Read(std::string_view bytes) {
  const auto refused = [](const Error& error) {
    EXPECT_EQ(error.code, Code::kXml);
    EXPECT_TRUE(error.where.starts_with("f: line "));
    EXPECT_FALSE(error.message.ends_with('.'));
    return error.where.substr(8) + " " + error.message;
  };
  const auto xml = DecodeXml(bytes, "f");
  if (!xml) return refused(xml.error());
  XmlReader reader(*xml, "f");
  std::string out;
  for (std::size_t at = 0;;) {
    const auto event = reader.Next();
    if (!event) return refused(event.error());
    EXPECT_EQ(event->begin, at) << "every byte belongs to one event";
    at = event->end;
    switch (event->kind) {
      case XmlEvent::Kind::kStart:
        out += fmt::format("<{}{{{}}}{}> ", event->prefix, event->uri, event->local);
        break;
      case XmlEvent::Kind::kEnd:
        out += "/ ";
        break;
      case XmlEvent::Kind::kText:
        out += event->blank ? "_ " : fmt::format("'{}' ", event->text);
        break;
      case XmlEvent::Kind::kOther:
        out += "? ";
        break;
      case XmlEvent::Kind::kFinished:
        EXPECT_EQ(at, xml->text.size());
        return out;
    }
  }
}

TEST(XmlReader, Events) {
  EXPECT_EQ(Read("<a/>"), "<{}a> / ");
  EXPECT_EQ(Read("<?xml version='1.0'?>\n<!--c--><a b = 'x>y' ><?p q?>t&lt;<![CDATA[&lt;]]></a >\n"),
            "? _ ? <{}a> ? 't<' '&lt;' / _ ");
  EXPECT_EQ(Read("<a>\n<b/></a>"), "<{}a> _ <{}b> / / ");
  EXPECT_EQ(Read("<a>&#65;&#x1F600;&amp;&gt;&quot;&apos;</a>"), "<{}a> 'A\xF0\x9F\x98\x80&>\"'' / ");
  EXPECT_EQ(Read("\xEF\xBB\xBF<\xC3\xA9/>"), "<{}\xC3\xA9> / ");
  EXPECT_EQ(Read("\xFF\xFE" + ToUtf16Le("<a>\xF0\x9F\x98\x80</a>")), "<{}a> '\xF0\x9F\x98\x80' / ");
}

TEST(XmlReader, Namespaces) {
  EXPECT_EQ(Read("<a xmlns='u'><b xmlns=''><c/></b><p:d xmlns:p='v'/><e/></a>"),
            "<{u}a> <{}b> <{}c> / / <p{v}d> / <{u}e> / / ");
  EXPECT_EQ(Read("<a xml:lang='de'><xml:b/></a>"), "<{}a> <xml{http://www.w3.org/XML/1998/namespace}b> / / ");
  EXPECT_EQ(Read("<a xmlns:p='u' xmlns:q='v' p:x='1' q:x='2' x='3'/>"), "<{}a> / ");
}

TEST(XmlReader, AttributesAndPrefixesInScope) {
  const XmlText xml{XmlEncoding::kUtf8,
                    "<p:a xmlns:p='u' xmlns:q='u' xmlns='u' b='&lt;' p:c='1'><d xmlns:q='v'/></p:a>"};
  XmlReader reader(xml, "f");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.Attribute("b"), "<");
  EXPECT_EQ(reader.Attribute("c"), std::nullopt) << "that is p:c";
  EXPECT_EQ(reader.PrefixOf("u", "q"), "q");
  EXPECT_EQ(reader.PrefixOf("u", "x"), "p");
  EXPECT_EQ(reader.PrefixOf("v", "x"), std::nullopt);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.PrefixOf("u", "q"), "p") << "q stands for v here";
}

TEST(XmlReader, RefusesWhatIsNotWellFormed) {
  struct Row {
    const char* text;
    const char* expected;
  };
  const Row rows[] = {
      {"", "1, column 1 the file holds no element; is it an answer file?"},
      {"<a>", "1, column 4 the file ends inside of an element; is it complete?"},
      {"<a", "1, column 1 not XML: unclosed token; is the file complete?"},
      {"<a><![CDATA[x]]</a>", "1, column 20 not XML: unclosed CDATA section; is the file"},
      {"<ä>\n€</b>", "2, column 4 not XML: mismatched tag; close the element that"},
      {"<a/><b/>", "1, column 5 not XML: junk after document element; remove what follows"},
      {"<1/>", "1, column 2 not XML: not well-formed (invalid token); write a plain < as &lt;"},
      {"<a:b/>", "1, column 1 not XML: unbound prefix; declare the prefix"},
      {"<a xmlns='u&#10;v'/>", "1, column 1 not XML: syntax error; correct it"},
      {"<a b='1' b='2'/>", "1, column 10 not XML: duplicate attribute; remove one of them"},
      {"<a>&x;</a>", "1, column 4 not XML: undefined entity; write a plain & as &amp;"},
      {"<?xml version='1.1'?><a/>", "1, column 1 the file is not XML 1.0"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "1, column 1 the file has a DOCTYPE"},
      {"<?p?>\n <!DOCTYPE a SYSTEM 'x'><a/>", "2, column 2 the file has a DOCTYPE"},
      {"\xEF\xBB\xBF\xEF\xBB\xBF<a/>", "1, column 1 the file begins with two byte order marks"},
  };
  for (const Row& row : rows) EXPECT_THAT(Read(row.text), HasSubstr(row.expected)) << row.text;
}

TEST(XmlReader, Limits) {
  const auto nested = [](std::size_t depth) {
    std::string out;
    for (std::size_t i = 0; i < depth; ++i) out += "<a>";
    for (std::size_t i = 0; i < depth; ++i) out += "</a>";
    return out;
  };
  EXPECT_THAT(Read(nested(XmlReader::kDepthLimit)), testing::StartsWith("<{}a>"));
  EXPECT_THAT(Read(nested(XmlReader::kDepthLimit + 1)), HasSubstr("column 301 nested deeper than 100"));
  const auto attributes = [](std::size_t count, std::string_view name) {
    std::string out = "<a";
    for (std::size_t i = 0; i < count; ++i) out += fmt::format(" {}{}='u'", name, i);
    return out;
  };
  EXPECT_EQ(Read(attributes(XmlReader::kAttributeLimit, "b") + "/>"), "<{}a> / ");
  EXPECT_THAT(Read(attributes(XmlReader::kAttributeLimit + 1, "b") + "/>"), HasSubstr("more than 256 attributes"));
  const std::string declared = attributes(XmlReader::kDeclarationLimit, "xmlns:b");
  EXPECT_EQ(Read(declared + "><c/></a>"), "<{}a> <{}c> / / ");
  EXPECT_THAT(Read(declared + "><c xmlns='u'/></a>"), HasSubstr("more than 256 namespaces"));
}

TEST(XmlText, DecodesAndEncodesByteForByte) {
  for (const std::string& bytes : {std::string("<a/>"), std::string("\xEF\xBB\xBF<a>\r\n\xF0\x9F\x98\x80</a>"),
                                   "\xFF\xFE" + ToUtf16Le("<a>\r\n\xF0\x9F\x98\x80</a>")}) {
    const auto xml = DecodeXml(bytes, "f");
    ASSERT_TRUE(xml);
    EXPECT_EQ(EncodeXml(*xml), bytes);
  }
}

}  // namespace
}  // namespace prov::unattend
