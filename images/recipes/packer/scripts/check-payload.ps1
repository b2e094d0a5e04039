# What the image must have before it is sealed. Any other exit code than 0 ends the build.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

$scripts = Join-Path $env:SystemRoot 'Setup\Scripts'
foreach ($name in 'Provisioner\provisioner.exe', 'Provisioner\scripts\SetupComplete.cmd', 'SetupComplete.cmd') {
    $file = Join-Path $scripts $name
    if (-not (Test-Path -LiteralPath $file)) { throw "$file is missing" }
}

if ($env:EGRESS -eq 'deliver') {
    foreach ($name in 'HTTP_PROXY', 'HTTPS_PROXY') {
        $value = [Environment]::GetEnvironmentVariable($name, 'Machine')
        if ($value) { throw "$name is set on this machine although the payload was only to be delivered: every node would start with the proxy of the build" }
    }
    exit 0
}

# After the restart: 4 tells that something is missing or was changed, and shows what.
& (Join-Path $env:ProgramFiles 'Provisioner\provisioner.exe') status
if ($LASTEXITCODE -ne 0) { exit $LASTEXITCODE }
$service = Get-Service -Name Provisioner
if ($service.StartType -ne 'Automatic') { throw "the service Provisioner does not start by itself but is $($service.StartType)" }
