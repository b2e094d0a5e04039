# The inputs of the checks: authorities, settings with and without a password, and a proxy that records its requests.
$script:secret = 'C4nary-verify-secret'
$script:listener = $null

# A CA that lasts for two months, as status warns in the last one; its SHA-1 as Windows shows it, and the store it belongs to:
# without an issuer it signs itself.
function New-Authority {
    param([string]$Name, $Issuer)
    # With .NET Framework a KeySize that is set later is ignored: the key would have 1024 bits, and the program leaves such a CA out.
    $key = [System.Security.Cryptography.RSA]::Create(2048)
    $request = New-Object System.Security.Cryptography.X509Certificates.CertificateRequest "CN=$Name", $key,
        ([System.Security.Cryptography.HashAlgorithmName]::SHA256), ([System.Security.Cryptography.RSASignaturePadding]::Pkcs1)
    $request.CertificateExtensions.Add((New-Object System.Security.Cryptography.X509Certificates.X509BasicConstraintsExtension $true, $false, 0, $true))
    $request.CertificateExtensions.Add((New-Object System.Security.Cryptography.X509Certificates.X509KeyUsageExtension 'KeyCertSign, CrlSign', $true))
    $begin = [DateTimeOffset]::UtcNow.AddDays(-1)
    $store = 'Root'
    if ($null -eq $Issuer) { $certificate = $request.CreateSelfSigned($begin, $begin.AddDays(60)) } else {
        # It must end before its issuer does.
        $certificate = $request.Create($Issuer, $begin, $begin.AddDays(59), [byte[]]@(1, 2, 3, 4))
        $store = 'CA'
    }
    $der = $certificate.Export('Cert')
    $lines = [regex]::Replace([System.Convert]::ToBase64String($der), '.{1,64}', "`$0`n")
    return @{ Pem = "-----BEGIN CERTIFICATE-----`n$lines-----END CERTIFICATE-----`n"; Thumbprint = $certificate.Thumbprint; Store = $store; Certificate = $certificate }
}

function New-DataFile {
    param([string]$Path, [string]$Text)
    $data = [System.Convert]::ToBase64String([System.Text.Encoding]::UTF8.GetBytes($Text))
    return @{ path = $Path; mode = 420; contents = @{ source = "data:;base64,$data" } }
}

# A rendered config, as the cluster has it, in FILE.
function Write-Settings {
    param([string]$File, [string]$Proxy, [string]$NoProxy, [string]$Bundle)
    $files = @((New-DataFile '/etc/mco/proxy.env' "HTTP_PROXY=$Proxy`nHTTPS_PROXY=$Proxy`nNO_PROXY=$NoProxy`n"),
        (New-DataFile '/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt' $Bundle))
    $config = @{ ignition = @{ version = '3.4.0' }; storage = @{ files = $files } }
    $document = @{ apiVersion = 'machineconfiguration.openshift.io/v1'; kind = 'MachineConfig'
        metadata = @{ name = 'rendered-worker-verify' }; spec = @{ config = $config } }
    [System.IO.File]::WriteAllText($File, (ConvertTo-Json -InputObject $document -Depth 8), (New-Object System.Text.UTF8Encoding $false))
}

# Answers every connection of this machine and keeps the first line of what it is asked.
$script:answering = {
    param($Listener, $Seen)
    while ($true) {
        try { $client = $Listener.AcceptTcpClient() } catch { return }
        try {
            $client.ReceiveTimeout = 3000
            $stream = $client.GetStream()
            $buffer = New-Object byte[] 8192
            $head = ''
            while ($head.IndexOf("`r`n`r`n") -lt 0) {
                $size = $stream.Read($buffer, 0, $buffer.Length)
                if ($size -le 0) { break }
                $head = $head + [System.Text.Encoding]::ASCII.GetString($buffer, 0, $size)
            }
            [void]$Seen.Add(($head -split "`r`n")[0])
            $answer = [System.Text.Encoding]::ASCII.GetBytes("HTTP/1.1 200 OK`r`nContent-Type: text/plain`r`nContent-Length: 2`r`nConnection: close`r`n`r`nok")
            $stream.Write($answer, 0, $answer.Length)
        } catch {
            [void]$_  # a client that went away
        } finally { $client.Close() }
    }
}

