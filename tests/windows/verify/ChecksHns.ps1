# The real Host Networking Service, where the feature Containers is on.

Add-Check 'hns-version' @{
    Claim = 'hns-proxy asks HNS for its version, and knows whether it honours the policies'
    Needs = @('administrator', 'hns')
    Body = {
        $said = Read-Provisioner @('hns-proxy', 'check') @(0, 13)
        Test-Like 'version' '\A\d+\.\d+' $said.version
        $build = [System.Environment]::OSVersion.Version.Build
        if ($build -ge 20348) { Test-Same "supported by build $build" 'True' $said.supported }
    }
}

Add-Check 'hns-list' @{
    Claim = 'hns-proxy lists the endpoints of a node, and asks HNS for nothing that it refuses'
    Needs = @('administrator', 'hns')
    Body = {
        $run = Invoke-Provisioner @('hns-proxy', 'list', '--all', '--output', 'json')
        Test-Same 'exit code' '0' "$($run.Code)$(if ($run.Code -ne 0) { " $($run.Out)" })"
    }
}

Add-Check 'hns-policy' @{
    Claim = 'HNS takes a policy, tells it as it was given, takes the same one for no change, and gives it up again'
    Changes = 'a policy on one endpoint, for a moment'
    Needs = @('administrator', 'hns')
    Body = {
        $version = Read-Provisioner @('hns-proxy', 'check') @(0, 13)
        if (-not $version.PSObject.Properties['supported']) { throw "hns-proxy check ended with: $($version.error.message)" }
        if (-not $version.supported) { Skip-Check "HNS $($version.version) has no such policies" }
        $policy = @('--outbound-port', '15001', '--inbound-port', '15003', '--usersid', 'network-service')
        $endpoint = $script:endpoint
        if (-not $endpoint) {
            # None of the node itself: with a policy there nobody comes to the machine any more. "add --all" leaves them out.
            $pods = @((Read-Provisioner (@('hns-proxy', 'add', '--all', '--dry-run') + $policy) @(0, 4, 13)).endpoints)
            $endpoint = "$(@($pods | Where-Object { $_.action -ceq 'add' -and @($_.policies).Count -eq 0 } | ForEach-Object { $_.id } | Select-Object -First 1))"
        }
        if (-not $endpoint) { Skip-Check 'no pod has an endpoint without a policy: start a container, or name one with -HnsEndpoint' }
        $here = @((Read-Provisioner @('hns-proxy', 'list', $endpoint)).endpoints)[0]
        if (@($here.policies).Count -gt 0) { Skip-Check "the endpoint $endpoint has policies, which the check would take away: name another one" }
        Add-Undo @{ action = 'hns'; name = $endpoint }
        try {
            Test-Same 'add' '1' (Read-Provisioner (@('hns-proxy', 'add', $endpoint) + $policy)).writes
            $listed = @((Read-Provisioner @('hns-proxy', 'list', $endpoint)).endpoints)[0]
            Test-Like 'what HNS tells of it' '"OutboundProxyPort":"15001"' (ConvertTo-Json -InputObject $listed -Depth 6 -Compress)
            Test-Same 'ensure, of the same' '0' (Read-Provisioner (@('hns-proxy', 'ensure', $endpoint) + $policy)).writes
        } finally {
            $cleared = Read-Provisioner @('hns-proxy', 'clear', $endpoint)
        }
        Test-Same 'clear' '1' $cleared.writes
        Test-Same 'policies afterwards' '0' @(@((Read-Provisioner @('hns-proxy', 'list', $endpoint)).endpoints)[0].policies).Count
    }
}
