<#
.SYNOPSIS
Puts a cluster's proxy settings and certificates into the Windows on a .vhdx or .vhd that sysprep sealed, before that Windows boots.

.DESCRIPTION
NEVER RUN ON WINDOWS YET: written from documentation; only its syntax is checked. What it does on Linux as customize-disk is tested.

Works on a copy beside the result, which gets the result's name after provisioner.exe found the settings in it. -Disk is as it was until
then. A run that is killed leaves the copy (.customize-disk-*), which may still be mounted: Dismount-DiskImage, then delete it.
Needs an elevated prompt, and provisioner.exe. Hyper-V is not needed.

Exit codes: 0 done; 1 what is thrown here; 4 -Plan found changes; 20 the result failed its check; else those of provisioner.exe.

.PARAMETER Disk
A .vhdx or .vhd. No machine may run on it, and it must not be mounted.
.PARAMETER Apply
What `provisioner apply` takes: the source, then its options.
.PARAMETER Out
The customised disk. -Disk is only read then. It must not exist, unless -Replace is given.
.PARAMETER InPlace
-Disk is replaced by the customised disk, in one step at the end.
.PARAMETER Plan
Only shows what would change.
.PARAMETER Partition
The number of the partition with Windows, as Get-Partition shows it. Needed if several partitions hold a Windows.

.EXAMPLE
.\Customize-Disk.ps1 -Disk server2022.vhdx -Out web.vhdx -Apply 'rendered-worker.yaml', '--install', '--exe', 'provisioner.exe', '--service', 'containerd'
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)][string]$Disk,
    [Parameter(Mandatory = $true)][string[]]$Apply,
    [string]$Out = '',
    [switch]$Replace,
    [switch]$InPlace,
    [switch]$Plan,
    [int]$Partition = 0,
    [string]$Provisioner = 'provisioner.exe'
)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

$basicData = '{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}'
$ways = @(($Out -ne ''), $InPlace.IsPresent, $Plan.IsPresent) | Where-Object { $_ }
if (@($ways).Count -ne 1) { throw 'give one of -Out FILE, -InPlace and -Plan' }
$program = (Get-Command -Name $Provisioner -CommandType Application | Select-Object -First 1).Path

# Programs and .NET do not know where PowerShell is.
$source = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Disk)
if (-not (Test-Path -LiteralPath $source -PathType Leaf)) { throw "${source}: no such file" }
$extension = [IO.Path]::GetExtension($source).ToLowerInvariant()
if ($extension -eq '.avhdx' -or $extension -eq '.avhd') { throw "$source holds only the differences to another disk: merge it first (Merge-VHD), or export the machine" }
if ($extension -ne '.vhdx' -and $extension -ne '.vhd') { throw "$source is no .vhdx or .vhd; customize-disk on Linux takes other formats" }
if ((Get-DiskImage -ImagePath $source).Attached) { throw "$source is mounted, or a machine runs on it: Dismount-DiskImage, or shut that machine down" }
if (Get-Command -Name Get-VHD -ErrorAction SilentlyContinue) {
    if ((Get-VHD -Path $source).ParentPath) { throw "$source holds only the differences to another disk: merge it first (Merge-VHD)" }
}

$result = $source
if ($Out -ne '') {
    $result = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Out)
    if ($result -eq $source) { throw "$Out is -Disk itself; use -InPlace" }
    if ([IO.Path]::GetExtension($result).ToLowerInvariant() -ne $extension) { throw "$Out must end in $extension, which the format is known by" }
    if ((Test-Path -LiteralPath $result) -and -not $Replace) { throw "$Out exists; give -Replace, or another name" }
}

# The letters of the partitions that hold a Windows; partitions without a letter get one.
function Get-WindowsLetter([string]$image) {
    $number = (Get-DiskImage -ImagePath $image).Number
    $found = @()
    foreach ($part in @(Get-Partition -DiskNumber $number)) {
        if ($Partition -ne 0 -and $part.PartitionNumber -ne $Partition) { continue }
        $isData = ($part.GptType -eq $basicData) -or ($part.MbrType -eq 7)
        if (-not $isData) { continue }
        if ([int]$part.DriveLetter -eq 0) {
            Add-PartitionAccessPath -DiskNumber $number -PartitionNumber $part.PartitionNumber -AssignDriveLetter
            $part = Get-Partition -DiskNumber $number -PartitionNumber $part.PartitionNumber
        }
        # A locked volume of BitLocker has no files.
        if (Test-Path -LiteralPath ("{0}:\Windows\System32\config\SYSTEM" -f $part.DriveLetter)) { $found += "$($part.DriveLetter)" }
    }
    if ($found.Count -eq 0) { throw "$source has no partition with Windows that can be read (NTFS, not encrypted by BitLocker)" }
    if ($found.Count -gt 1) { throw "$source has several partitions with Windows; give -Partition N (Get-Partition -DiskNumber $number shows them)" }
    $found[0]
}

# Runs provisioner.exe on the Windows of a disk; sets $script:code.
function Invoke-OnDisk([string]$image, [string]$access, [string[]]$commands) {
    Mount-DiskImage -ImagePath $image -Access $access | Out-Null
    try {
        $root = (Get-WindowsLetter $image) + ':\'
        foreach ($command in $commands) {
            & $program $command @Apply --root $root | Out-Host
            $script:code = $LASTEXITCODE
            if ($script:code -ne 0) { return }
        }
    } finally {
        Dismount-DiskImage -ImagePath $image | Out-Null
    }
}

$code = 0
if ($Plan) {
    Invoke-OnDisk $source 'ReadOnly' @('plan')
    exit $code
}

$copy = Join-Path ([IO.Path]::GetDirectoryName($result)) ('.customize-disk-' + [Guid]::NewGuid().ToString('N') + $extension)
try {
    Write-Output "== copying $source"
    $before = (Get-Item -LiteralPath $source).LastWriteTimeUtc
    [IO.File]::Copy($source, $copy)
    Invoke-OnDisk $copy 'ReadWrite' @('apply')
    if ($code -ne 0) { Write-Output "provisioner apply failed (exit code $code); the message above says why. $source was not touched"; exit $code }
    # Mounted anew: what counts is what has reached the file.
    Write-Output '== verifying'
    Invoke-OnDisk $copy 'ReadOnly' @('plan')
    if ($code -ne 0) { Write-Output "the new disk does not hold the settings as it should; $source was not touched"; exit 20 }
    if ((Get-Item -LiteralPath $source).LastWriteTimeUtc -ne $before) { throw "$source was changed by another program meanwhile; nothing was written" }
    # Replace keeps the permissions of the file that is replaced.
    if (Test-Path -LiteralPath $result) { [IO.File]::Replace($copy, $result, [NullString]::Value) } else { [IO.File]::Move($copy, $result) }
    Write-Output "done: $result"
} finally {
    if (Test-Path -LiteralPath $copy) { Remove-Item -LiteralPath $copy -Force }
}
exit 0
