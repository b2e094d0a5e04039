# Checks on a real Windows what this project could check under Wine, or with parts of Windows, or on paper only; each claim
# with what was expected and what was seen. provisioner/docs/proven.md lists the claims.
#
# FOR A MACHINE THAT CAN BE THROWN AWAY: it changes the proxy, certificates and services of the machine, and kills the
# service it made. It puts back what it changed at its end, also after a failure.
#
#   Verify-OnWindows.ps1                               says what it would do, and changes nothing
#   Verify-OnWindows.ps1 -Provisioner EXE -Report FILE -ThrowawayMachine
#       -AcrossReboot        leave the installation in place at the end: restart, then run with -Continue (exit code 3010)
#       -Continue            the checks after the restart, and the end
#       -PutBack             only put back what an earlier run left; needs no other argument
#       -Only NAME, NAME     these checks alone
#       -Image WIM           an image to edit (a copy of it), such as sources\install.wim of an installation medium
#       -HnsEndpoint GUID    the endpoint that gets a policy, where containers run
#
# FILE is JSON, FILE.markdown the same as a page. Both are made to be attached to an issue: without passwords and the machine's name.
# Exit codes: 0 nothing failed; 4 a check failed; 10 usage; 12 refused; 13 not Windows, no administrator, or not all could be
# put back; 3010 restart now.
#
# Windows PowerShell 5.1 or PowerShell 7 (64 bits), Windows Server 2019, 2022 or 2025, as an administrator.
[CmdletBinding(PositionalBinding = $false)]  # an argument with a typing error is refused
param(
    [string]$Provisioner,
    [string]$Report,
    [switch]$ThrowawayMachine,
    [switch]$AcrossReboot,
    [switch]$Continue,
    [switch]$PutBack,
    [string[]]$Only = @(),
    [string]$Image,
    [string]$HnsEndpoint
)
# There nothing below runs. A run that was cut off in the check of that policy leaves a machine in this state.
if ("$($ExecutionContext.SessionState.LanguageMode)" -ne 'FullLanguage') {
    Write-Host 'Verify-OnWindows: this PowerShell is in Constrained Language Mode, in which the checks do not run.'
    Write-Host 'If an earlier run was cut off: run the following, then start a new PowerShell, and use -PutBack.'
    Write-Host '  reg delete "HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment" /v __PSLockdownPolicy /f'
    exit 13
}
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
foreach ($part in 'Report', 'Undo', 'Machine', 'Fixtures', 'Run', 'ChecksProgram', 'ChecksImages', 'ChecksScripts', 'ChecksSettings', 'ChecksService',
    'ChecksClients', 'ChecksHns', 'ChecksBoot') {
    . (Join-Path $PSScriptRoot "verify/$part.ps1")
}

function Stop-Run {
    param([int]$Code, [string]$Why)
    $Host.UI.WriteErrorLine("Verify-OnWindows: $Why")  # also seen in a remote session
    exit $Code
}

# From another shell (-File) a list comes as one text.
$Only = @($Only | ForEach-Object { $_ -split ',' } | ForEach-Object { $_.Trim() } | Where-Object { $_ })
$unknown = @($Only | Where-Object { @($script:checks | ForEach-Object { $_.Name }) -cnotcontains $_ })
if ($unknown.Count -gt 0) { Stop-Run 10 "there is no check $($unknown -join ', '); without arguments the checks are listed" }
if ($Continue -and -not $ThrowawayMachine -and -not $PutBack) { Stop-Run 10 '-Continue needs -ThrowawayMachine and -Report FILE' }
if (-not $ThrowawayMachine -and -not $PutBack) {
    Format-List
    Write-Host ''
    Write-Host 'Nothing was changed. On a machine that can be thrown away: -Provisioner EXE -Report FILE -ThrowawayMachine'
    exit 0
}
if (-not $PutBack -and (-not $Report -or (-not $Provisioner -and -not $Continue))) { Stop-Run 10 '-ThrowawayMachine needs -Provisioner EXE and -Report FILE' }
if ($Provisioner -and -not (Test-Path -LiteralPath $Provisioner -PathType Leaf)) { Stop-Run 10 "there is no program $Provisioner" }
if ($Image -and -not (Test-Path -LiteralPath $Image -PathType Leaf)) { Stop-Run 10 "there is no image $Image" }
if (-not (Test-Windows)) { Stop-Run 13 'this is not Windows, so nothing can be checked' }
if (-not (Test-SixtyFour)) { Stop-Run 13 'this PowerShell has 32 bits, so it sees other folders: start the one with 64 bits' }
if (-not (Test-Administrator)) { Stop-Run 13 'not an administrator: start it from an elevated prompt' }

