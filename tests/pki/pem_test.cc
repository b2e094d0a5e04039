#include "provisioner/pki/pem.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prov::pki {
namespace {

using namespace std::string_literals;

// Labels and bodies, or the fault.
struct Scan {
  std::vector<std::pair<std::string, std::string>> blocks;
  std::string fault;
  std::size_t offset = 0;
  std::size_t commented = 0;
};

Scan ScanAll(std::string_view text) {
  Scan out;
  PemScanner scanner(text);
  for (;;) {
    const auto block = scanner.Next();
    if (!block) {
      out.fault = block.error().message;
      out.offset = block.error().offset;
      return out;
    }
    if (!*block) break;
    out.blocks.emplace_back((*block)->label, (*block)->body);
  }
  out.commented = scanner.commented();
  return out;
}

std::string Block(const std::string& body, const std::string& label = "CERTIFICATE") {
  return "-----BEGIN " + label + "-----" + body + "-----END " + label + "-----";
}

TEST(PemScanner, FindsBlocksWhereverTheyStand) {
  const struct {
    const char* why;
    std::string text;
    std::vector<std::string> bodies;
  } cases[] = {
      {"nothing", "", {}},
      {"prose", "no blocks here\n# nor here\n----\n----------\n", {}},
      {"two lines", Block("\nA\n") + "\n" + Block("\nB\n") + "\n", {"\nA\n", "\nB\n"}},
      {"no final line end", Block("\nA\n"), {"\nA\n"}},
      {"glued", Block("\nA\n") + Block("\nB\n"), {"\nA\n", "\nB\n"}},
      {"one line", Block("A") + " " + Block("B"), {"A", "B"}},
      {"text between", "Subject: x\n" + Block("A") + "\n# B\nis next " + Block("B") + " and done", {"A", "B"}},
      {"indented", "  \t" + Block("\n  A\n  ") + "  \n", {"\n  A\n  "}},
      {"more dashes at the end of the text", Block("A") + "--", {"A"}},
      {"separators", "-----\n-----A\n---\n" + Block("A"), {"A"}},
      {"more dashes", "-" + Block("A") + "--\n", {"A"}},
      {"blanks in the label", "-----BEGIN \xC2\xA0 CERTIFICATE -----A-----END\tCERTIFICATE-----", {"A"}},
      {"comment without line end, glued", "# end of list" + Block("\nA\n"), {"\nA\n"}},
      {"comment without line end, glued, empty line next", "# end of list" + Block("\r\n\r\nA\n"), {"\r\n\r\nA\n"}},
      {"prose in dashes", "-----BEGINNING OF THE LIST-----\n-----END of the list-----\n" + Block("A"), {"A"}},
      {"short headings", "--- begin ---\n" + Block("A"), {"A"}},
  };
  for (const auto& c : cases) {
    const Scan scan = ScanAll(c.text);
    EXPECT_EQ(scan.fault, "") << c.why;
    ASSERT_EQ(scan.blocks.size(), c.bodies.size()) << c.why;
    for (std::size_t i = 0; i < c.bodies.size(); ++i) {
      EXPECT_EQ(scan.blocks[i].first, "CERTIFICATE") << c.why;
      EXPECT_EQ(scan.blocks[i].second, c.bodies[i]) << c.why;
    }
    EXPECT_EQ(scan.commented, 0U) << c.why;
  }
  EXPECT_EQ(ScanAll(Block("A", "RSA PRIVATE KEY")).blocks.at(0).first, "RSA PRIVATE KEY");
  EXPECT_EQ(ScanAll(Block("A", "PKCS #7 SIGNED DATA")).blocks.at(0).first, "PKCS #7 SIGNED DATA");
}

TEST(PemScanner, CommentedBlocksAreLeftOut) {
  const std::string commented = "# -----BEGIN CERTIFICATE-----\n# AAAA\n# -----END CERTIFICATE-----\n";
  const struct {
    const char* why;
    std::string text;
    std::size_t blocks, commented;
  } cases[] = {
      {"alone", commented, 0, 1},
      {"between", Block("\nA\n") + "\n" + commented + Block("\nB\n"), 2, 1},
      {"two", commented + "\n" + commented, 0, 2},
      {"one line", "#" + Block("A") + "\n" + Block("B"), 1, 1},
      {"indented", " \t" + commented, 0, 1},
      {"CR LF", "# -----BEGIN X-----\r\n#A\r\n#-----END X-----\r\n" + Block("A"), 1, 1},
      {"half a marker", "# -----BEGIN X\n# and more\n" + Block("A"), 1, 1},
  };
  for (const auto& c : cases) {
    const Scan scan = ScanAll(c.text);
    EXPECT_EQ(scan.fault, "") << c.why;
    EXPECT_EQ(scan.blocks.size(), c.blocks) << c.why;
    EXPECT_EQ(scan.commented, c.commented) << c.why;
  }
  PemScanner scanner(commented);
  EXPECT_FALSE(scanner.Next()->has_value());
}

TEST(PemScanner, DamagedBlocksAreFaults) {
  const std::string good = Block("\nA\n") + "\n";
  const std::string begin = "-----BEGIN CERTIFICATE-----\n";
  const std::string end = "-----END CERTIFICATE-----\n";
  const std::string base64 = "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ";
  const struct {
    const char* why;
    std::string text;
    const char* message;
    std::size_t offset;
  } cases[] = {
      {"no END", begin + "A\n", "has no END: ", 0},
      {"no END, second", good + begin + "A\n", "has no END: ", good.size()},
      {"BEGIN in a block", begin + "A\n" + good, "no END before the next BEGIN", 0},
      {"no BEGIN", "A\n" + end, "no BEGIN", 2},
      {"no BEGIN, in a comment", "# A\n# " + end, "no BEGIN", 6},
      {"END twice", good + end, "no BEGIN", good.size()},
      {"another label", begin + "A\n-----END X509 CERTIFICATE-----\n", "closed by END \"X509 CERTIFICATE\"",
       begin.size() + 2},
      {"END without closing dashes", begin + "A\n-----END CERTIFICATE\n", "five dashes", begin.size() + 2},
      {"END with four closing dashes", begin + "A\n-----END CERTIFICATE----\n" + good, "five dashes", begin.size() + 2},
      {"BEGIN with four closing dashes", "-----BEGIN CERTIFICATE----\nA\n" + end, "five dashes", 0},
      {"BEGIN of the end", "-----BEGIN CERTIFICATE", "five dashes", 0},
      {"endless label", "-----BEGIN " + std::string(100, 'A') + "-----", "five dashes", 0},
      {"four dashes before", "----BEGIN CERTIFICATE-----\nA\n" + end, "damaged", 10},
      {"four dashes everywhere", "----BEGIN CERTIFICATE----\nA\n----END CERTIFICATE----\n", "damaged", 10},
      {"long dashes", "\u2014\u2013BEGIN CERTIFICATE\u2014\u2013\nA\n", "damaged", 12},
      {"Windows-1252 dashes",
       "\x97\x97"
       "BEGIN CERTIFICATE\x97\x97\n",
       "damaged", 8},
      {"lower case", "-----begin certificate-----\nA\n-----end certificate-----\n", "damaged", 11},
      {"no blank", "-----BEGINCERTIFICATE-----A-----ENDCERTIFICATE-----", "damaged", 10},
      {"blanks beside the dashes", "----- BEGIN CERTIFICATE -----\nA\n", "damaged", 12},
      {"X509", "----BEGIN X509 CERTIFICATE-----\n", "damaged", 15},
      {"TRUSTED", "----BEGIN TRUSTED CERTIFICATE-----\n", "damaged", 18},
      {"dashes lost", "text\nBEGIN CERTIFICATE\nA\n", "damaged", 11},
      {"dashes lost on one side", "BEGIN CERTIFICATE-----\n", "damaged", 6},
      {"second damaged, on the line of the first", Block("A") + " ---BEGIN CERTIFICATE---\n", "damaged",
       Block("A").size() + 10},
      {"cut in the dashes", good + "---", "cut short", good.size()},
      {"cut in the keyword", good + "-----BEG", "cut short", good.size()},
      {"keyword alone", good + "-----END \n", "five dashes", good.size()},
      {"markers lost", good + base64 + "\n" + base64 + "\n" + good, "outside", good.size()},
      {"markers lost, quoted", "\"" + base64 + "==\",\n", "outside", 1},
      {"markers lost, after blanks", "\n   " + base64, "outside", 4},
  };
  for (const auto& c : cases) {
    const Scan scan = ScanAll(c.text);
    EXPECT_NE(scan.fault.find(c.message), std::string::npos) << c.why << ": " << scan.fault;
    EXPECT_EQ(scan.offset, c.offset) << c.why;
  }
}

TEST(PemDamage, HarmlessLines) {
  for (const std::string& line : {
           "subject=CN = Example CA"s,
           "This is the beginning of the certificate list"s,
           "begin certificate list"s,
           "the end certificate of the chain"s,
           "c"s,
           "Certificate:"s,
           "SHA256 Fingerprint=AB:CD:EF"s,
           "96BCEC06264976F37460779ACF28C5A7CFE8A3C0AAE11A8FFCEE05C0BDDF08C6"s,
           "================================================================================"s,
           "////////////////////////////////////////////////////////////////////////////////"s,
           "https://pki.example.com/very/long/path/that/has/more/than/sixty/characters/Ca1"s,
           std::string(80, 'A'),
           std::string(80, 'a') + "B",
       }) {
    EXPECT_FALSE(FindPemDamage(line)) << line;
  }
}

TEST(PemBody, Decodes) {
  const struct {
    const char* why;
    std::string body;
    const char* bytes = "hello!";
  } cases[] = {
      {"lines", "\naGVs\nbG8h\n"},
      {"CR LF", "\r\naGVs\r\nbG8h\r\n"},
      {"CR", "\raGVs\rbG8h\r"},
      {"one line", "aGVsbG8h"},
      {"blanks", " aG Vs\t\n \xC2\xA0 bG8h \xE2\x80\x8B\xEF\xBB\xBF\n\n"},
      {"escaped line ends", "\vaGVs\vbG8h\v"},
      {"headers", "\nComment: a-b\nX: y\n\naGVsbG8h\n"},
      {"headers without an empty line", "\nComment: x\naGVsbG8h\n"},
      {"Proc-Type without encryption", "\nProc-Type: 4,MIC-CLEAR\n\naGVsbG8h\n"},
      {"padding", "aGVsbG8=", "hello"},
      {"padding with blanks", "aGVsbA = =", "hell"},
      {"no padding", "aGVsbG8", "hello"},
      {"no padding, with a line end", "aGVsbG8\n", "hello"},
      {"nothing", "", ""},
  };
  for (const auto& c : cases) {
    const auto body = DecodePemBody(c.body);
    ASSERT_TRUE(body) << c.why << body.error().message;
    EXPECT_EQ(*body, c.bytes) << c.why;
  }
}

TEST(PemBody, Faults) {
  const struct {
    std::string body;
    const char* message;
    std::size_t offset;
  } cases[] = {
      {"\naGV!\n", "not base64", 4},
      {"\naGVs\n# x\n", "not base64", 6},
      {"\naG-V\n", "not base64", 3},
      {"\naG\xC3\xA9V\n", "not base64", 3},
      {"aGVsbG8=aGVs", "behind its '=' padding", 7},
      {"aGVsb", "cut short", 0},
      {"aGVsbG8==", "cut short", 0},
      {"====", "cut short", 0},
      {"\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\naGVs\n", "encrypted", 1},
      {"\nX: y\n\naGV!\n", "not base64", 10},
  };
  for (const auto& c : cases) {
    const auto body = DecodePemBody(c.body);
    ASSERT_FALSE(body) << c.body;
    EXPECT_NE(body.error().message.find(c.message), std::string::npos) << body.error().message;
    EXPECT_EQ(body.error().offset, c.offset) << c.body;
  }
}

TEST(Pem, ArmourHas64Columns) {
  EXPECT_EQ(ArmourPem("X", "hello"), "-----BEGIN X-----\naGVsbG8=\n-----END X-----\n");
  EXPECT_EQ(ArmourPem("X", ""), "-----BEGIN X-----\n-----END X-----\n");
  const std::string text = ArmourPem("X", std::string(48, '\0'));
  EXPECT_EQ(text, "-----BEGIN X-----\n" + std::string(64, 'A') + "\n-----END X-----\n");
  EXPECT_EQ(ArmourPem("X", std::string(49, '\0')),
            "-----BEGIN X-----\n" + std::string(64, 'A') + "\nAA==\n-----END X-----\n");
  for (std::size_t size = 0; size < 200; ++size) {
    const std::string bytes(size, static_cast<char>(size));
    const std::string armoured = ArmourPem("X", bytes);
    EXPECT_EQ(DecodePemBody(ScanAll(armoured).blocks.at(0).second), bytes);
  }
}

}  // namespace
}  // namespace prov::pki
