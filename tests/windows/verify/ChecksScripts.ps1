# The baked scripts and user data under the PowerShells of this machine, also in Constrained Language Mode, and what
# Windows logs about them.

# The shell of an edition: 5.1, or 7.
function Get-Shell {
    param([string]$Edition)
    if ($Edition -eq '5.1') { return "$(Get-System32)\WindowsPowerShell\v1.0\powershell.exe" }
    return @(Get-Command -Name 'pwsh' -CommandType Application -ErrorAction SilentlyContinue | ForEach-Object { $_.Path })[0]
}

function Invoke-BakedScript {
    param([string]$Payload, [string]$Edition, [string[]]$Options = @())
    $words = @('-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', (Join-Path $Payload 'scripts\Apply-Egress.ps1'))
    return (Invoke-Tool (Get-Shell $Edition) ($words + $Options))
}

# Installs with the script, asks the program what is left to do, and takes everything back.
function Test-BakedScript {
    param([string]$Payload, [string]$Edition)
    Add-Undo @{ action = 'folder'; path = (Get-StateFolder) }
    Add-SettingsUndo
    Add-Undo @{ action = 'script-record'; path = $Payload }
    $before = Read-Value $script:environmentKey 'NO_PROXY'
    $run = Invoke-BakedScript $Payload $Edition
    Test-Same 'exit code of Apply-Egress.ps1' '0' "$($run.Code)$(if ($run.Code -ne 0) { " $($run.Out) $($run.Err)" })"
    $plan = Read-Provisioner @('plan', $Payload) @(0, 4)
    Test-Same 'what plan would still write' '0' $plan.writes
    Test-Same 'the password in what it printed' 'False' ("$($run.Out)$($run.Err)" -clike "*$($script:secret)*")
    foreach ($one in $script:authorities) { Test-Same "the CA is in $($one.Store)" 'True' (Test-InStore $one.Store $one.Thumbprint) }
    $again = Invoke-BakedScript $Payload $Edition
    Test-Same 'exit code of a second run' '0' $again.Code
    $removed = Invoke-BakedScript $Payload $Edition @('-Undo')
    Test-Same 'exit code of -Undo' '0' $removed.Code
    Test-Same 'NO_PROXY afterwards' $before (Read-Value $script:environmentKey 'NO_PROXY')
    foreach ($one in $script:authorities) { Test-Same "the CA is gone from $($one.Store)" 'False' (Test-InStore $one.Store $one.Thumbprint) }
}

Add-Check 'script-5.1' @{
    Claim = 'Apply-Egress.ps1 does under Windows PowerShell 5.1 what the program would do, and -Undo takes it back'
    Changes = 'what the payload sets; taken back at the end of the check'
    Needs = @('administrator', 'bare')
    Body = { Test-BakedScript $script:scriptPayload '5.1' }
}

Add-Check 'script-7' @{
    Claim = 'Apply-Egress.ps1 does the same under PowerShell 7'
    Changes = 'what the payload sets; taken back at the end of the check'
    Needs = @('administrator', 'bare', 'powershell-7')
    Body = { Test-BakedScript $script:scriptPayload '7' }
}

Add-Check 'script-constrained' @{
    Claim = 'where the lockdown policy sets Constrained Language Mode, Apply-Egress.ps1 changes nothing and says so with 13'
    Changes = 'the machine variable __PSLockdownPolicy, for a moment'
    Needs = @('administrator', 'bare')
    Body = {
        Set-ValueForNow $script:environmentKey '__PSLockdownPolicy' 'String:4'
        try {
            $mode = (Invoke-Tool (Get-Shell '5.1') @('-NoProfile', '-Command', '$ExecutionContext.SessionState.LanguageMode')).Out.Trim()
            if ($mode -ne 'ConstrainedLanguage') { Skip-Check "the variable leaves new processes in $mode; a WDAC or AppLocker policy is needed" }
            $before = Read-Value $script:environmentKey 'NO_PROXY'
            $run = Invoke-BakedScript $script:scriptPayload '5.1'
            Test-Same 'exit code' '13' $run.Code
            Test-Like 'the message' 'Constrained Language Mode' "$($run.Out)$($run.Err)"
            Test-Same 'NO_PROXY afterwards' $before (Read-Value $script:environmentKey 'NO_PROXY')
        } finally { Reset-Value $script:environmentKey '__PSLockdownPolicy' }
    }
}

