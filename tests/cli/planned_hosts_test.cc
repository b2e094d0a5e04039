#include "provisioner/cli/planned_hosts.h"

#include <gmock/gmock.h>

#include "tests/registries/sources.h"
#include "tests/support/finding_codes.h"
#include "tests/support/sample.h"

namespace prov::cli {
namespace {

constexpr registries::ContainerdRules kRules = {.version = registries::Containerd::k2, .windows = true};

registries::ImageEndpoints PlannedFor(const egress::EgressConfig& source, std::string_view image, Findings& findings) {
  const auto planned = PlannedHosts::Make(source, R"(C:\certs.d)", findings);
  EXPECT_TRUE(planned) << planned.error().message;
  return planned->EndpointsOf(registries::ParseImageReference(image, "test").value(), kRules);
}

// What `check --image` trusts is what is in the files, which are on no disk.
TEST(PlannedHosts, CasOfTheFilesAreRoots) {
  const std::string ca = testing_support::SampleCertificates().at(0).der;
  egress::EgressConfig source = testing_support::SampleConfig();
  source.certificates.clear();
  source.mirrors = registries::Cluster({registries::Source("quay.io", {registries::ForAll("m.example")})});
  source.mirrors.cas = {{"m.example", {ca}}};
  Findings findings;
  const registries::ImageEndpoints mirrored = PlannedFor(source, "quay.io/app:v1", findings);
  EXPECT_EQ(mirrored.note, R"(by C:\certs.d\quay.io\hosts.toml)");
  ASSERT_EQ(mirrored.endpoints.size(), 2U);
  EXPECT_EQ(mirrored.endpoints.front().url, "https://m.example/v2");
  EXPECT_THAT(mirrored.endpoints.front().roots, testing::ElementsAre(ca));
  EXPECT_TRUE(mirrored.endpoints.front().only_these_roots);
  EXPECT_THAT(mirrored.endpoints.front().ca_files, testing::IsEmpty());
  EXPECT_THAT(mirrored.endpoints.back().roots, testing::IsEmpty());
  EXPECT_THAT(testing_support::CodesOf(findings), testing::ElementsAre("registries-ca"));

  const registries::ImageEndpoints own = PlannedFor(source, "m.example/app:v1", findings);
  EXPECT_EQ(own.note, R"(by C:\certs.d\m.example\ca.crt)") << "it counts without hosts.toml, too";
  ASSERT_EQ(own.endpoints.size(), 1U);
  EXPECT_THAT(own.endpoints.front().roots, testing::ElementsAre(ca));
  EXPECT_EQ(PlannedFor(source, "other.example/app:v1", findings).note, "");
}

}  // namespace
}  // namespace prov::cli
