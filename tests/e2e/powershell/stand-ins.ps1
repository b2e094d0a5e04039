# What the scripts ask of Windows, on the JSON store of fakes.py: registry, certificate stores, accounts, folders and files.
# A script under test has the names of .NET's types replaced by those of the classes here (ADAPTED in machine.py); the
# functions hide cmdlets where these have nothing on the machine at hand, and hand everything else on to them.
# Paths: .NET takes a backslash for a letter where files are not those of Windows; cmdlets take it for a separator.

$global:FakeStore = $null
$global:FakeTime = 0

# Other programs write the file, too, so it is read again where it changed.
function Read-FakeStore {
    $time = [IO.File]::GetLastWriteTimeUtc($env:FAKE_STORE).Ticks
    if ($global:FakeTime -ne $time) {
        $global:FakeStore = [IO.File]::ReadAllText($env:FAKE_STORE) | ConvertFrom-Json -AsHashtable
        $global:FakeTime = $time
    }
    return $global:FakeStore
}

function Save-FakeStore {
    param($Store)
    [IO.File]::WriteAllText($env:FAKE_STORE, (ConvertTo-Json -InputObject $Store -Depth 9))
    $global:FakeTime = [IO.File]::GetLastWriteTimeUtc($env:FAKE_STORE).Ticks
}

# Each change is counted, and FAKE_FAULT is a power cut at one of them: the end of the process, before it or behind it.
# After each, a service's key that users may read and that has FAKE_SECRET (in hexadecimal) in a value is noted as a leak.
function Invoke-FakeChange {
    param([scriptblock]$Change)
    $store = Read-FakeStore
    $store['writes']++
    $due = "$($env:FAKE_FAULT)".EndsWith(":$($store['writes'])")
    if ($due -and $env:FAKE_FAULT -like 'kill-before:*') {
        Save-FakeStore $store
        Stop-Process -Id $PID
    }
    & $Change $store
    foreach ($key in $store['keys'].Values) {
        $sddl = ($key['sddl'], [StandInKeySecurity]::Open)[!$key['sddl']]
        if ($env:FAKE_SECRET -and $key['name'] -like '*\Services\*' -and $sddl -match ';(BU|AC|WD|AU)\)' -and
            @($key['values'].Values | Where-Object { $_[2].Contains($env:FAKE_SECRET) })) {
            $store['leaks'] = @($store['leaks']) + $key['name']
        }
    }
    Save-FakeStore $store
    if ($due) { Stop-Process -Id $PID }
}

