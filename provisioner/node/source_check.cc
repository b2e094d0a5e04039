#include "provisioner/node/source_check.h"

#include <array>

namespace prov::node {
namespace {

// Options whose value is a file, or, where it is no path, a word that names none.
constexpr std::array<std::string_view, 3> kFileOptions = {"--ca=", "--kubeconfig=", "--subtract="};

bool IsPath(std::string_view text) { return text.find_first_of("/\\") != std::string_view::npos; }

}  // namespace

Result<void> CheckSourceFiles(machine::Installation& installation, const SourceWords& words) {
  if (words.front().find("://") == std::string::npos) PROV_TRY(installation.CheckSource(words.front()));
  for (const std::string_view word : words) {
    for (const std::string_view option : kFileOptions) {
      if (!word.starts_with(option)) continue;
      const std::string_view file = word.substr(option.size());
      if (IsPath(file)) PROV_TRY(installation.CheckSource(file));
    }
  }
  return {};
}

}  // namespace prov::node
