# What UserData.ps1 unpacks and runs. It has data.egress beside it, which holds settings and operations, and apply.ps1, which
# is Apply-Egress.ps1. Where provisioner.exe is installed, that takes the settings, once, and its service keeps them; else
# apply.ps1 carries out the operations, at every boot where the platform says so. What data.egress names is downloaded.
#
# Its few aliases (-ea) save bytes, as a channel for user data may take no more than 16 KB. Comments and indentation are
# left out of user data, and where nothing is to be downloaded the regions for that. Where another script waits for this one
# ("later"), what takes time is left to a scheduled task, which calls this with an argument, and so is a download that
# failed where nobody runs this again; the task goes with its work, and so do the data.
#
# Exit codes: 0; 11 a download is not what was meant; 13 the machine can't be read or written; 14 a download failed; those
# of apply.ps1 and of provisioner.exe.
$ErrorActionPreference = 'Stop'
$root = $PSScriptRoot
$list = "$root\data.egress"
$done = "$root\done"
$exe = "$env:ProgramW6432\Provisioner\provisioner.exe"

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
        $hash = (Get-FileHash $list).Hash
        $json = [IO.File]::ReadAllText($list) | ConvertFrom-Json
        $program = ''
        if (Test-Path $exe) {
            $program = $exe
            if ((Get-Content $done -ea 0) -eq $hash) { break }
        }
        $all = $list
        #region bundle
        # It comes first: without it a proxy that looks into TLS is not trusted yet. So TLS is not checked here: another
        # file is known by its hash. But a token is told to nobody who is not known.
        $all = "$root\all.egress"
        try {
            Load $json.bundle $json.bundleSha256 "$root\bundle" 25 ('-gksSfL', '-gsSfL')[$json.bundle -match '\?']
            $index = 0
            $json.operations = @(foreach ($it in [regex]::Matches((Get-Content "$root\bundle" -Raw), '(?<=N CERTIFICATE-----)[^-]+')) {
                $cert = [Security.Cryptography.X509Certificates.X509Certificate2][Convert]::FromBase64String($it.Value)
                $name = ('ROOT', 'CA')[$json.stores[$index++] -eq 'C']
                @{ kind = 'certificate'; key = "${name}:$($cert.Thumbprint.ToLower())"; value = [Convert]::ToBase64String($cert.RawData) }
            }) + $json.operations
        } catch {
            Tell $_
            # Without the bundle nobody knows what is wanted.
            $json.scope = @($json.scope -ne 'certs')
        }
        [IO.File]::WriteAllText($all, (ConvertTo-Json $json -Depth 9))
        #endregion
        if (!$program) {
            $said = @(& "$root\apply.ps1" $all 6>&1)
            $said
            if ($LASTEXITCODE) { throw "$LASTEXITCODE apply.ps1: $($said -match '^error')" }
        }
        #region program
        if (!$code -and (!$program -or (Get-FileHash $exe).Hash -ne $json.exeSha256)) {
            $program = "$root\provisioner.exe"
            $wait = $json.later -and !$args
            if (!$wait) { Load $json.exe $json.exeSha256 $program 300 '-gsSfL' }
        }
        #endregion
        if ($program -and !$code -and !$wait) {
            & $program bake $all --out "$root\payload"
            if (!$LASTEXITCODE) { & $program first-boot "$root\payload" }
            if ($LASTEXITCODE) { throw "$LASTEXITCODE provisioner.exe" }
            Set-Content $done $hash
        }
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
