#include "provisioner/reconcile/registry_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "provisioner/base/relative_path.h"
#include "provisioner/base/text.h"
#include "provisioner/reconcile/operation.h"
#include "provisioner/registries/hosts_files.h"

namespace prov::reconcile {
namespace {

constexpr std::string_view kOption = "--registry-folder";
constexpr std::string_view kOperatorsFolder = R"(C:\k)";
constexpr std::size_t kMostPathBytes = 150;  // a path of Windows has 260 characters, and the names of files follow

// "PROGRA~1": Windows may have made it for another name, so it could lead anywhere.
bool IsShortName(std::string_view name) {
  const std::size_t tilde = name.find('~');
  return tilde != std::string_view::npos && tilde + 1 < name.size() && IsDigit(name[tilde + 1]);
}

// Why it can't be in the path; "": it can.
std::string_view WhyNoName(std::string_view name) {
  if (IsShortName(name)) return "may be a short name; write the long one";
  if (name.find(';') != std::string_view::npos) return "has a ';', which ends a path for containerd";
  if (!IsSafeRelativePath(name) || name.starts_with(' ')) return "is not taken here: write printable ASCII letters";
  return {};
}

}  // namespace

Result<std::string> FullWindowsPath(std::string_view path) {
  std::string text(path);
  std::ranges::replace(text, '/', '\\');
  const auto refuse = [&](std::string_view why) { return Fail(Code::kUsage, std::string(why), std::string(path)); };
  const bool full = text.size() >= 3 && IsLetter(text[0]) && text[1] == ':' && text[2] == '\\';
  if (!full) return refuse(R"(is not a full path on a drive, such as C:\containerd\certs.d)");
  std::vector<std::string_view> names;
  for (const std::string_view name : Split(std::string_view(text).substr(3), '\\')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (!names.empty()) names.pop_back();
      continue;
    }
    if (const std::string_view why = WhyNoName(name); !why.empty())
      return refuse(fmt::format("has the name \"{}\", which {}", Printable(name), why));
    names.push_back(name);
  }
  return fmt::format("{}:\\{}", AsciiUpper(text.substr(0, 1)), fmt::join(names, "\\"));
}

bool IsOperatorsPath(std::string_view path) {
  if (!EqualsIgnoreAsciiCase(path.substr(0, kOperatorsFolder.size()), kOperatorsFolder)) return false;
  return path.size() == kOperatorsFolder.size() || path[kOperatorsFolder.size()] == '\\';
}

Result<std::string> CheckRegistryFolder(std::string_view path) {
  auto full = FullWindowsPath(path);
  const auto refuse = [&](const std::string& why) {
    return Fail(Code::kUsage, fmt::format("{} {}", Printable(path), why), std::string(kOption));
  };
  if (!full) return refuse(full.error().message);
  if (full->size() == 3) return refuse("is a whole drive; name a folder for hosts.toml files alone");
  if (full->size() > kMostPathBytes) return refuse(fmt::format("has more than {} bytes", kMostPathBytes));
  if (IsOperatorsPath(*full)) {
    return refuse(R"(is below C:\k, whose files the Windows Machine Config Operator writes; it does so by the )"
                  "cluster's mirrors already, so leave out the option");
  }
  return full;
}

Result<std::vector<FileItem>> MakeRegistryFiles(const std::string& folder, const registries::Mirrors& mirrors,
                                                const registries::NodeTrust& trust, Findings& findings) {
  for (const std::optional<Error>* fault : {&mirrors.fault, &mirrors.ca_fault}) {
    if (*fault) return std::unexpected(**fault);
  }
  registries::HostsFiles made = registries::MakeHostsFiles(mirrors, trust);
  findings.insert(findings.end(), std::make_move_iterator(made.findings.begin()),
                  std::make_move_iterator(made.findings.end()));
  std::vector<FileItem> out;
  out.reserve(made.files.size());
  for (registries::RegistryFile& file : made.files) {
    std::string path = fmt::format("{}\\{}\\{}", folder, file.folder, file.name);
    if (file.bytes.size() > kMostManagedFileBytes) {
      return Fail(Code::kSizeLimit,
                  fmt::format("would have {} bytes, and {} are taken; make the trust bundle or the list of mirrors "
                              "smaller",
                              file.bytes.size(), kMostManagedFileBytes),
                  std::move(path));
    }
    out.push_back({std::move(path), std::move(file.bytes)});
  }
  return out;
}

}  // namespace prov::reconcile
