# What UserData.ps1 unpacks and runs. It applies data.egress beside it: a line of JSON, and behind it the certificates
# (DER). It sets what Install-Egress.ps1 sets, in few bytes, because a channel for user data may take no more than 16 KB.
# Its record has the same file and form, so that Remove-Egress.ps1 and provisioner.exe can take it over. It runs at
# every boot where the platform says so: what is there already is not written again, what others put there stays. It takes
# nothing back but certificates that it added and that are not wanted any more.
#
# Its few aliases (%, ?, -ea) save bytes, too. Comments and indentation are left out of user data, and where nothing is to
# be downloaded the regions for that. Where another script waits for this one ("later"), what takes time is left to a
# scheduled task, which calls this with an argument, and so is a download that failed where nobody runs this again; the
# task goes with its work, and so do the data.
#
# Exit codes: 0; 11 a download is not what was meant; 12 refused for safety; 13 the machine can't be read or written;
# 14 a download failed; those of provisioner.exe.
$ErrorActionPreference = 'Stop'
$control = 'SYSTEM\CurrentControlSet\'
$root = $PSScriptRoot
$data = "$root\data.egress"
$done = "$root\done"
$exe = "$env:ProgramW6432\Provisioner\provisioner.exe"
$state = "$env:ProgramData\Provisioner"
$file = "$state\script-state.json"

# The record has the form of Install-Egress.ps1's. One of the two files is whole at each instant. UTF-8, as a service may
# have any name. A record of schema 1 is refused: to take it over would need more bytes than there are.
function Save {
    [IO.File]::WriteAllText("$file.new", (ConvertTo-Json $log -Depth 9))
    Move-Item $file "$file.old" -Force -ea 0
    Move-Item "$file.new" $file
}

function Item($name, $old) {
    if (!$log.ledger.$name) { $log.ledger | Add-Member $name ([pscustomobject]@{ before = $old; ours = $null; ownKeys = @() }) }
    $log.ledger.$name
}

# A registry value as the record has it; nothing where there is none.
function Raw($type, $value) {
    if ($type -eq 7) { $value = ($value + '') -join "`0" }
    if ($type -eq 4) { $value = [BitConverter]::GetBytes($value) }
    if ($value -is [string]) { $value = [Text.Encoding]::Unicode.GetBytes("$value`0") }
    [pscustomobject]@{ type = $type; hex = [BitConverter]::ToString($value).Replace('-', '').ToLower() }
}

function Now($key, $name) {
    $open = $reg.OpenSubKey($key)
    if (!$open -or $null -eq $open.GetValue($name)) { return }
    $value = $open.GetValue($name, 0, 'DoNotExpandEnvironmentNames')
    Raw ([int]$open.GetValueKind($name)) $value
}

# Sets one value, and records what was there before us and what is there now.
function Put($name, $key, $entry, $type, $value, $ours) {
    $new = Raw $type $value
    $old = Now $key $entry
    if ("$new" -eq "$old") { return }
    $it = Item $name $old
    if (!$it.ours) { for ($path = $key; !$reg.OpenSubKey($path); $path = Split-Path $path) { $it.ownKeys = @($path) + $it.ownKeys } }
    $log.prior | Add-Member $name $it.ours -Force
    $it.ours = ($ours, $new)[!$ours]
    if ($name -match '^e') { $log.reboot = $boot }
    Save
    $reg.CreateSubKey($key).SetValue($entry, $value, $type)
    $name
}

