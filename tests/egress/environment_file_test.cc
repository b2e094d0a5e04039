#include "provisioner/egress/environment_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/result.h"

namespace prov::egress {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs PairsOf(const std::vector<Assignment>& assignments) {
  Pairs out;
  for (const Assignment& a : assignments) out.emplace_back(a.name, a.value.Reveal());
  return out;
}

// "code@line" of each finding.
std::vector<std::string> CodesAndLines(const Findings& findings) {
  std::vector<std::string> out;
  for (const Finding& f : findings) {
    EXPECT_EQ(f.severity, Severity::kWarning);
    const std::size_t at = f.where.rfind("line ");
    EXPECT_TRUE(f.where.starts_with("proxy.env, line ")) << f.where;
    out.push_back(std::string(f.code) + "@" + f.where.substr(at + 5));
  }
  return out;
}

struct Case {
  std::string text;
  Pairs expected;
  std::vector<std::string> findings;
};

// Each row is what systemd 252 reads (measured with its load_env_file).
const Case kCases[] = {
    {"", {}, {}},
    {"\n\r\n \t\n", {}, {}},
    {"A=b", {{"A", "b"}}, {}},
    {"A=b\n", {{"A", "b"}}, {}},
    {"A=b\r\nB=c\r\n", {{"A", "b"}, {"B", "c"}}, {}},
    {"A=b\rB=c\r", {{"A", "b"}, {"B", "c"}}, {}},
    {"  A  =  b c  \n", {{"A", "b c"}}, {}},
    {"A=", {{"A", ""}}, {}},
    {"A=\nB=c\n", {{"A", ""}, {"B", "c"}}, {}},
    {"A=   \n", {{"A", ""}}, {}},
    {"# A=b\n;B=c\n  # C=d\nD=e\n", {{"D", "e"}}, {}},
    {"A=b # c\nB=d;e\n", {{"A", "b # c"}, {"B", "d;e"}}, {}},
    {"A=#b\n", {{"A", "#b"}}, {}},
    {"# comment \\\nA=b\nB=c\n", {{"B", "c"}}, {"env-comment-continues@1"}},
    {"# comment \\\r\nA=b\nB=c\n", {{"A", "b"}, {"B", "c"}}, {"env-comment-continues@1"}},
    {"# a\\b\nA=b\n", {{"A", "b"}}, {}},
    {"# trailing \\", {}, {}},
    // names
    {"export A=b\nB=c\n", {{"B", "c"}}, {"env-name@1"}},
    {"A-B=c\n1A=d\n=e\n_a1=f\n", {{"_a1", "f"}}, {"env-name@1", "env-name@2", "env-line@3"}},
    {"=e=f\n", {}, {"env-name@1"}},
    {"A B=c\n", {}, {"env-name@1"}},
    {"\uFEFFA=b\nB=c\n", {{"B", "c"}}, {"env-name@1"}},
    {"no equals\nA=b\n", {{"A", "b"}}, {"env-line@1"}},
    {"A=b\nno equals", {{"A", "b"}}, {"env-line@2"}},
    {"http_proxy=a\nhttps_proxy=b\nno_proxy=c\nall_proxy=d\n",
     {{"http_proxy", "a"}, {"https_proxy", "b"}, {"no_proxy", "c"}, {"all_proxy", "d"}},
     {"env-lower-case@1", "env-lower-case@2", "env-lower-case@3"}},
    // last one wins, place of the first
    {"A=1\nB=2\nA=3\n", {{"A", "3"}, {"B", "2"}}, {"env-duplicate@3"}},
    {"A=1\nA=\n", {{"A", ""}}, {"env-duplicate@2"}},
    // backslashes without quotes
    {"A=b\\nc\n", {{"A", "bnc"}}, {"env-backslash@1"}},
    {"A=b\\\\c\n", {{"A", "b\\c"}}, {}},
    {"A=a,\\\n  b\nB=c\n", {{"A", "a,  b"}, {"B", "c"}}, {}},
    {"A=a,\\\r\n  b\nB=c\n", {{"A", "a,"}, {"B", "c"}}, {"env-line@2"}},
    {"A=a \\\n\n", {{"A", "a "}}, {}},
    {"A=b\\ \n", {{"A", "b "}}, {}},
    {"A=b\\ \\", {{"A", "b "}}, {}},
    {"A=\\\nb\n", {{"A", "b"}}, {}},
    {"A=\\\"b\\\"\n", {{"A", "\"b\""}}, {}},
    {"A=b \\ \n", {{"A", "b  "}}, {}},
    // quotes
    {"A=\"b c \"\n", {{"A", "b c "}}, {"env-quoted@1"}},
    {"A='b c '\n", {{"A", "b c "}}, {"env-quoted@1"}},
    {"A=\"\"\n", {{"A", ""}}, {"env-quoted@1"}},
    {"A=\"b\" c\n", {{"A", "bc"}}, {"env-quoted@1"}},
    {"A=\"b\" 'c'\n", {{"A", "bc"}}, {"env-quoted@1"}},
    {"A=\"b\" # c\n", {{"A", "b# c"}}, {"env-quoted@1"}},
    {"A=b\"c\"\n", {{"A", "b\"c\""}}, {}},
    {"A=b'c'\n", {{"A", "b'c'"}}, {}},
    {"A=\"\\a\\\"\\\\\\$\\`\\n\"\n", {{"A", "\\a\"\\$`\\n"}}, {"env-quoted@1"}},
    {"A='\\a\\\\'\n", {{"A", "\\a\\\\"}}, {"env-quoted@1"}},
    {"A=\"b\nc\"\nB=d\n", {{"A", "b\nc"}, {"B", "d"}}, {"env-quoted@1"}},
    {"A=\"b\\\nc\"\nB=d\n", {{"A", "bc"}, {"B", "d"}}, {"env-quoted@1"}},
    {"A=\"b\\\rc\"\n", {{"A", "b\\\rc"}}, {"env-quoted@1"}},
    {"A='b\nc'\nB=d\nB=e\n", {{"A", "b\nc"}, {"B", "e"}}, {"env-quoted@1", "env-duplicate@4"}},
    {"A=1\nB=\"c\nC=d\n", {{"A", "1"}, {"B", "c\nC=d\n"}}, {"env-quote@2", "env-quoted@2"}},
    {"A='b", {{"A", "b"}}, {"env-quote@1", "env-quoted@1"}},
    {"A=\"b\\", {{"A", "b"}}, {"env-quote@1", "env-quoted@1"}},
    {"A=\"b\"\\\nc\n", {{"A", "bc"}}, {"env-quoted@1"}},
    {"A-B=\"c\"\n", {}, {"env-name@1"}},
    // never expanded
    {"A=$HOME%40%%`x`${A}&(b)\n", {{"A", "$HOME%40%%`x`${A}&(b)"}}, {}},
    {"HTTP_PROXY=http://u:p%40ss=x@h:1\n", {{"HTTP_PROXY", "http://u:p%40ss=x@h:1"}}, {}},
    {"A=gr\xC3\xBC\xC3\x9F\n", {{"A", "gr\xC3\xBC\xC3\x9F"}}, {}},
    {"# \xFF in a comment\nA=b\n\xFF no equals\n", {{"A", "b"}}, {"env-line@3"}},
};

TEST(EnvironmentFile, ReadsAsSystemdDoes) {
  for (const Case& c : kCases) {
    Findings findings;
    const auto result = ParseEnvironmentFile(c.text, "proxy.env", findings);
    ASSERT_TRUE(result) << testing::PrintToString(c.text) << result.error().message;
    EXPECT_EQ(PairsOf(*result), c.expected) << testing::PrintToString(c.text);
    EXPECT_EQ(CodesAndLines(findings), c.findings) << testing::PrintToString(c.text);
  }
}

TEST(EnvironmentFile, NumbersLines) {
  Findings findings;
  const auto result = Must(ParseEnvironmentFile("# c\r\nA=1\rB=\"x\ny\"\nC=3\\\n\\\n4\n\nD=5\nA=6\n", "f", findings));
  std::vector<std::pair<std::string, std::size_t>> lines;
  for (const Assignment& a : result) lines.emplace_back(a.name, a.line);
  EXPECT_THAT(lines, ElementsAre(std::pair("A", 10), std::pair("B", 3), std::pair("C", 5), std::pair("D", 9)));
}

TEST(EnvironmentFile, RefusesWhatMakesSystemdDropTheFile) {
  struct {
    std::string text;
    Code code;
    std::string where;
  } const kBad[] = {
      {"A=b\nB=c\0d\n"s, Code::kEnvNul, "f, line 2"},
      {"A=b\r\n\r\n\0"s, Code::kEnvNul, "f, line 3"},
      {"# \0\nA=b\n"s, Code::kEnvNul, "f, line 1"},
      {"A=b\n\nB=c\xFF\nC=d\n", Code::kEnvUtf8, "f, line 3"},
      {"A=b\n\xC3(=c\n", Code::kEnvUtf8, "f, line 2"},
      {"A='\xC3", Code::kEnvUtf8, "f, line 1"},
      // Noncharacters, which systemd does not take for text.
      {"A=\xEF\xBF\xBF\n", Code::kEnvUtf8, "f, line 1"},
      {"A=\xEF\xBF\xBE\n", Code::kEnvUtf8, "f, line 1"},
      {"A=x\xF0\x9F\xBF\xBEx\n", Code::kEnvUtf8, "f, line 1"},
      {"A=\xF4\x8F\xBF\xBF\n", Code::kEnvUtf8, "f, line 1"},
      {"\n\xEF\xB7\x90=x\n", Code::kEnvUtf8, "f, line 2"},
      {"A=\xEF\xB7\xAF\n", Code::kEnvUtf8, "f, line 1"},
  };
  for (const auto& c : kBad) {
    Findings findings;
    const auto result = ParseEnvironmentFile(c.text, "f", findings);
    ASSERT_FALSE(result) << testing::PrintToString(c.text);
    EXPECT_EQ(result.error().code, c.code) << testing::PrintToString(c.text);
    EXPECT_EQ(result.error().where, c.where);
    EXPECT_THAT(result.error().message, testing::HasSubstr("drops the whole file"));
  }
}

TEST(EnvironmentFile, TakesTheNeighboursOfNoncharacters) {
  for (const std::string value : {"\xEF\xBF\xBD", "\xEF\xB7\x8F", "\xEF\xB7\xB0", "\xF0\x9F\xBF\xBD",
                                  "\xF0\x9E\xBF\xBF", "\xEE\xBF\xBF", "\xF0\x90\xBE\xBF", "\xC3\xBF\xC2\xBF"}) {
    Findings findings;
    const auto result = ParseEnvironmentFile("A=" + value, "f", findings);
    ASSERT_TRUE(result) << testing::PrintToString(value);
    EXPECT_EQ(result->at(0).value.Reveal(), value);
  }
}

TEST(EnvironmentFile, SaysWhatIsLostToAByteOrderMark) {
  Findings findings;
  ASSERT_TRUE(ParseEnvironmentFile("\xEF\xBB\xBFHTTP_PROXY=x\n", "f", findings));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].message, testing::HasSubstr("byte order mark"));
  EXPECT_THAT(findings[0].message, testing::HasSubstr("save the file without"));
}

