# Applies the egress settings of egress.json (beside this script or one folder up) to this machine: trusted certificates,
# machine environment, WinHTTP proxy, environments of services. What was there before is recorded first, in
# %ProgramData%\Provisioner\script-state.json, so that Remove-Egress.ps1 (this script with -Remove) can put it back.
# Where provisioner.exe is in the payload, this script only starts it (first-boot): it keeps its own record, and stays.
#
#   -Remove          undo what the record says and delete the record; egress.json is not read
#   -AllowDowngrade  accept a payload whose generation is lower than the one applied last
#
# Exit codes: 0 done or nothing to do; 10 usage; 11 the payload is unreadable or invalid; 12 refused for safety;
# 13 the machine can't be read or written; 15 another run is active; 20 a defect in this script; those of provisioner.exe.
#
# Windows PowerShell 5.1 or later, also in Constrained Language Mode: therefore reg.exe, certutil.exe and icacls.exe
# rather than .NET. Only the full language can close the key of a service to users: "region full language" holds all that
# needs it, and without it a service whose environment would show a password to users is left alone. Values go through
# files in the protected folder, never through a command line, and are printed without passwords. A registry value is
# handled as text "TYPE:BYTES", both in lower-case hexadecimal, or "absent".
#
# What it merges, takes for the same, takes back and leaves to others follows the rules of provisioner.exe; both are
# tested with the cases in tests/golden/rules.
param(
    [switch]$Remove,
    [switch]$AllowDowngrade
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'

$script:failCode = 0      # exit code of the failure that ended the run
$script:problemCode = 0   # exit code of the first failure that did not
$script:changes = 0
$script:locked = $false
$script:items = @()       # the records
$script:reboot = ''       # the boot in which variables changed
$script:generation = ''   # of the payload that was applied last
$script:system32 = ''
$script:stateDir = ''
$script:environmentKey = 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
$script:servicesKey = 'SYSTEM\CurrentControlSet\Services'
$script:connections = 'Microsoft\Windows\CurrentVersion\Internet Settings\Connections'
$script:valuePattern = '(?s)\A(?:@|"(?<name>[^"\\]*(?:\\.[^"\\]*)*)")=(?<data>"[^"\\]*(?:\\.[^"\\]*)*"' +
    '|dword:[0-9a-fA-F]{8}|hex(?:\([0-9a-fA-F]+\))?:(?:[0-9a-fA-F,]|\\\r?\n[ \t]*)*)[ \t]*(?:\r?\n|\z)'

# ---------------------------------------------------------------------------------------------- messages

function Say {
    param([string]$Text)
    Write-Host $Text
}

function Stop-With {
    param([int]$Code, [string]$Message)
    $script:failCode = $Code
    throw $Message
}

function Add-Problem {
    param([int]$Code, [string]$Message)
    Say "error: $Message"
    if ($script:problemCode -eq 0) { $script:problemCode = $Code }
}

function Say-Change {
    param([string]$Text)
    $script:changes = $script:changes + 1
    Say $Text
}

# The exit code for an error that this script did not foresee: of a cmdlet, a program that does not start, or a class of
# .NET, it is the machine's.
function Get-ForeignCode {
    param([string]$Id)
    if ($Id -match 'Microsoft\.PowerShell\.Commands\.|\ANativeCommandFailed\z|\A\w*(?:Security|UnauthorizedAccess|IO|NotFound)Exception\z') { return 13 }
    return 20
}

# Text for the screen: printable ASCII, and no password of a URL's user part.
function Format-Shown {
    param([string]$Text)
    $shown = $Text
    if ($shown -match '(?s)\A(?<scheme>(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?(?<user>.*)@(?<rest>[^@]*)\z') {
        $scheme = "$($Matches['scheme'])"
        $rest = $Matches['rest']
        $name = ''
        if ($Matches['user'] -match '(?s)\A(?<name>[^:@/]*):') { $name = $Matches['name'] + ':' }
        $shown = $scheme + $name + '***@' + $rest
    }
    return ($shown -replace '[^\x20-\x7e]', '?')
}

# ---------------------------------------------------------------------------------------------- names

# Whether two names mean one thing to Windows: letter by letter, whatever their case (a letter that has only one of both
# cases is itself alone). The operators of PowerShell go by a language instead, and take letters that nobody sees for none.
function Test-SameName {
    param([string]$One, [string]$Other)
    return ([string]::Equals($One.ToUpperInvariant(), $Other.ToUpperInvariant()) -and
        [string]::Equals($One.ToLowerInvariant(), $Other.ToLowerInvariant()))
}

function Test-Named {
    param([string[]]$Names, [string]$Name)
    foreach ($one in @($Names)) {
        if (Test-SameName $one $Name) { return $true }
    }
    return $false
}

# ---------------------------------------------------------------------------------------------- tools

# Runs a program of System32. The answer has Code and Lines (standard output; standard error is dropped: with
# ErrorActionPreference Stop, Windows PowerShell makes an error of each line of it). Windows PowerShell passes quotes on
# as they are, so they are escaped here, and later versions are told to do the same.
function Invoke-Tool {
    param([string]$Name, [string[]]$Arguments)
    $ErrorActionPreference = 'Continue'
    $PSNativeCommandUseErrorActionPreference = $false
    $PSNativeCommandArgumentPassing = 'Legacy'
    $exe = Join-Path $script:system32 $Name
    $escaped = @(foreach ($argument in $Arguments) { $argument -replace '(\\*)"', '$1$1\"' })
    $lines = @(& $exe @escaped 2>$null)
    return @{ Code = $LASTEXITCODE; Lines = $lines }
}

function Initialize-Tools {
    if (-not $env:SystemRoot -or -not $env:ProgramData) {
        Stop-With 13 'this is no Windows: SystemRoot and ProgramData are not both set'
    }
    $folder = 'System32'
    if ($env:PROCESSOR_ARCHITEW6432) { $folder = 'Sysnative' }   # a 32-bit shell would get the 32-bit tools and registry
    $script:system32 = Join-Path $env:SystemRoot $folder
    foreach ($name in @('certutil.exe', 'icacls.exe', 'reg.exe')) {
        if (-not (Test-Path -LiteralPath (Join-Path $script:system32 $name))) {
            Stop-With 13 "$name is missing in $($script:system32)"
        }
    }
    # Only an elevated administrator and SYSTEM can open this key.
    $answer = Invoke-Tool 'reg.exe' @('query', 'HKU\S-1-5-19')
    if ($answer['Code'] -ne 0) { Stop-With 13 'not elevated: run this as administrator or as SYSTEM' }
    $script:stateDir = Join-Path $env:ProgramData 'Provisioner'
}

function Remove-Work {
    param([string]$File)
    if (Test-Path -LiteralPath $File) { Remove-Item -LiteralPath $File -Force }
}

# ---------------------------------------------------------------------------------------------- JSON

function Test-Object {
    param($Value)
    return ($null -ne $Value -and $Value -isnot [string] -and $Value -isnot [array] -and $Value -isnot [bool] -and
        $Value -isnot [int] -and $Value -isnot [long] -and $Value -isnot [double] -and $Value -isnot [decimal] -and
        $Value -isnot [datetime])
}

function Test-Member {
    param($Object, [string]$Name)
    foreach ($property in $Object.PSObject.Properties) {
        if ($property.Name -ceq $Name) { return $true }
    }
    return $false
}

# The value of a member, nothing when it is missing or null. The elements of a list come one by one: callers that want a
# list write @(Get-Member...).
function Get-MemberValue {
    param($Object, [string]$Name)
    foreach ($property in $Object.PSObject.Properties) {
        if ($property.Name -ceq $Name -and $null -ne $property.Value) { $property.Value }
    }
}

function Get-Text {
    param($Object, [string]$Name, [string]$Pattern, [string]$Where)
    $value = Get-MemberValue $Object $Name
    if ($value -isnot [string] -or -not ($value -cmatch $Pattern)) {
        Stop-With 11 "egress.json: $Where.$Name is missing or malformed; bake the payload again"
    }
    return $value
}

function Assert-Members {
    param($Object, [string[]]$Names, [string]$Where)
    if (-not (Test-Object $Object)) { Stop-With 11 "egress.json: $Where is no object; bake the payload again" }
    foreach ($name in $Names) {
        if (-not (Test-Member $Object $name)) { Stop-With 11 "egress.json: $Where.$name is missing; bake the payload again" }
    }
}

# ---------------------------------------------------------------------------------------------- egress.json

# NAME/VALUE pairs of an object of strings, in its order. An empty value means that the variable is not set. Other
# variables than a proxy's decide what programs load: data that somebody tampered with must not set them.
function Read-Variables {
    param($Object, [string]$Where)
    Assert-Members $Object @() $Where
    foreach ($property in $Object.PSObject.Properties) {
        if (-not ($property.Name -cmatch '\A(?:HTTP_PROXY|HTTPS_PROXY|NO_PROXY)\z')) {
            Stop-With 11 "egress.json: $Where holds another variable than HTTP_PROXY, HTTPS_PROXY, NO_PROXY; bake the payload again"
        }
        if ($property.Value -isnot [string] -or $property.Value -match '[\x00-\x1f\x7f]') {
            Stop-With 11 "egress.json: $Where.$($property.Name) is no text or holds control characters; bake the payload again"
        }
        if ($property.Value.Length -gt 0) { @{ Name = $property.Name; Value = $property.Value } }
    }
}

function Read-Certificate {
    param($Object, [string]$Root, [string]$Where)
    Assert-Members $Object @() $Where
    $store = Get-Text $Object 'store' '\A(ROOT|CA)\z' $Where
    $sha1 = Get-Text $Object 'sha1' '\A[0-9a-f]{40}\z' $Where
    $sha256 = Get-Text $Object 'sha256' '\A[0-9a-f]{64}\z' $Where
    $name = $sha1.ToUpperInvariant() + '.cer'
    $file = Get-Text $Object 'file' '\A[A-Za-z0-9/.]+\z' $Where
    if ($file -cne "trust/$store/$name") {
        Stop-With 11 "egress.json: $Where.file is not trust/$store/$name; bake the payload again"
    }
    $path = Join-Path (Join-Path (Join-Path $Root 'trust') $store) $name
    Assert-Hash $path $sha256
    $subject = Format-Shown "$(Get-MemberValue $Object 'subject')"
    return @{ Store = $store; Sha1 = $sha1; Sha256 = $sha256; Path = $path; Subject = $subject }
}

function Assert-Hash {
    param([string]$Path, [string]$Sha256, [string]$NamedBy = 'egress.json')
    if (-not (Test-Path -LiteralPath $Path)) {
        Stop-With 11 "$Path is missing: the payload was copied incompletely"
    }
    $found = ''
    try {
        # Windows PowerShell's is a function, which does not see the preference of this script.
        $found = (Get-FileHash -LiteralPath $Path -Algorithm SHA256 -ErrorAction Stop).Hash
    } catch {
        Stop-With 11 "$Path can't be read: check who may read the payload, or copy it again"
    }
    if ($found -ne $Sha256) {
        Stop-With 11 "$Path is not the file that $NamedBy names (its SHA-256 differs): copy the payload again"
    }
}

function Read-WinHttp {
    param($Object)
    $hex = Get-Text $Object 'settings' '\A(?:[0-9a-f]{2}){20,}\z' '$.winHttp'
    $shown = Format-Shown "$(Get-MemberValue $Object 'proxy')"
    $bypass = Format-Shown "$(Get-MemberValue $Object 'bypass')"
    if ($bypass -ne '') { $shown = "$shown (bypass $bypass)" }
    return @{ Hex = $hex; Shown = $shown }
}

# Everything of egress.json that is used, checked; all files it names are checked too, before anything is changed.
function Read-Config {
    param([string]$Folder)
    $root = $Folder
    if (-not (Test-Path -LiteralPath (Join-Path $root 'egress.json'))) { $root = Split-Path -Parent $Folder }
    $file = Join-Path $root 'egress.json'
    if (-not (Test-Path -LiteralPath $file)) {
        Stop-With 11 "egress.json is neither in $Folder nor in $root; copy the whole payload folder"
    }
    $document = $null
    try {
        # The parser's own message would quote the text, which may hold a password.
        $document = ConvertFrom-Json -InputObject (Get-Content -LiteralPath $file -Raw -Encoding UTF8)
    } catch {
        $document = $null
    }
    Assert-Members $document @('schema', 'scope', 'generation') '$'
    if ((Get-MemberValue $document 'schema') -ne 1) {
        Stop-With 11 'egress.json: $.schema is not 1: this script is older than the payload'
    }
    $generation = Get-MemberValue $document 'generation'
    if ("$generation" -notmatch '\A[0-9]{1,9}\z') { Stop-With 11 'egress.json: $.generation is no whole number' }
    $config = @{ Scope = @(); Generation = [int]"$generation"; Environment = @(); Services = @(); WinHttp = $null; Certificates = @() }
    $words = @(Get-MemberValue $document 'scope')
    if ($words.Count -eq 0) { Stop-With 11 'egress.json: $.scope is empty; bake the payload again' }
    foreach ($word in $words) {
        if (@('machine', 'services', 'winhttp', 'certs') -ccontains $word) {
            $config['Scope'] += $word
        } else {
            Say "warning: this script does not manage '$(Format-Shown "$word")'; provisioner.exe does"
        }
    }
    if ($config['Scope'] -contains 'machine') {
        Assert-Members $document @('environment') '$'
        $config['Environment'] = @(Read-Variables (Get-MemberValue $document 'environment') '$.environment')
    }
    if ($config['Scope'] -contains 'services') {
        Assert-Members $document @('services') '$'
        $index = 0
        foreach ($service in @(Get-MemberValue $document 'services')) {
            $where = '$.services[' + $index + ']'
            Assert-Members $service @('environment') $where
            $name = Get-Text $service 'name' '\A[^\x00-\x1f\x7f-\x9f/\\]{1,256}\z' $where
            $entries = @()
            foreach ($variable in @(Read-Variables (Get-MemberValue $service 'environment') "$where.environment")) {
                $entries += $variable['Name'] + '=' + $variable['Value']
            }
            $config['Services'] += @{ Name = $name; Entries = $entries }
            $index = $index + 1
        }
    }
    if ($config['Scope'] -contains 'winhttp') {
        Assert-Members $document @('winHttp') '$'
        $settings = Get-MemberValue $document 'winHttp'
        if ($null -ne $settings) {
            Assert-Members $settings @('settings') '$.winHttp'
            $config['WinHttp'] = Read-WinHttp $settings
        }
    }
    if ($config['Scope'] -contains 'certs') {
        Assert-Members $document @('certificates') '$'
        $index = 0
        foreach ($certificate in @(Get-MemberValue $document 'certificates')) {
            $config['Certificates'] += Read-Certificate $certificate $root ('$.certificates[' + $index + ']')
            $index = $index + 1
        }
    }
    return $config
}

# ---------------------------------------------------------------------------------------------- state folder

# Any user may create folders in ProgramData: one that was not made by an administrator, or that leads elsewhere, is refused.
function Assert-StateDir {
    param([bool]$Created)
    $dir = $script:stateDir
    $item = Get-Item -LiteralPath $dir -Force
    if (-not $item.PSIsContainer -or "$($item.Attributes)" -match 'ReparsePoint') {
        Stop-With 12 "$dir is a file, a link or a mount point: remove it"
    }
    $owner = '\AO:(?:SY|BA|S-1-5-18|S-1-5-32-544)(?=[GDS]:)'
    $protected = '\A[^(]*D:P(?:AI|AR)*(?:\(A;[A-Z]*;[^;()]+;;;(?:SY|BA|S-1-5-18|S-1-5-32-544)\))+(?:S:.*)?\z'
    $sddl = (Get-Acl -LiteralPath $dir).Sddl
    if ($sddl -cmatch $owner -and $sddl -cmatch $protected) { return }
    if (-not ($sddl -cmatch $owner) -and -not $Created) {
        Stop-With 12 "$dir belongs to someone else than SYSTEM or Administrators: check what is in it and remove it"
    }
    if (@(Get-ChildItem -LiteralPath $dir -Force).Count -gt 0) {
        Stop-With 12 "$dir is open to others than SYSTEM and Administrators and holds files: check them and remove the folder"
    }
    $answer = Invoke-Tool 'icacls.exe' @($dir, '/setowner', '*S-1-5-32-544')
    $answer = Invoke-Tool 'icacls.exe' @($dir, '/inheritance:r', '/grant:r', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F')
    $sddl = (Get-Acl -LiteralPath $dir).Sddl
    if (-not ($sddl -cmatch $owner) -or -not ($sddl -cmatch $protected)) {
        Stop-With 13 "$dir can't be restricted to SYSTEM and Administrators (icacls.exe gave $($answer['Code']))"
    }
    if (@(Get-ChildItem -LiteralPath $dir -Force).Count -gt 0) {
        Stop-With 12 "a file appeared in $dir before it was protected: check it and remove the folder"
    }
}

function Open-StateDir {
    $created = $false
    if (-not (Test-Path -LiteralPath $script:stateDir)) {
        New-Item -ItemType Directory -Path $script:stateDir | Out-Null
        $created = $true
    }
    Assert-StateDir $created
    Enter-Lock
    foreach ($name in @('export.reg', 'import.reg', 'import.cer')) { Remove-Work (Join-Path $script:stateDir $name) }
}

# script.lock: one run at a time, of the scripts and of provisioner.exe. It is there while a run is at work, and holds the
# number of its process.
function Enter-Lock {
    $file = Join-Path $script:stateDir 'script.lock'
    for ($try = 0; $try -lt 3 -and -not $script:locked; $try++) {
        try {
            New-Item -ItemType File -Path $file -Value "$PID" | Out-Null
            $script:locked = $true
        } catch {
            $script:locked = $false
        }
        if (-not $script:locked) {
            $holder = "$(Get-Content -LiteralPath $file -Raw -ErrorAction SilentlyContinue)".Trim()
            if ($holder -match '\A[0-9]{1,9}\z' -and [int]$holder -ne $PID) {
                $process = Get-Process -Id ([int]$holder) -ErrorAction SilentlyContinue
                if ($null -ne $process -and $process.ProcessName -match 'powershell|pwsh|provisioner') {
                    Stop-With 15 "another run is active (process $holder); if it is none of ours, delete $file"
                }
            }
            # One that has just been made has no number yet.
            if ($holder -eq '' -and $try -eq 0) { Start-Sleep -Seconds 1 } else { Remove-Work $file }
        }
    }
    if (-not $script:locked) { Stop-With 13 "can't create $file" }
}

function Exit-Lock {
    if ($script:locked) {
        $script:locked = $false
        Remove-Work (Join-Path $script:stateDir 'script.lock')
    }
}

# ---------------------------------------------------------------------------------------------- records
#
# script-state.json, schema 2, has the ledger of provisioner.exe: "ledger" says "before", "ours" and "ownKeys" of each item
# (KIND:NAME), "prior" what we wrote before that. A value is {"type", "hex"}, or null for nothing. Beside them there are
# "reboot" and "generation".
#
# kind             name         before           ours                             prior
# certificate      STORE:SHA1                    nothing: the store has it
# env              variable     registry value   registry value we wrote          the one we wrote before that
# winHttp          64 or 32     registry value   registry value we wrote          the one we wrote before that
# service          service      registry value   our entries, as REG_MULTI_SZ     our entries before that
# serviceSecurity  service      descriptor       the one we closed the key with
#
# Here a value is the text TYPE:BYTES, and key says how many of the last parts of the registry key's path are ours.

function Get-StateFile {
    param([string]$Suffix)
    return (Join-Path $script:stateDir ('script-state.json' + $Suffix))
}

function Find-Record {
    param([string]$Kind, [string]$Name)
    foreach ($item in $script:items) {
        if ($item['kind'] -eq $Kind -and (Test-SameName $item['name'] $Name)) { return $item }
    }
    return $null
}

function Get-RecordNames {
    param([string]$Kind)
    foreach ($item in $script:items) {
        if ($item['kind'] -eq $Kind) { $item['name'] }
    }
}

function Add-Record {
    param([string]$Kind, [string]$Name, [string]$Before)
    foreach ($item in $script:items) {
        # Names that differ in a letter like the Greek final sigma: PowerShell reads no JSON with both.
        if ($item['kind'] -eq $Kind -and [string]::Equals($item['name'].ToUpperInvariant(), $Name.ToUpperInvariant())) {
            Stop-With 13 "$Kind ${Name}: the record can't hold it beside $($item['name']): use provisioner.exe"
        }
    }
    $record = @{ kind = $Kind; name = $Name; before = $Before; ours = ''; prior = ''; key = 0 }
    $script:items += $record
    return $record
}

function Remove-Record {
    param([string]$Kind, [string]$Name)
    $kept = @()
    foreach ($item in $script:items) {
        if ($item['kind'] -ne $Kind -or -not (Test-SameName $item['name'] $Name)) { $kept += $item }
    }
    $script:items = $kept
}

# Where an item lives in the registry. Data name items and never a path.
function Get-ItemKey {
    param([string]$Kind, [string]$Name)
    if ($Kind -eq 'env') { return $script:environmentKey }
    if ($Kind -ne 'winHttp') { return "$($script:servicesKey)\$Name" }
    if ($Name -eq '32') { return "SOFTWARE\WOW6432Node\$($script:connections)" }
    return "SOFTWARE\$($script:connections)"
}

# The last $Count parts of its path, outermost first.
function Get-OwnKeys {
    param([string]$Kind, [string]$Name, [int]$Count)
    $keys = @()
    $path = Get-ItemKey $Kind $Name
    for ($level = 0; $level -lt $Count; $level++) {
        $keys = @($path) + $keys
        $path = Get-ParentKey $path
    }
    return $keys
}

# A text of JSON in ASCII: names of services may hold quotes and any letter.
function ConvertTo-JsonText {
    param([string]$Text)
    if ($Text -cmatch '\A[ !#-\[\]-~]*\z') { return ('"' + $Text + '"') }
    $pieces = @(foreach ($letter in $Text.ToCharArray()) {
        if ("$letter" -cmatch '\A[ !#-\[\]-~]\z') { "$letter" } else { '\u{0:x4}' -f [int]$letter }
    })
    return ('"' + ($pieces -join '') + '"')
}

# The value of a record as JSON, and back.
function ConvertTo-Stored {
    param([string]$Raw)
    $cut = $Raw.IndexOf([char]':')
    if ($cut -lt 0) { return 'null' }
    return ('{"type":' + [long]('0x' + $Raw.Substring(0, $cut)) + ',"hex":"' + $Raw.Substring($cut + 1) + '"}')
}

function ConvertFrom-Stored {
    param($Value)
    if ($null -eq $Value) { return 'absent' }
    if (-not (Test-Object $Value)) { throw 'no value' }
    $type = "$(Get-MemberValue $Value 'type')"
    $hex = "$(Get-MemberValue $Value 'hex')"
    if (-not (Test-Member $Value 'hex') -or $type -notmatch '\A[0-9]{1,10}\z' -or $hex -notmatch '\A(?:[0-9a-f]{2})*\z') { throw 'no value' }
    return (('{0:x}:' -f [long]$type) + $hex.ToLowerInvariant())
}

# The three files make this safe at each instant: whichever is missing or torn, another one is whole.
function Save-State {
    $ledger = @()
    $prior = @()
    foreach ($record in $script:items) {
        $item = ConvertTo-JsonText ($record['kind'] + ':' + $record['name'])
        $keys = @(foreach ($key in @(Get-OwnKeys $record['kind'] $record['name'] $record['key'])) { ConvertTo-JsonText $key })
        $ledger += $item + ':{"before":' + (ConvertTo-Stored $record['before']) + ',"ours":' + (ConvertTo-Stored $record['ours']) +
            ',"ownKeys":[' + ($keys -join ',') + ']}'
        if ($record['prior'] -ne '') { $prior += $item + ':' + (ConvertTo-Stored $record['prior']) }
    }
    $generation = 'null'
    if ($script:generation -ne '') { $generation = $script:generation }
    $text = '{"schema":2,"ledger":{' + "`r`n" + ($ledger -join ",`r`n") + "`r`n" + '},"prior":{' + "`r`n" + ($prior -join ",`r`n") + "`r`n" +
        '},"reboot":' + (ConvertTo-JsonText $script:reboot) + ',"generation":' + $generation + "}`r`n"
    $file = Get-StateFile ''
    Set-Content -LiteralPath (Get-StateFile '.new') -Value $text -Encoding ASCII -NoNewline
    if (Test-Path -LiteralPath $file) { Move-Item -LiteralPath $file -Destination (Get-StateFile '.old') -Force }
    Move-Item -LiteralPath (Get-StateFile '.new') -Destination $file -Force
}

# What is read is checked: the keys that are told to be ours must be the last ones of the item's own path.
function Read-Ledger {
    param($Document)
    $ledger = Get-MemberValue $Document 'ledger'
    $prior = Get-MemberValue $Document 'prior'
    if (-not (Test-Object $ledger) -or -not (Test-Object $prior)) { throw 'no ledger' }
    $items = @(foreach ($property in $ledger.PSObject.Properties) {
        $entry = $property.Value
        if (-not (Test-Object $entry) -or -not ($property.Name -cmatch '\A(?<kind>env|winHttp|service|serviceSecurity|certificate):(?<name>[^\x00-\x1f\\]+)\z')) {
            throw 'no item'
        }
        $record = @{ kind = $Matches['kind']; name = $Matches['name']; prior = '' }
        $listed = @{ env = '\A(?:HTTP_PROXY|HTTPS_PROXY|NO_PROXY)\z'; winHttp = '\A(?:64|32)\z'; certificate = '\A(?:ROOT|CA):[0-9A-Fa-f]{40}\z' }
        if ($listed.ContainsKey($record['kind']) -and -not ($record['name'] -cmatch $listed[$record['kind']])) { throw 'no item' }
        foreach ($member in 'before', 'ours') { $record[$member] = ConvertFrom-Stored (Get-MemberValue $entry $member) }
        if ($record['kind'] -ne 'certificate' -and $record['ours'] -eq 'absent') { throw 'nothing written' }
        $older = Get-MemberValue $prior $property.Name
        if ($null -ne $older) { $record['prior'] = ConvertFrom-Stored $older }
        $keys = @(Get-MemberValue $entry 'ownKeys')
        $record['key'] = $keys.Count
        if (-not (Test-SameName ($keys -join ';') (@(Get-OwnKeys $record['kind'] $record['name'] $keys.Count) -join ';'))) { throw 'keys of others' }
        $record
    })
    $boot = "$(Get-MemberValue $Document 'reboot')"
    $generation = "$(Get-MemberValue $Document 'generation')"
    if ($boot -match '[^\x20-\x7e]' -or $generation -notmatch '\A[0-9]{0,9}\z') { throw 'no boot or generation' }
    return @{ Records = $items; Reboot = $boot; Generation = $generation; Earlier = $false }
}

# Schema 1, which earlier payloads wrote: a list with a record for everything, and two for each service.
function Read-EarlierRecords {
    param($Document)
    $state = @{ Records = @(); Reboot = ''; Generation = ''; Earlier = $true }
    $kinds = @{ env = 'env'; winHttp = 'winHttp'; certificate = 'certificate'; serviceEnv = 'service'; serviceOurs = 'service'; serviceAcl = 'serviceSecurity' }
    $script:items = @()
    foreach ($item in @(Get-MemberValue $Document 'items')) {
        $old = @{}
        foreach ($field in 'kind', 'name', 'before', 'after', 'prior', 'key') {
            $value = Get-MemberValue $item $field
            if ($value -isnot [string] -or $value -match '[\x00-\x1f\\]') { throw 'no text' }
            if ($field -ne 'name' -and $value -match '[^\x20-\x7e]|"') { throw 'no ASCII' }
            $old[$field] = $value
        }
        if ($old['kind'] -eq 'reboot') { $state['Reboot'] = $old['after'] }
        if ($old['kind'] -eq 'generation') { $state['Generation'] = $old['after'] }
        # A certificate that was there before us is nobody's to remove.
        if (-not $kinds.ContainsKey($old['kind']) -or $old['before'] -eq 'present') { continue }
        $kind = $kinds[$old['kind']]
        $name = $old['name']
        if ($kind -eq 'certificate') { $name = $name.ToUpperInvariant() -replace '/', ':' }
        foreach ($field in 'before', 'after', 'prior') {
            if (-not ($old[$field] -cmatch '\A(?:absent|present|[0-9a-f]{1,8}:[0-9a-f]*|)\z')) { throw 'no value' }
        }
        $record = Find-Record $kind $name
        if ($null -eq $record) { $record = Add-Record $kind $name 'absent' }
        if ($old['kind'] -ne 'serviceOurs') { $record['before'] = $old['before'] }
        if ($old['kind'] -ne 'serviceEnv' -and $kind -ne 'certificate') {
            $record['ours'] = $old['after']
            $record['prior'] = $old['prior']
        }
        if ($old['key'] -match '\A[0-9]\z') { $record['key'] = [int]$old['key'] }
    }
    $state['Records'] = @(foreach ($record in $script:items) {
        if ($record['kind'] -eq 'certificate' -or $record['ours'] -ne '') { $record }
    })
    return $state
}

# What one file says; $null when it is torn or is not ours.
function Read-StateFile {
    param([string]$File)
    $document = $null
    try {
        $document = ConvertFrom-Json -InputObject (Get-Content -LiteralPath $File -Raw -Encoding UTF8)
    } catch {
        return $null
    }
    if (-not (Test-Object $document)) { return $null }
    $schema = "$(Get-MemberValue $document 'schema')"
    if ($schema -match '\A[0-9]{1,9}\z' -and [int]$schema -gt 2) {
        Stop-With 12 "$File has schema $schema, which newer scripts wrote: use those, or provisioner.exe of that version"
    }
    try {
        if ($schema -eq '2') { return (Read-Ledger $document) }
        if ($schema -eq '1') { return (Read-EarlierRecords $document) }
    } catch {
        $script:items = @()
    }
    return $null
}

function Open-State {
    $found = $false
    foreach ($suffix in @('', '.new', '.old')) {
        $file = Get-StateFile $suffix
        if (Test-Path -LiteralPath $file) {
            $state = Read-StateFile $file
            if ($null -ne $state) {
                if ($found) { Say "warning: script-state.json was damaged; using $file" }
                $script:items = @($state['Records'])
                $script:reboot = $state['Reboot']
                $script:generation = $state['Generation']
                if ($state['Earlier']) { Save-State }
                return
            }
            # A torn .new alone is a run that was killed before it changed anything.
            if ($suffix -ne '.new' -or $found) { $found = $true }
        }
    }
    if ($found) {
        Stop-With 13 "$(Get-StateFile '') is damaged: restore it from a backup, or delete it to forget what was there before us"
    }
}

# Where provisioner.exe took the record over, only it knows what to put back. Earlier programs kept its ledger in a file of its own.
function Assert-NotTakenOver {
    if (@($script:items).Count -gt 0 -or "$($script:reboot)$($script:generation)" -ne '') { return }
    $file = Join-Path $script:stateDir 'state.json'
    $current = Test-Path -LiteralPath $file
    if (-not $current) {
        $file = Join-Path $script:stateDir 'ledger.json'
        if (-not (Test-Path -LiteralPath $file)) { return }
    }
    $document = $null
    try {
        $document = ConvertFrom-Json -InputObject (Get-Content -LiteralPath $file -Raw -Encoding UTF8)
    } catch {
        $document = $null
    }
    if ($current -and (Test-Object $document)) { $document = Get-MemberValue $document 'sections' }
    if (Test-Object $document) {
        $name = 'items'
        if ($current) { $name = 'ledger' }
        $ours = Get-MemberValue $document $name
        # The program keeps other sections, too, where it never set anything.
        if ($current -and $null -eq $ours) { return }
        if ((Test-Object $ours) -and @($ours.PSObject.Properties).Count -eq 0) { return }
    }
    Stop-With 12 'provisioner.exe keeps the record of this machine, and nothing was undone: run provisioner.exe remove'
}

function Remove-State {
    foreach ($suffix in @('.old', '.new', '')) { Remove-Work (Get-StateFile $suffix) }
    Exit-Lock
    if (@(Get-ChildItem -LiteralPath $script:stateDir -Force).Count -eq 0) {
        Remove-Item -LiteralPath $script:stateDir -Force
    }
}

# ---------------------------------------------------------------------------------------------- registry

# UTF-16LE bytes of a text, in hexadecimal, and back.
function ConvertTo-Hex {
    param([string]$Text)
    $pieces = @()
    if ($Text.Length -gt 0) {
        $pieces = @(foreach ($letter in $Text.ToCharArray()) {
            $code = [int]$letter
            '{0:x2}{1:x2}' -f ($code -band 255), ($code -shr 8)
        })
    }
    return ($pieces -join '')
}

function ConvertFrom-Hex {
    param([string]$Hex)
    $letters = @(for ($i = 0; $i + 3 -lt $Hex.Length; $i += 4) {
        [char][int]('0x' + $Hex.Substring($i + 2, 2) + $Hex.Substring($i, 2))
    })
    return ($letters -join '')
}

function ConvertTo-Sz {
    param([string]$Text)
    return ('1:' + (ConvertTo-Hex $Text) + '0000')
}

function ConvertTo-MultiSz {
    param([string[]]$Entries)
    $hex = ''
    foreach ($entry in @($Entries)) { $hex = $hex + (ConvertTo-Hex $entry) + '0000' }
    return ('7:' + $hex + '0000')
}

# The entries of a REG_MULTI_SZ, one by one; none for "absent".
function ConvertFrom-MultiSz {
    param([string]$Raw)
    if ($Raw -cmatch '\A7:(?<hex>.*)\z') {
        foreach ($entry in (ConvertFrom-Hex $Matches['hex']).Split([char]0)) {
            if ($entry.Length -gt 0) { $entry }
        }
    }
}

# What stands behind the = of a .reg line, as TYPE:BYTES.
function ConvertFrom-RegData {
    param([string]$Data)
    if ($Data.Substring(0, 1) -eq '"') {
        $text = $Data.Substring(1, $Data.Length - 2) -replace '(?s)\\(.)', '$1'
        return (ConvertTo-Sz $text)
    }
    if ($Data -match '\Adword:(..)(..)(..)(..)\z') {
        return ('4:' + $Matches[4] + $Matches[3] + $Matches[2] + $Matches[1]).ToLowerInvariant()
    }
    $type = '3'
    if ($Data -match '\Ahex\((?<type>[0-9a-fA-F]+)\):') { $type = $Matches['type'] }
    $bytes = $Data.Substring($Data.IndexOf([char]':') + 1) -replace '[^0-9a-fA-F]', ''
    return ($type + ':' + $bytes).ToLowerInvariant()
}

# The opposite, with continuation lines.
function ConvertTo-RegData {
    param([string]$Raw)
    if ($Raw -eq 'absent') { return '-' }
    $cut = $Raw.IndexOf([char]':')
    $type = $Raw.Substring(0, $cut)
    $bytes = ($Raw.Substring($cut + 1) -replace '(..)', '$1,').TrimEnd([char]',') -replace '((?:..,){25})', "`$1\`r`n  "
    if ($type -eq '3') { return ('hex:' + $bytes) }
    return ('hex(' + $type + '):' + $bytes)
}

# Whether HKLM\KEY exists. reg.exe gives 1 both for "missing" and for "denied": the list of the parent tells which.
function Test-RegistryKey {
    param([string]$Key)
    $answer = Invoke-Tool 'reg.exe' @('query', "HKLM\$Key", '/reg:64')
    if ($answer['Code'] -eq 0) { return $true }
    if ($Key.IndexOf([char]'\') -lt 0) { Stop-With 13 "can't read the registry key HKLM\$Key" }
    $parent = Get-ParentKey $Key
    if (-not (Test-RegistryKey $parent)) { return $false }
    $answer = Invoke-Tool 'reg.exe' @('query', "HKLM\$parent", '/reg:64')
    foreach ($line in $answer['Lines']) {
        if ("$line".Trim() -eq "HKEY_LOCAL_MACHINE\$Key") { Stop-With 13 "can't read the registry key HKLM\$Key" }
    }
    return $false
}

# The values of HKLM\KEY as texts of a .reg file, and whether it has subkeys; $null when there is no such key.
function Read-RegistryKey {
    param([string]$Key)
    if (-not (Test-RegistryKey $Key)) { return $null }
    $file = Join-Path $script:stateDir 'export.reg'
    $rest = ''
    try {
        $answer = Invoke-Tool 'reg.exe' @('export', "HKLM\$Key", $file, '/y', '/reg:64')
        if ($answer['Code'] -ne 0 -or -not (Test-Path -LiteralPath $file)) { Stop-With 13 "can't export the registry key HKLM\$Key" }
        $rest = "$(Get-Content -LiteralPath $file -Raw -Encoding Unicode)"
    } finally {
        Remove-Work $file
    }
    if (-not ($rest -match '\A\uFEFF?Windows Registry Editor Version 5\.00\s+\[[^\r\n]*\][ \t]*(?:\r?\n|\z)')) {
        Stop-With 13 "reg.exe exported HKLM\$Key in an unknown form"
    }
    $rest = $rest.Substring($Matches[0].Length).TrimStart()
    $values = @{}
    while ($rest.Length -gt 0 -and $rest.Substring(0, 1) -ne '[') {
        if (-not ($rest -match $script:valuePattern)) { Stop-With 13 "reg.exe exported a value of HKLM\$Key in an unknown form" }
        $length = $Matches[0].Length
        $data = $Matches['data']
        $name = "$($Matches['name'])" -replace '(?s)\\(.)', '$1'
        $values[$name] = $data
        $rest = $rest.Substring($length).TrimStart()
    }
    return @{ Values = $values; HasSubkeys = ($rest.Length -gt 0) }
}

function Read-Value {
    param([string]$Key, [string]$Name)
    $found = Read-RegistryKey $Key
    if ($null -eq $found -or -not $found['Values'].ContainsKey($Name)) { return 'absent' }
    return (ConvertFrom-RegData $found['Values'][$Name])
}

function Import-RegText {
    param([string]$Body)
    $file = Join-Path $script:stateDir 'import.reg'
    try {
        Set-Content -LiteralPath $file -Value ("Windows Registry Editor Version 5.00`r`n`r`n" + $Body + "`r`n") -Encoding Unicode -NoNewline
        $answer = Invoke-Tool 'reg.exe' @('import', $file, '/reg:64')
    } finally {
        Remove-Work $file
    }
}

# reg.exe also gives 0 when it skipped a line, so what counts is what is there afterwards.
function Write-Value {
    param([string]$Key, [string]$Name, [string]$Raw)
    Import-RegText ("[HKEY_LOCAL_MACHINE\$Key]`r`n" + '"' + $Name + '"=' + (ConvertTo-RegData $Raw) + "`r`n")
    if ((Read-Value $Key $Name) -cne $Raw) { Stop-With 13 "the registry did not take the value $Name of HKLM\$Key" }
}

function Get-ParentKey {
    param([string]$Key)
    return $Key.Substring(0, $Key.LastIndexOf([char]'\'))
}

function Get-MissingLevels {
    param([string]$Key)
    $levels = 0
    $path = $Key
    while (-not (Test-RegistryKey $path)) {
        $levels = $levels + 1
        $path = Get-ParentKey $path
    }
    return $levels
}

# Deletes the key and $Levels - 1 of its parents as far as they are empty.
function Remove-CreatedKeys {
    param([string]$Key, [int]$Levels)
    $path = $Key
    for ($level = 0; $level -lt $Levels; $level++) {
        $found = Read-RegistryKey $path
        if ($null -ne $found) {
            if (@($found['Values'].Keys).Count -gt 0 -or $found['HasSubkeys']) { return }
            Import-RegText "[-HKEY_LOCAL_MACHINE\$path]`r`n"
        }
        $path = Get-ParentKey $path
    }
}

# ---------------------------------------------------------------------------------------------- what is the same

# The entries of a list like NO_PROXY in one spelling and order, each with a comma behind it. Nothing of a text with
# control characters, which is no list.
function Get-ListKey {
    param([string]$Text)
    if ($Text -match '[\x00-\x1f\x7f]') { return }
    $seen = @{}
    foreach ($entry in $Text.Split([char]',')) {
        $trimmed = $entry.Trim()
        if ($trimmed -ne '') { $seen[(ConvertTo-Hex $trimmed.ToLowerInvariant())] = $true }
    }
    return ((@($seen.Keys | Sort-Object) -join ',') + ',')
}

# The proxy of WinHTTP's settings, its bypass list, and whether it is in use; nothing of another layout.
function Read-WinHttpValue {
    param([string]$Raw)
    if (-not ($Raw -cmatch '\A3:(?<head>(?:18|28)000000[0-9a-f]{8})(?<flags>[0-9a-f]{2})[0-9a-f]{6}(?<rest>[0-9a-f]*)\z')) { return }
    $found = @{ Head = $Matches['head']; Used = ([int]('0x' + $Matches['flags']) -band 2); Texts = @() }
    $rest = $Matches['rest']
    foreach ($number in 1, 2) {
        if (-not ($rest -cmatch '\A(?<low>..)(?<high>..)0000')) { return }
        $length = 2 * [int]('0x' + $Matches['high'] + $Matches['low'])
        if ($rest.Length -lt 8 + $length) { return }
        $found['Texts'] += $rest.Substring(8, $length)
        $rest = $rest.Substring(8 + $length)
    }
    return $found
}

# Whether two values of a kind of record mean the same. Values of different types never do.
function Test-SameValue {
    param([string]$Kind, [string]$Name, [string]$One, [string]$Other)
    if ([string]::Equals($One, $Other)) { return $true }
    $text = '\A1:(?:....)*\z'
    if ($Kind -eq 'env' -and $One -cmatch $text -and $Other -cmatch $text) {
        # With or without the NUL at its end.
        $texts = @(foreach ($raw in $One, $Other) { ConvertFrom-Hex ($raw.Substring(2) -creplace '\A((?:....)*?)0000\z', '$1') })
        if ([string]::Equals($texts[0], $texts[1])) { return $true }
        if ($Name -ne 'NO_PROXY') { return $false }
        $lists = @(foreach ($list in $texts) { "$(Get-ListKey $list)" })
        return ($lists[0] -ne '' -and [string]::Equals($lists[0], $lists[1]))
    }
    if ($Kind -eq 'winHttp') {
        $settings = @(foreach ($raw in $One, $Other) { Read-WinHttpValue $raw })
        return ($settings.Count -eq 2 -and $settings[0]['Used'] -eq $settings[1]['Used'] -and
            [string]::Equals($settings[0]['Texts'] -join ':', $settings[1]['Texts'] -join ':'))
    }
    return $false
}

# Whether the value is one that we wrote: the last one, or the one before that where a run was cut short.
function Test-Ours {
    param($Record, [string]$Now)
    if ($null -eq $Record -or $Now -eq 'absent') { return $false }
    foreach ($written in $Record['ours'], $Record['prior']) {
        if ($written -ne '' -and (Test-SameValue $Record['kind'] $Record['name'] $Now $written)) { return $true }
    }
    return $false
}

# ---------------------------------------------------------------------------------------------- one registry value

# Puts back what was there before us, unless somebody else changed the value since.
function Restore-Value {
    param([string]$Key, [string]$ValueName, $Record, [string]$Label)
    $now = Read-Value $Key $ValueName
    if ($now -cne $Record['before']) {
        if (Test-Ours $Record $now) {
            if ($Record['kind'] -eq 'env') {
                Set-RebootMark
                Save-State
            }
            Write-Value $Key $ValueName $Record['before']
            if ($Record['before'] -eq 'absent') { Say-Change "${Label}: removed" } else { Say-Change "${Label}: restored" }
        } else {
            Say "${Label}: left alone, somebody changed it since we set it"
        }
    }
    Remove-CreatedKeys $Key $Record['key']
    Remove-Record $Record['kind'] $Record['name']
    Save-State
}

# Brings one value to $Want ("absent": not wanted) and keeps its record. With $Yields a value that is not ours is left to
# whoever put it, or nothing, there.
function Sync-Value {
    param([string]$Kind, [string]$Name, [string]$Key, [string]$ValueName, [string]$Want, [string]$Label, [string]$Shown, [bool]$Yields)
    $record = Find-Record $Kind $Name
    if ($Want -eq 'absent') {
        if ($null -ne $record) { Restore-Value $Key $ValueName $record $Label }
        return
    }
    $now = Read-Value $Key $ValueName
    if (Test-SameValue $Kind $Name $now $Want) {
        # Of a run that was cut short. What somebody else set is theirs, even if it is what is wanted now.
        if ($null -ne $record -and $record['ours'] -cne $now -and (Test-Ours $record $now)) {
            $record['ours'] = $now
            Save-State
        }
        return
    }
    if ($Yields -and -not (Test-Ours $record $now)) {
        Say "${Label}: left to windows-instance-config-daemon, which manages it on this node"
        if ($null -ne $record) {
            Remove-Record $Kind $Name
            Save-State
        }
        return
    }
    if ($null -eq $record) {
        $record = Add-Record $Kind $Name $now
        $record['key'] = Get-MissingLevels $Key
    } elseif (Test-SameValue $Kind $Name $now $record['ours']) {
        $record['prior'] = $now
    } elseif (-not (Test-Ours $record $now) -and $now -cne $record['before']) {
        $record['prior'] = ''
        Say "${Label}: somebody changed it since we set it; setting it again"
    }
    $record['ours'] = $Want
    if ($Kind -eq 'env') { Set-RebootMark }
    Save-State
    Write-Value $Key $ValueName $Want
    Say-Change "${Label}: set to $Shown"
}

# ---------------------------------------------------------------------------------------------- machine environment

# Names this boot. The counter is exact; the time of the last start serves where Windows keeps no counter.
function Get-BootName {
    $counter = Read-Value 'SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters' 'BootId'
    if ($counter -ne 'absent') { return "counter $counter" }
    try {
        $system = Get-CimInstance -ClassName Win32_OperatingSystem
        return ('time {0:yyyyMMddHHmm}' -f $system.LastBootUpTime)
    } catch {
        return 'unknown'
    }
}

function Set-RebootMark {
    $script:reboot = Get-BootName
}

# A counter that is gone tells nothing: a reboot too many is the lesser harm.
function Clear-OldRebootMark {
    if ($script:reboot -eq '') { return }
    $boot = Get-BootName
    if ($boot -ne 'unknown' -and $boot -ne $script:reboot -and -not ($boot -cmatch '\Atime ' -and $script:reboot -cmatch '\Acounter ')) {
        $script:reboot = ''
        Save-State
    }
}

# Where the daemon of the Windows Machine Config Operator runs, what it made of a variable stays.
function Sync-Environment {
    param($Variables)
    $wmco = Test-RegistryKey "$($script:servicesKey)\windows-instance-config-daemon"
    $wanted = @{}
    $names = @()
    foreach ($variable in @($Variables)) {
        $wanted[$variable['Name']] = $variable['Value']
        $names += $variable['Name']
    }
    foreach ($name in @(Get-RecordNames 'env')) {
        if ($names -notcontains $name) { $names += $name }
    }
    foreach ($name in $names) {
        $raw = 'absent'
        $shown = ''
        if ($wanted.ContainsKey($name)) {
            $raw = ConvertTo-Sz $wanted[$name]
            $shown = Format-Shown $wanted[$name]
        }
        Sync-Value 'env' $name (Get-ItemKey 'env' $name) $name $raw "machine variable $name" $shown $wmco
    }
}

# ---------------------------------------------------------------------------------------------- WinHTTP

function Sync-WinHttp {
    param($Settings)
    foreach ($view in @('64', '32')) {
        if ($view -eq '32' -and -not (Test-RegistryKey 'SOFTWARE\WOW6432Node')) { continue }
        $key = Get-ItemKey 'winHttp' $view
        $raw = 'absent'
        $shown = ''
        if ($null -ne $Settings) {
            $raw = '3:' + $Settings['Hex']
            $shown = $Settings['Shown']
            # Both layouts are in use; the one that this Windows wrote is kept, with its counter.
            $now = Read-WinHttpValue (Read-Value $key 'WinHttpSettings')
            if ($null -ne $now) { $raw = '3:' + $now['Head'] + $Settings['Hex'].Substring(16) }
        }
        Sync-Value 'winHttp' $view $key 'WinHttpSettings' $raw "WinHTTP proxy ($view-bit programs)" $shown $false
    }
}

# ---------------------------------------------------------------------------------------------- keys of services

function Test-FullLanguage {
    return ("$($ExecutionContext.SessionState.LanguageMode)" -eq 'FullLanguage')
}

# Whether the URL of a proxy among the entries holds a user, a password or a token.
function Test-Credentials {
    param([string[]]$Entries)
    foreach ($entry in @($Entries)) {
        if ((Get-EntryName $entry) -ne 'NO_PROXY' -and $entry -match '[@?]') { return $true }
    }
    return $false
}

# Whether all users may read the entries anyhow, because this payload makes machine variables of them.
function Test-Public {
    param([string[]]$Entries, $Variables)
    $public = @(foreach ($variable in @($Variables)) { $variable['Name'] + '=' + $variable['Value'] })
    foreach ($entry in @($Entries)) {
        if ((Test-Credentials @($entry)) -and $public -cnotcontains $entry) { return $false }
    }
    return $true
}

# The entries of an access list as SDDL prints it ("D:PAI(A;CI;KR;;;BU)"), each with its six parts. Nothing for a list of
# another form, which may let everybody in.
function Get-AccessEntries {
    param([string]$Sddl)
    if (-not ($Sddl -cmatch '\AD:[A-Z]*(?<list>(?:\([^();]*(?:;[^();]*){5}\))+)\z')) { return }
    foreach ($entry in $Matches['list'].Trim([char[]]'()') -split '\)\(') {
        $parts = @($entry -split ';')
        @{ Kind = $parts[0]; Flags = $parts[1]; Rights = $parts[2]; Account = $parts[5]; Text = '(' + $entry + ')' }
    }
}

# Who may be let in: SYSTEM, Administrators, the creator, single services, and the readers.
function Test-Account {
    param([string]$Account, [string[]]$Readers)
    return (@('SY', 'BA', 'CO') -ccontains $Account -or $Account -cmatch '\AS-1-5-80-[0-9-]+\z' -or @($Readers) -ccontains $Account)
}

# Whether nobody else is let in, and no reader is missing.
function Test-Closed {
    param([string]$Sddl, [string[]]$Readers)
    $entries = @(Get-AccessEntries $Sddl)
    foreach ($entry in $entries) {
        if ($entry['Kind'] -cne 'D' -and -not ($entry['Kind'] -ceq 'A' -and (Test-Account $entry['Account'] $Readers))) { return $false }
    }
    foreach ($reader in @($Readers)) {
        if (@($entries | Where-Object { $_['Account'] -ceq $reader }).Count -eq 0) { return $false }
    }
    return ($entries.Count -gt 0)
}

# The list without the others, and with the readers; '' for a list of another form. What was inherited is the key's own.
function Get-ClosedSddl {
    param([string]$Sddl, [string[]]$Readers)
    $entries = @(Get-AccessEntries $Sddl)
    if ($entries.Count -eq 0) { return '' }
    $kept = ''
    foreach ($entry in $entries) {
        if ($entry['Kind'] -ceq 'D' -or ($entry['Kind'] -ceq 'A' -and (Test-Account $entry['Account'] $Readers))) {
            $kept += ($entry['Text'] -creplace '\A(\(\w+;\w*?)ID', '$1')
        }
    }
    foreach ($reader in @($Readers)) {
        $reads = @($entries | Where-Object { $_['Account'] -ceq $reader -and $_['Rights'] -cmatch '\AK[AR]\z' -and $_['Flags'] -cnotmatch 'IO' })
        if ($reads.Count -eq 0) { $kept += "(A;CI;KR;;;$reader)" }
    }
    return ('D:P' + $kept)
}

#region full language
# What Constrained Language Mode has no part of: the classes of .NET that read and set who may use a registry key.

function Open-ServiceKey {
    param([string]$Service)
    $machine = [Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', 'Registry64')
    return $machine.OpenSubKey("$($script:servicesKey)\$Service", 'ReadWriteSubTree', 'ReadKey, ChangePermissions')
}

# Whom the service runs as, in the words of SDDL: its account, and its own SID where its processes have that.
function Get-ServiceReaders {
    param($Key, [string]$Service)
    $names = @("$($Key.GetValue('ObjectName'))" -replace '\A\.\\', "$($env:COMPUTERNAME)\")
    if ($Key.GetValue('ServiceSidType')) { $names += "NT SERVICE\$Service" }
    foreach ($name in $names) {
        if ($name -match '\A(?:NT AUTHORITY\\)?(?<first>Local|Network) ?Service\z') {
            $Matches['first'].Substring(0, 1).ToUpperInvariant() + 'S'
        } elseif ($name -ne '' -and $name -notmatch '\A\\|\A(?:.*\\)?LocalSystem\z|\ANT AUTHORITY\\SYSTEM\z') {
            try {
                ([Security.Principal.NTAccount]$name).Translate([Security.Principal.SecurityIdentifier]).Value
            } catch {
                Say "warning: service ${Service} runs as an account that is not known here, which can't read its key any more"
            }
        }
    }
}

function Get-KeyBytes {
    param($Security)
    return ('3:' + [BitConverter]::ToString($Security.GetSecurityDescriptorBinaryForm()).Replace('-', '').ToLowerInvariant())
}

function Set-KeyBytes {
    param($Security, [string]$Raw)
    $bytes = [byte[]]@(for ($i = 2; $i -lt $Raw.Length; $i += 2) { [Convert]::ToByte($Raw.Substring($i, 2), 16) })
    $Security.SetSecurityDescriptorBinaryForm($bytes, 'Access')
}

# Takes the key from everybody but administrators and the service. The record comes first, as with values.
function Close-ServiceKey {
    param([string]$Service)
    $key = Open-ServiceKey $Service
    if ($null -eq $key) { return }
    $security = $key.GetAccessControl()
    $readers = @(Get-ServiceReaders $key $Service)
    $sddl = $security.GetSecurityDescriptorSddlForm('Access')
    if (Test-Closed $sddl $readers) { return }
    $closed = Get-ClosedSddl $sddl $readers
    if ($closed -eq '') { Stop-With 13 "service ${Service}: who may read its key is told in an unknown form, so its environment is not set" }
    $record = Find-Record 'serviceSecurity' $Service
    if ($null -eq $record) { $record = Add-Record 'serviceSecurity' $Service (Get-KeyBytes $security) }
    $security.SetSecurityDescriptorSddlForm($closed, 'Access')
    $record['ours'] = Get-KeyBytes $security
    Save-State
    $key.SetAccessControl($security)
    $now = $key.GetAccessControl()
    if (-not (Test-Closed $now.GetSecurityDescriptorSddlForm('Access') $readers)) {
        Stop-With 13 "service ${Service}: its key can't be closed to users, so its environment is not set"
    }
    Say-Change "service ${Service}: key closed to users, because its environment holds the proxy's credentials"
}

# What was there before us comes back, unless somebody let others in since.
function Restore-ServiceKey {
    param([string]$Service, $Record)
    $key = Open-ServiceKey $Service
    if ($null -eq $key) { return }
    $security = $key.GetAccessControl()
    $sddl = $security.GetSecurityDescriptorSddlForm('Access')
    Set-KeyBytes $security $Record['ours']
    $ours = @(Get-AccessEntries $security.GetSecurityDescriptorSddlForm('Access'))
    $readers = @($ours | ForEach-Object { $_['Account'] })
    foreach ($entry in @(Get-AccessEntries $sddl)) {
        if ($entry['Kind'] -cne 'D' -and $readers -cnotcontains $entry['Account']) {
            Say "service ${Service}: who may read its key was changed since we closed it; left alone"
            return
        }
    }
    Set-KeyBytes $security $Record['before']
    $key.SetAccessControl($security)
    Say-Change "service ${Service}: key readable for those who could read it before"
}
#endregion

# Whether the environment may be written: nobody reads credentials in it who may not.
function Protect-Service {
    param([string]$Service, [string[]]$Entries, $Variables)
    if (-not (Test-Credentials $Entries)) { return $true }
    if (Test-FullLanguage) {
        Close-ServiceKey $Service
        return $true
    }
    if ($null -ne (Find-Record 'serviceSecurity' $Service) -or (Test-Public $Entries $Variables)) { return $true }
    if (Test-RegistryKey "$($script:servicesKey)\$Service") {
        Add-Problem 13 ("service ${Service}: its environment is not set, because every user could read the proxy's credentials in it: " +
            'this policy (Constrained Language Mode) keeps scripts from closing the key. Use provisioner.exe, or run this script where the policy trusts it')
    }
    return $false
}

function Open-Service {
    param([string]$Service)
    $record = Find-Record 'serviceSecurity' $Service
    if (-not (Test-FullLanguage)) {
        Add-Problem 13 "service ${Service}: its key stays closed to users: run this script where the policy trusts it (full language)"
        return
    }
    Restore-ServiceKey $Service $record
    Remove-Record 'serviceSecurity' $Service
    Save-State
}

# ---------------------------------------------------------------------------------------------- service environments

# What stands before the first =; nothing of an entry that has none, which is somebody else's and stays.
function Get-EntryName {
    param([string]$Entry)
    $cut = $Entry.IndexOf([char]'=')
    if ($cut -lt 0) { return '' }
    return $Entry.Substring(0, $cut)
}

# The entries for a variable, one by one.
function Get-Entries {
    param([string[]]$Entries, [string]$Name)
    foreach ($entry in @($Entries)) {
        if ($Name -ne '' -and (Test-SameName (Get-EntryName $entry) $Name)) { $entry }
    }
}

# The entries without those of ours for other variables than $Names; what was there before us comes back in their place.
# Foreign entries and the order stay.
function Get-Unmerged {
    param([string[]]$Entries, [string[]]$Ours, [string[]]$Before, [string[]]$Names)
    foreach ($entry in @($Entries)) {
        $isOurs = $false
        foreach ($our in @($Ours)) {
            if ([string]::Equals($entry, $our)) { $isOurs = $true }
        }
        $name = Get-EntryName $entry
        if ($isOurs -and -not (Test-Named $Names $name)) { Get-Entries $Before $name } else { $entry }
    }
}

# The entries with the wanted ones put in the place of the first of the same name, or at the end. On Windows a second one
# of a name would win.
function Get-Merged {
    param([string[]]$Entries, [string[]]$Wanted)
    $placed = @()
    foreach ($entry in @($Entries)) {
        $name = Get-EntryName $entry
        $new = @(Get-Entries $Wanted $name)
        if ($new.Count -eq 0) {
            $entry
        } elseif (-not (Test-Named $placed $name)) {
            $placed += $name
            $new[0]
        }
    }
    foreach ($entry in @($Wanted)) {
        if (-not (Test-Named $placed (Get-EntryName $entry))) { $entry }
    }
}

# Whether two lists hold the same entries, in whatever order.
function Test-SameEntries {
    param([string[]]$One, [string[]]$Other)
    $keys = @(foreach ($list in @($One), @($Other)) {
        (@(foreach ($entry in $list) { ConvertTo-Hex $entry }) | Sort-Object) -join ','
    })
    return [string]::Equals("$($keys[0])", "$($keys[1])")
}

function Save-Service {
    param([string]$Service, [string]$Now, [string]$Ours)
    $record = Find-Record 'service' $Service
    if ($null -eq $record) { $record = Add-Record 'service' $Service $Now }
    if ($record['ours'] -cne $Ours) {
        $record['prior'] = $record['ours']
        $record['ours'] = $Ours
    }
    Save-State
}

function Remove-ServiceRecord {
    param([string]$Service)
    Remove-Record 'service' $Service
    Save-State
}

function Sync-Service {
    param([string]$Service, [string[]]$Wanted)
    $key = "$($script:servicesKey)\$Service"
    $record = Find-Record 'service' $Service
    $recorded = ($null -ne $record)
    $wantedCount = @($Wanted).Count
    if (-not (Test-RegistryKey $key)) {
        if ($wantedCount -gt 0) { Say "warning: service ${Service} is not installed: its environment is not set; run this again when it is" }
        if ($wantedCount -eq 0 -and $recorded) { Remove-ServiceRecord $Service }
        return
    }
    if ($wantedCount -eq 0 -and -not $recorded) { return }
    $now = Read-Value $key 'Environment'
    if ($now -ne 'absent' -and -not ($now -cmatch '\A7:')) {
        Add-Problem 13 "the value Environment of service $Service is no REG_MULTI_SZ: correct or delete it, then run this again"
        return
    }
    if ($wantedCount -eq 0 -and $now -eq 'absent') {
        Remove-ServiceRecord $Service
        return
    }
    $entries = @(ConvertFrom-MultiSz $now)
    $base = $entries
    if ($recorded) {
        $ours = @(ConvertFrom-MultiSz $record['ours']) + @(ConvertFrom-MultiSz $record['prior'])
        $before = @(ConvertFrom-MultiSz $record['before'])
        $base = @(Get-Unmerged $entries $ours $before @(foreach ($entry in @($Wanted)) { Get-EntryName $entry }))
    }
    $target = @(Get-Merged $base $Wanted)
    $raw = ConvertTo-MultiSz $target
    # With ours taken out nothing is left but what was there before us: the very value comes back.
    $taken = ($wantedCount -eq 0 -and $raw -cne (ConvertTo-MultiSz $entries))
    if ($taken -and (Test-SameEntries $target $before)) { $raw = $record['before'] }
    $oursRaw = ConvertTo-MultiSz $Wanted
    if ($raw -ceq $now -or ($raw -ne 'absent' -and $raw -ceq (ConvertTo-MultiSz $entries) -and $now -ne 'absent')) {
        if ($wantedCount -eq 0) {
            Say "service ${Service}: environment left alone, somebody changed our entries since we set them"
            Remove-ServiceRecord $Service
        } elseif ($recorded -and $record['ours'] -cne $oursRaw) {
            Save-Service $Service $now $oursRaw
        }
        return
    }
    if ($wantedCount -eq 0) {
        Write-Value $key 'Environment' $raw
        Remove-ServiceRecord $Service
        Say-Change "service ${Service}: our environment entries removed; takes effect when it restarts"
        return
    }
    Save-Service $Service $now $oursRaw
    Write-Value $key 'Environment' $raw
    $names = @()
    foreach ($entry in @($Wanted)) { $names += Get-EntryName $entry }
    Say-Change "service ${Service}: environment set ($($names -join ', ')); takes effect when it restarts"
}

function Sync-Services {
    param($Services, $Variables)
    $names = @()
    $secret = @()
    foreach ($service in @($Services)) {
        $name = $service['Name']
        $names += $name
        if (Protect-Service $name $service['Entries'] $Variables) { Sync-Service $name $service['Entries'] }
        if (Test-Credentials $service['Entries']) { $secret += $name }
    }
    foreach ($name in @(Get-RecordNames 'service')) {
        if (-not (Test-Named $names $name)) { Sync-Service $name @() }
    }
    foreach ($name in @(Get-RecordNames 'serviceSecurity')) {
        # What could not be taken back may be the password.
        $left = (-not (Test-Named $names $name) -and $null -ne (Find-Record 'service' $name))
        if (-not (Test-Named $secret $name) -and -not $left) { Open-Service $name }
    }
}

# ---------------------------------------------------------------------------------------------- certificates

# Whether the machine's store shows the certificate, in whichever physical store it lies.
function Test-Certificate {
    param([string]$Store, [string]$Sha1)
    $answer = Invoke-Tool 'certutil.exe' @('-store', $Store, $Sha1)
    return ($answer['Code'] -eq 0)
}

function Install-Certificate {
    param($Certificate)
    $store = $Certificate['Store']
    $sha1 = $Certificate['Sha1']
    # One that is there without a record was there before us, and is not ours to delete.
    if (Test-Certificate $store $sha1) { return }
    $name = $store + ':' + $sha1.ToUpperInvariant()
    if ($null -eq (Find-Record 'certificate' $name)) {
        $record = Add-Record 'certificate' $name 'absent'
        Save-State
    }
    $file = Join-Path $script:stateDir 'import.cer'
    try {
        # What is checked and what is imported is one file that nobody else can write.
        Copy-Item -LiteralPath $Certificate['Path'] -Destination $file -Force
        Assert-Hash $file $Certificate['Sha256']
        $answer = Invoke-Tool 'certutil.exe' @('-f', '-addstore', $store, $file)
    } finally {
        Remove-Work $file
    }
    if (-not (Test-Certificate $store $sha1)) {
        Stop-With 13 "certutil.exe did not import $sha1 into $store (it gave $($answer['Code']))"
    }
    Say-Change "certificate $store ${sha1}: added ($($Certificate['Subject']))"
}

function Remove-RecordedCertificate {
    param($Record)
    $parts = $Record['name'].Split([char]':')
    $store = $parts[0]
    $sha1 = $parts[1].ToLowerInvariant()
    if (Test-Certificate $store $sha1) {
        $answer = Invoke-Tool 'certutil.exe' @('-delstore', $store, $sha1)
        if (Test-Certificate $store $sha1) {
            if ($answer['Code'] -ne 0) {
                Add-Problem 13 "certutil.exe did not delete $sha1 from $store (it gave $($answer['Code']))"
                return
            }
            Say "certificate $store ${sha1}: still trusted through another store, such as group policy; that one is not ours"
        } else {
            Say-Change "certificate $store ${sha1}: removed"
        }
    }
    Remove-Record 'certificate' $Record['name']
    Save-State
}

function Sync-Certificates {
    param($Certificates)
    $names = @()
    foreach ($certificate in @($Certificates)) {
        Install-Certificate $certificate
        $names += $certificate['Store'] + ':' + $certificate['Sha1']
    }
    foreach ($name in @(Get-RecordNames 'certificate')) {
        if ($names -notcontains $name) { Remove-RecordedCertificate (Find-Record 'certificate' $name) }
    }
}

# ---------------------------------------------------------------------------------------------- the program

# The payload's own program; nothing where it has none. The folder above is the payload's only if this one is its folder
# "scripts": elsewhere anybody may put a program there.
function Find-Program {
    $root = $PSScriptRoot
    if (-not (Test-Path -LiteralPath (Join-Path $root 'egress.json')) -and (Split-Path -Leaf $root) -eq 'scripts') {
        $root = Split-Path -Parent $root
    }
    $program = Join-Path $root 'provisioner.exe'
    if (-not (Test-Path -LiteralPath $program)) { return }
    $document = $null
    try {
        $document = ConvertFrom-Json -InputObject (Get-Content -LiteralPath (Join-Path $root 'manifest.json') -Raw -Encoding UTF8)
    } catch {
        $document = $null
    }
    if (-not (Test-Object $document)) { Stop-With 11 "manifest.json in $root is missing or damaged: copy the whole payload folder" }
    foreach ($file in @(Get-MemberValue $document 'files')) {
        if ((Test-Object $file) -and "$(Get-MemberValue $file 'path')" -ceq 'provisioner.exe') {
            Assert-Hash $program "$(Get-MemberValue $file 'sha256')" 'manifest.json'
            return $program
        }
    }
    Say "warning: $program is not started: manifest.json does not name it, so it is none of this payload"
}

# It tells its own result, and takes over what this script recorded earlier. With "Stop", Windows PowerShell may end at a
# line on standard error.
function Start-Program {
    param([string]$Program)
    $ErrorActionPreference = 'Continue'
    $PSNativeCommandUseErrorActionPreference = $false
    $options = @()
    if ($AllowDowngrade) { $options = @('--allow-downgrade') }
    $payload = Split-Path -Parent $Program
    Say "provisioner.exe is in this payload and applies it: provisioner.exe first-boot $payload"
    & $Program first-boot $payload @options
    $script:problemCode = $LASTEXITCODE
}

# ---------------------------------------------------------------------------------------------- the run

function Assert-Generation {
    param([int]$Generation)
    if ($script:generation -ne '') {
        if ([int]$script:generation -gt $Generation -and -not $AllowDowngrade) {
            Stop-With 12 "this payload has generation $Generation, but $($script:generation) was applied before; -AllowDowngrade accepts it"
        }
        if ([int]$script:generation -eq $Generation) { return }
    }
    $script:generation = "$Generation"
    Save-State
}

function Install-Egress {
    $config = Read-Config $PSScriptRoot
    Initialize-Tools
    Open-StateDir
    Open-State
    Clear-OldRebootMark
    Assert-Generation $config['Generation']
    if ($config['Scope'] -contains 'certs') { Sync-Certificates $config['Certificates'] }
    if ($config['Scope'] -contains 'machine') { Sync-Environment $config['Environment'] }
    if ($config['Scope'] -contains 'winhttp') { Sync-WinHttp $config['WinHttp'] }
    if ($config['Scope'] -contains 'services') { Sync-Services $config['Services'] $config['Environment'] }
}

function Remove-Egress {
    Initialize-Tools
    if (-not (Test-Path -LiteralPath $script:stateDir)) { return }
    Open-StateDir
    Open-State
    Assert-NotTakenOver
    Clear-OldRebootMark
    Sync-Services @() @()
    Sync-WinHttp $null
    Sync-Environment @()
    Sync-Certificates @()
}

function Say-Result {
    if ($script:changes -eq 0 -and $script:problemCode -eq 0) { Say 'nothing to do' }
    if ($script:changes -gt 0) { Say "done: $($script:changes) change(s)" }
    if ($script:reboot -ne '') {
        Say 'reboot: needed - machine variables changed; services see them after the next boot'
    } else {
        Say 'reboot: not needed'
    }
}

$exitCode = 20
try {
    if ($args.Count -gt 0) { Stop-With 10 'usage: Install-Egress.ps1 [-Remove] [-AllowDowngrade]' }
    $program = $null
    if (-not $Remove) { $program = Find-Program }
    if ($program) {
        Start-Program $program
    } else {
        if ($Remove) { Remove-Egress } else { Install-Egress }
        Say-Result
    }
    $exitCode = $script:problemCode
    if ($Remove -and $exitCode -eq 0 -and $script:locked) { Remove-State }
} catch {
    if ($script:failCode -ne 0) {
        $exitCode = $script:failCode
        Say "error: $($_.Exception.Message)"
    } else {
        # The text of a foreign error may quote a value, so only its kind and place are told.
        $exitCode = Get-ForeignCode $_.FullyQualifiedErrorId
        Say "error: $($_.CategoryInfo.Category) in $($_.CategoryInfo.Activity), line $($_.InvocationInfo.ScriptLineNumber) of Install-Egress.ps1"
    }
} finally {
    Exit-Lock
}
exit $exitCode