function Get-LocalPath($Path) { $Path.Replace('\', '/') }

# ---- registry

# The access list of a key, as SDDL. Its binary form is the text itself.
class StandInKeySecurity {
    static [string]$Open = 'D:AI(A;CIID;KR;;;BU)(A;CIID;KA;;;BA)(A;CIID;KA;;;SY)(A;CIIOID;KA;;;CO)(A;CIID;KR;;;AC)'
    [string]$Sddl

    [string] GetSecurityDescriptorSddlForm([string]$sections) {
        if ($sections -ne 'Access') { throw "no such part here: $sections" }
        return $this.Sddl
    }

    # Windows prints the accounts that it has letters for with these.
    [void] SetSecurityDescriptorSddlForm([string]$sddl, [string]$sections) {
        if ($sections -ne 'Access' -or $sddl -cnotmatch '^D:(P|AI|PAI)?(\([AD];(CI|OI|IO|NP|ID)*;[A-Z0-9x]+;;;([A-Z]{2}|S(-[0-9]+)+)\))+$') {
            throw [ArgumentException]::new('The SDDL string contains an invalid sid or a sid that cannot be translated.')
        }
        $this.Sddl = $sddl -creplace ';S-1-5-19\)', ';LS)' -creplace ';S-1-5-20\)', ';NS)'
    }

    [byte[]] GetSecurityDescriptorBinaryForm() { return [Text.Encoding]::ASCII.GetBytes($this.Sddl) }

    [void] SetSecurityDescriptorBinaryForm([byte[]]$form, [string]$sections) {
        $this.SetSecurityDescriptorSddlForm([Text.Encoding]::ASCII.GetString($form), $sections)
    }
}

class StandInKey {
    [string]$Path
    [int]$SubKeyCount
    [int]$ValueCount
    hidden [bool]$MayWrite
    hidden [bool]$MayChange

    StandInKey([string]$path) { $this.Path = $path }

    static [StandInKey] OpenBaseKey([Microsoft.Win32.RegistryHive]$hive, [Microsoft.Win32.RegistryView]$view) {
        if ("$view" -ne 'Registry64') { throw "no such view here: $view" }
        return [StandInKey]::new(@{ LocalMachine = 'HKEY_LOCAL_MACHINE'; Users = 'HKEY_USERS' }["$hive"])
    }

    # Split-Path gives a registry's path slashes, except on Windows.
    hidden [string] Below([string]$name) { return "$($this.Path)\$($name.Replace('/', '\'))".TrimEnd('\') }

    hidden [object] Entry([string]$name) { return (Read-FakeStore)['keys'][$this.Path.ToLower()]['values'][$name.ToLower()] }

    hidden [string[]] Children() {
        return @((Read-FakeStore)['keys'].Values | ForEach-Object { $_['name'] } | Where-Object { ($_ -replace '\\[^\\]*$') -eq $this.Path })
    }

    [StandInKey] OpenSubKey([string]$name) {
        $store = Read-FakeStore
        if ($this.Path -eq 'HKEY_USERS') {
            if (!$store['elevated']) { throw [Security.SecurityException]::new('Requested registry access is not allowed.') }
            return $null
        }
        $found = $this.Below($name)
        if ($null -eq $store['keys'][$found.ToLower()]) { return $null }
        $open = [StandInKey]::new($found)
        $open.SubKeyCount = $open.Children().Count
        $open.ValueCount = $open.GetValueNames().Count
        return $open
    }

    [StandInKey] OpenSubKey([string]$name, [bool]$writable) {
        $found = $this.OpenSubKey($name)
        if ($null -ne $found) { $found.MayWrite = $writable }
        return $found
    }

    # For who may use the key.
    [StandInKey] OpenSubKey([string]$name, [Microsoft.Win32.RegistryKeyPermissionCheck]$check, [Security.AccessControl.RegistryRights]$rights) {
        $found = $this.OpenSubKey($name)
        if ($null -ne $found) { $found.MayChange = "$check" -eq 'ReadWriteSubTree' -and "$rights" -match 'ChangePermissions' }
        return $found
    }

    [StandInKeySecurity] GetAccessControl() {
        $sddl = (Read-FakeStore)['keys'][$this.Path.ToLower()]['sddl']
        if (!$sddl) { $sddl = [StandInKeySecurity]::Open }
        return [StandInKeySecurity]@{ Sddl = $sddl }
    }

    [void] SetAccessControl([StandInKeySecurity]$security) {
        if (!$this.MayChange) { throw [UnauthorizedAccessException]::new('Attempted to perform an unauthorized operation.') }
        # Windows adds that nothing is inherited any more.
        $sddl = $security.Sddl -creplace '^D:P\(', 'D:PAI('
        Invoke-FakeChange {
            param($store)
            $key = $store['keys'][$this.Path.ToLower()]
            if ($sddl -eq [StandInKeySecurity]::Open) { $key.Remove('sddl') } else { $key['sddl'] = $sddl }
        }
    }

    [StandInKey] CreateSubKey([string]$name) {
        $whole = $this.Below($name)
        $parts = $whole.Split('\')
        if ($null -eq (Read-FakeStore)['keys'][$whole.ToLower()]) {
            Invoke-FakeChange {
                param($store)
                for ($count = 1; $count -le $parts.Count; $count++) {
                    $part = $parts[0..($count - 1)] -join '\'
                    if ($null -eq $store['keys'][$part.ToLower()]) { $store['keys'][$part.ToLower()] = @{ name = $part; values = @{} } }
                }
            }
        }
        return $this.OpenSubKey($name, $true)
    }

    [void] DeleteSubKey([string]$name) {
        $found = $this.OpenSubKey($name)
        if ($found.Children()) { throw [InvalidOperationException]::new('Registry key has subkeys and recursive removes are not supported by this method.') }
        Invoke-FakeChange { param($store) $store['keys'].Remove($found.Path.ToLower()) }
    }

    [string[]] GetValueNames() { return @((Read-FakeStore)['keys'][$this.Path.ToLower()]['values'].Values | ForEach-Object { $_[0] }) }

    [object] GetValue([string]$name) { return $this.GetValue($name, $null) }

    [object] GetValue([string]$name, [object]$default) { return $this.GetValue($name, $default, [Microsoft.Win32.RegistryValueOptions]::None) }

    [object] GetValue([string]$name, [object]$default, [Microsoft.Win32.RegistryValueOptions]$options) {
        $entry = $this.Entry($name)
        if ($null -eq $entry) { return $default }
        [byte[]]$bytes = @()
        if ($entry[2]) { $bytes = [Convert]::FromHexString($entry[2]) }
        $text = [Text.Encoding]::Unicode.GetString($bytes)
        switch ([int]$entry[1]) {
            1 { return $text -replace '\x00\z' }
            2 {
                $text = $text -replace '\x00\z'
                if ($options -eq 'DoNotExpandEnvironmentNames') { return $text }
                return [Environment]::ExpandEnvironmentVariables($text)
            }
            4 { return [BitConverter]::ToInt32($bytes, 0) }
            7 {
                $text = $text -replace '\x00\z'
                if (!$text) { return [string[]]@() }
                return [string[]]($text -replace '\x00\z').Split([char]0)
            }
            11 { return [BitConverter]::ToInt64($bytes, 0) }
        }
        return $bytes
    }

    # .NET has -1 for REG_NONE, and 0 for what it does not know.
    [Microsoft.Win32.RegistryValueKind] GetValueKind([string]$name) {
        $entry = $this.Entry($name)
        if ($null -eq $entry) { throw [IO.IOException]::new('The specified registry key does not exist.') }
        $type = [int]$entry[1]
        if ($type -eq 0) { return 'None' }
        if ($type -in 1, 2, 3, 4, 7, 11) { return $type }
        return 'Unknown'
    }

    [void] SetValue([string]$name, [object]$value, [Microsoft.Win32.RegistryValueKind]$kind) {
        if (!$this.MayWrite) { throw [UnauthorizedAccessException]::new('Cannot write to the registry key.') }
        $wanted = @{ String = [string]; ExpandString = [string]; Binary = [byte[]]; None = [byte[]]; MultiString = [string[]]; DWord = [int]; QWord = [long] }
        if ($value -isnot $wanted["$kind"]) { throw [ArgumentException]::new('The type of the value object did not match the kind.') }
        [byte[]]$bytes = switch ("$kind") {
            { $_ -in 'String', 'ExpandString' } { [Text.Encoding]::Unicode.GetBytes("$value`0") }
            'MultiString' { [Text.Encoding]::Unicode.GetBytes((($value | ForEach-Object { "$_`0" }) -join '') + "`0") }
            { $_ -in 'DWord', 'QWord' } { [BitConverter]::GetBytes($value) }
            default { $value }
        }
        $entry = @($name, [Math]::Max([int]$kind, 0), [Convert]::ToHexString([byte[]]@($bytes)).ToLower())
        Invoke-FakeChange {
            param($store)
            $values = $store['keys'][$this.Path.ToLower()]['values']
            if ($null -ne $values[$name.ToLower()]) { $entry[0] = $values[$name.ToLower()][0] }
            $values[$name.ToLower()] = $entry
        }
    }

    [void] DeleteValue([string]$name, [bool]$throws) {
        if (!$this.MayWrite) { throw [UnauthorizedAccessException]::new('Cannot write to the registry key.') }
        if ($null -eq $this.Entry($name)) { return }
        Invoke-FakeChange { param($store) $store['keys'][$this.Path.ToLower()]['values'].Remove($name.ToLower()) }
    }
}

# Accounts: those that the store has below "accounts", and those of services.
class StandInAccount {
    [string]$Name

    StandInAccount([string]$name) {
        if (!$name) { throw [ArgumentException]::new('The value cannot be an empty string.') }
        $this.Name = $name
    }

    [object] Translate([type]$target) {
        $known = (Read-FakeStore)['accounts']
        $sid = if ($known) { $known[$this.Name] }
        if ($this.Name -match '^NT SERVICE\\(?<service>.+)$') {
            $digest = [Security.Cryptography.SHA1]::HashData([Text.Encoding]::Unicode.GetBytes($Matches['service'].ToUpperInvariant()))
            $sid = 'S-1-5-80-' + ((0, 4, 8, 12, 16 | ForEach-Object { [BitConverter]::ToUInt32($digest, $_) }) -join '-')
        }
        if (!$sid) { throw [Exception]::new('Some or all identity references could not be translated.') }
        return [pscustomobject]@{ Value = $sid }
    }
}

# ---- certificates: the store's own are keys of the registry, as in Windows; those of "policy" are not its own

class StandInCertificates {
    [string]$Name

    [object[]] Find([Security.Cryptography.X509Certificates.X509FindType]$type, [string]$thumbprint, [bool]$valid) {
        if ($type -ne 'FindByThumbprint' -or $valid) { throw "no such search here: $type" }
        $store = Read-FakeStore
        $found = @()
        if ($null -ne $store['keys'][[StandInStore]::Place($this.Name, $thumbprint).ToLower()]) { $found += $thumbprint }
        $found += @(@($store['policy'][$this.Name]) -eq $thumbprint)
        return @($found | ForEach-Object { [pscustomobject]@{ Thumbprint = $_ } })
    }
}

class StandInStore {
    [string]$Name
    [StandInCertificates]$Certificates
    hidden [bool]$Writable

    StandInStore([string]$name) { $this.Name = $name }

    StandInStore([string]$name, [Security.Cryptography.X509Certificates.StoreLocation]$location) {
        if ($location -ne 'LocalMachine') { throw "no such place here: $location" }
        $this.Name = $name
    }

    [void] Open([Security.Cryptography.X509Certificates.OpenFlags]$flags) {
        $this.Writable = "$flags" -match 'ReadWrite'
        $this.Certificates = [StandInCertificates]@{ Name = $this.Name }
    }

    [void] Close() { $this.Writable = $false }

    static [string] Place([string]$store, [string]$thumbprint) {
        return "HKEY_LOCAL_MACHINE\SOFTWARE\Microsoft\SystemCertificates\$store\Certificates\$($thumbprint.ToUpper())"
    }

    [void] Add([Security.Cryptography.X509Certificates.X509Certificate2]$certificate) {
        if (!$this.Writable) { throw [Security.Cryptography.CryptographicException]::new('The X509 certificate store is read-only.') }
        $place = [StandInStore]::Place($this.Name, $certificate.Thumbprint)
        Invoke-FakeChange { param($store) $store['keys'][$place.ToLower()] = @{ name = $place; values = @{} } }
    }
}

# ---- folders and files

class StandInSecurity {
    [string]$Sddl
    [void] SetSecurityDescriptorSddlForm([string]$sddl) { $this.Sddl = $sddl }
}

class StandInDirectory {
    # With a security descriptor, as both editions have it. A folder that is there keeps its own.
    static [object] CreateDirectory([StandInSecurity]$security, [string]$path) { return [StandInDirectory]::CreateDirectory($path, $security) }

    static [object] CreateDirectory([string]$path, [StandInSecurity]$security) {
        $local = Get-LocalPath $path
        if (!(Test-Path -LiteralPath $local)) {
            # First the descriptor: Windows makes no folder that has not got it yet.
            Invoke-FakeChange { param($store) $store['sddl'][[IO.Path]::GetFullPath($local)] = $security.Sddl }
            $null = New-Item -ItemType Directory -Path $local
        }
        return Get-Item -LiteralPath $local -Force
    }
}

# What is written so that it lasts is a change, too.
class StandInFile {
    static [void] WriteAllBytes([string]$path, [byte[]]$bytes) { [IO.File]::WriteAllBytes((Get-LocalPath $path), $bytes) }
    static [void] WriteAllText([string]$path, [string]$text) { [IO.File]::WriteAllText((Get-LocalPath $path), $text) }
    static [string] ReadAllText([string]$path) { return [IO.File]::ReadAllText((Get-LocalPath $path)) }
    static [byte[]] ReadAllBytes([string]$path) { return [IO.File]::ReadAllBytes((Get-LocalPath $path)) }
    static [IO.FileStream] OpenRead([string]$path) { return [IO.File]::OpenRead((Get-LocalPath $path)) }

    static [IO.FileStream] Open([string]$path, [IO.FileMode]$mode, [IO.FileAccess]$access, [IO.FileShare]$share) {
        return [IO.File]::Open((Get-LocalPath $path), $mode, $access, $share)
    }

    static [IO.FileStream] Create([string]$path, [int]$size, [IO.FileOptions]$options) {
        Invoke-FakeChange { [IO.File]::WriteAllBytes((Get-LocalPath $path), @()) }
        return [IO.File]::Create((Get-LocalPath $path), $size, $options)
    }

    static [void] Move([string]$from, [string]$to) { Invoke-FakeChange { [IO.File]::Move((Get-LocalPath $from), (Get-LocalPath $to)) } }

    static [void] Replace([string]$from, [string]$to, [string]$backup) {
        if ($null -ne $backup -and $backup) { throw "no copy of $to is wanted: $backup" }
        Invoke-FakeChange { [IO.File]::Replace((Get-LocalPath $from), (Get-LocalPath $to), [NullString]::Value) }
    }
}

function Get-Acl {
    param([string]$Path, [string]$LiteralPath)
    $found = New-Object -TypeName StandInSecurity
    $found.Sddl = (Read-FakeStore)['sddl'][(Microsoft.PowerShell.Management\Get-Item -LiteralPath (Get-LocalPath "$Path$LiteralPath") -Force).FullName]
    if (!$found.Sddl) { $found.Sddl = 'O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)' }
    return $found
}

function mkdir { New-Item -ItemType Directory @args }

function Start-Sleep {
    $store = Read-FakeStore
    $store['slept'] += [int]$args[0]
    Save-FakeStore $store
}
