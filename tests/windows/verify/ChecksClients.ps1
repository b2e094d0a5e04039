# How the HTTP clients of Windows use the settings: each requests the same destinations, and the requests that a
# listener gets are compared with `explain`.

# The variables as a client's own process gets them. curl reads the lower-case one for http://; to Windows both are one.
function Get-ProxyVariables {
    $url = Get-ListenerUrl
    $names = New-Object System.Collections.Hashtable ([System.StringComparer]::Ordinal)
    foreach ($name in 'HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy') { $names[$name] = $url }
    $names['NO_PROXY'] = $script:noProxy
    return $names
}

function Test-Curl {
    param([string]$Program)
    $version = ((Invoke-Tool $Program @('--version')).Out -split '\s+')[1]
    $reading = Get-CurlReading $version
    Test-Like 'version' '\A\d+\.\d+' $version
    Compare-Decisions $script:settings $reading $script:destinations {
        param($Urls)
        # The body of `&` sees the caller's variables: $Program.
        foreach ($url in $Urls) { [void](Invoke-Tool $Program @('-s', '-g', '-m', '5', $url) (Get-ProxyVariables)) }
    }
}

$script:askAll = 'foreach ($u in ($env:VERIFY_URLS -split " ")) { try { [void](Invoke-WebRequest -UseBasicParsing -TimeoutSec 5 -Uri $u) } catch { } }'

function Test-Shell {
    param([string]$Program, [string]$Client, [hashtable]$Environment)
    $Environment['VERIFY_URLS'] = $script:destinations -join ' '
    Compare-Decisions $script:settings $Client $script:destinations {
        param($Urls)
        [void](Invoke-Tool $Program @('-NoLogo', '-NoProfile', '-NonInteractive', '-Command', $script:askAll) $Environment)
    }
}

function New-WinHttp {
    try { $request = New-Object -ComObject 'WinHttp.WinHttpRequest.5.1' } catch { Skip-Check "WinHttpRequest is not to be had: $($_.Exception.Message)" }
    $request.SetTimeouts(3000, 3000, 3000, 3000)
    return $request
}

Add-Check 'client-curl' @{
    Claim = 'curl.exe goes where explain says, by the reading of its version'
    Needs = @('curl')
    Body = { Test-Curl (Get-Curl) }
}

Add-Check 'client-dotnet' @{
    Claim = 'HttpClient of .NET (PowerShell 7, with the variables) goes where explain says'
    Needs = @('powershell-7')
    Body = { Test-Shell (Get-Shell '7') 'dotnet' (Get-ProxyVariables) }
}

Add-Check 'client-wininet' @{
    Claim = 'Windows PowerShell 5.1 (WinINET''s settings, no variables) goes where explain says'
    Needs = @('installed', 'bare')
    Body = { Test-Shell (Get-Shell '5.1') 'wininet' @{ HTTP_PROXY = $null; HTTPS_PROXY = $null; NO_PROXY = $null } }
}

Add-Check 'client-winhttp' @{
    Claim = 'WinHTTP itself, with the machine''s settings, goes where explain says'
    Needs = @('installed', 'bare')
    Body = {
        Compare-Decisions $script:settings 'winhttp' $script:destinations {
            param($Urls)
            foreach ($url in $Urls) {
                $request = New-WinHttp
                $request.Open('GET', $url, $false)
                try { $request.Send() } catch { [void]$_ }
            }
        }
    }
}

# Entries of a bypass list, a destination, and whether it goes direct: what provisioner/docs/formats/winhttp-settings.md#the-bypass-list says of them.
$script:bypassRules = @(
    @('*.a.test', 'x.a.test', 'direct'), @('*.a.test', 'a.test', 'proxy'), @('a.test', 'a.test', 'direct'), @('a.test', 'x.a.test', 'proxy'),
    @('.a.test', 'x.a.test', 'proxy'), @('<local>', 'plain', 'direct'), @('<local>', 'a.test', 'proxy'), @('A.TEST', 'a.test', 'direct'),
    @('10.203.0.1', '10.203.0.1', 'direct'), @('10.203.*', '10.203.0.1', 'direct'), @('b.test;a.test', 'a.test', 'direct'), @('b.test a.test', 'a.test', 'direct'))

Add-Check 'winhttp-bypass-rules' @{
    Claim = 'each form of a bypass list''s entry matches what the documentation says, in WinHTTP itself'
    Needs = @('windows')
    Body = {
        foreach ($rule in $script:bypassRules) {
            $seen = @(Get-Proxied @("http://$($rule[1])/") {
                param($Urls)
                $request = New-WinHttp
                $request.SetProxy(2, "127.0.0.1:$($script:listener.Port)", $rule[0])
                $request.Open('GET', $Urls[0], $false)
                try { $request.Send() } catch { [void]$_ }
            })
            Test-Same "$($rule[0]) and $($rule[1])" $rule[2] $seen[0].Decision
        }
    }
}

Add-Check 'winhttp-slash' @{
    Claim = 'with a "/" in its bypass list WinHTTP sends nothing at all'
    Needs = @('windows')
    Body = {
        # The listener answers as the proxy, and what comes to it directly. The first list is valid: it shows that the rest works.
        foreach ($case in @('10.*', 'sent'), @('10.0.0.0/8', 'refused')) {
            $sent = 'sent'
            $request = New-WinHttp
            try {
                $request.SetProxy(2, "127.0.0.1:$($script:listener.Port)", $case[0])
                $request.Open('GET', "$(Get-ListenerUrl)/", $false)
                $request.Send()
            } catch { $sent = 'refused' }
            Test-Same "a request for the listener, with the list $($case[0])" $case[1] $sent
        }
    }
}
