# Runs the comparison of clients in Verify-OnWindows.ps1 with those of this machine, and prints its results as JSON.
# verify_test.py calls it.
#   pwsh -NoProfile -File verify_cases.ps1 FOLDER PROGRAM CURL PWSH
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
foreach ($part in 'Report', 'Undo', 'Machine', 'Fixtures', 'Run', 'ChecksSettings', 'ChecksService', 'ChecksScripts', 'ChecksClients') {
    . (Join-Path $PSScriptRoot "verify/$part.ps1")
}
$folder, $program, $curl, $shell = $args

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
$answer = Get-Clients $program $curl $shell 6>$null
ConvertTo-Json -InputObject $answer -Depth 8
