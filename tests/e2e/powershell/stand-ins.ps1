# What user data asks of Windows, on the JSON store of fakes.py. A script under test dot-sources this and has the names
# of .NET's types replaced by those of the classes here (user_data_machine.py); the functions hide cmdlets where these
# have nothing on the machine at hand, and hand everything else on to them.
# Paths: .NET takes a backslash for a letter where files are not those of Windows; cmdlets take it for a separator.

. "$PSScriptRoot/stand-in-registry.ps1"

function Get-LocalPath { param([string]$Path) return $Path.Replace('\', '/') }

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
    static [void] WriteAllText([string]$path, [string]$text) { [IO.File]::WriteAllText((Get-LocalPath $path), $text) }
    static [string] ReadAllText([string]$path) { return [IO.File]::ReadAllText((Get-LocalPath $path)) }
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

# Of a registry key: elsewhere the cmdlet writes other separators.
function Split-Path { return ($args[0] -replace '\\[^\\]*$') }

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