Add-Check 'setup-complete' @{
    Claim = 'SetupComplete.cmd applies a payload from its place below Windows, and ends with 0 in the specialize pass'
    Changes = 'the folder Setup\Scripts\Provisioner; what the payload sets'
    Needs = @('administrator', 'bare')
    Body = {
        $here = Join-Path $env:SystemRoot 'Setup\Scripts'
        $ours = @('Provisioner', 'Provisioner.log', 'Provisioner.failed' | ForEach-Object { Join-Path $here $_ })
        if (@($ours | Where-Object { Test-Path -LiteralPath $_ }).Count -gt 0) { Skip-Check 'a payload was applied by Windows setup here' }
        if (-not (Test-Path -LiteralPath $here)) { Add-Undo @{ action = 'folder'; path = $here } }
        foreach ($path in $ours) { Add-Undo @{ action = 'folder'; path = $path } }
        Add-SettingsUndo
        [void][System.IO.Directory]::CreateDirectory($here)
        Copy-Item -LiteralPath $script:scriptPayload -Destination (Join-Path $here 'Provisioner') -Recurse -Force
        Add-Undo @{ action = 'script-record'; path = $script:scriptPayload }
        try {
            $run = Invoke-Tool "$(Get-System32)\cmd.exe" @('/d', '/c', (Join-Path $here 'Provisioner\scripts\SetupComplete.cmd'), 'specialize')
            Test-Same 'exit code' '0' $run.Code
            Test-Same 'a failure was noted' 'False' (Test-Path -LiteralPath (Join-Path $here 'Provisioner.failed'))
            Test-Same 'what plan would still write' '0' (Read-Provisioner @('plan', $script:scriptPayload) @(0, 4)).writes
            Test-Same 'exit code of -Undo' '0' (Invoke-BakedScript $script:scriptPayload '5.1' @('-Undo')).Code
        } finally {
            # The check "setup-passes" looks for what Windows setup left here.
            foreach ($path in $ours) { if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path -Recurse -Force } }
        }
    }
}

Add-Check 'user-data' @{
    Claim = 'user data''s script sets the same under Windows PowerShell 5.1'
    Changes = 'what the payload sets, taken back at the end of the check; the folder Setup\Scripts\ProvisionerUserData, taken back at the end of the run'
    Needs = @('administrator', 'bare')
    Body = {
        $here = Join-Path $env:SystemRoot 'Setup\Scripts'
        $unpacked = Join-Path $here 'ProvisionerUserData'
        if (Test-Path -LiteralPath $unpacked) { Skip-Check 'user data was applied on this machine' }
        foreach ($path in $here, $unpacked) { if (-not (Test-Path -LiteralPath $path)) { Add-Undo @{ action = 'folder'; path = $path } } }
        $file = Join-Path $script:work 'user-data.ps1'
        $baked = Invoke-Provisioner @('bake', $script:settings, '--format', 'userdata', '--platform', 'azure', '--out', $file)
        if ($baked.Code -ne 0) { throw "bake ended with $($baked.Code): $($baked.Err)" }
        Add-Undo @{ action = 'folder'; path = (Get-StateFolder) }
        Add-SettingsUndo
        Add-Undo @{ action = 'script-record'; path = $script:scriptPayload }
        $run = Invoke-Tool (Get-Shell '5.1') @('-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File', $file)
        Test-Same 'exit code' '0' "$($run.Code)$(if ($run.Code -ne 0) { " $($run.Out) $($run.Err)" })"
        Test-Same 'what plan would still write' '0' (Read-Provisioner @('plan', $script:settings) @(0, 4)).writes
        Test-Same 'exit code of -Undo' '0' (Invoke-BakedScript $script:scriptPayload '5.1' @('-Undo')).Code
    }
}

Add-Check 'event-4104' @{
    Claim = 'script block logging never shows the password of a payload''s script'
    Changes = 'the policy EnableScriptBlockLogging, and what a payload with a password sets, for a moment'
    Needs = @('administrator', 'bare')
    Body = {
        $policy = 'SOFTWARE\Policies\Microsoft\Windows\PowerShell\ScriptBlockLogging'
        Set-ValueForNow $policy 'EnableScriptBlockLogging' 'DWord:1'
        $begin = Get-Date
        try { Test-BakedScript $script:secretPayload '5.1' } finally { Reset-Value $policy 'EnableScriptBlockLogging' }
        Start-Sleep -Seconds 2
        $events = @(Get-WinEvent -FilterHashtable @{ LogName = 'Microsoft-Windows-PowerShell/Operational'; Id = 4104; StartTime = $begin } -ErrorAction SilentlyContinue)
        Test-Same 'the script is in the log' 'True' (@($events | Where-Object { "$($_.Message)" -like '*Apply-Egress*' }).Count -gt 0)
        Test-Same 'events with the password' '0' @($events | Where-Object { "$($_.Message)" -clike "*$($script:secret)*" }).Count
    }
}
