# Runs those checks of Verify-OnWindows.ps1 that ask for no more than Wine has: the program under Wine, asked from a
# PowerShell on Linux. verify_wine_test.py calls it, with an own prefix in PROVISIONER_WINE_PREFIX.
#   pwsh -NoProfile -File verify_wine.ps1 SCRIPTS_WINE PROVISIONER_EXE NAME...      prints the results as JSON
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
foreach ($part in 'Report', 'Undo', 'Machine', 'Fixtures', 'Run', 'ChecksSettings', 'ChecksService', 'ChecksBoot') {
    . (Join-Path $PSScriptRoot "verify/$part.ps1")
}
$wine = $args[0]
$script:program = $args[1]
$only = @($args | Select-Object -Skip 2)
$drive = "$env:PROVISIONER_WINE_PREFIX/drive_c"
$script:work = "$drive/ProvisionerVerify"

# A place of the machine, from outside and from inside.
function Format-Outside {
    param([string]$Path)
    return (($Path -replace '\AC:', $drive) -replace '\\', '/')
}
function Format-Inside {
    param([string]$Text)
    if (-not $Text.StartsWith($drive)) { return $Text }
    return 'C:' + ($Text.Substring($drive.Length) -replace '/', '\')
}

${function:Invoke-Here} = ${function:Invoke-Tool}
function Invoke-Tool {
    param([string]$File, [string[]]$Arguments = @(), [hashtable]$Environment = @{}, [int]$Seconds = 300)
    $file = $File
    if ($File -match '\\([^\\]+)\z') { $file = $Matches[1] }
    return (Invoke-Here $wine (@($file) + @($Arguments | ForEach-Object { Format-Inside $_ })) $Environment $Seconds)
}
function Get-System32 { return 'C:\windows\system32' }
function Get-ProgramFolder { return 'C:\Program Files\Provisioner' }
function Get-StateFolder { return 'C:\ProgramData\Provisioner' }
function Test-Administrator { return $true }
function Test-Windows { return $true }
function Get-Service {
    param([string]$Name)
    $state = 'Stopped'
    if ((Invoke-Tool 'sc' @('query', $Name)).Out -match 'RUNNING') { $state = 'Running' }
    return (New-Object -TypeName PSObject -Property @{ Status = $state })
}
function Test-Path {
    param([string]$LiteralPath)
    return ([System.IO.File]::Exists((Format-Outside $LiteralPath)) -or [System.IO.Directory]::Exists((Format-Outside $LiteralPath)))
}
function Test-InStore {
    param([string]$Store, [string]$Thumbprint)
    return ((Read-Value "SOFTWARE\Microsoft\SystemCertificates\$($Store.ToUpperInvariant())\Certificates\$Thumbprint" 'Blob') -cne 'absent')
}
$kinds = @{ REG_SZ = 'String'; REG_EXPAND_SZ = 'ExpandString'; REG_DWORD = 'DWord'; REG_BINARY = 'Binary'; REG_MULTI_SZ = 'MultiString' }
function Read-Value {
    param([string]$Key, [string]$Name, [string]$View)
    $run = Invoke-Tool 'reg' @('query', "HKLM\$Key", '/v', $Name)
    foreach ($line in ($run.Out -split '\r?\n')) {
        if ($line -notmatch '\A    (?<name>.+?)    (?<kind>REG_\w+)    (?<data>.*)\z' -or $Matches['name'] -ne $Name) { continue }
        $kind, $data = $kinds[$Matches['kind']], $Matches['data']
        if ($kind -eq 'DWord') { $data = [System.Convert]::ToInt32($data, 16) }
        return "${kind}:$data"
    }
    return 'absent'
}
function Write-Value {
    param([string]$Key, [string]$Name, [string]$Text, [string]$View)
    if ($Text -ceq (Read-Value $Key $Name)) { return }
    if ($Text -ceq 'absent') { $words = @('delete', "HKLM\$Key", '/v', $Name, '/f') } else {
        $kind, $data = $Text.Split([char[]]':', 2)
        $type = @($kinds.Keys | Where-Object { $kinds[$_] -eq $kind })[0]
        $words = @('add', "HKLM\$Key", '/v', $Name, '/t', $type, '/d', $data, '/f')
    }
    $run = Invoke-Tool 'reg' $words
    if ($run.Code -ne 0) { throw "reg $($words -join ' ') ended with $($run.Code)" }
}

$script:entriesFile = "$script:work/undo.json"
[void][System.IO.Directory]::CreateDirectory($script:work)
$script:bare = $true
# Wine's service manager keeps no value Environment back from a key whose service starts nothing.
function Add-ShowingService {
    param([string]$Name)
    Add-Undo @{ action = 'service'; name = $Name }
    [void](Invoke-Tool 'sc' @('create', $Name, 'binPath=', 'C:\windows\system32\cmd.exe', 'start=', 'demand'))
}
Initialize-Run
try {
    foreach ($phase in 'first', 'last') { Invoke-Phase $phase $only 6>$null }
} finally {
    Stop-Listener
    $undone = @(Invoke-Undo)
}
ConvertTo-Json -InputObject (New-Report @{} $undone) -Depth 6
