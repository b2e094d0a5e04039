#include "tests/support/sample_image.h"

#include <stdexcept>

#include "images/registry/hive_writer.h"
#include "provisioner/machine/certificate_blob.h"

namespace prov::testing_support {
namespace {

using images::EncodeDword;
using images::EncodeSz;
using images::KeyAt;
using images::RegKey;
using images::RegType;

void AddControlSet(RegKey& root, const std::string& name) {
  RegKey& environment = KeyAt(root, name + R"(\Control\Session Manager\Environment)");
  environment.values = {{"Path", RegType::kExpandSz, EncodeSz(R"(%SystemRoot%\system32;%SystemRoot%)")},
                        {"NUMBER_OF_PROCESSORS", RegType::kSz, EncodeSz("2")},
                        {"no_proxy_hosts", RegType::kSz, EncodeSz("foreign")}};
  for (int i = 0; i < 120; ++i) {
    RegKey& service = KeyAt(root, name + "\\Services\\svc" + std::to_string(1000 + i));
    service.values = {{"ImagePath", RegType::kExpandSz, EncodeSz(R"(\SystemRoot\System32\drivers\x.sys)")},
                      {"Start", RegType::kDword, EncodeDword(3)}};
  }
  RegKey& containerd = KeyAt(root, name + R"(\Services\containerd)");
  containerd.values = {{"ImagePath", RegType::kExpandSz, EncodeSz(R"(C:\k\containerd.exe)")},
                       {"Environment", RegType::kMultiSz, images::EncodeMultiSz({"FOREIGN=1", "no equals sign"})}};
  KeyAt(root, name + R"(\Services\Tcpip\Parameters)");
  KeyAt(root, name + R"(\Services\EventLog\Application)").values = {{"MaxSize", RegType::kDword, EncodeDword(1 << 24)}};
}

}  // namespace

RegKey SampleSystem() {
  RegKey root;
  KeyAt(root, "Select").values = {{"Current", RegType::kDword, EncodeDword(1)},
                                  {"Default", RegType::kDword, EncodeDword(1)},
                                  {"Failed", RegType::kDword, EncodeDword(0)},
                                  {"LastKnownGood", RegType::kDword, EncodeDword(2)}};
  AddControlSet(root, "ControlSet001");
  AddControlSet(root, "ControlSet002");
  KeyAt(root, "Setup").values = {{"SystemSetupInProgress", RegType::kDword, EncodeDword(0)}};
  return root;
}

RegKey SampleSoftware(const std::string& foreign_root) {
  RegKey root;
  KeyAt(root, R"(Microsoft\Windows NT\CurrentVersion)").values = {
      {"SystemRoot", RegType::kSz, EncodeSz(R"(C:\Windows)")}};
  KeyAt(root, R"(Microsoft\Cryptography)").values = {
      {"MachineGuid", RegType::kSz, EncodeSz("9a2a7a60-3c5f-4d1c-9d8e-2f5b8f1c0a11")}};
  for (const char* store : {"ROOT", "CA", "Disallowed", "AuthRoot"}) {
    for (const char* kind : {"Certificates", "CRLs", "CTLs"}) {
      KeyAt(root, std::string(R"(Microsoft\SystemCertificates\)") + store + "\\" + kind);
    }
  }
  if (!foreign_root.empty()) {
    KeyAt(root, R"(Microsoft\SystemCertificates\ROOT\Certificates\)" + machine::CertificateKeyName(foreign_root))
        .values = {{"Blob", RegType::kBinary, machine::EncodeCertificateBlob(foreign_root)}};
  }
  for (const char* view : {"", R"(WOW6432Node\)"}) {
    KeyAt(root, std::string(view) + R"(Microsoft\Windows\CurrentVersion\Internet Settings\Connections)");
  }
  for (int i = 0; i < 300; ++i) {
    KeyAt(root, R"(Classes\CLSID\{)" + std::to_string(100000 + i) + R"(}\InprocServer32)").values = {
        {"", RegType::kSz, EncodeSz("x.dll")}, {"ThreadingModel", RegType::kSz, EncodeSz("Both")}};
  }
  return root;
}

std::string SampleHive(const RegKey& root, const std::string& name) {
  images::HiveOptions options;
  options.file_name = name;
  auto bytes = images::WriteHive(root, options);
  if (!bytes) throw std::runtime_error(bytes.error().message);
  return *std::move(bytes);
}

}  // namespace prov::testing_support
