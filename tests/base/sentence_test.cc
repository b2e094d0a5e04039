// Lines of messages: each names its subject and its place, once.
#include "provisioner/base/sentence.h"

#include <gtest/gtest.h>

#include "provisioner/base/json_writer.h"

namespace prov {
namespace {

TEST(Sentence, ThePlaceIsTheSubjectOfAMessageThatBeginsWithItsVerb) {
  EXPECT_EQ(Sentence("is no WIM file", "install.wim"), "install.wim is no WIM file");
  EXPECT_EQ(Sentence("takes 1 to 60 seconds", "--try"), "--try takes 1 to 60 seconds");
  EXPECT_EQ(Sentence("not JSON: the value is missing", "a.json: line 3, column 1"),
            "a.json: line 3, column 1 is not JSON: the value is missing");
  EXPECT_EQ(Sentence("changes while it is read", "SYSTEM"), "SYSTEM changes while it is read");
  EXPECT_EQ(Sentence("makes a Secret that nothing reads", "--secret"), "--secret makes a Secret that nothing reads");
  EXPECT_EQ(Sentence("shows 9 rows at most", "--html"), "--html shows 9 rows at most");
}

TEST(Sentence, AMessageWithASubjectStaysAsItIs) {
  for (const char* message : {"the folder has no manifest.json", "no context is chosen", "cannot open: No such file",
                              "anchors (&name) are not accepted", "issue", "note", ""})
    EXPECT_EQ(Sentence(message, "file"), message);
  EXPECT_EQ(Sentence("is no WIM file", ""), "is no WIM file") << "nothing can be said of no place";
}

TEST(Sentence, ALineHasThePlaceOnce) {
  EXPECT_EQ(SentenceWithPlace("is no WIM file", "install.wim"), "install.wim is no WIM file");
  EXPECT_EQ(SentenceWithPlace("the list names no node", "nodes.csv"), "the list names no node (nodes.csv)");
  EXPECT_EQ(SentenceWithPlace("the list names no node", ""), "the list names no node");
}

TEST(PlaceOf, HasTheDocumentThatItIsAPlaceOf) {
  EXPECT_EQ(PlaceOf({Code::kJson, "m", "line 3, column 1", "a.json"}), "a.json: line 3, column 1");
  EXPECT_EQ(PlaceOf({Code::kCert, "m", "a.pem, line 3", "a.pem"}), "a.pem, line 3") << "is named already";
  EXPECT_EQ(PlaceOf({Code::kKind, "m", "", "a.json"}), "a.json");
  EXPECT_EQ(PlaceOf({Code::kUsage, "m", "--try"}), "--try");
}

TEST(ErrorDocument, HasAWholeSentenceAndThePlaceAlone) {
  EXPECT_EQ(ErrorDocument({Code::kType, "is no array", "$.spec", "a.json"}),
            "{\n  \"schema\": 1,\n  \"error\": {\n    \"code\": \"type\",\n"
            "    \"message\": \"a.json: $.spec is no array\",\n    \"where\": \"$.spec\",\n    \"file\": \"a.json\"\n"
            "  }\n}\n");
  EXPECT_EQ(ErrorDocument({Code::kTarget, "is no WIM file", "a.wim"}),
            "{\n  \"schema\": 1,\n  \"error\": {\n    \"code\": \"target\",\n"
            "    \"message\": \"a.wim is no WIM file\",\n    \"where\": \"a.wim\"\n  }\n}\n");
}

}  // namespace
}  // namespace prov
