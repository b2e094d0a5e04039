# Runs a script of the payload outside of Windows: supplies the one cmdlet that PowerShell has on Windows only.
# FAKE_LANGUAGE is the language mode that a policy would set. What the script asks of .NET's registry is asked of the JSON
# store (stand-in-registry.ps1).
#   pwsh -NoProfile -File driver.ps1 SCRIPT [-Remove] [-AllowDowngrade]
. "$PSScriptRoot/stand-in-registry.ps1"
function Get-Acl {
    param([string]$LiteralPath)
    $lines = @(& $env:FAKE_PYTHON $env:FAKE_SCRIPT 'sddl' $LiteralPath)
    return (New-Object -TypeName PSObject -Property @{ Sddl = $lines[0] })
}
$target = $args[0]
$options = @{}
for ($i = 1; $i -lt $args.Count; $i++) { $options[$args[$i].TrimStart([char]'-')] = $true }
if ($env:FAKE_LANGUAGE) { $ExecutionContext.SessionState.LanguageMode = $env:FAKE_LANGUAGE }
& $target @options
exit $LASTEXITCODE
