# What the scripts ask of .NET's registry, on the JSON store of fakes.py: their texts have the names of .NET's types replaced
# by those of the classes here.

function Read-Store { Get-Content -LiteralPath $env:FAKE_STORE -Raw | ConvertFrom-Json -AsHashtable }

function Save-Count {
    param([string]$Counter, [int]$Count)
    $store = Read-Store
    $store[$Counter] = $Count
    ConvertTo-Json -InputObject $store -Depth 9 | Set-Content -LiteralPath $env:FAKE_STORE
}

# Each write of the script is one call. A power cut is the end of the process: at one of these calls, before or behind it.
# FAKE_COUNTER names another count of calls that this is one of (that of fakes.py).
function Write-Store {
    param($Store)
    $Store['writes']++
    $fault = $env:FAKE_FAULT -split ':'
    $count = $Store['writes']
    if ($env:FAKE_COUNTER -and $fault[0] -like 'kill*') { $count = ++$Store[$env:FAKE_COUNTER] }
    $due = $fault[1] -and [int]$fault[1] -eq $count
    if ($due -and $env:FAKE_COUNTER) { Save-Count $env:FAKE_COUNTER $count }
    if ($due -and $fault[0] -eq 'kill-before') { Stop-Process -Id $PID }
    ConvertTo-Json -InputObject $Store -Depth 9 | Set-Content -LiteralPath $env:FAKE_STORE
    if ($due -and $fault[0] -eq 'kill') { Stop-Process -Id $PID }
}

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

# Accounts: those that the store has below "accounts", and those of services.
class StandInAccount {
    [string]$Name

    StandInAccount([string]$name) {
        if (!$name) { throw [ArgumentException]::new('The value cannot be an empty string.') }
        $this.Name = $name
    }

    [object] Translate([type]$target) {
        $known = (Read-Store)['accounts']
        $sid = if ($known) { $known[$this.Name] }
        if ($this.Name -match '^NT SERVICE\\(?<service>.+)$') {
            $digest = [Security.Cryptography.SHA1]::HashData([Text.Encoding]::Unicode.GetBytes($Matches['service'].ToUpperInvariant()))
            $sid = 'S-1-5-80-' + ((0, 4, 8, 12, 16 | ForEach-Object { [BitConverter]::ToUInt32($digest, $_) }) -join '-')
        }
        if (!$sid) { throw [Exception]::new('Some or all identity references could not be translated.') }
        return [pscustomobject]@{ Value = $sid }
    }
}

class StandInKey {
    [string]$Path
    [bool]$MayChange

    StandInKey([string]$path) { $this.Path = $path }

    static [StandInKey] OpenBaseKey([Microsoft.Win32.RegistryHive]$hive, [Microsoft.Win32.RegistryView]$view) {
        if ("$hive $view" -ne 'LocalMachine Registry64') { throw "no such hive here: $hive $view" }
        return [StandInKey]::new('HKEY_LOCAL_MACHINE')
    }

    # Split-Path gives a registry's path slashes, except on Windows.
    hidden [string] Below([string]$name) { return "$($this.Path)\$($name.Replace('/', '\'))".TrimEnd('\') }

    hidden [object] Entry([string]$name) {
        return (Read-Store)['keys'][$this.Path.ToLower()]['values'][$name.ToLower()]
    }

    [StandInKey] OpenSubKey([string]$name) {
        $found = $this.Below($name)
        if ($null -eq (Read-Store)['keys'][$found.ToLower()]) { return $null }
        return [StandInKey]::new($found)
    }

    # For who may use the key.
    [StandInKey] OpenSubKey([string]$name, [Microsoft.Win32.RegistryKeyPermissionCheck]$check, [Security.AccessControl.RegistryRights]$rights) {
        $found = $this.OpenSubKey($name)
        if ($null -ne $found) { $found.MayChange = "$check" -eq 'ReadWriteSubTree' -and "$rights" -match 'ChangePermissions' }
        return $found
    }

    [StandInKeySecurity] GetAccessControl() {
        $sddl = (Read-Store)['keys'][$this.Path.ToLower()]['sddl']
        if (!$sddl) { $sddl = [StandInKeySecurity]::Open }
        return [StandInKeySecurity]@{ Sddl = $sddl }
    }

    [void] SetAccessControl([StandInKeySecurity]$security) {
        if (!$this.MayChange) { throw [UnauthorizedAccessException]::new('Cannot write to the registry key.') }
        $store = Read-Store
        $key = $store['keys'][$this.Path.ToLower()]
        $key.Remove('sddl')
        if ($security.Sddl -cne [StandInKeySecurity]::Open) { $key['sddl'] = $security.Sddl -creplace '^D:P\(', 'D:PAI(' }
        Write-Store $store
    }

    [StandInKey] CreateSubKey([string]$name) {
        $store = Read-Store
        $whole = $this.Below($name)
        $parts = $whole.Split('\')
        $made = $false
        for ($count = 1; $count -le $parts.Count; $count++) {
            $part = $parts[0..($count - 1)] -join '\'
            if ($null -eq $store['keys'][$part.ToLower()]) {
                $store['keys'][$part.ToLower()] = @{ name = $part; values = @{} }
                $made = $true
            }
        }
        if ($made) { Write-Store $store }
        return [StandInKey]::new($whole)
    }

    [object] GetValue([string]$name) { return $this.GetValue($name, $null) }

    [object] GetValue([string]$name, [object]$default) {
        return $this.GetValue($name, $default, [Microsoft.Win32.RegistryValueOptions]::None)
    }

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

    [Microsoft.Win32.RegistryValueKind] GetValueKind([string]$name) {
        $entry = $this.Entry($name)
        if ($null -eq $entry) { throw [IO.IOException]::new('The specified registry key does not exist.') }
        return [Microsoft.Win32.RegistryValueKind][int]$entry[1]
    }

    [void] SetValue([string]$name, [object]$value, [Microsoft.Win32.RegistryValueKind]$kind) {
        [byte[]]$bytes = @()
        switch ($kind) {
            'String' { $bytes = [Text.Encoding]::Unicode.GetBytes("$value`0") }
            'Binary' {
                if ($value -isnot [byte[]]) { throw [ArgumentException]::new('The type of the value object did not match the kind.') }
                $bytes = $value
            }
            'MultiString' {
                if ($value -isnot [string[]]) { throw [ArgumentException]::new('The type of the value object did not match the kind.') }
                $bytes = [Text.Encoding]::Unicode.GetBytes((($value | ForEach-Object { "$_`0" }) -join '') + "`0")
            }
            default { throw "this stand-in writes no $kind" }
        }
        $store = Read-Store
        $values = $store['keys'][$this.Path.ToLower()]['values']
        $spelling = $name
        if ($null -ne $values[$name.ToLower()]) { $spelling = $values[$name.ToLower()][0] }
        $values[$name.ToLower()] = @($spelling, [int]$kind, [Convert]::ToHexString($bytes).ToLower())
        Write-Store $store
    }
}
