# Carries out the operations that provisioner planned, on this machine: certificates, machine variables, WinHTTP's proxy, and
# our entries in the environments of services. operations.json lies beside this script or one folder up. What was there
# before is recorded first, in %ProgramData%\Provisioner\script-state.json, which provisioner.exe takes over when it runs
# here. Where the payload has provisioner.exe, this script only starts it (first-boot).
#
#   -Undo             put back what the record says, and delete the record; operations.json is not read
#   -AllowDowngrade   accept a payload whose generation is lower than the one that was applied last
#   -Operations FILE  read this file, which no manifest lists (user data)
#
# Exit codes: 0 done or nothing to do; 10 usage; 11 the payload is unreadable or invalid; 12 refused for safety; 13 the
# machine can't be read or written; 15 another run is active; 20 a defect in this script; those of provisioner.exe.
#
# Windows PowerShell 5.1 or PowerShell 7, in the full language: it uses .NET's registry and certificate classes. It merges,
# compares and takes back by the rules of provisioner.exe; the cases in tests/golden/rules test both. Names are compared by
# .NET's methods where letters that nobody sees count: PowerShell's operators skip them.
#
# User data carry this script, too, without comments and without the regions "payload": what they carry comes in one text
# with it, so nothing of that is checked, and -Undo is the matter of a payload or of provisioner.exe. Where a channel has no
# room, the regions "full" are left out as well: then values are compared byte by byte, of what a newer list lacks only
# certificates are taken back, and nssm is not known.
param([switch]$Undo, [switch]$AllowDowngrade, [string]$Operations)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$code = $changes = 0
$lock = $manifest = $null
$doing = 'the start'
$state = "$env:ProgramData\Provisioner"
$stateFile = "$state\script-state.json"
$recordable = 1, 2, 3, 7
$services = 'SYSTEM\CurrentControlSet\Services\'
$daemon = $services + 'windows-instance-config-daemon'
$daemons = "left to the Windows Machine Config Operator's daemon"
$scopeOf = @{ certificate = 'certs'; env = 'machine'; winHttp = 'winhttp'; serviceSecurity = 'services'; serviceEnv = 'services' }
#region payload
$itemPattern = '\A(?:env:(?:HTTP_PROXY|HTTPS_PROXY|NO_PROXY)|winHttp:(?:64|32)|certificate:(?:ROOT|CA):[0-9a-f]{40}|' +
    'service(?:Env|Security):[^\x00-\x1f\x7f-\x9f/\\]{1,256}(?:\\parameters)?)\z'
#endregion

function Stop-With($number, $message) {
    $script:code = $number
    throw $message
}

function Write-Change($message) {
    $script:changes++
    Write-Host $message
}

# ---- files

function Get-Field($object, $name) {
    if ($object -is [Management.Automation.PSCustomObject] -and $object.PSObject.Properties[$name]) { $object.$name }
}

#region payload
# The members of an object, in one text: what we wrote has them in this order.
function Get-FieldNames($object) {
    if ($object -is [Management.Automation.PSCustomObject]) { @($object.PSObject.Properties | ForEach-Object { $_.Name }) -join ' ' }
}
#endregion

# An object, or nothing. The parser's own message would quote the text, which may hold a password.
function ConvertFrom-Bytes($bytes) {
    try { $document = [Text.Encoding]::UTF8.GetString($bytes) | ConvertFrom-Json } catch { $document = $null }
    if ($document -is [Management.Automation.PSCustomObject]) { $document }
}

#region payload
# What the manifest says of a file of the payload.
function Find-Listed($path) {
    (Get-Field $manifest 'files') | Where-Object { (Get-Field $_ 'path') -ceq (Split-Path -Leaf $path) }
}

# A file of the payload, read once. The manifest, if there is one, must list it with its SHA-256. A policy for FIPS allows
# this class and not the usual one.
function Read-Bytes($path) {
    try { $bytes = [IO.File]::ReadAllBytes($path) } catch { Stop-With 11 "$path can't be read: copy the whole payload folder" }
    $sha256 = [BitConverter]::ToString((New-Object Security.Cryptography.SHA256CryptoServiceProvider).ComputeHash($bytes)) -replace '-'
    if ($manifest -and (Get-Field (Find-Listed $path) 'sha256') -ne $sha256) {
        Stop-With 11 "$path is not the file that manifest.json lists (its SHA-256 differs): copy the payload again"
    }
    , $bytes
}

function Read-Json($path) {
    $document = ConvertFrom-Bytes (Read-Bytes $path)
    if (-not $document) { Stop-With 11 "$path is damaged: copy the payload again" }
    $document
}

# ---- checks of the operations: kinds and keys are from a closed list, whatever the file says

function Stop-Invalid($what) { Stop-With 11 "operations.json: `$.operations[$index] $what" }

function Assert-Text($text) {
    if ($text -isnot [string] -or $text -match '[\x00-\x1f\x7f]') { Stop-Invalid 'has a value that is no text without control characters: bake the payload again' }
}

