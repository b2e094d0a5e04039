#include "tests/differential/client_answers.h"

#include <sstream>
#include <stdexcept>

#include "provisioner/base/text.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"

namespace prov::differential {
namespace {

using testing_support::ProcessResult;
using testing_support::Run;

// Rows in hexadecimal, for a program's standard input.
std::string InputOf(const std::vector<ClientRow>& rows) {
  std::string out;
  for (const ClientRow& row : rows) out += ToHex(row.no_proxy) + "\t" + ToHex(row.url) + "\n";
  return out;
}

void CheckCount(const std::string& answers, const std::vector<ClientRow>& rows, const ProcessResult& result) {
  if (answers.size() != rows.size()) throw std::runtime_error("a client did not answer each row: " + result.err);
}

}  // namespace

std::optional<PythonAnswers> AskPython(const std::string& python, const std::vector<ClientRow>& rows,
                                       std::string& reason) {
  if (Run({python, "-c", ""}).exit != 0) {
    reason = "no " + python + " (Debian: python3)";
    return std::nullopt;
  }
  const ProcessResult result =
      Run({python, testing_support::TestsFolder() + "/differential/clients_oracle.py"}, InputOf(rows));
  if (result.exit != 0) throw std::runtime_error("the Python program failed: " + result.err);
  std::istringstream lines(result.out);
  PythonAnswers out;
  std::string requests_version;
  lines >> out.urllib.version >> requests_version;
  ClientAnswers requests{requests_version, ""};
  for (std::string line; lines >> line;) {
    out.urllib.rows += line.at(0);
    requests.rows += line.at(1);
  }
  CheckCount(out.urllib.rows, rows, result);
  if (requests_version != "-") out.requests = requests;
  return out;
}

std::optional<ClientAnswers> AskJava(const std::vector<ClientRow>& rows, std::string& reason) {
  const ProcessResult result = Run({"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
                                    testing_support::TestsFolder() + "/differential/ClientsOracle.java"},
                                   InputOf(rows));
  if (result.exit != 0) {
    reason = "no java that runs a source file (Debian: openjdk-17-jdk-headless)";
    return std::nullopt;
  }
  std::istringstream lines(result.out);
  ClientAnswers out;
  lines >> out.version;
  for (std::string line; lines >> line;) out.rows += line;
  CheckCount(out.rows, rows, result);
  return out;
}

}  // namespace prov::differential
