# Runs the cases of tests/golden/rules by the functions of Install-Egress.ps1. What these ask of the machine is answered
# from memory; the script itself has been tested with its tools (scripts_test.py).
#   pwsh -NoProfile -File rules.ps1 FUNCTIONS CASES FOLDER LANGUAGE     FUNCTIONS: the script without its last part
# CASES has a list "cases"; each has "rule". Prints one object for each case, as a list in JSON.
. $args[0]
$cases = @((ConvertFrom-Json -InputObject (Get-Content -LiteralPath $args[1] -Raw -Encoding UTF8)).cases)
$script:stateDir = $args[2]
$script:values = @{}      # by KEY!NAME
$script:missing = @()     # keys
$script:there = $false    # the certificate

function Say { param([string]$Text) }
function Save-State { }
function Read-Value {
    param([string]$Key, [string]$Name)
    if ($script:values.ContainsKey("$Key!$Name")) { return $script:values["$Key!$Name"] }
    return 'absent'
}
function Write-Value {
    param([string]$Key, [string]$Name, [string]$Raw)
    $script:values["$Key!$Name"] = $Raw
}
function Test-RegistryKey {
    param([string]$Key)
    return ($script:missing -notcontains $Key)
}
function Invoke-Tool {
    param([string]$Name, [string[]]$Arguments)
    if ($Arguments -contains '-addstore') { $script:there = $true }
    if ($Arguments[0] -eq '-delstore') { $script:there = $false }
    $code = 0
    if ($Arguments[0] -eq '-store' -and -not $script:there) { $code = 17 }
    return @{ Code = $code; Lines = @() }
}

function Add-Recorded {
    param([string]$Kind, [string]$Name, [string]$Before, [string]$Ours)
    $record = Add-Record $Kind $Name $Before
    $record['ours'] = $Ours
}

function Get-Record {
    param([string]$Kind, [string]$Name)
    $record = Find-Record $Kind $Name
    if ($null -eq $record) { return $null }
    return @{ before = $record['before']; ours = $record['ours'] }
}

function Invoke-ServiceList {
    param($Case)
    $place = "$($script:servicesKey)\x!Environment"
    if ($null -ne $Case.recorded) { Add-Recorded 'service' 'x' $Case.recorded.before $Case.recorded.ours }
    $script:values[$place] = $Case.now
    Sync-Service 'X' @($Case.wanted)
    return @{ then = $script:values[$place]; record = (Get-Record 'service' 'x') }
}

function Invoke-Variable {
    param($Case)
    if (-not $Case.daemon) { $script:missing = @("$($script:servicesKey)\windows-instance-config-daemon") }
    $place = "$($script:environmentKey)!HTTP_PROXY"
    if ($null -ne $Case.recorded) { Add-Recorded 'env' 'HTTP_PROXY' $Case.recorded.before $Case.recorded.ours }
    $script:values[$place] = $Case.now
    $wanted = @()
    if ($null -ne $Case.wanted) { $wanted = @(@{ Name = 'HTTP_PROXY'; Value = $Case.wanted }) }
    Sync-Environment $wanted
    return @{ then = $script:values[$place]; record = (Get-Record 'env' 'HTTP_PROXY') }
}

function Invoke-Same {
    param($Case)
    if ($Case.kind -eq 'service') { return @{ same = (Test-SameName $Case.one $Case.other) } }
    $kind = 'env'
    if ($Case.kind -eq 'winHttp') { $kind = 'winHttp' }
    return @{ same = (Test-SameValue $kind $Case.kind $Case.one $Case.other) }
}

function Invoke-Certificate {
    param($Case)
    $script:there = $Case.there
    $sha1 = '0123456789abcdef0123456789abcdef01234567'
    # One that was there before us has no record.
    if ($Case.recorded -eq 'ours') { Add-Recorded 'certificate' "ROOT:$sha1" 'absent' '' }
    $wanted = @()
    if ($Case.wanted) { $wanted = @(@{ Store = 'ROOT'; Sha1 = $sha1; Sha256 = $Case.sha256; Path = $Case.file; Subject = '' }) }
    Sync-Certificates $wanted
    return @{ then = $script:there; ours = ($null -ne (Find-Record 'certificate' "ROOT:$sha1")) }
}

function Invoke-Boot {
    param($Case)
    $script:values['SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters!BootId'] = $Case.counter
    $script:reboot = $Case.mark
    Clear-OldRebootMark
    return @{ needed = ($script:reboot -ne '') }
}

# Of a machine without a counter of boots.
function Get-CimInstance { return (New-Object -TypeName PSObject -Property @{ LastBootUpTime = [datetime]'2026-11-23 04:47' }) }

if ($args[3]) { $ExecutionContext.SessionState.LanguageMode = $args[3] }
$results = @(foreach ($case in $cases) {
    $script:items = @()
    $script:reboot = ''
    $script:values = @{}
    $script:missing = @()
    try {
        switch ($case.rule) {
            'service-list' { Invoke-ServiceList $case }
            'variable' { Invoke-Variable $case }
            'same' { Invoke-Same $case }
            'certificate' { Invoke-Certificate $case }
            'boot' { Invoke-Boot $case }
        }
    } catch {
        @{ error = "$($_.Exception.Message), line $($_.InvocationInfo.ScriptLineNumber)" }
    }
})
ConvertTo-Json -InputObject $results -Depth 4 -Compress