function Assert-Operation($kind, $key, $value) {
    if ($scopeOf.Keys -cnotcontains $kind -or "${kind}:$key" -cnotmatch $itemPattern) {
        Stop-Invalid 'is of a kind, or has a key, that this script does not know: use the script of the payload'
    }
    if ($kind -ceq 'winHttp') { 'proxy', 'bypass' | ForEach-Object { Assert-Text (Get-Field $value $_) } }
    if ($kind -ceq 'serviceEnv' -and -not (Get-FieldNames $value)) { Stop-Invalid 'sets no variables: bake the payload again' }
    if ($kind -ceq 'certificate') {
        try { $thumbprint = (Get-Certificate $value).Thumbprint } catch { $thumbprint = '' }
        if ($thumbprint -ne $key.Split(':')[1]) { Stop-Invalid 'is not the certificate that its key names: bake the payload again' }
    }
}
#endregion

# ---- the operations

function Get-Certificate($text) { New-Object Security.Cryptography.X509Certificates.X509Certificate2 (, [Convert]::FromBase64String($text)) }

# The value of a variable. Null stands for that in "proxy" of egress.json, so that only one file holds the password.
function Resolve-Variable($name, $value) {
    if ($null -eq $value) { $value = Get-Field $proxy $name }
    #region payload
    if ("env:$name" -cnotmatch $itemPattern) { Stop-Invalid 'sets another variable than HTTP_PROXY, HTTPS_PROXY and NO_PROXY' }
    if ($null -eq $value) { Stop-Invalid "takes $name from egress.json, which does not have it: copy the whole payload folder" }
    Assert-Text $value
    #endregion
    $value
}

# One operation, with its value as Set-Value, Add-Certificate and Protect-Key take it.
function Read-Operation($operation) {
    $kind = "$(Get-Field $operation 'kind')"
    $key = "$(Get-Field $operation 'key')"
    $value = Get-Field $operation 'value'
    #region payload
    Assert-Operation $kind $key $value
    #endregion
    if ($kind -ceq 'env') { $value = Resolve-Variable $key $value }
    if ($kind -ceq 'winHttp') { $value = $value.proxy, $value.bypass }
    if ($kind -ceq 'serviceEnv') { $value = @($value.PSObject.Properties | ForEach-Object { $_.Name + '=' + (Resolve-Variable $_.Name $_.Value) }) }
    if ($kind -ceq 'certificate') { $value = Get-Certificate $value }
    @{ item = "${kind}:$key"; kind = $kind; key = $key; value = $value }
}

# ---- state folder, lock and record

# Any user may make a folder in ProgramData: one that is not administrators' alone, or leads elsewhere, is refused. Windows
# gives the lock back when this process ends; provisioner.exe locks the same byte.
function Open-State {
    $security = New-Object Security.AccessControl.DirectorySecurity
    $security.SetSecurityDescriptorSddlForm('O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
    #region payload
    if ($PSVersionTable.PSEdition -eq 'Core') { $null = [IO.FileSystemAclExtensions]::CreateDirectory($security, $state) }
    #endregion
    if (-not (Test-Path -LiteralPath $state)) { $null = [IO.Directory]::CreateDirectory($state, $security) }
    $shown = "$((Get-Item -LiteralPath $state -Force).Attributes) $((Get-Acl -LiteralPath $state).Sddl)"
    if ($shown -cnotmatch '\A(?!.*ReparsePoint)[\w, ]*Directory[\w, ]* O:(?:SY|BA)[^(]*D:P[AIR]*(?:\(A;\w*;\w+;;;(?:SY|BA)\))+(?:S:.*)?\z') {
        Stop-With 12 "$state is a link, or is not SYSTEM's and Administrators' alone: check what is in it and remove it"
    }
    try {
        $script:lock = [IO.File]::Open("$state\lock", 'OpenOrCreate', 'ReadWrite', 'ReadWrite, Delete')
        $lock.Lock(0, 1)
    } catch [IO.IOException] {
        Stop-With 15 "another run is active: wait until it has ended ($state\lock is locked)"
    }
    $script:record = Read-Record
    Clear-Reboot
}

# A new file alone is of the first run, which was cut short: if it is torn, nothing was changed yet.
function Read-Record {
    foreach ($path in $stateFile, "$stateFile.new") {
        if (-not (Test-Path -LiteralPath $path)) { continue }
        $found = ConvertFrom-Bytes ([IO.File]::ReadAllBytes($path))
        if ((Get-Field $found 'schema') -gt 1) { Stop-With 12 "a newer script wrote ${path}: use that one, or provisioner.exe of its version" }
        #region payload
        $foreign = @((Get-Field $found 'items') | Where-Object { (Get-FieldNames $_) -cne 'key before ours prior ownKeys' -or $_.key -cnotmatch $itemPattern })
        if ($foreign.Count -or (Get-FieldNames $found) -cne 'schema generation reboot items') { $found = $null }
        try { $found.items | ForEach-Object { $_.before, $_.ours, $_.prior } | Where-Object { $_ } | ForEach-Object { $null = Get-Bytes $_ } } catch { $found = $null }
        #endregion
        if ($found) { return $found }
        if ($path -eq $stateFile) { Stop-With 13 "$path is damaged: restore it from a backup, or delete it to forget what was there before us" }
    }
    [pscustomobject]@{ schema = 1; generation = 0; reboot = ''; items = @() }
}

# One of the two files is whole at each instant, also when power fails.
function Save-Record {
    $bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json $record -Depth 9))
    $file = [IO.File]::Create("$stateFile.new", 4096, 'WriteThrough')
    $file.Write($bytes, 0, $bytes.Length)
    $file.Close()
    if (Test-Path -LiteralPath $stateFile) {
        [IO.File]::Replace("$stateFile.new", $stateFile, [NullString]::Value)
    } else {
        [IO.File]::Move("$stateFile.new", $stateFile)
    }
}

