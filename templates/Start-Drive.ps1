#ps1_sysnative
# User data of a drive that was made by "provisioner bake --format iso": cloudbase-init runs it once, as SYSTEM. It finds
# the drive by its label and applies the payload in the folder "provisioner" there. With provisioner.exe in the payload
# that program does it, stays on the machine and reconciles at each boot.
#
# Exit codes: 0 done; 1001 done, cloudbase-init shall reboot the machine; 11 there is no such drive; others as those of
# provisioner.exe and Install-Egress.ps1.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

function Find-Payload {
    foreach ($drive in @(Get-CimInstance -ClassName Win32_LogicalDisk)) {
        if (@('config-2', 'cidata') -notcontains "$($drive.VolumeName)") { continue }
        $folder = Join-Path "$($drive.DeviceID)\" 'provisioner'
        if (Test-Path -LiteralPath (Join-Path $folder 'manifest.json')) { return $folder }
    }
    return ''
}

$payload = Find-Payload
if (-not $payload) {
    Write-Host 'error: no drive with the label config-2 or cidata has a folder "provisioner" with a payload'
    exit 11
}
$program = Join-Path $payload 'provisioner.exe'
if (Test-Path -LiteralPath $program) {
    & $program first-boot $payload --exit-style cloudbase
    exit $LASTEXITCODE
}
$shell = Join-Path $env:SystemRoot 'System32\WindowsPowerShell\v1.0\powershell.exe'
$install = Join-Path $payload 'scripts\Install-Egress.ps1'
& $shell -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File $install
exit $LASTEXITCODE