function Start-Listener {
    $socket = New-Object System.Net.Sockets.TcpListener ([System.Net.IPAddress]::Loopback), 0
    $socket.Start()
    $seen = [System.Collections.ArrayList]::Synchronized((New-Object System.Collections.ArrayList))
    $shell = [powershell]::Create()
    [void]$shell.AddScript($script:answering.ToString()).AddArgument($socket).AddArgument($seen)
    [void]$shell.BeginInvoke()
    $script:listener = @{ Socket = $socket; Seen = $seen; Port = ([System.Net.IPEndPoint]$socket.LocalEndpoint).Port; Shell = $shell }
}

function Stop-Listener {
    if ($null -eq $script:listener) { return }
    $script:listener.Socket.Stop()
    $script:listener.Shell.Stop()
    $script:listener.Shell.Dispose()
    $script:listener = $null
}

function Get-ListenerUrl {
    param([string]$User = '')
    if ($User) { return "http://$User@127.0.0.1:$($script:listener.Port)" }
    return "http://127.0.0.1:$($script:listener.Port)"
}

# The list that clients are compared with, and destinations on both sides of each entry. None of them answers, so a
# request that does not come to the listener fails.
$script:noProxy = '.svc.example.test,bare.test,10.201.0.0/16,10.202.0.1,*.wild.test,UPPER.test,2001:db8::1,port.test:8443'
$script:destinations = @('http://other.test/', 'http://app.svc.example.test/', 'http://svc.example.test/', 'http://bare.test/',
    'http://sub.bare.test/', 'http://10.201.2.3/', 'http://10.202.0.1/', 'http://10.202.0.2/', 'http://x.wild.test/', 'http://wild.test/',
    'http://upper.test/', 'http://[2001:db8::1]/', 'http://port.test:8443/', 'http://port.test/')

# The listener takes one connection after the other: when it has seen this one, it has seen all before it.
function Wait-Listener {
    $client = New-Object System.Net.Sockets.TcpClient '127.0.0.1', $script:listener.Port
    try {
        $bytes = [System.Text.Encoding]::ASCII.GetBytes("LAST / HTTP/1.1`r`n`r`n")
        $client.GetStream().Write($bytes, 0, $bytes.Length)
        for ($i = 0; $i -lt 600; $i++) {
            if (@($script:listener.Seen.ToArray()) -contains 'LAST / HTTP/1.1') { return }
            Start-Sleep -Milliseconds 100
        }
        throw 'the listener does not answer'
    } finally { $client.Close() }
}

# Which of the destinations came to the listener while BODY asked for all of them; it is called with their list.
function Get-Proxied {
    param([string[]]$Urls, [scriptblock]$Body)
    $script:listener.Seen.Clear()
    & $Body $Urls | Out-Null
    Wait-Listener
    $seen = @($script:listener.Seen.ToArray() | ForEach-Object { "$_" -replace '\A\S+ ', '' -replace ' HTTP/\S+\z', '' })
    foreach ($url in $Urls) {
        $decision = 'direct'
        foreach ($line in $seen) { if ($line.TrimEnd('/') -eq $url.TrimEnd('/')) { $decision = 'proxy' } }
        @{ Url = $url; Decision = $decision }
    }
}

# What `explain` says of a client and the destinations, compared with what came to the listener.
function Compare-Decisions {
    param([string]$Settings, [string]$Client, [string[]]$Urls, [scriptblock]$Body)
    $words = @('explain', $Settings, '--for', $Client)
    foreach ($url in $Urls) { $words += @('--url', $url) }
    $said = @((Read-Provisioner $words @(0, 4)).decisions)
    foreach ($row in @(Get-Proxied $Urls $Body)) {
        $one = @($said | Where-Object { $_.url -ceq $row.Url -and $_.client -ceq $Client })
        if ($one.Count -ne 1) { throw "explain gave $($one.Count) decisions for $($row.Url)" }
        Test-Same "$Client $($row.Url)" $one[0].decision $row.Decision
    }
}

# Which of explain's readings a curl of this version is.
function Get-CurlReading {
    param([string]$Version)
    if ($Version -notmatch '\A(\d+)\.(\d+)') { throw "not a version: $Version" }
    $number = [int]$Matches[1] * 1000 + [int]$Matches[2]
    if ($number -lt 8000) { return 'curl7' }
    if ($number -lt 8018) { return 'curl8' }
    return 'curl'
}
