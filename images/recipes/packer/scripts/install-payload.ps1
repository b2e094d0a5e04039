# Puts the payload that packer uploaded to where Windows setup runs it; with EGRESS=apply it is also applied to this
# machine now. Exit codes: 0; 3010 done, a restart is required; those of provisioner.exe; 1 for what is thrown here.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

$uploaded = Join-Path $env:SystemDrive 'ProvisionerBuild\payload'
$scripts = Join-Path $env:SystemRoot 'Setup\Scripts'
$payload = Join-Path $scripts 'Provisioner'
$program = Join-Path $payload 'provisioner.exe'
$line = '@call "%SystemRoot%\Setup\Scripts\Provisioner\scripts\SetupComplete.cmd"'

if ($env:EGRESS -ne 'deliver' -and $env:EGRESS -ne 'apply') { throw "EGRESS is '$env:EGRESS'; it must be deliver or apply" }
foreach ($name in 'manifest.json', 'provisioner.exe') {
    if (-not (Test-Path -LiteralPath (Join-Path $uploaded $name))) {
        throw "the payload holds no $name; make it with: provisioner bake SOURCE --out payload --exe provisioner.exe"
    }
}

# Reads every file against the manifest: an upload that was cut short ends here. What it prints is redacted.
& (Join-Path $uploaded 'provisioner.exe') extract $uploaded | Out-Null
if ($LASTEXITCODE -ne 0) { Write-Output 'the uploaded payload is damaged; the message above says where'; exit $LASTEXITCODE }

# Copied into a folder that is closed already: a moved file would keep the permissions of the place it comes from.
if (Test-Path -LiteralPath $payload) { Remove-Item -LiteralPath $payload -Recurse -Force }
[IO.Directory]::CreateDirectory($payload) | Out-Null
& icacls.exe $payload /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' /q | Out-Null
if ($LASTEXITCODE -ne 0) { throw "icacls.exe can't close $payload to users (exit code $LASTEXITCODE)" }
Copy-Item -Path (Join-Path $uploaded '*') -Destination $payload -Recurse -Force

# Whoever answers setup's questions on a platform may bring an answer file without our command; this runs all the same.
$setupComplete = Join-Path $scripts 'SetupComplete.cmd'
$bytes = [Text.Encoding]::GetEncoding(28591) # what others wrote there stays byte for byte
$text = ''
if (Test-Path -LiteralPath $setupComplete) { $text = [IO.File]::ReadAllText($setupComplete, $bytes) }
if (-not $text.Contains($line)) {
    if ($text -ne '' -and -not $text.EndsWith("`n")) { $text += "`r`n" }
    [IO.File]::WriteAllText($setupComplete, $text + $line + "`r`n", $bytes)
}

if ($env:EGRESS -eq 'deliver') {
    Write-Output 'delivered: nodes apply it when they first boot; nothing of it is in force on this machine'
    exit 0
}
& $program first-boot $payload --exit-style msi
exit $LASTEXITCODE
