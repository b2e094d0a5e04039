# Hives and images that the program wrote, read by the kernel of Windows and by DISM.

function Mount-Hive {
    param([string]$File, [string]$Name)
    Add-Undo @{ action = 'hive'; name = $Name }
    return (Invoke-Tool "$(Get-System32)\reg.exe" @('load', "HKLM\$Name", $File))
}

function Dismount-Hive {
    param([string]$Name)
    $there = Open-Key $Name
    if ($null -eq $there) { return }
    $there.Close()
    # A key that is still open somewhere in this process would keep the hive.
    [System.GC]::Collect()
    [System.GC]::WaitForPendingFinalizers()
    $run = Invoke-Tool "$(Get-System32)\reg.exe" @('unload', "HKLM\$Name")
    if ($run.Code -ne 0) { throw "reg unload HKLM\$Name ended with $($run.Code): $($run.Err)" }
}

# Runs BODY while FILE is a hive below HKEY_LOCAL_MACHINE.
function Use-Hive {
    param([string]$File, [string]$Name, [scriptblock]$Body)
    $run = Mount-Hive $File $Name
    Test-Same "reg load $(Split-Path -Leaf $File)" '0' "$($run.Code)$(if ($run.Code -ne 0) { " $($run.Err)" })"
    if ($run.Code -ne 0) { return }
    try { & $Body } finally { Dismount-Hive $Name }
}

function Get-ControlSet {
    param([string]$Name)
    return ('ControlSet{0:d3}' -f [int]((Read-Value "$Name\Select" 'Current') -replace '\ADWord:', ''))
}

# The hives of this machine as those of an image, in a folder of ours.
function Save-Hives {
    $root = Join-Path $script:work 'image'
    $config = Join-Path $root 'Windows\System32\config'
    [void][System.IO.Directory]::CreateDirectory($config)
    foreach ($hive in 'SYSTEM', 'SOFTWARE') {
        $run = Invoke-Tool "$(Get-System32)\reg.exe" @('save', "HKLM\$hive", (Join-Path $config $hive), '/y')
        if ($run.Code -ne 0) { throw "reg save HKLM\$hive ended with $($run.Code): $($run.Err)" }
    }
    return $root
}

Add-Check 'payload-hives' @{
    Claim = 'Windows loads the hives of a payload, and finds in them what the settings say'
    Changes = 'a hive below HKLM, for a moment'
    Needs = @('administrator')
    Body = {
        # A copy: Windows writes logs beside a hive that it loads.
        foreach ($hive in 'SYSTEM', 'SOFTWARE') { Copy-Item -LiteralPath (Join-Path $script:scriptPayload "registry\$hive.hiv") -Destination (Join-Path $script:work "$hive.hiv") -Force }
        Use-Hive (Join-Path $script:work 'SYSTEM.hiv') 'ProvisionerVerify1' {
            Test-Same 'NO_PROXY' "String:$($script:noProxy)" (Read-Value 'ProvisionerVerify1\ControlSet001\Control\Session Manager\Environment' 'NO_PROXY')
        }
        Use-Hive (Join-Path $script:work 'SOFTWARE.hiv') 'ProvisionerVerify2' {
            foreach ($one in $script:authorities) { Test-Like 'the CA' '\ABinary:' (Read-Value "ProvisionerVerify2\Microsoft\SystemCertificates\$($one.Store.ToUpperInvariant())\Certificates\$($one.Thumbprint)" 'Blob') }
        }
    }
}

Add-Check 'edited-hives' @{
    Claim = 'Windows loads its own hives after the program edited them, finds every neighbour, and what was set'
    Changes = 'copies of the hives of this machine, in our folder; a hive below HKLM, for a moment'
    Needs = @('administrator')
    Body = {
        $root = Save-Hives
        $config = Join-Path $root 'Windows\System32\config'
        # Names with letters that the upper-case tables of versions of Windows map in different ways.
        $odd = @(0x03c2, 0x1fc3, 0x0371, 0x03d7, 0x1efb, 0xa641 | ForEach-Object { "verify-$([char]$_)" })
        Use-Hive (Join-Path $config 'SOFTWARE') 'ProvisionerVerify3' {
            foreach ($name in $odd) { (Open-Key "ProvisionerVerify3\Microsoft\SystemCertificates\ROOT\Certificates\$name" $true).Close() }
        }
        $run = Invoke-Provisioner @('apply', $script:settings, '--root', $root, '--output', 'json')
        Test-Same 'exit code of apply --root' '0' "$($run.Code)$(if ($run.Code -ne 0) { " $($run.Out)" })"
        Test-Same 'exit code of plan --root afterwards' '0' (Invoke-Provisioner @('plan', $script:settings, '--root', $root)).Code
        Use-Hive (Join-Path $config 'SYSTEM') 'ProvisionerVerify4' {
            $environment = "ProvisionerVerify4\$(Get-ControlSet 'ProvisionerVerify4')\Control\Session Manager\Environment"
            Test-Same 'NO_PROXY' "String:$($script:noProxy)" (Read-Value $environment 'NO_PROXY')
            Test-Same 'ComSpec, a neighbour' (Read-Value $script:environmentKey 'ComSpec') (Read-Value $environment 'ComSpec')
        }
        Use-Hive (Join-Path $config 'SOFTWARE') 'ProvisionerVerify5' {
            $stores = 'ProvisionerVerify5\Microsoft\SystemCertificates'
            foreach ($one in $script:authorities) { Test-Like 'the CA' '\ABinary:' (Read-Value "$stores\$($one.Store.ToUpperInvariant())\Certificates\$($one.Thumbprint)" 'Blob') }
            $open = Open-Key "$stores\ROOT\Certificates"
            foreach ($name in $open.GetSubKeyNames()) {
                $key = $open.OpenSubKey($name)
                if ($null -eq $key) { Test-Same "the key $name is found" 'True' 'False' } else { $key.Close() }
            }
            Test-Same 'keys with odd letters' $odd.Count @($open.GetSubKeyNames() | Where-Object { $odd -ccontains $_ }).Count
            $open.Close()
        }
    }
}

