# The last thing that runs on a build machine: takes back what was there for the build, then sysprep shuts the machine
# down. Without an argument it starts itself as a task and returns: what closes packer's way in can't run within it. If a
# step fails, the machine stays on and packer gives up at shutdown_timeout: an image that is still open to its builder
# is worse than none. What failed is then in C:\ProvisionerSeal.log.
param([switch]$Now)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

$task = 'ProvisionerSeal'
$build = Join-Path $env:SystemDrive 'ProvisionerBuild'
$log = Join-Path $env:SystemDrive 'ProvisionerSeal.log'

function Save-AnswerFile([string]$Target) {
    Copy-Item -LiteralPath (Join-Path $build 'unattend.xml') -Destination $Target -Force
    & icacls.exe $Target /inheritance:r /grant:r '*S-1-5-18:F' '*S-1-5-32-544:F' /q | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls.exe can't close $Target to users (exit code $LASTEXITCODE)" }
}

# The upload (it may hold the proxy's password) and the build's own password.
function Remove-BuildSecret {
    Remove-Item -LiteralPath $build -Recurse -Force
    foreach ($name in 'Panther\unattend.xml', 'Panther\Unattend\unattend.xml') {
        $file = Join-Path $env:SystemRoot $name
        if (Test-Path -LiteralPath $file) { Remove-Item -LiteralPath $file -Force }
    }
    $logon = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon'
    Set-ItemProperty -LiteralPath $logon -Name AutoAdminLogon -Value '0'
    foreach ($name in 'DefaultPassword', 'AutoLogonCount') {
        Remove-ItemProperty -LiteralPath $logon -Name $name -ErrorAction SilentlyContinue
    }
}

function Close-RemoteAccess {
    Set-Item -Path WSMan:\localhost\Service\Auth\Basic -Value $false
    Remove-NetFirewallRule -Name 'ProvisionerBuild'
    Get-ChildItem -Path WSMan:\localhost\Listener | Where-Object { $_.Keys -contains 'Transport=HTTPS' } | Remove-Item -Recurse -Force
    Get-ChildItem -Path Cert:\LocalMachine\My | Where-Object { $_.FriendlyName -eq 'provisioner build' } | Remove-Item
}

if (-not $Now) {
    $arguments = "-NoProfile -NonInteractive -ExecutionPolicy Bypass -File `"$PSCommandPath`" -Now"
    $action = New-ScheduledTaskAction -Execute 'powershell.exe' -Argument $arguments
    $system = New-ScheduledTaskPrincipal -UserId 'S-1-5-18' -RunLevel Highest
    Register-ScheduledTask -TaskName $task -Action $action -Principal $system -Force | Out-Null
    Start-ScheduledTask -TaskName $task
    exit 0
}

try {
    # Packer still listens to the command that started this.
    Start-Sleep -Seconds 15
    Unregister-ScheduledTask -TaskName $task -Confirm:$false
    $sysprep = Join-Path $env:SystemRoot 'System32\Sysprep'
    $answers = Join-Path $sysprep 'unattend.xml'
    Save-AnswerFile $answers
    Close-RemoteAccess
    Remove-BuildSecret
    $run = Start-Process -FilePath (Join-Path $sysprep 'sysprep.exe') -ArgumentList '/generalize', '/oobe', '/shutdown', '/quiet', "/unattend:$answers" -Wait -PassThru
    if ($run.ExitCode -ne 0) { throw "sysprep.exe failed with exit code $($run.ExitCode); see System32\Sysprep\Panther\setuperr.log" }
} catch {
    [IO.File]::WriteAllText($log, ($_ | Out-String))
    exit 1
}