TEST(EnvironmentFile, SaysHowToWriteAnExport) {
  Findings findings;
  ASSERT_TRUE(ParseEnvironmentFile("export HTTP_PROXY=secret\nexport a b=secret\n", "f", findings));
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_THAT(findings[0].message, testing::HasSubstr("write HTTP_PROXY="));
  EXPECT_THAT(findings[1].message, testing::Not(testing::HasSubstr("a b")));
}

TEST(EnvironmentFile, FindingsNeverHoldValues) {
  const std::string text =
      "export "
      "HTTP_PROXY=hunter2\nhttp_proxy='hunter2'\nHTTP_PROXY=hunter2\nHTTP_PROXY=\"hunter2\"\nhttp://"
      "u:hunter2=x@h\nhunter2\n"
      "hunter2=a b=c-hunter2\n\xEF\xBB\xBFhunter2=hunter2\n# x \\\nA='hunter2\n";
  Findings findings;
  ASSERT_TRUE(ParseEnvironmentFile(text, "f", findings));
  EXPECT_GE(findings.size(), 8U);
  for (const Finding& f : findings) {
    EXPECT_THAT(f.message + f.where, testing::Not(testing::HasSubstr("hunter2"))) << f.code;
  }
}

TEST(EnvironmentFile, TakesARenderedFile) {
  // The comments of the machine-config operator hold a '=' and percent signs.
  const std::string text =
      "# Proxy environment variables will be populated in this file. Properly\n"
      "# url encoded passwords with special characters will use '%<HEX><HEX>'.\n"
      "# Systemd requires that any % used in a password be represented as\n"
      "# %% in a unit file since % is a prefix for macros; this restriction does not\n"
      "# apply for environment files. Templates that need the proxy set should use\n"
      "# 'EnvironmentFile=/etc/mco/proxy.env'.\n";
  Findings findings;
  auto result = ParseEnvironmentFile(text, "/etc/mco/proxy.env", findings);
  ASSERT_TRUE(result);
  EXPECT_THAT(*result, IsEmpty());
  result = ParseEnvironmentFile(text + "HTTP_PROXY=http://u:p%40ss@h:1\nNO_PROXY=.svc,a b\n", "/etc/mco/proxy.env",
                                findings);
  ASSERT_TRUE(result);
  EXPECT_EQ(PairsOf(*result), (Pairs{{"HTTP_PROXY", "http://u:p%40ss@h:1"}, {"NO_PROXY", ".svc,a b"}}));
  EXPECT_THAT(findings, IsEmpty());
}