Add-Check 'reg-file' @{
    Claim = 'registry\egress.reg can be imported, and Windows takes the certificates in it (properties 3 and 32) into its store'
    Changes = 'what the payload sets; taken back at the end of the run'
    Needs = @('administrator', 'bare')
    Body = {
        Add-SettingsUndo
        $before = @($script:entries | Where-Object { $_.action -eq 'value' })
        try {
            $run = Invoke-Tool "$(Get-System32)\reg.exe" @('import', (Join-Path $script:scriptPayload 'registry\egress.reg'))
            Test-Same 'exit code' '0' $run.Code
            Test-Same 'what plan would still set' '' (@((Read-Provisioner @('plan', $script:scriptPayload) @(0, 4)).changes | Where-Object { 'none', 'adopt' -cnotcontains $_.action } | ForEach-Object { "$($_.kind) $($_.name)" }) -join ', ')
            foreach ($one in $script:authorities) {
                Test-Same "the CA is in $($one.Store)" 'True' (Test-InStore $one.Store $one.Thumbprint)
                if ($one.Store -ceq 'Root') { Test-Same 'exit code of certutil -verifystore' '0' (Invoke-Tool "$(Get-System32)\certutil.exe" @('-verifystore', 'Root', $one.Thumbprint)).Code }
            }
        } finally {
            # The next checks begin with a machine that has none of it.
            foreach ($one in $script:authorities) { Remove-Item -LiteralPath "Cert:\LocalMachine\$($one.Store)\$($one.Thumbprint)" -ErrorAction SilentlyContinue }
            foreach ($entry in $before) { Invoke-UndoAction $entry }
        }
    }
}

Add-Check 'dism-image' @{
    Claim = 'DISM mounts, services and unmounts an image that the program edited, and the files in it have their rights'
    Changes = 'a copy of the image of -Image in our folder, mounted for a while'
    Needs = @('administrator', 'image')
    Body = {
        $copy = Join-Path $script:work 'copy.wim'
        $mount = Join-Path $script:work 'mount'
        Copy-Item -LiteralPath $script:imageFile -Destination $copy -Force
        Set-ItemProperty -LiteralPath $copy -Name 'IsReadOnly' -Value $false
        [void][System.IO.Directory]::CreateDirectory($mount)
        $dism = { param([string[]]$Words) (Invoke-Tool "$(Get-System32)\dism.exe" $Words @{} 3600).Code }
        Add-Undo @{ action = 'image'; path = $mount }
        Test-Same 'mount' '0' (& $dism @('/Mount-Image', "/ImageFile:$copy", '/Index:1', "/MountDir:$mount"))
        Test-Same 'apply --root --install' '0' (Invoke-Provisioner @('apply', $script:settings, '--root', $mount, '--install', '--exe', $script:program)).Code
        Test-Same 'unmount and commit' '0' (& $dism @('/Unmount-Image', "/MountDir:$mount", '/Commit'))
        Test-Same 'mount again' '0' (& $dism @('/Mount-Image', "/ImageFile:$copy", '/Index:1', "/MountDir:$mount"))
        Test-Same 'plan --root' '0' (Invoke-Provisioner @('plan', $script:settings, '--root', $mount)).Code
        Test-Same 'DISM lists the packages' '0' (& $dism @("/Image:$mount", '/Get-Packages'))
        Test-Descriptor 'the state folder in it' 'O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)' (Join-Path $mount 'ProgramData\Provisioner')
        Test-Descriptor 'the folder of the program in it' 'O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)' (Join-Path $mount 'Program Files\Provisioner')
        Test-Same 'unmount' '0' (& $dism @('/Unmount-Image', "/MountDir:$mount", '/Discard'))
    }
}
