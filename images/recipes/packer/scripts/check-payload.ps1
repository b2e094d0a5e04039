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

# After the restart: 4 tells that something is missing or was changed, and shows what. A certificate that expires soon is no
# fault of the image.
$program = Join-Path $env:ProgramFiles 'Provisioner\provisioner.exe'
& $program status
$code = $LASTEXITCODE
if ($code -eq 4) {
    $status = (& $program status --output json | Out-String) | ConvertFrom-Json
    if (@($status.reasons | Where-Object { $_ -ne 'expiry' }).Count -eq 0) {
        Write-Warning 'a certificate of the settings expires within 30 days'
        $code = 0
    }
}
if ($code -ne 0) { exit $code }
$service = Get-Service -Name Provisioner
if ($service.StartType -ne 'Automatic') { throw "the service Provisioner does not start by itself but is $($service.StartType)" }
