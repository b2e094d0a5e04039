// The script for PowerShell, including Windows PowerShell 5.1: tables, and a block that looks words up in them.
#include <fmt/format.h>

#include "provisioner/base/text.h"
#include "provisioner/cli/completion.h"

namespace prov::cli {
namespace {

constexpr std::string_view kPowerShellHead =
    R"(# PowerShell completion of provisioner; printed by: provisioner completion powershell
Register-ArgumentCompleter -Native -CommandName 'provisioner', 'provisioner.exe' -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
)";

// An empty list leaves the word to PowerShell, which offers files.
constexpr std::string_view kPowerShellTail = R"(
  $word = "$wordToComplete"
  $before = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  $command = ''
  $behind = @()
  for ($i = 1; $i -lt $before.Count; $i++) {
    if ($actions.Keys -contains $before[$i]) {
      $command = $before[$i]
      $behind = @($before | Select-Object -Skip ($i + 1))
      break
    }
  }
  $offer = { param($text, $help)
    # In constrained language mode no objects can be made; a text does as well.
    if ($ExecutionContext.SessionState.LanguageMode -eq 'FullLanguage') {
      New-Object System.Management.Automation.CompletionResult $text, $text, 'ParameterValue', $help
    } else {
      $text
    }
  }
  if ($command -eq '') {
    foreach ($row in $commands) { if ($row[0] -like "$word*") { & $offer $row[0] $row[1] } }
    foreach ($name in '--help', '--version', '--output') { if ($name -like "$word*") { & $offer $name $name } }
    return
  }
  $option = ''
  $prefix = ''
  $value = $word
  if ($word -like '--*=*') {
    $option = $word.Substring(0, $word.IndexOf('='))
    $prefix = "$option="
    $value = $word.Substring($prefix.Length)
  } elseif ($behind.Count -gt 0) {
    $option = $behind[-1]
  }
  foreach ($row in $options[$command]) {
    if ($row[0] -eq $option -and $row[1] -ne '') {
      foreach ($choice in ($row[2] -split ' ')) {
        if ($choice -ne '' -and $choice -like "$value*") { & $offer "$prefix$choice" $row[3] }
      }
      return
    }
  }
  if ($word -like '-*') {
    foreach ($row in $options[$command]) { if ($row[0] -like "$word*") { & $offer $row[0] $row[3] } }
  } else {
    $words = @($repeated[$command])
    if ($behind.Count -eq 0) { $words += $actions[$command] }
    foreach ($one in $words) { if ($one -and $one -like "$word*") { & $offer $one $one } }
  }
}
)";

// 'service' = @('install', 'uninstall')
std::string PowerShellList(std::string_view command, std::span<const std::string_view> words) {
  return fmt::format("    '{}' = @({}{}{})\n", command, words.empty() ? "" : "'", fmt::join(words, "', '"),
                     words.empty() ? "" : "'");
}

// @('--format', 'FORM', 'dir tar', 'what it does')
std::string PowerShellRow(const OptionSpec& option) {
  return fmt::format("@('--{}', {}, '{}', {})", option.name, QuotedForPowerShell(option.value),
                     fmt::join(CompletedValueOf(option).words, " "), QuotedForPowerShell(option.help));
}

}  // namespace

std::string PowerShellCompletion(std::span<const CommandSpec> commands) {
  std::string names;
  std::string actions;
  std::string repeated;
  std::string options;
  for (const CommandSpec& command : commands) {
    names += fmt::format("{}    @('{}', {})", names.empty() ? "" : ",\n", command.name,
                         QuotedForPowerShell(command.summary));
    actions += PowerShellList(command.name, ActionsOf(command));
    if (!command.words.empty()) repeated += PowerShellList(command.name, command.words);
    std::string rows;
    for (const OptionSpec& option : command.options)
      rows += fmt::format("{}      {}", rows.empty() ? "" : ",\n", PowerShellRow(option));
    options += fmt::format("    '{}' = @(\n{}\n    )\n", command.name, rows);
  }
  std::string out(kPowerShellHead);
  out += fmt::format("  $commands = @(\n{}\n  )\n  $actions = @{{\n{}  }}\n", names, actions);
  out += fmt::format("  # What each word behind the command may be.\n  $repeated = @{{\n{}  }}\n", repeated);
  out += fmt::format("  # Name, value, words that it may be, what it does.\n  $options = @{{\n{}  }}\n", options);
  out += kPowerShellTail;
  return out;
}

}  // namespace prov::cli
