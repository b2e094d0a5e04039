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
        out += event->IsBlank() ? "_ " : fmt::format("'{}' ", event->Text());
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
      {"<a", "1, column 3 the tag is malformed"},
      {"<a>", "1, column 4 the file ends inside of <a>"},
      {"<a>\n</b>", "2, column 1 </b> where </a> is expected"},
      {"<ä>\n€</b>", "2, column 2 </b> where </ä> is expected"},
      {"<a></a></a>", "1, column 8 </a> closes nothing"},
      {"<a/><b/>", "1, column 5 a second root"},
      {"<a/>x", "1, column 5 text outside"},
      {"<a/><![CDATA[]]>", "1, column 5 a <! that begins"},
      {"<1/>", "1, column 2 a name is expected"},
      {"< a/>", "1, column 2 a name is expected"},
      {"<a:b:c xmlns:a='u'/>", "1, column 5 a name with two colons"},
      {"<:a/>", "1, column 2 a name is expected"},
      {"<a:/>", "1, column 4 a name behind the colon"},
      {"<a:b/>", "1, column 1 the prefix a stands for no"},
      {"<a b:c=''/>", "1, column 4 the prefix b stands for no"},
      {"<a><b xmlns:c='u'/><c:d/></a>", "1, column 20 the prefix c stands for no"},
      {"<a xmlns:b=''/>", "1, column 4 the prefix b is declared for no"},
      {"<a xmlns:xmlns='u'/>", "1, column 4 a namespace that XML reserves"},
      {"<a xmlns:xml='u'/>", "1, column 4 a namespace that XML reserves"},
      {"<a xmlns='http://www.w3.org/XML/1998/namespace'/>", "1, column 4 a namespace that XML reserves"},
      {"<a xmlns:b='http://www.w3.org/2000/xmlns/'/>", "1, column 4 a namespace that XML reserves"},
      {"<a b='1' b='2'/>", "1, column 1 the attribute b is there twice"},
      {"<a xmlns:b='u' xmlns:c='u' b:d='' c:d=''/>", "1, column 1 the attribute d is there twice"},
      {"<a xmlns:b='u' xmlns:b='u'/>", "1, column 1 the attribute b is there twice"},
      {"<a b/>", "1, column 5 the attribute b has no value"},
      {"<a b=c/>", "1, column 6 the value of an attribute must be in quotes"},
      {"<a b='c/>", "1, column 6 the closing quote is missing"},
      {"<a b='<'/>", "1, column 7 a < in the value"},
      {"<a b='c'd='e'/>", "1, column 9 the tag is malformed"},
      {"<a / >", "1, column 4 a name is expected"},
      {"<a>&x;</a>", "1, column 4 a reference"},
      {"<a>&</a>", "1, column 4 a reference"},
      {"<a>&#0;</a>", "1, column 4 a reference"},
      {"<a>&#xD800;</a>", "1, column 4 a reference"},
      {"<a>&#x110000;</a>", "1, column 4 a reference"},
      {"<a>&#X41;</a>", "1, column 4 a reference"},
      {"<a>&#;</a>", "1, column 4 a reference"},
      {"<a b='&#1;'/>", "1, column 7 a reference"},
      {"<a>]]></a>", "1, column 4 ]]> in text"},
      {"<a><!-- -- --></a>", "1, column 9 -- inside"},
      {"<a><!--x---></a>", "1, column 9 a comment ends with --->"},
      {"<!-->", "1, column 1 the --> that ends this part is missing"},
      {"<a><![CDATA[x]]</a>", "1, column 4 the ]]> that ends this part is missing"},
      {"<a><?p</a>", "1, column 4 the ?> that ends this part is missing"},
      {"<a><? p?></a>", "1, column 4 a processing instruction"},
      {"<a><?p+?></a>", "1, column 4 a processing instruction"},
      {"\n<?xml version='1.0'?><a/>", "2, column 1 an XML declaration that is not"},
      {"<?XML version='1.0'?><a/>", "1, column 1 an XML declaration that is not"},
      {"<?xml?><a/>", "1, column 6 the XML declaration is malformed"},
      {"<?xml encoding='utf-8'?><a/>", "1, column 6 the XML declaration is malformed"},
      {"<?xml version='1.0'encoding='utf-8'?><a/>", "1, column 20 the XML declaration is malformed"},
      {"<?xml version='1.0' standalone='maybe'?><a/>", "1, column 6 the XML declaration is malformed"},
      {"<?xml version='1.0' standalone='no' encoding='utf-8'?><a/>", "1, column 6 the XML declaration is malformed"},
      {"<?xml version='1.1'?><a/>", "1, column 6 the file is not XML 1.0"},
      {"<?xml version='1.0?><a b='?>", "1, column 21 a <"},
      {"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "1, column 1 the file has a DOCTYPE"},
      {"\xEF\xBB\xBF\xEF\xBB\xBF<a/>", "1, column 1 text outside"},
      {"<a>\xEF\xBF\xBF</a>", "1, column 4 the file holds a character"},
      {"<a\xC3\x97/>", "1, column 3 the tag is malformed"},
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
  EXPECT_THAT(Read("<" + std::string(1000, 'n') + ">"), HasSubstr(std::string(60, 'n') + "...>; is it complete"));
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
