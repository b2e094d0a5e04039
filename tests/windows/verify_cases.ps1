# Runs parts of Verify-OnWindows.ps1 that ask Windows for nothing, and prints what they gave as JSON. verify_test.py calls it.
#   pwsh -NoProfile -File verify_cases.ps1 CASE FOLDER [PROGRAM CURL PWSH]
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
foreach ($part in 'Report', 'Undo', 'Machine', 'Fixtures', 'Run', 'ChecksSettings', 'ChecksService', 'ChecksScripts', 'ChecksClients') {
    . (Join-Path $PSScriptRoot "verify/$part.ps1")
}
$case, $folder = $args[0], $args[1]

function Get-Results {
    $script:checks.Clear()
    $script:hidden['HOSTNAME-7'] = 'COMPUTER'
    $script:hidden['dc1'] = 'PC'
    Add-Check 'differs' @{ Claim = 'c'; Body = { Test-Same 'one' '1' '2'; Test-Like 'two' '\Ax' 'xy' } }
    Add-Check 'throws' @{ Claim = 'c'; Body = { Test-Same 'one' '1' '1'; throw "at`nhostname-7, DC1, SDC12" } }
    Add-Check 'nothing' @{ Claim = 'c'; Body = { 'compares nothing' } }
    Add-Check 'skips-after-a-difference' @{ Claim = 'c'; Body = { Test-Same 'one' '1' '2'; Skip-Check 'late' } }
    Add-Check 'lacks' @{ Claim = 'c'; Needs = @('image'); Body = { Test-Same 'one' '1' '1' } }
    Add-Check 'case' @{ Claim = 'c'; Body = { Test-Same 'one' 'a' 'A' } }
    Add-Check 'pipes' @{ Claim = 'a | b'; Body = { Test-Same 'one' 'a|b<c' 'a|b<c'; 'printed besides' } }
    Invoke-Phase 'first' @()
    $undone = @(New-Object -TypeName PSObject -Property @{ action = 'value x of hostname-7'; result = 'done' })
    $report = New-Report @{ build = '17763'; words = 'x|y' } $undone
    Write-Report $report (Join-Path $folder 'report.json')
    return @($script:results)
}

# The stand-in of the one that asks Windows.
function Invoke-UndoAction {
    param([hashtable]$Entry)
    $script:done += @("$($Entry.action) $($Entry.name)")
    if ($Entry.action -eq 'refuses') { throw 'no' }
}

function Get-UndoCourse {
    $script:done = @()
    $file = Join-Path $folder 'undo.json'
    Read-Undo $file
    Add-Undo @{ action = 'value'; key = 'k'; name = 'a'; before = 'String:1' }
    Add-Undo @{ action = 'refuses'; name = 'b' }
    # Another value of before for the same place is what this run itself set.
    Add-Undo @{ action = 'value'; key = 'k'; name = 'a'; before = 'String:2' }
    Add-Undo @{ action = 'service'; name = 'c' }
    $inFile = [System.IO.File]::ReadAllText($file)
    # As a later run does.
    Read-Undo $file
    $first = @(Invoke-Undo)
    $left = [System.IO.File]::ReadAllText($file)
    Read-Undo $file
    $count = $script:entries.Count
    $script:entries.Clear()
    Add-Undo @{ action = 'removal'; name = 'e' }
    Add-Undo @{ action = 'service'; name = 'd' }
    [void]@(Invoke-Undo)
    $there = Test-Path -LiteralPath $file
    $script:entries.Clear()
    [System.IO.File]::Delete($file)
    # Cut off in its first write; and a file that a disk gave back without its text.
    [System.IO.File]::WriteAllText("$file.new", '[{"act')
    Read-Undo $file
    $torn = $script:entries.Count
    [System.IO.File]::WriteAllText($file, "`0`0")
    $unreadable = 'taken for empty'
    try { Read-Undo $file } catch { $unreadable = 'refused' }
    return @{ inFile = $inFile; first = $first; left = $left; count = $count; order = $script:done; there = $there
        torn = $torn; unreadable = $unreadable }
}

function Get-Texts {
    $list = 'O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICIID;FA;;;SY)'
    $bytes = [byte[]]@(0x80, 0x51, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 0x88, 0x13, 0, 0, 1, 0, 0, 0, 0x30, 0x75, 0, 0, 1, 0, 0, 0, 0x60, 0xea, 0, 0)
    $words = @('plain', 'with blank', 'quo"te', 'back\', 'back \', '', 'a\"b', '--x=y z')
    $said = (Invoke-Tool 'python3' (@('-c', 'import json, sys; print(json.dumps(sys.argv[1:]))') + $words)).Out
    return @{ descriptor = (Format-Descriptor $list); wanted = (Format-Descriptor 'O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
        open = (Format-Descriptor 'O:BAD:(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)'); broken = (Format-Descriptor 'nonsense')
        actions = (Format-FailureActions $bytes); short = (Format-FailureActions ([byte[]]@(1))); words = $words; said = (ConvertFrom-Json -InputObject $said)
        readings = @('7.55.1', '7.88.1', '8.0.1', '8.14.1', '8.17.0', '8.18.0', '10.0' | ForEach-Object { Get-CurlReading $_ })
        environment = (Invoke-Tool 'python3' @('-c', 'import os; print(os.environ.get("A"), os.environ.get("HOME"))') @{ A = 'b c'; HOME = $null }).Out.Trim()
        modules = (Invoke-Tool 'python3' @('-c', 'import os; print(os.environ.get("PSModulePath"))')).Out.Trim() }
}

# Settings that the program reads, and clients of this machine at the listener.
function Get-Clients {
    $script:program = $args[0]
    Start-Listener
    try {
        $script:settings = Join-Path $folder 'settings.json'
        $one = New-Authority 'Verify A'
        Write-Settings $script:settings (Get-ListenerUrl) $script:noProxy $one.Pem
        $read = ConvertFrom-Json -InputObject (Invoke-Provisioner @('extract', $script:settings)).Out
        $script:checks.Clear()
        Add-Check 'curl' @{ Claim = 'c'; Body = { Test-Curl $script:curl } }
        Add-Check 'dotnet' @{ Claim = 'c'; Body = { Test-Shell $script:shell 'dotnet' (Get-ProxyVariables) } }
        $script:curl = $args[1]
        $script:shell = $args[2]  # this process can be the dotnet that runs it
        Invoke-Phase 'first' @()
        return @{ results = @($script:results); thumbprint = $one.Thumbprint; read = $read; port = $script:listener.Port }
    } finally { Stop-Listener }
}

# Everything that is printed on the way goes to standard output's place for people.
$answer = switch ($case) {
    'results' { Get-Results 6>$null }
    'undo' { Get-UndoCourse }
    'texts' { Get-Texts }
    'clients' { Get-Clients $args[2] $args[3] $args[4] 6>$null }
}
ConvertTo-Json -InputObject $answer -Depth 8
