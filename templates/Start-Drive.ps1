#ps1_sysnative
# Applies the payload in the folder "provisioner" of a drive that was made by "provisioner bake --format iso".
# cloudbase-init has this script as user data, runs it as the account of its service (an administrator; its installer makes
# one named cloudbase-init), and it finds the drive by its label. Any other drive has it at its root, where the drive's
# unattend.xml runs it with the argument "specialize".
#
# The payload is copied to %SystemRoot%\Setup\Scripts\Provisioner first, where only administrators may look: files of a CD
# have no owner whom provisioner.exe could trust, and at a later boot the drive is gone. From there it is applied as one
# that was delivered: with provisioner.exe in it that program does it, stays on the machine, reconciles at each boot and
# removes the copies with credentials; without it this script removes them when the settings are in place.
#
# A payload is applied once: its manifest's hash is in Provisioner.drive beside the copy then. But cloudbase-init copies the
# drive at each boot at which it finds it, and can't delete the copy. So it is asked to run this at each boot, and the copy
# goes.
#
# Exit codes: 1002 done, or the next boot may help: the machine could not be read or written (13), a download failed (14) or
# another run holds the lock (15); 1003 done, and cloudbase-init shall reboot the machine; 11 there is no such drive; 12
# refused for safety; others as those of provisioner.exe and Apply-Egress.ps1. With "specialize" always 0: Windows setup
# would stop at any other. The code is in Provisioner.failed then, and the text in Provisioner.log, as SetupComplete.cmd has
# it.
param([string]$Phase = '')

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$system32 = Join-Path $env:SystemRoot 'System32'
$scripts = Join-Path $env:SystemRoot 'Setup\Scripts'
$target = Join-Path $scripts 'Provisioner'
$failed = Join-Path $scripts 'Provisioner.failed'
$applied = Join-Path $scripts 'Provisioner.drive'

# cloudbase-init takes any code but its own for done, and does not run this again.
function Get-CloudbaseCode($code) {
    if (@(0, 13, 14, 15) -contains $code) { return 1002 }
    if ($code -eq 1001) { return 1003 }
    $code
}

function Stop-With($code, $text) {
    Write-Host "error: $text"
    if (-not $Phase) { exit (Get-CloudbaseCode $code) }
    if (-not (Test-Path -LiteralPath $scripts)) { New-Item -ItemType Directory -Path $scripts | Out-Null }
    Add-Content -LiteralPath (Join-Path $scripts 'Provisioner.log') -Value "error: $text"
    Set-Content -LiteralPath $failed -Value "$code"
    exit 0
}

function Find-Payload {
    if ($Phase) { return (Join-Path $PSScriptRoot 'provisioner') }
    foreach ($drive in @(Get-CimInstance -ClassName Win32_LogicalDisk)) {
        if (@('config-2', 'cidata') -notcontains "$($drive.VolumeName)") { continue }
        $folder = Join-Path "$($drive.DeviceID)\" 'provisioner'
        if (Test-Path -LiteralPath (Join-Path $folder 'manifest.json')) { return $folder }
    }
    Stop-With 11 'no drive with the label config-2 or cidata has a folder "provisioner" with a payload'
}

# A folder that SYSTEM or Administrators own and nobody else can open, and no link: as Apply-Egress.ps1 has it.
function Test-Protected {
    $shown = "$((Get-Item -LiteralPath $target -Force).Attributes) $((Get-Acl -LiteralPath $target).Sddl)"
    $shown -cmatch '\A(?!.*ReparsePoint)[\w, ]*Directory[\w, ]* O:(?:SY|BA)[^(]*D:P[AIR]*(?:\(A;\w*;\w+;;;(?:SY|BA)\))+(?:S:.*)?\z'
}

# An earlier copy of ours makes room: nobody but an administrator can have put anything into it.
function New-Target {
    if (Test-Path -LiteralPath $target) {
        if (-not (Test-Protected)) {
            Stop-With 12 "$target is there and is not administrators' alone: check what is in it and remove it"
        }
        Remove-Item -LiteralPath $target -Recurse -Force
    }
    if (-not (Test-Path -LiteralPath $scripts)) { New-Item -ItemType Directory -Path $scripts | Out-Null }
    New-Item -ItemType Directory -Path $target | Out-Null
    $icacls = Join-Path $system32 'icacls.exe'
    & $icacls $target '/setowner' '*S-1-5-32-544' | Out-Null
    & $icacls $target '/inheritance:r' '/grant:r' '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' | Out-Null
    if (-not (Test-Protected)) { Stop-With 13 "$target can't be restricted to administrators (icacls.exe gave $LASTEXITCODE)" }
    if (@(Get-ChildItem -LiteralPath $target -Force).Count -gt 0) {
        Stop-With 12 "a file appeared in $target before it was protected: check it and remove the folder"
    }
}

function Test-Link($item) { "$($item.Attributes)" -match 'ReparsePoint' }

# Files of a CD are read-only, and so are their copies; nobody could remove those with credentials.
function Clear-ReadOnly($folder) {
    & (Join-Path $system32 'attrib.exe') '-r' (Join-Path $folder '*') '/d' | Out-Null
    foreach ($item in @(Get-ChildItem -LiteralPath $folder -Force)) {
        if ($item.PSIsContainer -and -not (Test-Link $item)) { Clear-ReadOnly $item.FullName }
    }
}

