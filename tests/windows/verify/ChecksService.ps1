# The boot service as Windows stores it, what happens when it is killed, and what it reports.
$script:serviceKey = 'SYSTEM\CurrentControlSet\Services\Provisioner'

# Restarts and pauses in the value FailureActions: "86400: 1 5000, ..." (1 is "restart the service").
function Format-FailureActions {
    param([byte[]]$Bytes)
    if ($Bytes.Length -lt 20) { return "too short: $($Bytes.Length) bytes" }
    $actions = @()
    for ($at = 20; $at + 8 -le $Bytes.Length; $at = $at + 8) { $actions += "$([System.BitConverter]::ToInt32($Bytes, $at)) $([System.BitConverter]::ToInt32($Bytes, $at + 4))" }
    return "$([System.BitConverter]::ToInt32($Bytes, 0)): $($actions -join ', ')"
}

function Get-ServiceProcess {
    return [int](Get-CimInstance -ClassName Win32_Service -Filter "Name='Provisioner'").ProcessId
}

# Runs BODY while the boot service rests, as a round would bring back what the payload says; then the payload again.
function Use-OtherSettings {
    param([scriptblock]$Body)
    Stop-Service -Name 'Provisioner'
    try { & $Body } finally {
        try { [void](Read-Provisioner @('apply', $script:payload)) } finally { Start-Service -Name 'Provisioner' }
    }
}

