// The settings that a command line names: SOURCE, and what is taken from it.
#pragma once

#include <string>
#include <string_view>

#include "provisioner/cli/options.h"
#include "provisioner/node/settings.h"

namespace prov::cli {

// SOURCE, how it is read, and which settings are taken from it, as given. Errors: usage, proxy-url.
Result<node::SettingsSpec> ParseSettingsSpec(const Arguments& arguments);

// One word of a command, quoted for this system's shell if it has to be.
std::string ShellWord(std::string_view text);
// The words that ParseSettingsSpec reads as this spec. "SOURCE" for a source that has no place or may hold a password,
// and "URL" for such a proxy.
std::string WordsOf(const node::SettingsSpec& spec);

// The absolute form of a path, for a process with another working folder. Errors: io.
Result<std::string> AbsolutePath(const std::string& path);
// The kubeconfig for a service, which has no user's environment: an absolute path, or "in-cluster". `given` is the path
// on the command line; "": the default of this process. Errors: usage, io.
Result<std::string> AbsoluteKubeconfig(const std::string& given, const std::string& where);

// The spec as a node remembers it, with absolute paths. Excludes the signer: it is pinned in a file that only
// administrators can write. Errors: usage (standard input; no kubeconfig), io.
Result<node::SettingsSpec> SpecToRemember(node::SettingsSpec given);

}  // namespace prov::cli
