// `explain-code`, and the page of the packages that it prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "provisioner/base/error.h"
#include "provisioner/base/finding_table.h"
#include "provisioner/base/rapidjson.h"
#include "provisioner/cli/symptom_table.h"
#include "tests/cli/program_run.h"
#include "tests/support/process.h"

namespace prov {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::ProcessResult;

ProcessResult ExplainCode(std::vector<std::string> words) {
  words.insert(words.begin(), "explain-code");
  return testing_support::Provisioner(std::move(words));
}

rapidjson::Document CodesAsJson(std::vector<std::string> words) {
  words.insert(words.end(), {"--output", "json"});
  return testing_support::Json(ExplainCode(std::move(words)));
}

TEST(ExplainCode, SaysWhatACodeMeansAndWhatToDo) {
  const ProcessResult result = ExplainCode({"hash-mismatch"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out,
            "hash-mismatch: error, exit code 11\n"
            "  The contents do not have the hash that is stated for them.\n"
            "  What to do: Check who changed the contents, and correct the contents or the hash.\n");
}

TEST(ExplainCode, TakesSeveralCodesAndTheirBrackets) {
  const ProcessResult result = ExplainCode({"[probe]", "usage"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("probe: finding (info)\n  A probe was answered.\n  What to do: "));
  EXPECT_THAT(result.out, HasSubstr("\n\nusage: error, exit code 10\n"));
}

TEST(ExplainCode, ACodeOfBothKindsIsExplainedTwice) {
  const ProcessResult result = ExplainCode({"proxy-url"});
  EXPECT_THAT(result.out, AllOf(StartsWith("proxy-url: error, exit code 11\n"),
                                HasSubstr("\n\nproxy-url: finding (warning, error)\n")));
}

TEST(ExplainCode, JsonHasTheRows) {
  const rapidjson::Document document = CodesAsJson({"dirty-hive", "cert-expired"});
  const auto& codes = document["codes"];
  ASSERT_EQ(codes.Size(), 3U);
  EXPECT_STREQ(codes[0]["code"].GetString(), "dirty-hive");
  EXPECT_STREQ(codes[0]["kind"].GetString(), "error");
  EXPECT_EQ(codes[0]["exit"].GetInt(), 12);
  EXPECT_FALSE(codes[0].HasMember("severities"));
  EXPECT_STREQ(codes[1]["kind"].GetString(), "finding");
  EXPECT_FALSE(codes[1].HasMember("exit"));
  EXPECT_STREQ(codes[2]["code"].GetString(), "cert-expired");
  ASSERT_EQ(codes[2]["severities"].Size(), 1U);
  EXPECT_STREQ(codes[2]["severities"][0].GetString(), "warning");
  EXPECT_STREQ(codes[2]["meaning"].GetString(),
               "A certificate of the bundle has expired, and clients refuse what it signed.");
  EXPECT_STREQ(codes[2]["remedy"].GetString(), "Replace the certificate at the source.");
}

TEST(ExplainCode, WordsOfOtherProgramsLeadToCodesAndAPage) {
  const struct {
    const char* asked;
    std::vector<std::string> codes;
  } rows[] = {
      {"407", {"407", "winhttp-credentials", "credentials-none", "probe-digest"}},
      {"ErrImagePull", {"errimagepull", "service-runs-on"}},
      {"Failed to pull image \"x\": x509: certificate signed by unknown authority",
       {"x509", "tls", "untrusted", "errimagepull", "service-runs-on"}},
      {"http: server gave HTTP response to HTTPS client", {"first record does not look like a tls handshake", "tls"}},
      {"429 Too Many Requests", {"429"}},
      {"denied: requested access to the resource is denied: unauthorized", {"pull access denied"}},
      {"remote error: tls: handshake failure", {"handshake failure", "tls"}},
      {"certificate has expired or is not yet valid",
       {"certificate has expired", "clock-wrong", "cert-expired", "cert-not-yet-valid"}},
      {"4", {"exit code 4"}},
      {"WINHTTP-CREDENTIALS", {"winhttp-credentials"}},
      {"EOF", {"eof", "network"}},
      {"dial tcp 10.0.0.9:3128: connect: connection refused", {"connection refused", "network"}},
      {"lookup quay.io: no such host", {"no such host", "network"}},
      {"proxyconnect tcp: tls: first record does not look like a TLS handshake",
       {"first record does not look like a tls handshake", "tls"}},
      {"0x80072EE7", {"no such host", "network"}},
      {"drift", {"drift"}},
      {"failure", {"failure"}},
      {"stale", {"stale", "service-stale"}},
      {"service", {"service"}},
      {"503 Service Unavailable", {"403", "network"}},
      {"14", {"network", "tls"}},
  };
  for (const auto& row : rows) {
    const rapidjson::Document document = CodesAsJson({row.asked});
    std::vector<std::string> codes;
    for (const auto& one : document["codes"].GetArray()) codes.emplace_back(one["code"].GetString());
    EXPECT_EQ(codes, row.codes) << row.asked;
  }
  EXPECT_THAT(
      ExplainCode({"EOF"}).out,
      AllOf(StartsWith("eof: symptom\n  The connection ended"),
            HasSubstr("\n  Page: provisioner/docs/troubleshooting.md#images-are-not-pulled\n\nnetwork: error")));
  EXPECT_EQ(ExplainCode({"reopened"}).exit, 10) << "has a symptom's word in the middle of its own";
  for (const cli::Symptom& symptom : cli::kSymptoms) {
    const std::string codes(symptom.codes);
    std::istringstream words(codes);
    for (std::string code; words >> code;) EXPECT_EQ(ExplainCode({code}).exit, 0) << code;
  }
}

TEST(ExplainCode, AnswersWhatIsKnownAndNamesTheRest) {
  const struct {
    std::vector<std::string> words, codes;
    std::string unknown;
  } rows[] = {
      {{"x509", "nonsense"}, {"x509", "tls", "untrusted"}, "nonsense"},
      {{"nonsense", "[Usage]"}, {"usage"}, "nonsense"},
      {{"x509:", "certificate", "signed", "by", "unknown", "authority"}, {"x509", "tls", "untrusted"}, ""},
      {{"lookup", "No", "such", "host"}, {"no such host", "network"}, "lookup"},
      {{"exit", "code", "4"}, {"exit code 4"}, ""},
  };
  for (const auto& row : rows) {
    const rapidjson::Document document = CodesAsJson(row.words);
    std::vector<std::string> codes;
    for (const auto& one : document["codes"].GetArray()) codes.emplace_back(one["code"].GetString());
    EXPECT_EQ(codes, row.codes) << row.words.front();
    EXPECT_EQ(document.HasMember("unknown") ? document["unknown"][0].GetString() : "", row.unknown);
  }
  const ProcessResult result = ExplainCode({"usage", "hash-missmatch"});
  EXPECT_EQ(result.exit, 0);
  EXPECT_THAT(result.out, HasSubstr("\nNot known here: hash-missmatch; did you mean hash-mismatch?\n"));
  EXPECT_EQ(ExplainCode({"nonsense", "gibberish"}).exit, 10);
}

TEST(ExplainCode, WithoutACodeItListsAll) {
  EXPECT_EQ(CodesAsJson({})["codes"].Size(), AllCodes().size() + AllFindings().size());
  const std::string text = ExplainCode({}).out;
  for (const CodeInfo& info : AllCodes()) EXPECT_THAT(text, HasSubstr("\n  " + std::string(info.name) + " "));
  for (const FindingInfo& info : AllFindings()) EXPECT_THAT(text, HasSubstr("\n  " + std::string(info.name) + " "));
  EXPECT_THAT(text, HasSubstr("\n  io                      (13) Reading or writing a file failed.\n"));
}

TEST(ExplainCode, AnUnknownCodeIsAUsageErrorThatNamesNearOnes) {
  const ProcessResult similar = ExplainCode({"hash-missmatch"});
  EXPECT_EQ(similar.exit, 10);
  EXPECT_THAT(similar.err, AllOf(HasSubstr("[usage]"), HasSubstr("there is no code \"hash-missmatch\"; did you mean "
                                                                 "hash-mismatch?")));
  EXPECT_EQ(similar.out, "");
  const ProcessResult unlike = ExplainCode({"nothing-like-it"});
  EXPECT_EQ(unlike.exit, 10);
  EXPECT_THAT(unlike.err, AllOf(HasSubstr("provisioner explain-code lists all"), Not(HasSubstr("did you mean"))));
  EXPECT_EQ(ExplainCode({std::string(30'000, 'a')}).exit, 10) << "is not compared with anything";
  const rapidjson::Document document = CodesAsJson({"hash-missmatch"});
  EXPECT_STREQ(document["error"]["code"].GetString(), "usage");
}

// How many rows the tables of a part of the page have.
std::size_t RowsOf(const std::string& page) {
  std::size_t rows = 0;
  for (std::size_t at = page.find("\n| `"); at != std::string::npos; at = page.find("\n| `", at + 1)) ++rows;
  return rows;
}

TEST(ExplainCode, PrintsAPageWithARowForEachCode) {
  const ProcessResult result = ExplainCode({"--markdown"});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("# Codes of errors and findings\n"));
  const std::size_t findings_at = result.out.find("\n## Findings\n");
  ASSERT_NE(findings_at, std::string::npos);
  const std::string errors = result.out.substr(0, findings_at);
  const std::string findings = result.out.substr(findings_at);
  for (const CodeInfo& info : AllCodes()) {
    EXPECT_THAT(errors, HasSubstr("\n| `" + std::string(info.name) + "` | " + std::to_string(info.exit) + " | "));
  }
  for (const FindingInfo& info : AllFindings()) {
    EXPECT_THAT(findings, HasSubstr("\n| `" + std::string(info.name) + "` | "));
  }
  EXPECT_EQ(RowsOf(errors), AllCodes().size());
  EXPECT_EQ(RowsOf(findings), AllFindings().size());
  EXPECT_THAT(findings, HasSubstr("\n| `cert-expired` | warning | A certificate of the bundle has expired, and clients "
                                  "refuse what it signed. | Replace the certificate at the source. |\n"));
  EXPECT_EQ(ExplainCode({"--markdown", "usage"}).exit, 10);
  EXPECT_EQ(ExplainCode({"--markdown", "--output", "json"}).exit, 10);
}

}  // namespace
}  // namespace prov
