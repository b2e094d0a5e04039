# The list of checks of Verify-OnWindows.ps1, their results, and the report. Nothing here calls Windows, so all of it
# runs wherever PowerShell does.
$script:checks = New-Object System.Collections.ArrayList
$script:results = New-Object System.Collections.ArrayList
$script:hidden = @{}  # text that a report must not show, and what it shows instead

# A check: Claim, Body, and where they are not empty Changes (what the body does to the machine), Needs (names that
# Get-Lack knows) and Phase (first, second: after a restart, last: after everything else).
function Add-Check {
    param([string]$Name, [hashtable]$Check)
    $row = @{ Name = $Name; Changes = ''; Needs = @(); Phase = 'first' }
    foreach ($key in $Check.Keys) { $row[$key] = $Check[$key] }
    [void]$script:checks.Add($row)
}

# What a check compares. Its body may call this as often as it likes; one difference makes the check fail.
function Test-Same {
    param([string]$What, [string]$Expected, [string]$Seen)
    New-Object -TypeName PSObject -Property @{ What = $What; Expected = $Expected; Seen = $Seen; Ok = ($Expected -ceq $Seen) }
}

function Test-Like {
    param([string]$What, [string]$Pattern, [string]$Seen)
    New-Object -TypeName PSObject -Property @{ What = $What; Expected = "matches $Pattern"; Seen = $Seen; Ok = ($Seen -cmatch $Pattern) }
}

function Skip-Check {
    param([string]$Why)
    throw "SKIP: $Why"
}

# Text as a report that others read may show it: in one line, printable, not too long, without the names in $script:hidden.
function Format-Shown {
    param([string]$Text)
    $shown = $Text -replace '[\r\n\t]+', ' ' -replace '[^\x20-\x7e]', '?'
    foreach ($name in @($script:hidden.Keys | Sort-Object -Property Length -Descending)) {
        if (-not $name) { continue }
        $pattern = [regex]::Escape($name)
        # A short name of a machine is also a part of other words.
        if ($name.Length -le 3) { $pattern = "(?<![A-Za-z0-9])$pattern(?![A-Za-z0-9])" }
        $shown = [regex]::Replace($shown, $pattern, [string]$script:hidden[$name], 'IgnoreCase, CultureInvariant')
    }
    $shown = $shown.Trim()
    if ($shown.Length -gt 1000) { $shown = $shown.Substring(0, 1000) + ' (cut)' }
    return $shown
}

function Join-Shown {
    param([object[]]$Compared, [string]$Member)
    $parts = @($Compared | ForEach-Object { "$($_.What): $(Format-Shown $_.$Member)" })
    return ($parts -join '; ')
}

function Add-Result {
    param([hashtable]$Check, [string]$Result, [string]$Why, [object[]]$Compared = @(), [double]$Seconds = 0)
    [void]$script:results.Add((New-Object -TypeName PSObject -Property ([ordered]@{
        name = $Check.Name; claim = $Check.Claim; result = $Result; why = (Format-Shown $Why)
        expected = (Join-Shown $Compared 'Expected'); seen = (Join-Shown $Compared 'Seen')
        seconds = [Math]::Round($Seconds, 1) })))
}

# Runs one check. Whatever its body does, there is one result of it, and the next check goes on.
function Invoke-Check {
    param([hashtable]$Check)
    foreach ($need in @($Check.Needs)) {
        $lack = Get-Lack $need
        if ($lack) { Add-Result $Check 'skipped' $lack; return }
    }
    $begin = Get-Date
    $compared = @()
    $stopped = ''
    try {
        & $Check.Body | ForEach-Object {
            # What commands of the body print besides is no comparison.
            if ($null -ne $_ -and $null -ne $_.PSObject.Properties['Ok']) { $compared += $_ }
        }
    } catch {
        $stopped = $_.Exception.Message
    }
    $seconds = ((Get-Date) - $begin).TotalSeconds
    $wrong = @($compared | Where-Object { -not $_.Ok })
    if ($stopped -cmatch '(?s)\ASKIP: (.*)\z') {
        $why = $Matches[1]
        if ($wrong.Count -eq 0) { Add-Result $Check 'skipped' $why $compared $seconds; return }
        $stopped = ''
    }
    if ($stopped) {
        Add-Result $Check 'fail' "the check ended early: $stopped" $compared $seconds
    } elseif ($wrong.Count -gt 0) {
        Add-Result $Check 'fail' "differs: $(@($wrong | ForEach-Object { $_.What }) -join ', ')" $compared $seconds
    } elseif ($compared.Count -eq 0) {
        Add-Result $Check 'fail' 'the check compared nothing' @() $seconds
    } else {
        Add-Result $Check 'pass' '' $compared $seconds
    }
}

function Get-Count {
    param([string]$Result)
    return @($script:results | Where-Object { $_.result -ceq $Result }).Count
}

# 0: nothing failed; 4: a check failed; 13: something that was changed could not be put back.
function Get-ExitCode {
    param([object[]]$Undone)
    if (@($Undone | Where-Object { $_.result -ne 'done' }).Count -gt 0) { return 13 }
    if ((Get-Count 'fail') -gt 0) { return 4 }
    return 0
}

# What programs said, also when something is put back, may have names in it.
function New-Report {
    param([hashtable]$Machine, [object[]]$Undone)
    $facts = @{}
    foreach ($name in $Machine.Keys) { $facts[$name] = Format-Shown "$($Machine[$name])" }
    return [ordered]@{
        schema = 1
        machine = $facts
        passed = (Get-Count 'pass'); failed = (Get-Count 'fail'); skipped = (Get-Count 'skipped')
        checks = @($script:results)
        undone = @($Undone | ForEach-Object { New-Object -TypeName PSObject -Property ([ordered]@{ action = (Format-Shown $_.action); result = (Format-Shown $_.result) }) })
    }
}

function Format-Cell {
    param([string]$Text)
    return ($Text -replace '\|', '\|' -replace '<', '&lt;')
}

function Format-Markdown {
    param($Report)
    $lines = @('# provisioner on Windows', '')
    $lines += "$($Report.passed) passed, $($Report.failed) failed, $($Report.skipped) skipped."
    $lines += ''
    foreach ($name in @($Report.machine.Keys | Sort-Object)) { $lines += "- ${name}: $(Format-Cell "$($Report.machine[$name])")" }
    $lines += @('', '| check | result | claim | expected | seen |', '|---|---|---|---|---|')
    foreach ($row in $Report.checks) {
        $result = $row.result
        if ($row.why) { $result = "${result}: $($row.why)" }
        $cells = @($row.name, $result, $row.claim, $row.expected, $row.seen) | ForEach-Object { Format-Cell $_ }
        $lines += "| $($cells -join ' | ') |"
    }
    $lines += @('', '| put back | result |', '|---|---|')
    foreach ($row in $Report.undone) { $lines += "| $(Format-Cell $row.action) | $(Format-Cell $row.result) |" }
    return (($lines -join "`n") + "`n")
}

# FILE is JSON; the same as Markdown lies beside it, with .markdown behind its name.
function Write-Report {
    param($Report, [string]$File)
    $plain = New-Object System.Text.UTF8Encoding $false
    [System.IO.File]::WriteAllText($File, ((ConvertTo-Json -InputObject $Report -Depth 6) + "`n"), $plain)
    [System.IO.File]::WriteAllText("$File.markdown", (Format-Markdown $Report), $plain)
}
