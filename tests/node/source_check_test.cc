#include "provisioner/node/source_check.h"

#include <gmock/gmock.h>

#include "tests/node/node_helpers.h"

namespace prov::node {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SourceCheck : public NodeTest {
 protected:
  std::vector<std::string> CheckedOf(const SourceWords& words) {
    host_.checked_sources.clear();
    EXPECT_TRUE(CheckSourceFiles(host_, words));
    return host_.checked_sources;
  }
};

TEST_F(SourceCheck, FilesThatDecideAreLookedAt) {
  EXPECT_THAT(CheckedOf({R"(C:\egress\worker.json)", "--service=containerd"}), ElementsAre(R"(C:\egress\worker.json)"));
  EXPECT_THAT(CheckedOf({"mcs://h/worker", R"(--ca=C:\egress\ca.pem)"}), ElementsAre(R"(C:\egress\ca.pem)"));
  EXPECT_THAT(CheckedOf({"kube://", "--kubeconfig=/etc/kube/config"}), ElementsAre("/etc/kube/config"));
  EXPECT_THAT(CheckedOf({"kube://", "--kubeconfig=in-cluster"}), IsEmpty());
  EXPECT_THAT(CheckedOf({"https://h/x", "--pool=worker"}), IsEmpty());
  EXPECT_THAT(CheckedOf({"https://h/x", R"(--subtract=C:\egress\minus.pem)"}), ElementsAre(R"(C:\egress\minus.pem)"));
  EXPECT_THAT(CheckedOf({R"(C:\worker.ign)", R"(--ca=D:\ca.pem)"}), ElementsAre(R"(C:\worker.ign)", R"(D:\ca.pem)"));
}

TEST_F(SourceCheck, ARefusalIsOne) {
  host_.source_error = Error{Code::kOwner, "Users may change it", "ca.pem"};
  EXPECT_EQ(CheckSourceFiles(host_, {"mcs://h/worker", "--ca=/ca.pem"}).error().code, Code::kOwner);
  EXPECT_TRUE(CheckSourceFiles(host_, {"https://h/x"}));
}

}  // namespace
}  // namespace prov::node
