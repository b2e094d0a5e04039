# Checks after a restart (a second run, with -Continue), after an installation by Windows setup with a payload, and
# after a removal.

Add-Check 'setup-passes' @{
    Claim = 'the specialize pass ran the payload''s command with exit code 0, and SetupComplete.cmd did'
    Needs = @('administrator', 'setup')
    Body = {
        $log = Get-Content -LiteralPath (Join-Path $env:SystemRoot 'Setup\Scripts\Provisioner.log') -Raw
        Test-Like 'SetupComplete.cmd in the specialize pass' '(?m)^==== .* SetupComplete\.cmd specialize' $log
        $codes = @([regex]::Matches($log, '(?m)^==== exit code (\d+)') | ForEach-Object { $_.Groups[1].Value } | Sort-Object -Unique)
        Test-Same 'exit codes' '0' ($codes -join ' ')
        Test-Same 'a failure was noted' 'False' (Test-Path -LiteralPath (Join-Path $env:SystemRoot 'Setup\Scripts\Provisioner.failed'))
        $panther = @('Panther\setupact.log', 'Panther\UnattendGC\setupact.log' | ForEach-Object { Join-Path $env:SystemRoot $_ } | Where-Object { Test-Path -LiteralPath $_ })
        Test-Same 'Windows setup tells of our command' 'True' (@(Select-String -LiteralPath $panther -Pattern 'Provisioner\scripts\SetupComplete.cmd' -SimpleMatch).Count -gt 0)
        # The credentials of a payload go once setup is over.
        Test-Same 'egress.json with a password is left' 'False' (@(Get-ChildItem -LiteralPath (Join-Path $env:SystemRoot 'Setup\Scripts') -Recurse -Filter 'egress.json' | Select-String -Pattern '"[^"]*://[^"/]*:[^"/]*@').Count -gt 0)
    }
}

Add-Check 'reboot-marker' @{
    Claim = 'the reboot that variables need is no longer due after a restart'
    Needs = @('second-boot')
    Phase = 'second'
    Body = {
        $status = Read-Provisioner @('status') @(0, 4)
        Test-Same 'a reboot is required' 'False' $status.rebootRequired
        Test-Same 'reasons' '' (@($status.reasons) -join ' ')
        Test-Same 'drift' '0' @($status.drift).Count
    }
}

Add-Check 'service-at-boot' @{
    Claim = 'the service was started at the boot, before anybody logged on asked for it, and its round wrote nothing'
    Needs = @('second-boot')
    Phase = 'second'
    Body = {
        $boot = (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime
        $events = @(Get-WinEvent -FilterHashtable @{ LogName = 'Application'; ProviderName = 'Provisioner'; StartTime = $boot } -ErrorAction SilentlyContinue)
        $started = @($events | Where-Object { $_.Id -eq 10 } | Sort-Object -Property TimeCreated | Select-Object -First 1)
        Test-Same 'event 10 since the boot' '1' $started.Count
        if ($started.Count -gt 0) { Test-Same 'within five minutes of it' 'True' (($started[0].TimeCreated - $boot).TotalMinutes -lt 5) }
        Test-Same 'rounds that changed something (event 1)' '0' @($events | Where-Object { $_.Id -eq 1 }).Count
        Test-Same 'failures' '0' @($events | Where-Object { $_.Id -ge 100 }).Count
    }
}

Add-Check 'service-before-containers' @{
    Claim = 'containerd and kubelet, where they start at the boot, find the settings already in place'
    Needs = @('second-boot')
    Phase = 'second'
    Body = {
        $services = @(Get-CimInstance -ClassName Win32_Service | Where-Object { 'containerd', 'kubelet' -contains $_.Name -and $_.State -eq 'Running' })
        if ($services.Count -eq 0) { Skip-Check 'neither containerd nor kubelet runs here' }
        $told = @((Read-Provisioner @('status') @(0, 4)).services | Where-Object { @($services | ForEach-Object { $_.Name }) -contains $_.name })
        if ($told.Count -eq 0) { Skip-Check 'they came after the first run, so its payload does not name them' }
        foreach ($one in $told) {
            Test-Same "why the environment of $($one.name) can not be read" '' $one.unreadable
            Test-Same "$($one.name) has an earlier environment" 'False' $one.stale
        }
    }
}

Add-Check 'machine-variables-after-boot' @{
    Claim = 'a service without an environment of its own sees the machine variables after the restart'
    Changes = 'the service ProvisionerVerify2, for a moment'
    Needs = @('second-boot')
    Phase = 'second'
    Body = {
        Add-ShowingService 'ProvisionerVerify2'
        $seen = Read-ShowingService 'ProvisionerVerify2'
        Test-Same 'NO_PROXY' "NO_PROXY=$($script:noProxy)" (@($seen | Where-Object { $_ -like 'NO_PROXY=*' }) -join ' ')
    }
}

Add-Check 'removal' @{
    Claim = 'remove --all takes everything of ours: values as they were, certificates, service, folders, event source'
    Changes = 'takes back what the check "install" did'
    Needs = @('installed', 'bare')
    Phase = 'last'
    Body = {
        Test-Same 'exit code' '0' (Invoke-Provisioner @('remove', '--all')).Code
        $keys = @($script:environmentKey) + $script:winHttpKeys
        foreach ($entry in @($script:entries | Where-Object { $_.action -eq 'value' -and $keys -ccontains $_.key -and $_.name -ne '__PSLockdownPolicy' })) {
            Test-Same "$($entry.name) is as it was" 'True' ((Read-Value $entry.key $entry.name) -ceq $entry.before)
        }
        foreach ($one in $script:authorities) { Test-Same "the CA is in $($one.Store)" 'False' (Test-InStore $one.Store $one.Thumbprint) }
        Test-Same 'the service' 'absent' (Read-Value $script:serviceKey 'ImagePath')
        Test-Same 'the event source' 'absent' (Read-Value 'SYSTEM\CurrentControlSet\Services\EventLog\Application\Provisioner' 'EventMessageFile')
        foreach ($folder in (Get-ProgramFolder), (Get-StateFolder)) { Test-Same "there is $folder" 'False' (Test-Path -LiteralPath $folder) }
    }
}