Add-Check 'service-definition' @{
    Claim = 'the service runs the quoted path below Program Files as LocalSystem, from the boot on'
    Needs = @('installed')
    Body = {
        Test-Same 'command' "`"$(Get-ProgramFolder)\provisioner.exe`" reconcile --service" ((Read-Value $script:serviceKey 'ImagePath') -replace '\A\w+:', '')
        Test-Same 'account' 'String:LocalSystem' (Read-Value $script:serviceKey 'ObjectName')
        Test-Same 'start' 'DWord:2' (Read-Value $script:serviceKey 'Start')
        Test-Same 'state' 'Running' "$((Get-Service -Name 'Provisioner').Status)"
    }
}

Add-Check 'service-recovery' @{
    Claim = 'Windows starts the service again 5, 30 and 60 seconds after it ended by itself'
    Changes = 'the process of the service is killed once'
    Needs = @('installed', 'bare')
    Body = {
        $bytes = [System.Convert]::FromBase64String(((Read-Value $script:serviceKey 'FailureActions') -replace '\ABinary:', ''))
        Test-Same 'restarts' '86400: 1 5000, 1 30000, 1 60000' (Format-FailureActions $bytes)
        $before = Get-ServiceProcess
        Stop-Process -Id $before -Force
        $after = 0
        for ($i = 0; $i -lt 60; $i++) {
            Start-Sleep -Seconds 1
            $after = Get-ServiceProcess
            if ($after -ne 0 -and $after -ne $before) { break }
        }
        Test-Same 'it runs again, as another process' 'True' ($after -ne 0 -and $after -ne $before)
    }
}

Add-Check 'event-log' @{
    Claim = 'runs are in the application log under the source Provisioner, with texts that the Event Viewer finds'
    Needs = @('installed')
    Body = {
        Test-Like 'file of the texts' '(?i):.*\\Provisioner\\provisioner\.exe\z' (Read-Value 'SYSTEM\CurrentControlSet\Services\EventLog\Application\Provisioner' 'EventMessageFile')
        $events = @(Get-WinEvent -FilterHashtable @{ LogName = 'Application'; ProviderName = 'Provisioner' } -MaxEvents 200)
        foreach ($id in 1, 10) {
            $one = @($events | Where-Object { $_.Id -eq $id } | Select-Object -First 1)
            Test-Same "events with id $id are there" '1' $one.Count
            if ($one.Count -eq 0) { continue }
            # Where the texts are not found, the viewer shows none, or a text of its own around ours.
            Test-Same "text of event $id" "$($one[0].Properties[0].Value)".Trim() "$($one[0].Message)".Trim()
        }
        Test-Same 'ids that are not in the documentation' '' (@($events | ForEach-Object { $_.Id } | Where-Object { (1..11) + 111, 112, 113, 114, 115, 120 -notcontains $_ } | Sort-Object -Unique) -join ' ')
    }
}

Add-Check 'status' @{
    Claim = 'status sees no drift, a service that runs the installed program, and the reboot that variables need'
    Needs = @('installed', 'bare')
    Body = {
        $status = Read-Provisioner @('status') @(0, 4)
        Test-Same 'drift' '0' @($status.drift).Count
        Test-Same 'the service runs' 'True' $status.bootService.running
        Test-Same 'it runs another program' 'False' $status.bootService.outdated
        Test-Same 'a reboot is required' 'True' $status.rebootRequired
        Test-Same 'reasons' '' (@($status.reasons) -join ' ')
    }
}

Add-Check 'service-stale' @{
    Claim = 'status tells that a running service has an earlier environment, until it is started again'
    Changes = 'the environment of one of Windows'' own services, for a moment'
    Needs = @('installed', 'bare')
    Body = {
        $service = @(Get-CimInstance -ClassName Win32_Service | Where-Object { 'Spooler', 'W32Time', 'DPS' -contains $_.Name -and $_.State -eq 'Running' -and $_.ServiceType -eq 'Own Process' } | Select-Object -First 1)
        if ($service.Count -eq 0) { Skip-Check 'none of Spooler, W32Time and DPS runs as a process of its own' }
        $name = $service[0].Name
        Add-Undo @{ action = 'value'; key = "SYSTEM\CurrentControlSet\Services\$name"; name = 'Environment'; before = (Read-Value "SYSTEM\CurrentControlSet\Services\$name" 'Environment') }
        $stale = { @((Read-Provisioner @('status') @(0, 4)).services | Where-Object { $_.name -eq $name } | ForEach-Object { "$($_.stale) $($_.unreadable)" }) -join ' ' }
        Use-OtherSettings {
            [void](Read-Provisioner @('apply', $script:settings, '--service', 'ProvisionerVerify', '--service', $name))
            Test-Same 'stale before a restart' 'True' (& $stale).Trim()
            Restart-Service -Name $name -Force
            Test-Same 'stale after it' 'False' (& $stale).Trim()
        }
        Restart-Service -Name $name -Force
    }
}

Add-Check 'service-key-closed' @{
    Claim = 'the key of a service is closed to users while its environment holds a password, and open again afterwards'
    Changes = 'settings with a password, for the service ProvisionerVerify alone'
    Needs = @('installed', 'bare')
    Body = {
        $key = 'HKLM:\SYSTEM\CurrentControlSet\Services\ProvisionerVerify'
        $readers = { @([regex]::Matches((Format-Descriptor (Get-Descriptor $key)), '\([^)]*;([^;)]*)\)') | ForEach-Object { $_.Groups[1].Value } | Sort-Object -Unique) -join ' ' }
        $before = & $readers
        Use-OtherSettings {
            [void](Read-Provisioner @('apply', $script:secretSettings, '--service', 'ProvisionerVerify', '--credentials', 'services'))
            Test-Like 'who is in its list' '\A(BA|SY|S-1-5-80-[0-9-]+)( (BA|SY|S-1-5-80-[0-9-]+))*\z' (& $readers)
            Test-Same 'the password in machine variables' 'False' ((Read-Value $script:environmentKey 'HTTP_PROXY') -clike "*$($script:secret)*")
            Test-Like 'what the service sees' ([regex]::Escape($script:secret)) (@(Read-ShowingService 'ProvisionerVerify' | Where-Object { $_ -like 'HTTP_PROXY=*' }) -join ' ')
        }
        Test-Same 'who is in its list afterwards' $before (& $readers)
    }
}
