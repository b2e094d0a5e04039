# What user data asks of Windows, on the JSON store of fakes.py. A script under test dot-sources this and has the names
# of .NET's types replaced by those of the classes here (user_data_machine.py); the functions hide cmdlets where these
# have nothing on the machine at hand, and hand everything else on to them.
# Paths: .NET takes a backslash for a letter where files are not those of Windows; cmdlets take it for a separator.

function Read-Store { Get-Content -LiteralPath $env:FAKE_STORE -Raw | ConvertFrom-Json -AsHashtable }

# Each write of the script is one call. A power cut is the end of the process: at one of these calls, before or behind it.
function Write-Store {
    param($Store)
    $Store['writes']++
    $fault = $env:FAKE_FAULT -split ':'
    $due = $fault[1] -and [int]$fault[1] -eq $Store['writes']
    if ($due -and $fault[0] -eq 'kill-before') { Stop-Process -Id $PID }
    ConvertTo-Json -InputObject $Store -Depth 9 | Set-Content -LiteralPath $env:FAKE_STORE
    if ($due -and $fault[0] -eq 'kill') { Stop-Process -Id $PID }
}

function Get-LocalPath { param([string]$Path) return $Path.Replace('\', '/') }

class StandInKey {
    [string]$Path

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

class StandInStore {
    [string]$Name
    hidden [bool]$Writable

    StandInStore([string]$name) { $this.Name = $name }

    [void] Open([Security.Cryptography.X509Certificates.OpenFlags]$flags) { $this.Writable = "$flags" -match 'ReadWrite' }

    [void] Close() { $this.Writable = $false }

    [void] Add([Security.Cryptography.X509Certificates.X509Certificate2]$certificate) {
        if (!$this.Writable) { throw [Security.Cryptography.CryptographicException]::new('The X509 certificate store is read-only.') }
        $store = Read-Store
        $store['certs'][$this.Name] = @(@($store['certs'][$this.Name]) + $certificate.Thumbprint.ToLower() | Where-Object { $_ } | Sort-Object -Unique)
        Write-Store $store
    }
}

class StandInDirectory {
    # With a security descriptor, as Windows PowerShell has it and PowerShell 7 does not. A folder that is there keeps its own.
    static [object] CreateDirectory([string]$path, [object]$security) {
        $local = Get-LocalPath $path
        if (!(Test-Path -LiteralPath $local)) {
            # First the descriptor: Windows makes no folder that has not got it yet.
            $store = Read-Store
            $store['sddl'][[IO.Path]::GetFullPath($local)] = $security.Sddl
            Write-Store $store
            $null = New-Item -ItemType Directory -Path $local
        }
        return Get-Item -LiteralPath $local -Force
    }
}

class StandInSecurity {
    [string]$Sddl
    [void] SetSecurityDescriptorSddlForm([string]$sddl) { $this.Sddl = $sddl }
}

class StandInFile {
    static [void] WriteAllBytes([string]$path, [byte[]]$bytes) { [IO.File]::WriteAllBytes((Get-LocalPath $path), $bytes) }
    static [byte[]] ReadAllBytes([string]$path) { return [IO.File]::ReadAllBytes((Get-LocalPath $path)) }
    static [IO.FileStream] OpenRead([string]$path) { return [IO.File]::OpenRead((Get-LocalPath $path)) }
}

function Get-Acl {
    param([string]$Path)
    $found = New-Object -TypeName StandInSecurity
    $found.Sddl = (Read-Store)['sddl'][(Microsoft.PowerShell.Management\Get-Item -LiteralPath (Get-LocalPath $Path) -Force).FullName]
    if (!$found.Sddl) { $found.Sddl = 'O:BAG:SYD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)' }
    return $found
}

function mkdir { New-Item -ItemType Directory @args }

function Start-Sleep {
    $store = Read-Store
    $store['slept'] += [int]$args[0]
    ConvertTo-Json -InputObject $store -Depth 9 | Set-Content -LiteralPath $env:FAKE_STORE
}

# A path of the drive Cert: as store and thumbprint, or nothing for another path. Both kinds of slash separate.
function Get-CertificatePath {
    param([string]$Path)
    if ($Path -match '\ACert:[\\/]LocalMachine[\\/](?<store>\w+)(?:[\\/](?<thumb>[0-9A-Fa-f]{40}))?\z') {
        return @{ Store = $Matches['store'].ToUpper(); Thumb = "$($Matches['thumb'])".ToLower() }
    }
}

function Get-Item {
    $place = Get-CertificatePath "$($args[0])"
    if (!$place) { return Microsoft.PowerShell.Management\Get-Item @args }
    return [StandInStore]::new($place.Store)
}

function Test-Path {
    $place = Get-CertificatePath "$($args[0])"
    if (!$place) { return Microsoft.PowerShell.Management\Test-Path @args }
    $store = Read-Store
    return @(@($store['certs'][$place.Store]) + @($store['policy'][$place.Store])) -contains $place.Thumb
}

function Remove-Item {
    $place = Get-CertificatePath "$($args[0])"
    if (!$place) { return Microsoft.PowerShell.Management\Remove-Item @args }
    $store = Read-Store
    $store['certs'][$place.Store] = @($store['certs'][$place.Store] | Where-Object { $_ -and $_ -ne $place.Thumb })
    Write-Store $store
}