function Copy-Payload($from) {
    Get-ChildItem -LiteralPath $from -Force | Copy-Item -Destination $target -Recurse
    Clear-ReadOnly $target
}

function Test-Owner($path) { (Get-Acl -LiteralPath $path).Sddl -cmatch '\AO:(?:SY|BA)[GDS]:' }

# This account, as it stands in the list of a folder of its own profile; SYSTEM where nobody tells.
function Get-Account {
    try {
        if ("$(& (Join-Path $system32 'whoami.exe') '/user' '/fo' 'csv' '/nh')" -match 'S-1-5-[\d-]+') { return $Matches[0] }
    } catch { }
    'SY'
}

# Administrators own it, and others than these and this account can only read it. So nobody can put a link in the place of
# what is in it while that is removed.
function Test-Closed($path) {
    $all = "\w+;;;(?:SY|BA|CO|OW|$account)"
    $read = '(?:FR|FX|FRFX|GR|GX|GXGR|0x1200a9);;;[\w-]+'
    (Test-Owner $path) -and
        (Get-Acl -LiteralPath $path).Sddl -cmatch "\A[^(]*D:[PAIR]*(?:\(A;\w*;(?:$all|$read)\))+(?:S:.*)?\z"
}

# A link in it, or a folder that others can change, ends this.
function Remove-Closed($folder) {
    if (-not (Test-Closed $folder)) { throw 'others can change it' }
    foreach ($item in @(Get-ChildItem -LiteralPath $folder -Force)) {
        if (Test-Link $item) { throw 'a link' }
        if ($item.PSIsContainer) { Remove-Closed $item.FullName } else { Remove-Item -LiteralPath $item.FullName -Force }
    }
    Remove-Item -LiteralPath $folder -Force
}

# cloudbase-init copies the drive to a folder in its temporary folder before it runs this, and removes the copy when it is
# through. As the copied files are read-only it can't, and they would stay there with their credentials. So they become
# writable. The payload among them, which it does not read, goes at once, but only where nobody else can write: the folder in
# it may be a user's, and a recursive removal would follow what he puts there. Of others' work nothing is touched.
function Remove-Copy {
    $account = Get-Account
    if (-not $env:TEMP) { return }
    foreach ($folder in @(Get-ChildItem -LiteralPath $env:TEMP -Force -ErrorAction SilentlyContinue)) {
        if (-not $folder.PSIsContainer -or (Test-Link $folder)) { continue }
        $copy = Join-Path $folder.FullName 'provisioner'
        try {
            if (-not (Test-Path -LiteralPath (Join-Path $copy 'manifest.json'))) { continue }
            if (Test-Link (Get-Item -LiteralPath $copy -Force)) { continue }
            if (-not (Test-Owner $folder.FullName) -or -not (Test-Owner $copy)) { continue }
            Clear-ReadOnly $folder.FullName
            if (Test-Closed $folder.FullName) { Remove-Closed $copy }
        } catch {
            # What can't be read or removed there must not keep the settings from the node.
            Write-Host "warning: $copy can't be removed. It may hold credentials of the proxy: remove it"
        }
    }
}

function Remove-Secrets {
    $manifest = Get-Content -LiteralPath (Join-Path $target 'manifest.json') -Raw | ConvertFrom-Json
    foreach ($file in @($manifest.files)) {
        if ($file.secret) { Remove-Item -LiteralPath (Join-Path $target $file.path) -Force }
    }
}

try {
    $payload = Find-Payload
    $hash = ''
    if (-not $Phase) {
        Remove-Copy
        $hash = (Get-FileHash -LiteralPath (Join-Path $payload 'manifest.json')).Hash
        if ((Test-Path -LiteralPath $applied) -and "$(Get-Content -LiteralPath $applied)" -eq $hash) { exit 1002 }
    }
    New-Target
    Copy-Payload $payload
    $program = Join-Path $target 'provisioner.exe'
    $staying = Test-Path -LiteralPath $program
    if ($Phase) {
        & (Join-Path $system32 'cmd.exe') '/d' '/c' (Join-Path $target 'scripts\SetupComplete.cmd') 'specialize' | Out-Null
        if (-not $staying -and -not (Test-Path -LiteralPath $failed)) { Remove-Secrets }
        exit 0
    }
    if ($staying) {
        & $program first-boot $target --exit-style cloudbase
    } else {
        $shell = Join-Path $system32 'WindowsPowerShell\v1.0\powershell.exe'
        & $shell -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -File (Join-Path $target 'scripts\Apply-Egress.ps1')
        if ($LASTEXITCODE -eq 0) { Remove-Secrets }
    }
    $code = $LASTEXITCODE
    if (@(0, 1001) -contains $code) { Set-Content -LiteralPath $applied -Value $hash }
    exit (Get-CloudbaseCode $code)
} catch {
    # The text of a foreign error may quote a value, so only its kind and place are told.
    Stop-With 13 "the payload could not be copied or run: $($_.FullyQualifiedErrorId), line $($_.InvocationInfo.ScriptLineNumber)"
}