TEST(EnvironmentFile, BoundsWhatAHostileFileCosts) {
  Findings findings;
  EXPECT_TRUE(ParseEnvironmentFile(std::string(kMostEnvironmentBytes, '\n'), "f", findings));
  const Error refused = ErrorIn(ParseEnvironmentFile(std::string(kMostEnvironmentBytes + 1, '\n'), "f", findings));
  EXPECT_EQ(refused.code, Code::kTooLarge);
  EXPECT_EQ(refused.where, "f");
  std::string lines;
  std::string unit = "[Service]\n";
  for (int i = 0; i < 1000; ++i) lines += "x\n", unit += "Environment=x\n";
  EXPECT_TRUE(findings.empty());
  EXPECT_TRUE(ParseEnvironmentFile(lines, "f", findings));
  EXPECT_EQ(findings.size(), CappedFindings::kMost + 1);
  EXPECT_EQ(findings.back().message, "and 980 more of the same kind");
  findings.clear();
  ParseUnitEnvironment(unit, "u", findings);
  EXPECT_EQ(findings.size(), CappedFindings::kMost + 1);
}

TEST(EnvironmentFile, StaysLinearAndSaneOnNoise) {
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::string_view kAlphabet = "Aab=\\\"'#; \t\n\r$%\xC3\xBC_1";
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (std::size_t n = random() % 40; n > 0; --n) text.push_back(kAlphabet[random() % kAlphabet.size()]);
    Findings findings;
    const auto result = ParseEnvironmentFile(text, "f", findings);
    if (!result) {
      EXPECT_EQ(result.error().code, Code::kEnvUtf8);
      continue;
    }
    std::size_t total = 0;
    for (const Assignment& a : *result) total += a.name.size() + a.value.Reveal().size();
    EXPECT_LE(total, text.size());
  }
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "A=" + std::to_string(i) + "\n";
  Findings findings;
  const auto result = Must(ParseEnvironmentFile(many, "f", findings));
  EXPECT_EQ(PairsOf(result), (Pairs{{"A", "99999"}}));
}

