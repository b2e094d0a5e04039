// What the tests of document sources share: reading, the sample's certificates, findings.
#pragma once

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "provisioner/base/base64.h"
#include "provisioner/source/document_source.h"
#include "tests/support/finding_codes.h"
#include "tests/support/sample.h"

namespace prov::source {

using testing_support::HasCode;
using testing_support::Indented;
using testing_support::Pem;

inline Result<egress::EgressConfig> ReadText(std::string bytes, const ignition::Selection& selection = {}) {
  return ReadDocument(std::move(bytes), "input", selection, nullptr);
}

// As a JSON string's inside.
inline std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\\n") : std::string(1, c);
  return out;
}

// A YAML ConfigMap with `pem` under the usual key.
inline std::string ConfigMapYaml(const std::string& name, const std::string& pem,
                                 const std::string& name_space = "openshift-config") {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n  namespace: " + name_space +
         "\ndata:\n  ca-bundle.crt: |\n" + Indented(pem, 4);
}

inline std::string MessageOf(const Findings& findings, std::string_view code) {
  for (const Finding& finding : findings) {
    if (finding.code == code) return finding.message;
  }
  return "";
}

// "code: message (where)" of what must fail.
inline std::string Failure(const Result<egress::EgressConfig>& read) {
  if (read) return "it was read";
  return std::string(InfoOf(read.error().code).name) + ": " + read.error().message + " (" + read.error().where + ")";
}

// The settings of a text that must be readable; otherwise ends the test.
inline egress::EgressConfig MustRead(const std::string& text, const ignition::Selection& selection = {}) {
  auto read = ReadText(text, selection);
  if (!read) throw std::runtime_error(Failure(read) + " in " + text);
  return *std::move(read);
}

}  // namespace prov::source
