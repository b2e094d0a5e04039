#include "provisioner/egress/trust_store.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prov::egress {
namespace {

Certificate Make(bool self_signed, bool is_ca) {
  Certificate out;
  out.subject = "CN=x";
  out.self_issued = out.self_signed = self_signed;
  out.is_ca = is_ca;
  return out;
}

TEST(TrustStore, EachKindUnderEachPolicy) {
  const StorePolicy split;
  const StorePolicy root_only{.root_only = true, .import_leaf = false};
  const StorePolicy leaf{.root_only = false, .import_leaf = true};
  const StorePolicy both{.root_only = true, .import_leaf = true};
  const struct {
    const char* why;
    bool self_signed, is_ca;
    StorePolicy policy;
    Store store;
    std::vector<std::string> findings;
  } cases[] = {
      {"root", true, true, split, Store::kRoot, {}},
      {"root", true, true, both, Store::kRoot, {}},
      {"intermediate", false, true, split, Store::kCa, {}},
      {"intermediate", false, true, root_only, Store::kRoot, {"root-not-self-signed"}},
      {"self-signed leaf", true, false, split, Store::kRoot, {"self-signed-leaf"}},
      {"self-signed leaf", true, false, both, Store::kRoot, {"self-signed-leaf"}},
      {"leaf", false, false, split, Store::kNone, {"leaf-skipped"}},
      {"leaf", false, false, root_only, Store::kNone, {"leaf-skipped"}},
      {"leaf", false, false, leaf, Store::kCa, {"leaf-imported"}},
      {"leaf", false, false, both, Store::kRoot, {"leaf-imported", "root-not-self-signed"}},
  };
  for (const auto& c : cases) {
    const std::vector<Certificate> certificates = {Make(c.self_signed, c.is_ca)};
    EXPECT_EQ(StoreFor(certificates[0], c.policy), c.store) << c.why;
    std::vector<std::string> codes;
    for (const Finding& finding : ReviewStores(certificates, c.policy, "bundle.pem")) {
      codes.push_back(finding.code);
      EXPECT_NE(finding.message.find("certificate 1 \"CN=x\""), std::string::npos);
      EXPECT_EQ(finding.where, "bundle.pem");
    }
    EXPECT_EQ(codes, c.findings) << c.why;
  }
}

TEST(TrustStore, Names) {
  EXPECT_EQ(NameOf(Store::kRoot), "ROOT");
  EXPECT_EQ(NameOf(Store::kCa), "CA");
  EXPECT_EQ(NameOf(Store::kNone), "none");
}

}  // namespace
}  // namespace prov::egress
