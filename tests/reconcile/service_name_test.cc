#include "provisioner/reconcile/service_name.h"

#include <gtest/gtest.h>

#include "provisioner/base/text.h"
#include "tests/support/memory_machine.h"

namespace prov::reconcile {
namespace {

using namespace std::string_literals;

TEST(ServiceName, WhatWindowsTakesIsTaken) {
  for (const std::string& name :
       {"containerd"s, "MSSQL$Prod Server_1.x-y"s, "two  blanks"s, " at both ends "s, "it's \"quoted\""s, "`$(x)"s,
        "[a]*?"s, "a;b,c|d<e>f:g"s, "%PATH%"s, "-Remove"s, "@x"s, "υπηρεσίας"s, "名前"s, "\U0001F600"s,
        std::string(256, 'a'), std::string(256, '=')}) {
    EXPECT_TRUE(CheckServiceName(name)) << name;
  }
}

TEST(ServiceName, WhatNoServiceMayBeCalledIsAUsageError) {
  std::string emoji;
  for (int i = 0; i < 128; ++i) emoji += "\U0001F600";
  EXPECT_TRUE(CheckServiceName(emoji)) << "256 units";
  for (const std::string& bad : {""s, "a\\b"s, "a/b"s, "a\nb"s, "a\0b"s, "a\x7f"s, "a\xc2\x85"s, std::string(257, 'a'),
                                 "\xff"s, "\xed\xa0\x80"s, emoji + "a"}) {
    const auto checked = CheckServiceName(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code, Code::kUsage);
    EXPECT_EQ(checked.error().where, Printable(checked.error().where));
  }
}

TEST(ServiceName, CaseIsThatOfWindows) {
  EXPECT_TRUE(IsSameService("Kubelet", "KUBELET"));
  EXPECT_TRUE(IsSameService("υπηρεσία", "ΥΠΗΡΕΣΊΑ"));
  EXPECT_FALSE(IsSameService("υπηρεσίας", "υπηρεσίασ")) << "the final sigma has no upper case since Windows 8";
  EXPECT_FALSE(IsSameService("a", "ab"));
  for (const std::string& name : {"MSSQL$x y"s, "_.-"s, "kubelet"s}) EXPECT_EQ(ServiceNameKey(name), AsciiLower(name));
}

TEST(ServiceName, ANameNearToThatOfANodesServiceIsASlip) {
  const std::pair<const char*, const char*> rows[] = {{"containred", "did you mean containerd?"},
                                                      {"Kubelett", "did you mean kubelet?"},
                                                      {"kube-prox", "did you mean kube-proxy or kubeproxy?"},
                                                      {"csi_proxy", "did you mean csi-proxy?"},
                                                      {"rke", "did you mean rke2?"},
                                                      {"k0sworkers", "did you mean k0sworker?"},
                                                      {"KUBELET", ""},
                                                      {"kubeproxy", ""},
                                                      {"two  blanks", ""},
                                                      {"υπηρεσία", ""},
                                                      {"W32Time", ""}};
  for (const auto& [name, hint] : rows) EXPECT_EQ(SuggestNodeService(name), hint) << name;
}

TEST(ServiceName, IsShownAsTheMachineSpellsIt) {
  testing_support::MemoryMachine memory;
  memory.PutKey(R"(SYSTEM\CurrentControlSet\Services\containerd)");
  EXPECT_EQ(SpellingOfService(memory, "CONTAINERD"), "containerd");
  EXPECT_EQ(SpellingOfService(memory, "KUBELET"), "KUBELET") << "there is no such service";
}

}  // namespace
}  // namespace prov::reconcile