function Find-Entry($item) { $record.items | Where-Object { [string]::Equals($_.key, $item) } }

function New-Entry($item, $before, $ownKeys) {
    $entry = [pscustomobject]@{ key = $item; before = $before; ours = $null; prior = $null; ownKeys = @($ownKeys | Where-Object { $_ }) }
    $record.items = @($record.items) + $entry
    $entry
}

function Remove-Entry($item) {
    $record.items = @($record.items | Where-Object { -not [string]::Equals($_.key, $item) })
    Save-Record
}

# Names this boot by Windows' counter, or by its time where Windows keeps no counter.
function Get-BootName {
    $key = $machine.OpenSubKey('SYSTEM\CurrentControlSet\Control\Session Manager\Memory Management\PrefetchParameters')
    if ($key -and $null -ne $key.GetValue('BootId')) { return "counter $($key.GetValue('BootId'))" }
    #region full
    try { return 'time {0:yyyyMMddHHmm}' -f (Get-CimInstance Win32_OperatingSystem).LastBootUpTime } catch {}
    #endregion
    'unknown'
}

# The reboot that was needed has been. It can't be told where the counter is gone.
function Clear-Reboot {
    $boot = Get-BootName
    if ($record.reboot -in '', $boot -or $boot -eq 'unknown') { return }
    #region full
    if ($boot -match '^time' -and $record.reboot -match '^counter') { return }
    #endregion
    $record.reboot = ''
    Save-Record
}

# ---- registry values: name, type and bytes, as the record and provisioner.exe have them; nothing for an absent one. Of other
# types than REG_SZ, REG_EXPAND_SZ, REG_BINARY and REG_MULTI_SZ it has no bytes: nobody sets these values so.

function New-Value($name, $type, $data) {
    if ($type -eq 7) { $data = (@($data) + '') -join "`0" }
    if ($type -in 1, 2, 7) { $data = [Text.Encoding]::Unicode.GetBytes("$data`0") }
    [pscustomobject]@{ name = $name; type = $type; data = [Convert]::ToBase64String($data) }
}

function Get-Bytes($value) { , [Convert]::FromBase64String($value.data) }
# The text of a value, without the NUL at its end.
function Get-Text($value) { [Text.Encoding]::Unicode.GetString((Get-Bytes $value)) -replace '\x00\z' }

function Read-Value($key, $name) {
    $open = $machine.OpenSubKey($key)
    if (-not $open -or -not ($open.GetValueNames() -match "\A$name\z")) { return }
    $type = [int]$open.GetValueKind($name)
    $data = $open.GetValue($name, $null, 'DoNotExpandEnvironmentNames')
    if ($type -notin $recordable) { $data = @() }
    New-Value $name $type $data
}

function Write-Value($key, $name, $value) {
    #region full
    if (-not $value) { return $machine.OpenSubKey($key, $true).DeleteValue($name, $false) }
    #endregion
    $type = $value.type
    $data = Get-Bytes $value
    if ($type -in 1, 2) { $data = Get-Text $value }
    if ($type -eq 7) { $data = [string[]]@([regex]::Matches((Get-Text $value), '([^\x00]*)\x00') | ForEach-Object { $_.Groups[1].Value }) }
    $machine.CreateSubKey($key).SetValue($name, $data, $type)
}

