#include "provisioner/userdata/user_data_forms.h"

#include <fmt/format.h>

#include <array>

#include "provisioner/base/base64.h"
#include "provisioner/base/text.h"
#include "provisioner/userdata/gzip_writer.h"

namespace prov::userdata {
namespace {

std::string Compressed(std::string_view text) { return EncodeBase64(Gzip(std::array{text})); }

}  // namespace

std::string InTags(std::string_view script, bool persist) {
  return fmt::format("<powershell>\n{}</powershell>{}", script, persist ? "\n<persist>true</persist>" : "");
}

std::string InEc2LaunchYaml(std::string_view script) {
  std::string out =
      "version: 1.1\n"
      "tasks:\n"
      "- task: executeScript\n"
      "  inputs:\n"
      "  - frequency: always\n"
      "    type: powershell\n"
      "    runAs: localSystem\n"
      "    content: |-\n";
  if (script.ends_with('\n')) script.remove_suffix(1);
  for (const std::string_view line : Split(script, '\n')) out += line.empty() ? "\n" : fmt::format("      {}\n", line);
  return out;
}

std::string WithCloudbaseMark(std::string_view script) { return fmt::format("#ps1_sysnative\n{}", script); }

std::string InMultipart(std::string_view script) {
  // cloudbase-init looks at the name's extension to know what runs it, and older ones don't decode a part.
  return fmt::format(
      "Content-Type: multipart/mixed; boundary=\"===provisioner===\"\n"
      "MIME-Version: 1.0\n"
      "\n"
      "--===provisioner===\n"
      "Content-Type: text/x-shellscript; charset=\"us-ascii\"\n"
      "MIME-Version: 1.0\n"
      "Content-Transfer-Encoding: 7bit\n"
      "Content-Disposition: attachment; filename=\"provisioner.ps1\"\n"
      "\n"
      "{}\n"
      "--===provisioner===--\n",
      script);
}

std::string InCloudConfig(std::string_view script) {
  // A folder where only administrators write. The command's exit code is the script's, and the file goes whatever
  // happens.
  constexpr std::string_view kFile = R"(C:\Windows\Setup\Scripts\ProvisionerUserData.ps1)";
  return fmt::format(
      "#cloud-config\n"
      "write_files:\n"
      "- path: {0}\n"
      "  encoding: gz+b64\n"
      "  content: {1}\n"
      "runcmd:\n"
      "- powershell.exe -NoProfile -ExecutionPolicy Bypass -Command \"try {{ & {0} }} finally {{ del {0} }}; exit "
      "$LASTEXITCODE\"\n",
      kFile, Compressed(script));
}

std::string InGuestInfo(std::string_view user_data) { return Compressed(user_data); }

}  // namespace prov::userdata
