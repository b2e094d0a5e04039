# What an installation leaves on a machine: folders, values, certificates, the service and its events.

# An SDDL text in one form: the owner, whether it is protected, and the entries in the order of the alphabet. Windows adds
# AI and ID for what was inherited when the list was made; that changes nobody's rights.
function Format-Descriptor {
    param([string]$Sddl)
    if ($Sddl -cnotmatch '\AO:(?<owner>[^:()]+?)(?:G:[^:()]+?)?D:(?<flags>[A-Z]*)(?<entries>(?:\([^)]*\))*)(?:S:.*)?\z') { return "not understood: $Sddl" }
    $owner, $flags, $list = $Matches['owner'], $Matches['flags'], $Matches['entries']
    $protected = $flags.IndexOf('P') -ge 0
    $entries = @([regex]::Matches($list, '\(([^;)]*);([^;)]*);([^)]*)\)') | ForEach-Object {
        "($($_.Groups[1].Value);$($_.Groups[2].Value -creplace 'ID', '');$($_.Groups[3].Value))" } | Sort-Object)
    return "O:$owner protected:$protected $($entries -join '')"
}

function Test-Descriptor {
    param([string]$What, [string]$Expected, [string]$Path)
    Test-Same $What (Format-Descriptor $Expected) (Format-Descriptor (Get-Descriptor $Path))
}

Add-Check 'install' @{
    Claim = 'first-boot applies a payload, installs program and service, and ends with 0'
    Changes = 'machine variables, WinHTTP and WinINET settings, three CAs, the service Provisioner, its two folders, Path, the environment of containerd and kubelet where they are'
    Needs = @('administrator', 'bare')
    Body = {
        Add-SettingsUndo
        Add-Undo @{ action = 'value'; key = $script:environmentKey; name = 'Path'; before = (Read-Value $script:environmentKey 'Path') }
        foreach ($name in $script:containerServices) {
            $key = "SYSTEM\CurrentControlSet\Services\$name"
            Add-Undo @{ action = 'value'; key = $key; name = 'Environment'; before = (Read-Value $key 'Environment') }
        }
        Add-ShowingService 'ProvisionerVerify'
        Add-Undo @{ action = 'removal' }
        $run = Invoke-Provisioner @('first-boot', $script:payload, '--phase', 'logon', '--output', 'json')
        Test-Same 'exit code' '0' $run.Code
        $again = Read-Provisioner @('apply', $script:payload)
        Test-Same 'writes of a second run' '0' $again.writes
        Test-Same 'exit code of plan' '0' (Invoke-Provisioner @('plan', $script:payload)).Code
    }
}

Add-Check 'acl-program-folder' @{
    Claim = 'administrators write to the folder of the program, users read and execute'
    Needs = @('installed')
    Body = {
        Test-Descriptor 'folder' 'O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)' (Get-ProgramFolder)
        Test-Descriptor 'program' 'O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;BU)' (Join-Path (Get-ProgramFolder) 'provisioner.exe')
    }
}

Add-Check 'acl-state-folder' @{
    Claim = 'the state folder and each file in it are for SYSTEM and administrators alone'
    Needs = @('installed')
    Body = {
        Test-Descriptor 'folder' 'O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)' (Get-StateFolder)
        foreach ($file in @(Get-ChildItem -LiteralPath (Get-StateFolder) -Force)) {
            try { $form = Format-Descriptor (Get-Descriptor $file.FullName) } catch {
                # A round of the service makes files that go at its end.
                if (-not (Test-Path -LiteralPath $file.FullName)) { continue }
                throw
            }
            $others = @([regex]::Matches($form, '\([^)]*;([^;)]*)\)') | ForEach-Object { $_.Groups[1].Value } | Where-Object { 'SY', 'BA' -cnotcontains $_ })
            Test-Same "who is in the list of $($file.Name) besides" '' ($others -join ' ')
        }
    }
}

Add-Check 'machine-variables' @{
    Claim = 'machine variables are REG_SZ with the very text of the settings'
    Needs = @('installed', 'bare')
    Body = {
        foreach ($name in 'HTTP_PROXY', 'HTTPS_PROXY') { Test-Same $name "String:$(Get-ListenerUrl)" (Read-Value $script:environmentKey $name) }
        Test-Same 'NO_PROXY' "String:$($script:noProxy)" (Read-Value $script:environmentKey 'NO_PROXY')
        Test-Like 'Path, at its end' '(?i)[;:][^;]*\\Provisioner\\?\z' (Read-Value $script:environmentKey 'Path')
    }
}

Add-Check 'service-environment' @{
    Claim = 'a service gets the names in Services\NAME, Environment when it starts, without a reboot'
    Needs = @('installed', 'bare')
    Body = {
        $seen = Read-ShowingService 'ProvisionerVerify'
        foreach ($name in 'HTTP_PROXY', 'HTTPS_PROXY') { Test-Same $name "$name=$(Get-ListenerUrl)" (@($seen | Where-Object { $_ -like "$name=*" }) -join ' ') }
        Test-Same 'NO_PROXY' "NO_PROXY=$($script:noProxy)" (@($seen | Where-Object { $_ -like 'NO_PROXY=*' }) -join ' ')
    }
}

Add-Check 'certificates' @{
    Claim = 'each CA that signed itself is in the machine''s ROOT store, where certutil verifies it, and the other one in CA'
    Needs = @('installed', 'bare')
    Body = {
        foreach ($one in $script:authorities) {
            foreach ($store in 'Root', 'CA') { Test-Same "in ${store}: $($one.Thumbprint)" "$($store -ceq $one.Store)" (Test-InStore $store $one.Thumbprint) }
            if ($one.Store -ceq 'Root') { Test-Same 'exit code of certutil -verifystore' '0' (Invoke-Tool "$(Get-System32)\certutil.exe" @('-verifystore', 'Root', $one.Thumbprint)).Code }
        }
    }
}

Add-Check 'netsh-winhttp' @{
    Claim = 'netsh reads what we wrote as WinHTTP''s proxy and bypass list, in the 64-bit and the 32-bit view'
    Needs = @('installed', 'bare')
    Body = {
        foreach ($folder in (Get-System32), (Join-Path $env:SystemRoot 'SysWOW64')) {
            $tool = Join-Path $folder 'netsh.exe'
            if (-not (Test-Path -LiteralPath $tool)) { Skip-Check "there is no $tool" }
            $said = (Invoke-Tool $tool @('winhttp', 'show', 'proxy')).Out
            Test-Like "$tool, proxy" ([regex]::Escape("127.0.0.1:$($script:listener.Port)")) $said
            foreach ($entry in '*.svc.example.test', 'bare.test', '*.bare.test', '10.202.0.1') { Test-Like "$tool, $entry" ([regex]::Escape($entry)) $said }
        }
    }
}
