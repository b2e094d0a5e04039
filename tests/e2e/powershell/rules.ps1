# Runs the cases of tests/golden/rules by the functions of Apply-Egress.ps1. What these ask of the machine is answered from
# memory; the script itself is tested as a whole by apply_test.py.
#   pwsh -NoProfile -File rules.ps1 FUNCTIONS CASES     FUNCTIONS: the script without its last part
# CASES has a list "cases"; each has "rule", and values as the record has them. Prints one object for each case, as a list
# in JSON.
. $args[0]
$cases = @(([IO.File]::ReadAllText($args[1]) | ConvertFrom-Json).cases)

function Write-Host { }
function Save-Record { }
function Read-Value($key, $name) { $values["$key!$name"] }
function Write-Value($key, $name, $value) { $values["$key!$name"] = $value }
# Of a machine without a counter of boots.
function Get-CimInstance { [pscustomobject]@{ LastBootUpTime = [datetime]'2026-11-23 04:47' } }

class Machine {
    [string[]]$Missing = @()
    [object]$Counter
    [object]$Store  # whose certificate is a key below
    [object] OpenSubKey([string]$key) { if ($this.Missing -contains $key) { return $null } else { return $this } }
    [object] GetValue([string]$name) { return $this.Counter }
    [void] DeleteSubKey([string]$key) { $this.Store.There = $false }
}

class Store {
    [bool]$There
    [Store]$Certificates
    [void] Open([string]$mode) { $this.Certificates = $this }
    [object[]] Find([string]$type, [string]$thumbprint, [bool]$valid) { if ($this.There) { return @('it') } else { return @() } }
    [void] Add([object]$certificate) { $this.There = $true }
}

function Open-Store { return $store }

# Brings one item to what is wanted, or takes it back.
function Invoke-Item($item, $case, $wanted) {
    if ($case.recorded) { (New-Entry $item $case.recorded.before $null).ours = $case.recorded.ours }
    Invoke-Operations @($scopeOf.Values) $wanted @(if (Get-Field $case 'leftOut') { 'machine' })
}

function Get-Recorded($item) { Find-Entry $item | ForEach-Object { @{ before = $_.before; ours = $_.ours } } }

function Invoke-Value($kind, $key, $case, $wanted) {
    $place = (Get-Place $kind $key) -join '!'
    $values[$place] = $case.now
    Invoke-Item "${kind}:$key" $case @(if ($wanted) { @{ item = "${kind}:$key"; kind = $kind; key = $key; value = $wanted } })
    @{ then = $values[$place]; record = (Get-Recorded "${kind}:$key") }
}

$results = foreach ($case in $cases) {
    $record = [pscustomobject]@{ schema = 1; generation = 0; reboot = ''; items = @() }
    $values = @{}
    $machine = [Machine]::new()
    $store = [Store]@{ There = [bool](Get-Field $case 'there') }
    $machine.Store = $store
    if (-not (Get-Field $case 'daemon')) { $machine.Missing = $services + 'windows-instance-config-daemon' }
    try {
        switch ($case.rule) {
            'service-list' { Invoke-Value 'serviceEnv' 'x' $case $case.wanted }
            'variable' { Invoke-Value 'env' 'HTTP_PROXY' $case $case.wanted }
            'same' { @{ same = [bool](Test-Same $case.kind $case.one $case.other) } }
            'certificate' {
                $store.Open('ReadWrite')
                $sha1 = '0123456789abcdef0123456789abcdef01234567'
                $der = [pscustomobject]@{ Thumbprint = $sha1; RawData = [byte[]](1, 2); Subject = '' }
                Invoke-Item "certificate:ROOT:$sha1" $case @(if ($case.wanted) { @{ item = "certificate:ROOT:$sha1"; kind = 'certificate'; key = "ROOT:$sha1"; value = $der } })
                @{ then = $store.There; ours = [bool](Find-Entry "certificate:ROOT:$sha1") }
            }
            'boot' {
                $machine.Counter = $case.counter
                $record.reboot = $case.mark
                Clear-Reboot
                @{ needed = [bool]$record.reboot }
            }
        }
    } catch {
        @{ error = "$($_.Exception.Message), line $($_.InvocationInfo.ScriptLineNumber)" }
    }
}
ConvertTo-Json -InputObject @($results) -Depth 6 -Compress
