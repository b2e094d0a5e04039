// The parts of a value, and in which of them two values differ.
#include "provisioner/reconcile/value_parts.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "provisioner/reconcile/items.h"

namespace prov::reconcile {
namespace {

// "HTTP_PROXY a > b", "NO_PROXY +new -old", with "(password)" for a password alone.
std::vector<std::string> Lines(const ValueParts& before, const ValueParts& after) {
  std::vector<std::string> out;
  for (const Difference& one : DifferencesOf(before, after)) {
    std::string line = one.name;
    if (one.only_password) line += " (password)";
    if (!one.is_list && !one.only_password) line += " " + one.before + " > " + one.after;
    for (const std::string& entry : one.added) line += " +" + entry;
    for (const std::string& entry : one.removed) line += " -" + entry;
    out.push_back(line);
  }
  return out;
}

TEST(ValueParts, WhatDiffers) {
  struct Row {
    ValueParts before, after;
    std::vector<std::string> lines;
  };
  const std::vector<Row> rows = {
      {{VariablePart("HTTP_PROXY", "http://p:1")}, {VariablePart("http_proxy", "http://p:1")}, {}},
      {{VariablePart("HTTP_PROXY", "http://u:one@p:1")},
       {VariablePart("HTTP_PROXY", "http://u:two@p:1")},
       {"HTTP_PROXY (password)"}},
      {{VariablePart("HTTP_PROXY", "http://u:one@p:1")},
       {VariablePart("HTTP_PROXY", "http://u:two@q:1")},
       {"HTTP_PROXY http://u:***@p:1 > http://u:***@q:1"}},
      {{}, {VariablePart("HTTP_PROXY", "http://p:1")}, {"HTTP_PROXY  > http://p:1"}},
      {{VariablePart("NO_PROXY", ".svc, a,10.0.0.0/8")},
       {VariablePart("NO_PROXY", "a,.svc,b")},
       {"NO_PROXY +b -10.0.0.0/8"}},
      {{VariablePart("NO_PROXY", "a,http://u:one@p")},
       {VariablePart("NO_PROXY", "a,http://u:two@p")},
       {"NO_PROXY (password)"}},
      {{},
       {VariablePart("NO_PROXY", ".svc, http://u:se;cr et@h"), VariablePart("HTTP_PROXY", "")},
       {"NO_PROXY +.svc +http://u:***@h"}},
      {{{"bypass", Secret("*.svc;<local> http://u:se,cr@h"), ValuePart::Form::kList, "; "}},
       {{"bypass", Secret(""), ValuePart::Form::kList, "; "}},
       {"bypass -*.svc -<local> -http://u:***@h"}},
      {{VariablePart("NO_PROXY", "")}, {}, {}},
  };
  for (const Row& row : rows) EXPECT_EQ(Lines(row.before, row.after), row.lines);
}

TEST(ItemKey, HasOneSpelling) {
  EXPECT_EQ(ItemKey(kEnvironmentItem, "HTTP_PROXY"), "env:HTTP_PROXY");
  EXPECT_EQ(ItemKey(kServiceItem, "ContainerD"), "serviceEnv:containerd");
  EXPECT_EQ(ItemKey(kHnsItem, "ab-1"), "hns:AB-1");
  EXPECT_EQ(CertificateItemName(pki::Store::kRoot, "4F1A"), "certificate:ROOT:4f1a");
}

}  // namespace
}  // namespace prov::reconcile
