// Answer files that the tests are made of.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "provisioner/unattend/answer_file.h"

namespace prov::unattend::answer_files {

inline constexpr std::string_view kWhere = "unattend.xml";
inline constexpr std::string_view kCommandLine =
    R"(cmd.exe /d /c %SystemRoot%\Setup\Scripts\Provisioner\scripts\SetupComplete.cmd specialize)";

inline AnswerFileCommand OurCommand() {
  AnswerFileCommand command;
  command.description = "Apply the egress settings of the cluster";
  command.command_line = kCommandLine;
  return command;
}

inline std::string Unattend(std::string_view contents) {
  return fmt::format("<unattend xmlns=\"urn:schemas-microsoft-com:unattend\">{}</unattend>", contents);
}

inline std::string Component(std::string_view name, std::string_view architecture, std::string_view contents) {
  return fmt::format(
      "<component name=\"{}\" processorArchitecture=\"{}\" publicKeyToken=\"31bf3856ad364e35\" language=\"neutral\" "
      "versionScope=\"nonSxS\">{}</component>",
      name, architecture, contents);
}

// The pass with a list of commands.
inline std::string Specialize(std::string_view commands) {
  const std::string list = fmt::format("<RunSynchronous>{}</RunSynchronous>", commands);
  return fmt::format("<settings pass=\"specialize\">{}</settings>",
                     Component("Microsoft-Windows-Deployment", "amd64", list));
}

}  // namespace prov::unattend::answer_files
