#include "tests/differential/go_answer.h"

#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "provisioner/base/text.h"
#include "tests/support/paths.h"
#include "tests/support/process.h"
#include "tests/support/scratch_folder.h"

namespace prov::differential {
namespace {

namespace fs = std::filesystem;
using testing_support::ProcessResult;
using testing_support::Run;

GoAnswer ParseAnswer(const std::string& line) {
  std::vector<std::string> fields;
  for (const std::string_view field : Split(line, '\t')) fields.emplace_back(field);
  GoAnswer out;
  if (fields[0] == "bad-url") {
    out.kind = GoAnswer::Kind::kBadUrl;
  } else if (fields[0] == "proxy") {
    out = {GoAnswer::Kind::kProxy,        fields.at(1),
           FromHex(fields.at(2)).value(), fields.at(3),
           fields.at(4) == "yes",         FromHex(fields.at(5)).value(),
           FromHex(fields.at(6)).value()};
  } else if (fields[0] != "direct") {
    throw std::runtime_error("the Go program answered: " + line);
  }
  return out;
}

// Builds the program in an empty folder; "" and a reason if there is nothing to build it with. Go's own copy of
// x/net/http/httpproxy is what net/http uses; a GOPATH with a link to it makes it importable without any network. What
// Go has compiled stays in `cache`, which several may use at once.
std::string BuildOracle(const fs::path& folder, const fs::path& cache, std::string& reason) {
  const ProcessResult root = Run({"go", "env", "GOROOT"});
  if (root.exit != 0) {
    reason = "no `go` (Debian: golang-go)";
    return "";
  }
  const fs::path vendored = fs::path(root.out.substr(0, root.out.find('\n'))) / "src/vendor/golang.org";
  if (!fs::exists(vendored / "x/net/http/httpproxy")) {
    reason = "this Go has no sources at " + vendored.string();
    return "";
  }
  const fs::path link = folder / "gopath/src/golang.org";
  fs::create_directories(link.parent_path());
  fs::create_directory_symlink(vendored, link);
  const std::string program = folder / "proxy_oracle";
  const ProcessResult build =
      Run({"go", "build", "-o", program, testing_support::TestsFolder() + "/differential/proxy_oracle.go"}, "",
          {{"GO111MODULE", "off"},
           {"GOPATH", folder / "gopath"},
           {"GOCACHE", cache},
           {"GOPROXY", "off"},
           {"GOTOOLCHAIN", "local"},
           {"GOFLAGS", ""},
           {"CGO_ENABLED", "0"}});
  if (build.exit != 0) throw std::runtime_error("go build failed: " + build.err);
  return program;
}

}  // namespace

std::optional<GoAnswers> AskGo(const std::vector<Row>& rows, const std::string& folder, std::string& reason) {
  fs::create_directories(folder);
  const testing_support::ScratchFolder own(folder);  // the tests that ask run at the same time
  const std::string program = BuildOracle(own.path(), fs::path(folder) / "go-cache", reason);
  if (program.empty()) return std::nullopt;
  std::string input;
  for (const Row& row : rows)
    input += ToHex(row.proxy) + "\t" + ToHex(row.proxy) + "\t" + ToHex(row.no_proxy) + "\t" + ToHex(row.target) + "\n";
  const ProcessResult result = Run({program}, input);
  if (result.exit != 0) throw std::runtime_error("the Go program failed: " + result.err);
  std::istringstream lines(result.out);
  GoAnswers out;
  std::getline(lines, out.version);
  for (std::string line; std::getline(lines, line);) out.rows.push_back(ParseAnswer(line));
  if (out.rows.size() != rows.size()) throw std::runtime_error("the Go program did not answer each row");
  return out;
}

}  // namespace prov::differential
