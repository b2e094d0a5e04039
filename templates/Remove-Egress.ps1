# Undoes what Install-Egress.ps1 did on this machine, as far as nobody changed it since, and deletes its record. The work
# and the exit codes are those of Install-Egress.ps1 -Remove, which must lie beside this script. Needs no egress.json.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

if ($args.Count -gt 0) {
    Write-Host 'error: usage: Remove-Egress.ps1'
    exit 10
}
$installer = Join-Path $PSScriptRoot 'Install-Egress.ps1'
if (-not (Test-Path -LiteralPath $installer)) {
    Write-Host "error: $installer is missing: copy the whole payload folder"
    exit 11
}
& $installer -Remove
exit $LASTEXITCODE
