#include "provisioner/source/source.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/source/fake_web.h"
#include "tests/support/paths.h"
#include "tests/support/result.h"

namespace prov::source {
namespace {

// Nothing in these tests may ask the network.
Result<egress::EgressConfig> ReadHere(const std::string& source, const ignition::Selection& selection) {
  FakeWeb none;
  SourceRequest request;
  request.source = source;
  request.selection = selection;
  auto read = Read(request, none.Ports());
  EXPECT_TRUE(none.requests.empty());
  return read;
}

TEST(Source, AMissingFileIsNotFound) {
  const Error read = ErrorIn(ReadHere("/no/such/file.json", {}));
  EXPECT_EQ(read.code, Code::kNotFound);
  EXPECT_EQ(read.where, "/no/such/file.json");
  EXPECT_EQ(read.message.find("if no file is meant"), std::string::npos);
}

TEST(Source, AMissingFileThatLooksLikeAUriIsToldItsForm) {
  const std::pair<const char*, const char*> rows[] = {{"kube:", "kube://"},
                                                      {"kube:/prod", "kube://"},
                                                      {"mcs:host/worker", "mcs://HOST"},
                                                      {"https:/host/x", "https://HOST"},
                                                      {"host.example:22623/worker", "mcs://HOST or https://HOST"}};
  for (const auto& [source, form] : rows) {
    const Error read = ErrorIn(ReadHere(source, {}));
    EXPECT_EQ(read.code, Code::kNotFound) << source;
    EXPECT_TRUE(read.message.ends_with(std::string("; if no file is meant, write ") + form)) << source;
  }
}

TEST(Source, CredentialsInAUriAreRefusedWithoutShowingThem) {
  for (const char* uri : {"https://user:secret@example.com/x", "mcs://user:secret@example.com/worker"}) {
    const Error read = ErrorIn(ReadHere(uri, {}));
    EXPECT_EQ(read.code, Code::kScheme);
    EXPECT_EQ((read.message + read.where).find("secret"), std::string::npos);
  }
}

TEST(Source, UnknownSchemesAreNamed) {
  const Error read = ErrorIn(ReadHere("ftp://user:secret@example.com/x", {}));
  EXPECT_EQ(read.code, Code::kScheme);
  EXPECT_EQ(read.where, "ftp://");
}

TEST(Source, AWrongNameIsNotFound) {
  ignition::Selection selection;
  selection.name = "rendered-worker-00000000000000000000000000000000";
  EXPECT_EQ(ErrorIn(ReadHere(testing_support::TestsFolder() + "/sample/rendered-worker.json", selection)).code,
            Code::kNotFound);
}

}  // namespace
}  // namespace prov::source