# A key whose value will hold credentials is for administrators, the service's account and its own SID from then on.
function Close($name, $key, $open) {
    $keep = 'SY|BA|CO|LS|NS|S-1-5-80-'
    $added = ''
    foreach ($who in "$($open.GetValue('ObjectName'))".Replace('.\', "$env:COMPUTERNAME\"), "NT SERVICE\$name") {
        $sid = ''
        if ($who -match '^(NT A\w+\\)?(Local|Network) ?Service$') {
            $sid = $Matches[2].Substring(0, 1).ToUpper() + 'S'
        } else {
            try { $sid = ([Security.Principal.NTAccount]$who).Translate([Security.Principal.SecurityIdentifier]).Value } catch {}
        }
        if ($sid) {
            $keep += "|$sid\)"
            $added += "(A;CI;KR;;;$sid)"
        }
    }
    $open = $reg.OpenSubKey($key, 'ReadWriteSubTree', 'ReadKey, ChangePermissions')
    $acl = $open.GetAccessControl()
    $sddl = $acl.GetSecurityDescriptorSddlForm('Access')
    $others = "\((?!D)[^)]*;(?!$keep)[^;)]*\)|NO_"
    if ($want -match '^H.*[@?]' -and $sddl -match $others) {
        $it = Item "serviceSecurity:$name" (Raw 3 $acl.GetSecurityDescriptorBinaryForm())
        $acl.SetSecurityDescriptorSddlForm(($sddl -replace $others -creplace 'ID' -creplace '^D:P?', 'D:P') + $added, 'Access')
        $it.ours = Raw 3 $acl.GetSecurityDescriptorBinaryForm()
        Save
        $open.SetAccessControl($acl)
    }
}

function Text($text) {
    [BitConverter]::GetBytes($text.Length)
    [Text.Encoding]::ASCII.GetBytes($text)
}

# The program takes the settings, once, and its service keeps them.
function Hand($program) {
    [IO.File]::WriteAllBytes("$root\all.egress", $all)
    & $program bake "$root\all.egress" --out "$root\payload"
    if (!$LASTEXITCODE) { & $program first-boot "$root\payload" }
    if ($LASTEXITCODE) { throw "$LASTEXITCODE provisioner.exe" }
    Set-Content $done $hash
}

function Settings {
    # Any user may make a folder in ProgramData: one that is not administrators' alone, or leads elsewhere, is refused.
    $null = [IO.Directory]::CreateDirectory($state, (Get-Acl $root))
    $shown = "$((Get-Item $state -Force).Attributes) $((Get-Acl $state).Sddl)"
    if ($shown -cnotmatch '^Directory(, NotContentIndexed)? O:(SY|BA)[^(]*D:P[AIR]*(\(A;\w*;\w+;;;(SY|BA)\))+$') {
        throw "12 $state is not administrators' alone"
    }
    foreach ($it in $file, "$file.old") {
        if (!$log) { try { $script:log = [IO.File]::ReadAllText($it) | ConvertFrom-Json } catch {} }
    }
    if (!$log) {
        if (Test-Path $file) { throw "13 $file is damaged" }
        $script:log = '{"schema":2,"ledger":{},"prior":{},"reboot":"","generation":0}' | ConvertFrom-Json
    }
    if ($log.schema -ne 2) { throw "12 $file has another schema" }
    if ($log.generation -gt $json.generation) { throw "12 generation $($log.generation) was applied before" }
    if ($log.generation -ne $json.generation) {
        $log.generation = $json.generation
        Save
    }
    # Without the bundle nobody knows what is wanted.
    if ($json.scope -contains 'certs' -and !$code) {
        $wanted = for ($i = 0; $at -lt $all.Length; $i++) {
            $size = 4 + 256 * $all[$at + 2] + $all[$at + 3]
            $cert = [Security.Cryptography.X509Certificates.X509Certificate2][byte[]]$all[$at..($at + $size - 1)]
            $script:at += $size
            $name = 'ROOT'
            if ($json.stores[$i] -eq 'C') { $name = 'CA' }
            #region bundle
            # A bundle that was not known when this was baked has no letters: who names itself as issuer is a root.
            if (!$json.stores -and $cert.Subject -ne $cert.Issuer) {
                if (!$json.importLeaf -and !($cert.Extensions.CertificateAuthority -eq $true)) { continue }
                if (!$json.rootOnly) { $name = 'CA' }
            }
            #endregion
            $open = Get-Item "Cert:\LocalMachine\$name"
            $print = $cert.Thumbprint
            $it = "certificate:${name}:$print"
            $it
            if (!(Test-Path "Cert:\LocalMachine\$name\$print")) {
                $null = Item $it
                Save
                $open.Open('ReadWrite')
                $open.Add($cert)
                $open.Close()
                Write-Host $it
            }
        }
        foreach ($it in @($log.ledger.PSObject.Properties.Name) -match '^cert') {
            if ($wanted -notcontains $it) {
                $null, $name, $print = $it -split ':'
                Remove-Item "Cert:\LocalMachine\$name\$print" -ea 0
                $log.ledger.PSObject.Properties.Remove($it)
                Save
            }
        }
    }
    # The daemon of the Windows Machine Config Operator keeps these variables itself.
    if (!$reg.OpenSubKey("${control}Services\windows-instance-config-daemon")) {
        foreach ($it in ($json.environment, $json.proxy)[!$json.environment].PSObject.Properties) {
            Put "env:$($it.Name)" "${control}Control\Session Manager\Environment" $it.Name 1 $it.Value
        }
    }
    foreach ($it in '64', '32') {
        if ($json.winHttp) {
            $key = 'SOFTWARE\' + ('', 'WOW6432Node\')[$it -eq 32] + 'Microsoft\Windows\CurrentVersion\Internet Settings\Connections'
            # Both layouts are in use; the one that this Windows wrote is kept.
            $version = (24, 40)[(Now $key WinHttpSettings).hex -match '^28']
            $value = $version, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0 + (Text $json.winHttp.proxy) + (Text $json.winHttp.bypass)
            Put winHttp:$it $key WinHttpSettings 3 ([byte[]]$value)
        }
    }
    $ours = ($json.serviceEnvironment, $json.proxy)[!$json.serviceEnvironment].PSObject.Properties
    $want = @($ours | % { $_.Name + '=' + $_.Value })
    foreach ($it in $json.services) {
        $key = "${control}Services\$it"
        $open = $reg.OpenSubKey($key)
        if ($open) {
            Close $it $key $open
            $old = $open.GetValue('Environment', @())
            if ($want | ? { $old -cnotcontains $_ }) {
                # An entry without = is somebody else's.
                $old = @($old) -notmatch "^($($ours.Name -join '|'))="
                Put service:$it $key Environment 7 ([string[]]($old + $want)) (Raw 7 $want)
            }
        }
    }
}

# The text of a foreign error may quote a value, so only its kind and place are told.
function Tell($what) {
    $script:code = 13
    $text = "$($what.FullyQualifiedErrorId), line $($what.InvocationInfo.ScriptLineNumber)"
    if ("$what" -match '^\d\d ') {
        $script:code = [int]$Matches[0]
        $text = "$what"
    }
    $text
    #region later
    Set-Content "$root\error" $text
    #endregion
}

#region download
# What is downloaded is known by its hash, so it may come from anywhere, and what is there already need not come again.
# A network that opens TLS can't be asked for revocations. curl starts no new attempt after $seconds, and an attempt has
# no more of them: twice that is the most. A query may be a token: it is not shown, and curl gets the URL from a file in
# this folder, as every user of the machine can see command lines.
function Load($url, $sha256, $path, $seconds, $options) {
    $shown = $url.Split('?')[0]
    if (!(Test-Path $path) -or (Get-FileHash $path).Hash -ne $sha256) {
        foreach ($it in $json.proxy.PSObject.Properties) { Set-Item "env:$($it.Name)" $it.Value }
        Set-Content "$root\url" "url=$url"
        & "$env:SystemRoot\System32\curl.exe" $options --ssl-no-revoke --connect-timeout 10 --retry 3 --retry-max-time $seconds -m $seconds -o $path -K "$root\url"
        if ($LASTEXITCODE) { throw "14 can't download $shown" }
        if ((Get-FileHash $path).Hash -ne $sha256) { throw "11 $shown has another SHA-256" }
    }
}
#endregion
$tries = 1
#region later
$task = "$env:SystemRoot\System32\schtasks.exe"
if ($args) { $tries = 10 }
#endregion
for (; $tries; $tries--) {
    $code = 0
    try {
        $reg = [Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', 'Registry64')
        $all = [IO.File]::ReadAllBytes($data)
        $hash = (Get-FileHash $data).Hash
        $at = [Array]::IndexOf($all, [byte]10) + 1
        $json = [Text.Encoding]::UTF8.GetString($all, 0, $at) | ConvertFrom-Json
        $boot = Now "${control}Control\Session Manager\Memory Management\PrefetchParameters" BootId
        $boot = "counter $($boot.type):$($boot.hex)"
        $program = ''
        if (Test-Path $exe) {
            $program = $exe
            if ((Get-Content $done -ea 0) -eq $hash) { break }
        }
        #region bundle
        # It comes first: without it a proxy that looks into TLS is not trusted yet. So TLS is not checked here: another
        # file is known by its hash. But a token is told to nobody who is not known.
        try {
            Load $json.bundle $json.bundleSha256 "$root\bundle" 25 ('-gksSfL', '-gsSfL')[$json.bundle -match '\?']
            foreach ($it in [regex]::Matches((Get-Content "$root\bundle" -Raw), '(?<=N CERTIFICATE-----)[^-]+')) {
                $der = [Convert]::FromBase64String($it.Value)
                if ($der[1] -ne 130 -or $der.Length -ne 4 + 256 * $der[2] + $der[3]) { throw '11 a length in the bundle is not read here' }
                $all += $der
            }
        } catch {
            Tell $_
        }
        #endregion
        if (!$program) { Settings }
        #region program
        if (!$code -and (!$program -or (Get-FileHash $exe).Hash -ne $json.exeSha256)) {
            $program = "$root\provisioner.exe"
            $wait = $json.later -and !$args
            if (!$wait) { Load $json.exe $json.exeSha256 $program 300 '-gsSfL' }
        }
        #endregion
        if ($program -and !$code -and !$wait) { Hand $program }
    } catch {
        Tell $_
    }
    #region later
    # At each start of the machine until it is through: power may fail before.
    if ($wait -or (!$args -and $code -eq 14)) {
        & $task /create /f /tn ProvisionerUserData /ru SYSTEM /sc onstart /tr "$PSHOME\powershell.exe -NoProfile -ExecutionPolicy RemoteSigned -File $root\run.ps1 later"
        $kept = !$LASTEXITCODE
        if ($kept) { & $task /run /tn ProvisionerUserData } else { Tell '13 no scheduled task' }
    }
    if ($code -ne 14 -or $tries -eq 1) { break }
    Start-Sleep 60
    #endregion
}
#region later
# A network that was not there all the time may be there at the next start.
if ($args) { $kept = $code -eq 14 }
#endregion
if (!$kept) { Remove-Item "$root\*" -Exclude 'done', 'bundle', 'error' -Recurse -Force -ea 0 }
#region later
if (!$code) { Remove-Item "$root\error" -ea 0 }
if ($args -and !$kept) { & $task /delete /f /tn ProvisionerUserData }
#endregion
exit $code