# Where a value is: items name places, and never a path.
function Get-Place($kind, $key) {
    if ($kind -ceq 'env') { return 'SYSTEM\CurrentControlSet\Control\Session Manager\Environment', $key }
    #region full
    if ($key.Contains('\')) { return ($services + $key), 'AppEnvironmentExtra' }
    #endregion
    if ($kind -ceq 'serviceEnv') { return ($services + $key), 'Environment' }
    ('SOFTWARE\' + ('', 'WOW6432Node\')[$key -eq '32'] + 'Microsoft\Windows\CurrentVersion\Internet Settings\Connections'), 'WinHttpSettings'
}

# The key, and those above it.
function Get-Path($key) {
    for (; $key.Contains('\'); $key = $key.Substring(0, $key.LastIndexOf('\'))) { $key }
}

# ---- what is the same

#region full
# The entries of a list like NO_PROXY, in one order; nothing for a text that is no list.
function Get-Set($text) {
    if ($text -match '[\x00-\x1f\x7f]') { return }
    $set = New-Object Collections.Generic.SortedSet[string] ([StringComparer]::Ordinal)
    foreach ($entry in $text.Split(',')) { $null = $set.Add($entry.Trim().ToLowerInvariant()) }
    $null = $set.Remove('')
    ',' + ($set -join ',')
}

# WinHTTP's proxy, its bypass list, and whether they are in use; nothing for another layout.
function Get-WinHttp($value) {
    $bytes = Get-Bytes $value
    if ($value.type -ne 3 -or $bytes.Length -lt 20 -or $bytes[0] -notin 24, 40) { return }
    $at = 12
    $texts = foreach ($number in 1, 2) {
        if ($at + 4 -gt $bytes.Length) { return }
        $length = [BitConverter]::ToInt32($bytes, $at)
        if ($length -lt 0 -or $length -gt $bytes.Length - $at - 4) { return }
        [Text.Encoding]::GetEncoding(28591).GetString($bytes, $at + 4, $length)
        $at += 4 + $length
    }
    "$($bytes[8] -band 2) $($texts -join "`0")"
}
#endregion

function Test-Same($kind, $one, $other) {
    if (-not $one -or -not $other -or $one.type -ne $other.type) { return $false }
    $pair = $one.data, $other.data
    if ($kind -ceq 'env' -and $one.type -eq 1) { $pair = (Get-Text $one), (Get-Text $other) }
    if ([string]::Equals($pair[0], $pair[1])) { return $true }
    #region full
    if ($kind -ceq 'winHttp') { $pair = @(Get-WinHttp $one) + @(Get-WinHttp $other) }
    if ($kind -ceq 'env' -and $one.type -eq 1 -and $one.name -eq 'NO_PROXY') { $pair = @(Get-Set $pair[0]) + @(Get-Set $pair[1]) }
    #endregion
    $pair.Count -eq 2 -and [string]::Equals($pair[0], $pair[1])
}

# What we wrote last, or before that where a run was cut short in between.
function Test-Ours($kind, $entry, $now) { (Test-Same $kind $now $entry.ours) -or (Test-Same $kind $now $entry.prior) }

# ---- the list of a service, which others share

function Get-Entries($value) {
    if ($value -and $value.type -eq 7) { (Get-Text $value).Split([char]0) | Where-Object { $_ } }
}

# Whether both set the same variable. An entry without = is somebody else's.
function Test-SameName($one, $other) {
    $name = $other.Substring(0, $other.IndexOf('=') + 1)
    $name.Length -gt 1 -and $one.StartsWith($name, 'OrdinalIgnoreCase')
}

# Those of the entries that we wrote, in the last run or in one before that was cut short.
function Get-Ours($entries, $entry) {
    $ours = [string[]](@(Get-Entries $entry.ours) + @(Get-Entries $entry.prior))
    $entries | Where-Object { [Array]::IndexOf($ours, $_) -ge 0 }
}

# The list without our entries for other variables than the wanted ones: what was there before comes back in their place.
function Get-Unmerged($entries, $entry, $wanted) {
    $ours = [string[]]@(Get-Ours $entries $entry)
    foreach ($one in $entries) {
        $isOurs = [Array]::IndexOf($ours, $one) -ge 0 -and -not @($wanted | Where-Object { Test-SameName $one $_ })
        if ($isOurs) { Get-Entries $entry.before | Where-Object { Test-SameName $_ $one } } else { $one }
    }
}

# The list with the wanted entries, each in the place of the first of its name, or at the end. A second one would win.
function Get-Merged($entries, $wanted) {
    $placed = @()
    foreach ($one in $entries) {
        $new = @($wanted | Where-Object { Test-SameName $one $_ })
        if (-not $new) { $one }
        $new | Where-Object { $placed -cnotcontains $_ }
        $placed += $new
    }
    $wanted | Where-Object { $placed -cnotcontains $_ }
}

#region full
function Test-SameEntries($one, $other) {
    $one, $other = [string[]]@($one), [string[]]@($other)
    [Array]::Sort($one, [StringComparer]::Ordinal)
    [Array]::Sort($other, [StringComparer]::Ordinal)
    [string]::Equals(($one -join "`0"), ($other -join "`0"))
}
#endregion

# ---- values: set, and put back

# What the operation wants there, less what others have in a service's list.
function Get-Wanted($wanted, $name, $now) {
    if ($wanted.kind -ceq 'env') { return New-Value $name 1 $wanted.value }
    if ($wanted.kind -ceq 'serviceEnv') { return New-Value $name 7 $wanted.value }
    # Two layouts are in use. The one that this Windows wrote is kept, with its counter.
    $head = 24, 0, 0, 0, 0, 0, 0, 0
    $isKnown = $now -and $now.type -eq 3
    #region full
    $isKnown = $isKnown -and (Get-WinHttp $now)
    #endregion
    if ($isKnown) { $head = (Get-Bytes $now)[0..7] }
    $texts = foreach ($text in $wanted.value) { [BitConverter]::GetBytes($text.Length) + [Text.Encoding]::ASCII.GetBytes($text) }
    New-Value $name 3 ([byte[]]($head + (3, 0, 0, 0) + $texts))
}

function Set-Value($wanted) {
    $key, $name = Get-Place $wanted.kind $wanted.key
    $isList = $wanted.kind -ceq 'serviceEnv'
    if ($isList -and -not $machine.OpenSubKey($key)) {
        Write-Host "warning: service $($wanted.key) is not installed, so its environment is not set: run this again when it is"
        return
    }
    if ($wanted.item -ceq 'winHttp:32' -and -not $machine.OpenSubKey('SOFTWARE\WOW6432Node')) { return }
    $entry = Find-Entry $wanted.item
    $now = Read-Value $key $name
    $ours = $target = Get-Wanted $wanted $name $now
    if ($isList) {
        $entries = @(Get-Entries $now)
        #region full
        # Nothing of ours is left: the service was made again, or others replaced its list.
        if ($entry -and -not (Get-Ours $entries $entry) -and (-not $now -or $recordable -contains $now.type)) { $entry.before = $now }
        #endregion
        if ($entry) { $entries = @(Get-Unmerged $entries $entry $wanted.value) }
        $target = New-Value $name 7 @(Get-Merged $entries $wanted.value)
    }
    $isOurs = $entry -and (Test-Ours $wanted.kind $entry $now)
    if (Test-Same $wanted.kind $now $target) {
        # What somebody else set is theirs, even if it is what is wanted. What a cut run had set is ours.
        if ($entry -and ($isList -or $isOurs) -and $entry.ours.data -cne $ours.data) {
            $entry.ours = $ours
            Save-Record
        }
        return
    }
    if ($wanted.kind -ceq 'env' -and -not $isOurs -and $machine.OpenSubKey($daemon)) {
        Write-Host "$($wanted.item): $daemons"
        if ($entry) { Remove-Entry $wanted.item }
        return
    }
    if (-not $entry) {
        if ($now -and $now.type -notin $recordable) { Stop-With 13 "the value $name of HKLM\$key is of a type that only provisioner.exe can record: use that" }
        $missing = @(Get-Path $key | Where-Object { -not $machine.OpenSubKey($_) })
        [Array]::Reverse($missing)
        $entry = New-Entry $wanted.item $now $missing
    } elseif ($isList) {
        # The last record may be of a run that was cut before its value: what is really there counts.
        $there = @(Get-Ours @(Get-Entries $now) $entry)
        $entry.prior = $(if ($there) { New-Value $name 7 $there })
    } elseif (-not (Test-Same $wanted.kind $now $entry.prior)) {
        $entry.prior = ($null, $now)[$isOurs]
    }
    $entry.ours = $ours
    if ($wanted.kind -ceq 'env') { $record.reboot = Get-BootName }
    Save-Record
    Write-Value $key $name $target
    Write-Change "$($wanted.item): set"
}

#region full
# Puts back what was there before us, as far as nobody changed it since. Keys that we made and that are empty go.
function Restore-Value($kind, $entry, $item) {
    # The operator's daemon would set it again, and reboot the node for it.
    if ($kind -ceq 'env' -and $leftOut -ccontains 'machine' -and $machine.OpenSubKey($daemon)) { return Write-Host "$($entry.key): $daemons" }
    $key, $name = Get-Place $kind $item
    $now = Read-Value $key $name
    $value = $entry.before
    $isOurs = Test-Ours $kind $entry $now
    if ($kind -ceq 'serviceEnv' -and $now) {
        $left = @(Get-Unmerged @(Get-Entries $now) $entry @())
        $isOurs = -not (Test-SameEntries $left @(Get-Entries $now))
        if (-not (Test-SameEntries $left @(Get-Entries $value))) { $value = New-Value $name 7 $left }
    }
    if ($isOurs) {
        if ($kind -ceq 'env') {
            $record.reboot = Get-BootName
            Save-Record
        }
        Write-Value $key $name $value
        Write-Change "$($entry.key): $(if ($value) { 'what was there before is back' } else { 'removed' })"
    } elseif ($now) {
        Write-Host "$($entry.key): left alone, somebody changed it since we set it"
    }
    foreach ($path in @(Get-Path $key | Where-Object { $entry.ownKeys -contains $_ })) {
        $open = $machine.OpenSubKey($path)
        if ($open -and $open.SubKeyCount + $open.ValueCount -eq 0) { $machine.DeleteSubKey($path) }
    }
}
#endregion

# ---- certificates

function Open-Store($name) {
    $store = New-Object Security.Cryptography.X509Certificates.X509Store $name, 'LocalMachine'
    $store.Open('ReadWrite')
    $store
}

# The store shows a certificate whichever physical store it lies in. One that is there without a record is not ours.
function Add-Certificate($wanted) {
    $name, $sha1 = $wanted.key.Split(':')
    $store = Open-Store $name
    if ($store.Certificates.Find('FindByThumbprint', $sha1, $false).Count) { return }
    if (-not (Find-Entry $wanted.item)) {
        (New-Entry $wanted.item $null $null).ours = New-Value $wanted.value.Thumbprint 3 $wanted.value.RawData
        Save-Record
    }
    $store.Add($wanted.value)
    Write-Change "$($wanted.item): added"
}

# From the place that we added it to. X509Store.Remove would try the places of policies and of the enterprise as well.
function Remove-Certificate($item) {
    $null, $name, $sha1 = $item.Split(':')
    $key = "SOFTWARE\Microsoft\SystemCertificates\$name\Certificates\$sha1"
    if (-not $machine.OpenSubKey($key)) { return }
    $machine.DeleteSubKey($key)
    Write-Change "${item}: removed"
}

# ---- keys of services: whose environment holds a password

function Open-ServiceKey($service) { $machine.OpenSubKey($services + $service, 'ReadWriteSubTree', 'ReadKey, ChangePermissions') }

function Get-Descriptor($security) { New-Value '' 3 $security.GetSecurityDescriptorBinaryForm() }

# The entries of the access list, each with the six parts that it has in SDDL; nothing for a list of another form.
function Get-Access($security) {
    if ($security.GetSecurityDescriptorSddlForm('Access') -cnotmatch '\AD:[A-Z]*((?:\([^();]*(?:;[^();]*){5}\))+)\z') { return }
    $Matches[1].Trim('()') -split '\)\(' | ForEach-Object { , ($_ -split ';') }
}

# Whom the list that we set lets in.
function Get-Given($open, $entry) {
    if (-not $entry) { return }
    $security = $open.GetAccessControl()
    $security.SetSecurityDescriptorBinaryForm((Get-Bytes $entry.ours), 'Access')
    Get-Access $security | ForEach-Object { $_[5] }
}

# Who reads the key beside SYSTEM and Administrators: the account that the service runs as, and its own SID. An account
# whose domain does not answer now is the one of the last run.
function Get-Readers($open, $service, $entry) {
    #region full
    $service = $service.Split('\')[0]
    $open = $machine.OpenSubKey($services + $service)
    #endregion
    $names = @("$($open.GetValue('ObjectName'))" -replace '\A\.\\', "$env:COMPUTERNAME\")
    if ($open.GetValue('ServiceSidType')) { $names += "NT SERVICE\$service" }
    foreach ($name in $names) {
        if ($name -match '\A(?:NT AUTHORITY\\)?(Local|Network) ?Service\z') {
            $Matches[1].Substring(0, 1).ToUpperInvariant() + 'S'
        } elseif ($name -and $name -notmatch '\A\\|\A(?:.*\\)?LocalSystem\z|\ANT AUTHORITY\\SYSTEM\z') {
            try {
                (New-Object Security.Principal.NTAccount $name).Translate([Security.Principal.SecurityIdentifier]).Value
            } catch {
                $given = @(Get-Given $open $entry | Where-Object { $_ -cmatch '\AS-1-5-21-' })
                if (-not $given) { Write-Host "warning: service $service runs as an account that is not known here and can't read its key: check it, or run this again" }
                $given
            }
        }
    }
}

# Takes the key from everybody but SYSTEM, Administrators and the service, before its environment holds a password.
function Protect-Key($wanted) {
    $open = Open-ServiceKey $wanted.key
    if (-not $open) { return }
    $security = $open.GetAccessControl()
    $access = @(Get-Access $security)
    if (-not $access) { Stop-With 13 "service $($wanted.key): its access list has an unknown form, so its environment is not set: reset its permissions" }
    $entry = Find-Entry $wanted.item
    $readers = @(Get-Readers $open $wanted.key $entry)
    $kept = @($access | Where-Object { $_[0] -ceq 'D' -or ($_[0] -ceq 'A' -and ($_[5] -cmatch '\A(?:SY|BA|CO|S-1-5-80-[0-9-]+)\z' -or $readers -ccontains $_[5])) })
    $reading = @($kept | Where-Object { $_[2] -cmatch '\AK[AR]\z' -and $_[1] -cnotmatch 'IO' } | ForEach-Object { $_[5] })
    $added = @($readers | Where-Object { $reading -cnotcontains $_ })
    # Who closed the key before us knew for whom.
    if ($kept.Count -eq $access.Count -and -not ($entry -and $added)) { return }
    if (-not $entry) { $entry = New-Entry $wanted.item (Get-Descriptor $security) $null }
    # What was inherited is the key's own from now on.
    $list = @($kept | ForEach-Object { $_[1] = $_[1] -creplace 'ID'; "($($_ -join ';'))" }) + @($added | ForEach-Object { "(A;CI;KR;;;$_)" })
    $security.SetSecurityDescriptorSddlForm('D:P' + (-join $list), 'Access')
    $entry.ours = Get-Descriptor $security
    Save-Record
    $open.SetAccessControl($security)
    Write-Change "$($wanted.item): closed to users, as the service's environment holds a password"
}

#region full
function Unprotect-Key($entry, $service) {
    $open = Open-ServiceKey $service
    if (-not $open) { return }
    $security = $open.GetAccessControl()
    $now = @(Get-Access $security)
    $given = @(Get-Given $open $entry)
    if (-not $now -or @($now | Where-Object { $_[0] -cne 'D' -and $given -cnotcontains $_[5] })) {
        Write-Host "$($entry.key): left alone, others may read the key since we closed it"
        return
    }
    $security.SetSecurityDescriptorBinaryForm((Get-Bytes $entry.before), 'Access')
    $open.SetAccessControl($security)
    Write-Change "$($entry.key): opened for those who could read it before"
}
#endregion

# ---- the run

# Takes back entries of the record, the last one first.
function Undo-Items($entries) {
    [Array]::Reverse($entries)
    foreach ($entry in $entries) {
        $script:doing = $entry.key
        $kind, $key = $entry.key -split ':', 2
        if ($kind -ceq 'certificate') {
            Remove-Certificate $entry.key
            Remove-Entry $entry.key
        }
        #region full
        if ($kind -ceq 'serviceSecurity') { Unprotect-Key $entry $key }
        if ('env', 'winHttp', 'serviceEnv' -ccontains $kind) { Restore-Value $kind $entry $key }
        if ($kind -cne 'certificate') { Remove-Entry $entry.key }
        #endregion
    }
}

#region full
# The key Parameters of a service under nssm has two lists: AppEnvironment replaces the service's own, and AppEnvironmentExtra
# comes last. Where they would win over what is wanted, it goes into that one, too.
function Add-Nssm($wanted) {
    foreach ($one in $wanted) {
        $one
        if ($one.kind -cnotlike 'service*') { continue }
        $all, $extra = 'AppEnvironment', 'AppEnvironmentExtra' | ForEach-Object { , @(Get-Entries (Read-Value "$services$($one.key)\parameters" $_)) }
        if ($all -or $extra -match '^(HTTPS?|NO)_PROXY=') {
            @{ item = $one.item + '\parameters'; kind = $one.kind; key = $one.key + '\parameters'; value = $one.value }
        }
    }
}
#endregion

# What the list lacks goes before what is new comes. A key is opened last, when the password in it is gone.
function Invoke-Operations($scope, $wanted, $leftOut) {
    #region full
    $wanted = @(Add-Nssm $wanted)
    #endregion
    $items = [string[]]@($wanted | ForEach-Object { $_.item })
    $lacking = @($record.items | Where-Object { $scope + $leftOut -ccontains $scopeOf[$_.key.Split(':')[0]] -and [Array]::IndexOf($items, $_.key) -lt 0 })
    Undo-Items @($lacking | Where-Object { $_.key -cnotlike 'serviceSecurity:*' })
    foreach ($one in $wanted) {
        $script:doing = $one.item
        if ($one.kind -ceq 'certificate') { Add-Certificate $one }
        if ($one.kind -ceq 'serviceSecurity') { Protect-Key $one }
        if ('env', 'winHttp', 'serviceEnv' -ccontains $one.kind) { Set-Value $one }
    }
    Undo-Items @($lacking | Where-Object { $_.key -clike 'serviceSecurity:*' })
    Write-Host $(if ($changes) { "done: $changes change(s)" } else { 'nothing to do' })
    Write-Host $(if ($record.reboot) { 'reboot: needed - services see the changed variables after it' } else { 'reboot: not needed' })
}

# All operations are read before anything is changed. $proxy has the values that are null in them.
function Invoke-Document($document, $proxy) {
    $index = 0
    $wanted = @(foreach ($operation in @(Get-Field $document 'operations')) {
        Read-Operation $operation
        $index++
    })
    Open-State
    $generation = $document.generation
    if ($record.generation -gt $generation -and -not $AllowDowngrade) {
        Stop-With 12 "this payload has generation $generation, but $($record.generation) was applied before; -AllowDowngrade accepts it"
    }
    if ($record.generation -ne $generation) {
        $record.generation = $generation
        Save-Record
    }
    Invoke-Operations @(Get-Field $document 'scope') $wanted @(Get-Field $document 'leftOut')
}

#region payload
# The program goes on where it is in the payload. One that the manifest does not list may be anybody's.
function Start-Program($program, $root) {
    if (-not (Test-Path -LiteralPath $program)) { return $false }
    if (-not (Find-Listed $program)) {
        Write-Host "warning: $program is not started: manifest.json does not list it, so it is none of this payload"
        return $false
    }
    $null = Read-Bytes $program
    Write-Host "provisioner.exe is in this payload and applies it: provisioner.exe first-boot $root"
    # With "Stop", Windows PowerShell may end at a line on standard error.
    $ErrorActionPreference = 'Continue'
    $options = @('--allow-downgrade' | Where-Object { $AllowDowngrade })
    & $program first-boot $root @options | Out-Host
    $script:code = $LASTEXITCODE
    $true
}

function Invoke-Payload {
    $root = $PSScriptRoot
    if (-not (Test-Path -LiteralPath "$root\operations.json") -and (Split-Path -Leaf $root) -eq 'scripts') { $root = Split-Path $root }
    $script:manifest = Read-Json (Join-Path $root 'manifest.json')
    if (Start-Program (Join-Path $root 'provisioner.exe') $root) { return }
    $list = Join-Path $root 'operations.json'
    $document = Read-Json $list
    if ((Get-Field $document 'schema') -ne 1 -or (Get-Field $document 'generation') -isnot [ValueType]) { Stop-With 11 "$list has another schema than 1: use the script of the payload" }
    foreach ($word in @(Get-Field $document 'scope')) {
        if ($scopeOf.Values -cnotcontains $word) { Write-Host "warning: this script does not manage '$($word -replace '[^a-z]', '?')'; provisioner.exe does" }
    }
    $egress = Join-Path $root 'egress.json'
    $proxy = $null
    if (Test-Path -LiteralPath $egress) { $proxy = Get-Field (Read-Json $egress) 'proxy' }
    Invoke-Document $document $proxy
}

function Invoke-Undo {
    if (-not (Test-Path -LiteralPath $state)) { return Write-Host 'nothing to do' }
    Open-State
    if (-not @($record.items) -and (Test-Path -LiteralPath "$state\state.json")) {
        $sections = Get-Field (ConvertFrom-Bytes ([IO.File]::ReadAllBytes("$state\state.json"))) 'sections'
        if (-not $sections -or (Get-FieldNames (Get-Field $sections 'ledger'))) {
            Stop-With 12 'provisioner.exe keeps the record of this machine, and nothing was undone: run provisioner.exe remove'
        }
    }
    Invoke-Operations @($scopeOf.Values) @()
    Remove-Item -LiteralPath "$stateFile.new", $stateFile -Force -ErrorAction SilentlyContinue
}

# What a cmdlet, a program or the system refuses is the machine's fault, and anything else a defect here.
function Get-ForeignCode($id) {
    $refusal = 'Microsoft\.PowerShell\.Commands\.|\ANativeCommandFailed\z|\A\w*(?:Security|UnauthorizedAccess|IO|NotFound|Cryptographic)Exception\z'
    if ($id -match $refusal) { 13 } else { 20 }
}

function Assert-CanRun {
    if ($ExecutionContext.SessionState.LanguageMode -ne 'FullLanguage') {
        Stop-With 13 'a policy runs scripts in Constrained Language Mode here, so this script changed nothing: run provisioner.exe first-boot PAYLOAD'
    }
    if (-not $env:ProgramData) { Stop-With 13 'the environment has no ProgramData, so the record has no place: run this in a session of Windows' }
    try {
        $null = [Microsoft.Win32.RegistryKey]::OpenBaseKey('Users', 'Registry64').OpenSubKey('S-1-5-19')
    } catch [Security.SecurityException] {
        Stop-With 13 'not elevated: run this as administrator or as SYSTEM'
    }
}
#endregion

try {
    #region payload
    if ($args.Count -or ($Undo -and $Operations)) { Stop-With 10 'usage: Apply-Egress.ps1 [-Undo | [-AllowDowngrade] [-Operations FILE]]' }
    Assert-CanRun
    #endregion
    $machine = [Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', 'Registry64')
    #region payload
    if ($Undo) { Invoke-Undo } elseif (-not $Operations) { Invoke-Payload }
    #endregion
    if ($Operations) {
        $document = ConvertFrom-Bytes ([IO.File]::ReadAllBytes($Operations))
        Invoke-Document $document (Get-Field $document 'proxy')
    }
} catch {
    if ($code) {
        Write-Host "error: $($_.Exception.Message)"
    } else {
        # The text of a foreign error may quote a value, so only its kind and place are told.
        $code = 13
        #region payload
        $code = Get-ForeignCode "$($_.FullyQualifiedErrorId)"
        #endregion
        Write-Host "error: $($_.FullyQualifiedErrorId), line $($_.InvocationInfo.ScriptLineNumber), at $doing"
    }
} finally {
    if ($lock) { $lock.Close() }
}
exit $code
