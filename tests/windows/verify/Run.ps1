# The sequence of a run: preparation, the order of the checks, the state for a second run after a restart, and the end.
$script:environmentKey = 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
$script:winHttpKeys = @('SOFTWARE\Microsoft\Windows\CurrentVersion\Internet Settings\Connections',
    'SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Internet Settings\Connections')
$script:bare = $false        # nothing of ours was on the machine before this run
$script:secondBoot = $false
$script:authorities = @()
$script:containerServices = @()  # those of containerd and kubelet that are here
$script:settings = ''        # a rendered config without a password, and payloads of it
$script:payload = ''
$script:scriptPayload = ''
$script:secretSettings = ''  # and with one
$script:secretPayload = ''
$script:imageFile = ''       # -Image
$script:endpoint = ''        # -HnsEndpoint

function Test-Windows { return ([System.IO.Path]::DirectorySeparatorChar -eq '\') }

function Test-Administrator {
    $who = [System.Security.Principal.WindowsIdentity]::GetCurrent()
    return (New-Object System.Security.Principal.WindowsPrincipal $who).IsInRole([System.Security.Principal.WindowsBuiltInRole]::Administrator)
}

# Windows shows a process of 32 bits other folders and keys.
function Test-SixtyFour { return ([System.IntPtr]::Size -eq 8) }

# Why a file can't be the program under test; '' where it is one of Windows for x64.
function Get-ProgramFault {
    param([string]$File)
    $bytes = New-Object byte[] 4096
    $stream = [System.IO.File]::OpenRead($File)
    try { $size = $stream.Read($bytes, 0, $bytes.Length) } finally { $stream.Close() }
    if ($size -ge 64 -and $bytes[0] -eq 0x4d -and $bytes[1] -eq 0x5a) {
        $at = [System.BitConverter]::ToInt32($bytes, 60)
        if ($at -gt 0 -and $at -le $size - 6 -and [System.BitConverter]::ToInt32($bytes, $at) -eq 0x4550) {
            if ([System.BitConverter]::ToUInt16($bytes, $at + 4) -eq 0x8664) { return '' }
            return 'is a program for another processor than x64'
        }
    }
    if ($size -ge 4 -and $bytes[0] -eq 0x7f -and $bytes[1] -eq 0x45) { return 'is a program for Linux' }
    return 'is not a program of Windows'
}

# Why our folder can't be used; '' where it is not there, or an earlier run made it. Every user may make folders on the drive,
# and what lies in ours is run and deleted by an administrator.
function Get-WorkFault {
    if (-not (Test-Path -LiteralPath $script:work)) { return '' }
    if (([System.IO.File]::GetAttributes($script:work) -band [System.IO.FileAttributes]::ReparsePoint) -ne 0) { return 'is a link' }
    if (-not (Test-Path -LiteralPath (Join-Path $script:work 'made-by-verify'))) { return 'is there, and no earlier run made it' }
    if ((Get-Descriptor $script:work) -cnotmatch '\AO:(BA|SY)[GD]:') { return 'does not belong to administrators' }
    return ''
}

function Get-WorkFolder { return "$env:SystemDrive\ProvisionerVerify" }
function Get-Curl { return "$(Get-System32)\curl.exe" }

# Why a check that needs this can't be made; '' where it can.
function Get-Lack {
    param([string]$Need)
    $file = @{ 'curl' = (Get-Curl); 'hns' = "$(Get-System32)\computenetwork.dll"; 'setup' = "$env:SystemRoot\Setup\Scripts\Provisioner.log" }[$Need]
    if ($file) {
        if (Test-Path -LiteralPath $file) { return '' }
        return @{ 'curl' = 'this Windows has no curl.exe'; 'hns' = 'the feature Containers is off'; 'setup' = 'Windows setup applied no payload on this machine' }[$Need]
    }
    switch ($Need) {
        'windows' { if (-not (Test-Windows)) { return 'this is not Windows' } }
        'administrator' { if (-not (Test-Administrator)) { return 'not an administrator' } }
        'bare' { if (-not $script:bare) { return 'provisioner was on this machine before; only what looks is checked' } }
        'installed' { if ((Read-Value 'SYSTEM\CurrentControlSet\Services\Provisioner' 'ImagePath') -ceq 'absent') { return 'the service Provisioner is not installed' } }
        'powershell-7' { if (-not (Get-Shell '7')) { return 'there is no PowerShell 7 (pwsh)' } }
        'image' { if (-not $script:imageFile) { return 'name a WIM file with -Image' } }
        'second-boot' { if (-not $script:secondBoot) { return 'needs a restart: run with -AcrossReboot, restart, run with -Continue' } }
        default { throw "no check can need $Need" }
    }
    return ''
}

# What a run would do, for somebody who did not say that the machine may be thrown away.
function Format-List {
    $lines = @()
    foreach ($check in $script:checks) {
        $changes = $check.Changes
        if (-not $changes) { $changes = 'nothing, it only looks' }
        $lines += @($check.Name, "  claim:   $($check.Claim)", "  changes: $changes", "  needs:   $(@($check.Needs) -join ', ')")
    }
    return $lines
}

function New-WorkFolder {
    # What a run left that ended before it changed anything.
    if (Test-Path -LiteralPath $script:work) { Remove-Item -LiteralPath $script:work -Recurse -Force }
    [void][System.IO.Directory]::CreateDirectory($script:work)
    # icacls takes an owner in a call of its own.
    foreach ($words in @('/setowner', '*S-1-5-32-544'), @('/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F')) {
        $run = Invoke-Tool "$(Get-System32)\icacls.exe" (@($script:work) + $words)
        if ($run.Code -ne 0) { throw "icacls.exe $($words[0]) ended with $($run.Code): $($run.Err)" }
    }
    [System.IO.File]::WriteAllText((Join-Path $script:work 'made-by-verify'), '')
}

# What has not been put back needs what lies in it.
function Remove-WorkFolder {
    param([object[]]$Undone)
    if (@($Undone | Where-Object { $_.result -ne 'done' }).Count -gt 0) { return }
    $result = 'done'
    try {
        if (Test-Path -LiteralPath $script:work) { Remove-Item -LiteralPath $script:work -Recurse -Force }
    } catch { $result = $_.Exception.Message }
    New-Object -TypeName PSObject -Property ([ordered]@{ action = "folder $($script:work)"; result = $result })
}

# A run that was stopped lists what it did not come to: its report is not that of a whole run.
function Add-Unrun {
    param([string[]]$Only)
    foreach ($check in $script:checks) {
        if ($Only.Count -gt 0 -and $Only -notcontains $check.Name) { continue }
        if (@($script:results | Where-Object { $_.name -ceq $check.Name }).Count -eq 0) { Add-Result $check 'skipped' 'the run ended before it' }
    }
    if (@($script:results | Where-Object { $_.name -ceq 'run' }).Count -eq 0) {
        Add-Result @{ Name = 'run'; Claim = 'the checks run to their end' } 'fail' 'the run was stopped'
    }
}

function Invoke-Bake {
    param([string]$Settings, [string]$Name, [string[]]$Words)
    $out = Join-Path $script:work $Name
    $run = Invoke-Provisioner (@('bake', $Settings, '--out', $out) + $Words)
    if ($run.Code -ne 0) { throw "bake ended with $($run.Code): $($run.Err)" }
    return $out
}

# Settings, payloads and the listener that stands for the proxy.
function Initialize-Run {
    Start-Listener
    $script:authorities = @((New-Authority 'Provisioner Verify A'), (New-Authority 'Provisioner Verify B'))
    $script:authorities += @(New-Authority 'Provisioner Verify C' $script:authorities[0].Certificate)
    $bundle = @($script:authorities | ForEach-Object { $_.Pem }) -join ''
    $script:settings = Join-Path $script:work 'settings.json'
    $script:secretSettings = Join-Path $script:work 'settings-with-password.json'
    Write-Settings $script:settings (Get-ListenerUrl) $script:noProxy $bundle
    Write-Settings $script:secretSettings (Get-ListenerUrl "verify:$($script:secret)") $script:noProxy $bundle
    $script:containerServices = @('containerd', 'kubelet' | Where-Object { (Read-Value "SYSTEM\CurrentControlSet\Services\$_" 'ImagePath') -cne 'absent' })
    $services = @(@('ProvisionerVerify') + $script:containerServices | ForEach-Object { '--service', $_ })
    $script:payload = Invoke-Bake $script:settings 'payload' ($services + @('--scope', 'machine,services,winhttp,certs,wininet'))
    $script:scriptPayload = Invoke-Bake $script:settings 'payload-scripts' @()
    $script:secretPayload = Invoke-Bake $script:secretSettings 'payload-with-password' @('--credentials', 'machine')
}

function Get-MachineFacts {
    $facts = @{ powershell = "$($PSVersionTable.PSVersion)"; architecture = "$env:PROCESSOR_ARCHITECTURE" }
    $facts['time'] = [DateTime]::UtcNow.ToString('yyyy-MM-ddTHH:mm:ssZ')
    $facts['provisioner'] = ((Invoke-Provisioner @('--version')).Out -split '\r?\n')[0]
    $facts['sha256'] = (Get-FileHash -LiteralPath $script:program -Algorithm SHA256).Hash.ToLowerInvariant()
    $key = 'SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    foreach ($pair in @('windows', 'ProductName'), @('build', 'CurrentBuildNumber'), @('revision', 'UBR'), @('installation', 'InstallationType')) {
        $facts[$pair[0]] = (Read-Value $key $pair[1]) -replace '\A\w+:', ''
    }
    return $facts
}

function Invoke-Phase {
    param([string]$Phase, [string[]]$Only)
    foreach ($check in $script:checks) {
        if ($check.Phase -cne $Phase) { continue }
        if ($Only.Count -gt 0 -and $Only -notcontains $check.Name) { continue }
        Write-Host "$($check.Name) ..."
        Invoke-Check $check
        $row = $script:results[$script:results.Count - 1]
        Write-Host "  $($row.result) $($row.why)"
    }
}

# For the run after the restart.
function Save-Run {
    param([string]$File)
    $run = @{ results = @($script:results); settings = $script:settings; payload = $script:payload; program = $script:program; bare = $script:bare
        authorities = @($script:authorities | ForEach-Object { "$($_.Store) $($_.Thumbprint)" }); boot = (Get-BootTime) }
    [System.IO.File]::WriteAllText($File, (ConvertTo-Json -InputObject $run -Depth 6), (New-Object System.Text.UTF8Encoding $false))
}

# In seconds. A number, as PowerShell 7 reads a date in JSON as a date, which is another text then.
function Get-BootTime { return [long]((Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime.ToUniversalTime().Ticks / 10000000) }

function Restore-Run {
    param([string]$File)
    $run = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($File))
    foreach ($row in @($run.results)) { [void]$script:results.Add($row) }
    $script:settings = $run.settings
    $script:payload = $run.payload
    $script:program = $run.program
    $script:bare = $run.bare
    $script:authorities = @(@($run.authorities) | ForEach-Object { @{ Store = $_.Split(' ')[0]; Thumbprint = $_.Split(' ')[1] } })
    # Windows moves this time when its clock is set; a restart after a run moves it by more.
    $script:secondBoot = ((Get-BootTime) - [long]$run.boot -gt 60)
}

# Puts everything back, writes the report, and prints what matters of it. The exit code of the run.
function Complete-Run {
    param([string]$Report)
    Stop-Listener
    # The program is in our folder, which goes below.
    $facts = @{}
    try { $facts = Get-MachineFacts } catch { $facts['error'] = $_.Exception.Message }
    $undone = @(Invoke-Undo)
    $undone += @(Remove-WorkFolder $undone)
    $document = New-Report $facts $undone
    Write-Report $document $Report
    Write-Host "$($document.passed) passed, $($document.failed) failed, $($document.skipped) skipped: $Report, $Report.markdown"
    foreach ($row in @($undone | Where-Object { $_.result -ne 'done' })) { Write-Host "NOT put back: $($row.action): $($row.result); run again with -PutBack" }
    return (Get-ExitCode $undone)
}