# Other programs and .NET take a short path for one below another folder than this shell is in.
$paths = $ExecutionContext.SessionState.Path
if ($Report) {
    $Report = $paths.GetUnresolvedProviderPathFromPSPath($Report)
    if (-not (Test-Path -LiteralPath (Split-Path -Parent $Report) -PathType Container)) { Stop-Run 10 "there is no folder for the report $Report" }
    if (Test-Path -LiteralPath $Report -PathType Container) { Stop-Run 10 "the report $Report is a folder: name a file" }
}
if ($Provisioner) {
    $Provisioner = $paths.GetUnresolvedProviderPathFromPSPath($Provisioner)
    $fault = Get-ProgramFault $Provisioner
    if ($fault) { Stop-Run 10 "$Provisioner ${fault}: give provisioner.exe" }
}
$script:imageFile = ''
if ($Image) { $script:imageFile = $paths.GetUnresolvedProviderPathFromPSPath($Image) }
$script:work = Get-WorkFolder
$script:endpoint = $HnsEndpoint
$saved = Join-Path $script:work 'run.json'
$journal = Join-Path $script:work 'undo.json'
foreach ($pair in @($env:COMPUTERNAME, 'COMPUTER'), @($env:USERDOMAIN, 'DOMAIN'), @($env:USERDNSDOMAIN, 'DOMAIN'), @($env:USERPROFILE, 'PROFILE'), @($script:secret, '***')) {
    if ($pair[0]) { $script:hidden["$($pair[0])"] = $pair[1] }
}
$fault = Get-WorkFault
if ($fault) { Stop-Run 12 "the folder $($script:work) ${fault}: rename or remove it" }
$left = (Test-Path -LiteralPath $journal) -or (Test-Path -LiteralPath "$journal.new")
if ($left -and -not $Continue -and -not $PutBack) { Stop-Run 12 "an earlier run left things to put back ($journal): run with -Continue, or with -PutBack" }
if (-not $left -and ($Continue -or $PutBack)) { Stop-Run 12 "no earlier run left anything ($journal)" }
if ($Continue -and -not (Test-Path -LiteralPath $saved)) { Stop-Run 12 'the earlier run did not come to its restart: run with -PutBack' }

if ($Continue -and -not $PutBack) {
    Restore-Run $saved
    if (-not $script:secondBoot) { Stop-Run 12 'the machine has not been restarted since the first run: restart it, then run with -Continue, or end here with -PutBack' }
}

if ($PutBack) {
    Read-Undo $journal
    $script:program = Join-Path $script:work 'provisioner.exe'
    $undone = @(Invoke-Undo)
    $undone += @(Remove-WorkFolder $undone)
    foreach ($row in $undone) { Write-Host "$($row.action): $($row.result)" }
    exit (Get-ExitCode $undone)
}
$code = 13
$restart = $false
$ended = $false
try {
    if ($Continue) {
        Read-Undo $journal
        Start-Listener
        Invoke-Phase 'second' $Only
    } else {
        $script:bare = -not (Test-Path -LiteralPath (Get-StateFolder)) -and -not (Test-Path -LiteralPath (Get-ProgramFolder)) -and
            (Read-Value 'SYSTEM\CurrentControlSet\Services\Provisioner' 'ImagePath') -ceq 'absent'
        $script:entriesFile = $journal
        New-WorkFolder
        # What takes everything back must not go with the folder it came from.
        Copy-Item -LiteralPath $Provisioner -Destination (Join-Path $script:work 'provisioner.exe') -Force
        $script:program = Join-Path $script:work 'provisioner.exe'
        Initialize-Run
        Invoke-Phase 'first' $Only
        $installed = @($script:results | Where-Object { $_.name -ceq 'install' -and $_.result -ceq 'pass' }).Count -eq 1
        if ($AcrossReboot -and $installed) {
            Save-Run $saved
            $restart = $true
        } else {
            if ($AcrossReboot) { Write-Host 'Nothing was installed, so there is nothing to look at after a restart.' }
            Invoke-Phase 'second' $Only
        }
    }
    if (-not $restart) { Invoke-Phase 'last' $Only }
    $ended = $true
} catch {
    Add-Result @{ Name = 'run'; Claim = 'the checks run to their end' } 'fail' "$($_.Exception.Message) ($($_.InvocationInfo.PositionMessage))"
} finally {
    if ($restart) {
        Stop-Listener
        Write-Host "Restart the machine, then run: Verify-OnWindows.ps1 -ThrowawayMachine -Continue -Report '$Report'"
        $code = 3010
    } else {
        # Also after Ctrl-C, which comes here without an exception.
        if (-not $ended) { Add-Unrun $Only }
        $code = Complete-Run $Report
    }
}
exit $code