TEST(EnvironmentFile, ReadsTheLinesThatItWrites) {
  EXPECT_EQ(EnvironmentLine("A", "b c # d;e \"f\" $g"), "A=b c # d;e \"f\" $g");
  EXPECT_EQ(EnvironmentLine("A", " b "), "A=\" b \"");
  EXPECT_EQ(EnvironmentLine("A", "b\\c$`\""), R"(A="b\\c\$\`\"")");
  constexpr unsigned kSeed = 4712;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  constexpr std::string_view kAlphabet = "ab=\\\"'#;` \t$%\xC3\xBC_1";
  for (int i = 0; i < 3000; ++i) {
    std::string value;
    for (std::size_t n = random() % 12; n > 0; --n) {
      const std::size_t at = random() % kAlphabet.size();
      value += kAlphabet[at] < 0 ? "\xC3\xBC" : std::string(1, kAlphabet[at]);
    }
    Findings findings;
    const auto read = Must(ParseEnvironmentFile(EnvironmentLine("A", value) + "\nB=1\n", "f", findings));
    EXPECT_EQ(PairsOf(read), (Pairs{{"A", value}, {"B", "1"}}));
  }
}

TEST(UnitEnvironment, ReadsServiceSections) {
  const Case kUnits[] = {
      {"", {}, {}},
      {"[Service]\nEnvironment=HTTP_PROXY=http://u:p%40ss@h:1\nEnvironment=NO_PROXY=.svc,10.0.0.0/8\n",
       {{"HTTP_PROXY", "http://u:p%40ss@h:1"}, {"NO_PROXY", ".svc,10.0.0.0/8"}},
       {}},
      {"[Unit]\nDescription=MCO environment configuration\n[Service]\nEnvironment=A=b\n", {{"A", "b"}}, {}},
      {"[Unit]\nEnvironment=A=b\n[Service]\nEnvironment=B=c\n[Install]\nEnvironment=C=d\n", {{"B", "c"}}, {}},
      {"Environment=A=b\n", {}, {}},
      {"[Service]\r\n Environment = A=b \r\n", {{"A", "b"}}, {}},
      {"\xEF\xBB\xBF[Service]\nEnvironment=A=b", {{"A", "b"}}, {}},
      {"[Service]\nEnvironmentFile=/etc/x\nExecStart=/bin/x A=b\nUnsetEnvironment=A\nEnvironment=A=b\n",
       {{"A", "b"}},
       {}},
      {"[Service]\nEnvironment=\"A=b c\" B=d 'C=e f' D=\"g h\"\n",
       {{"A", "b c"}, {"B", "d"}, {"C", "e f"}, {"D", "g h"}},
       {}},
      {"[Service]\nEnvironment=A=b\nEnvironment=\nEnvironment=B=c\n", {{"B", "c"}}, {}},
      {"[Service]\nEnvironment=A=b\nEnvironment=B=1\nEnvironment=A=c\n", {{"A", "c"}, {"B", "1"}}, {"env-duplicate@4"}},
      {"[Service]\nEnvironment=A=b \\\n  B=c\n", {{"A", "b"}, {"B", "c"}}, {}},
      {"[Service]\nEnvironment=A=b \\\n# comment\n  B=c\n", {{"A", "b"}, {"B", "c"}}, {}},
      {"[Service]\nEnvironment=A=b \\", {{"A", "b"}}, {}},
      {"[Service]\n#Environment=A=b\n;Environment=A=b\n  # Environment=A=b\n", {}, {}},
      {"[Service]\nEnvironment=A=b\\x20c\\tD\\\\\\s\\101\\n\\\"\n", {{"A", "b c\tD\\ A\n\""}}, {}},
      {"[Service]\nEnvironment=NO_PROXY=a, b\n", {{"NO_PROXY", "a,"}}, {"env-line@2"}},
      {"[Service]\nEnvironment=A=b \"C=d\nEnvironment=E=f\n", {{"A", "b"}, {"E", "f"}}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\q B=c\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\x0g\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\x00\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\778\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\777\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\\x1\n", {}, {"env-quote@2"}},
      {"[Service]\nEnvironment=A=\xFF B=c\n", {{"B", "c"}}, {"env-utf8@2"}},
      {"[Service]\nEnvironment=A=\xEF\xBF\xBE B=c\n", {{"B", "c"}}, {"env-utf8@2"}},
      {"[Service]\nEnvironment=A-B=c D=e\n", {{"D", "e"}}, {"env-name@2"}},
      {"[Service]\n\nEnvironment=http_proxy=x\n", {{"http_proxy", "x"}}, {"env-lower-case@3"}},
      {"[Service]\nnonsense\nEnvironment\nEnvironment=A=%h%%\n", {{"A", "%h%%"}}, {}},
      {"[Service]\nEnvironment=\"A=b\"C=d\n", {{"A", "bC=d"}}, {}},
  };
  for (const Case& c : kUnits) {
    Findings findings;
    const auto result = ParseUnitEnvironment(c.text, "proxy.env", findings);
    EXPECT_EQ(PairsOf(result), c.expected) << testing::PrintToString(c.text);
    EXPECT_EQ(CodesAndLines(findings), c.findings) << testing::PrintToString(c.text);
  }
}

TEST(UnitEnvironment, KeepsTheLineOfTheStart) {
  Findings findings;
  const auto result = ParseUnitEnvironment("[Service]\nEnvironment=A=b \\\nB=c\nEnvironment=D=e\n", "f", findings);
  ASSERT_EQ(result.size(), 3U);
  EXPECT_EQ(result[0].line, 2U);
  EXPECT_EQ(result[1].line, 2U);
  EXPECT_EQ(result[2].line, 4U);
}

TEST(UnitEnvironment, AContinuationThatNothingFollowsIsReadAllTheSame) {
  for (const std::string_view end : {"\\", "\\\n", "\\\n# note", "\\\n# note\n; and another\n"}) {
    Findings findings;
    const auto result = ParseUnitEnvironment("[Service]\nEnvironment=A=b " + std::string(end), "f", findings);
    EXPECT_EQ(PairsOf(result), (Pairs{{"A", "b"}})) << testing::PrintToString(end);
  }
}

TEST(UnitEnvironment, ANulIsDroppedWithItsWord) {
  Findings findings;
  const auto result = ParseUnitEnvironment("[Service]\nEnvironment=A=b\0c D=e\n"s, "f", findings);
  EXPECT_EQ(PairsOf(result), (Pairs{{"D", "e"}}));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].code, "env-nul");
}

}  // namespace
}  // namespace prov::egress
