// Answer files that the tests are made of.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "provisioner/unattend/answer_file.h"

namespace prov::unattend::answer_files {

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

inline std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace prov::unattend::answer_files
