# Before anything is installed: the program's file, what it refuses, and what Windows' own tools write.

# What Windows takes from System32 whoever imports it; tests/e2e/hardening_e2e.py has the same list.
$script:knownDlls = ('advapi32 clbcatq combase comdlg32 coml2 difxapi gdi32 gdiplus imagehlp imm32 kernel32 msctf msvcrt normaliz nsi ole32 ' +
    'oleaut32 psapi rpcrt4 sechost setupapi shcore shell32 shlwapi user32 wldap32 ws2_32') -split ' '

Add-Check 'known-dlls' @{
    Claim = 'the libraries that the program may import at its start are known DLLs of this Windows'
    Needs = @('windows')
    Body = {
        $key = Open-Key 'SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs'
        $there = @($key.GetValueNames() | ForEach-Object { "$($key.GetValue($_))".ToLowerInvariant() -replace '\.dll\z', '' })
        foreach ($name in $script:knownDlls) { Test-Same "is known: $name" 'True' ($there -contains $name) }
    }
}

Add-Check 'planted-libraries' @{
    Claim = 'the program takes no library from the folder it lies in'
    Changes = 'a copy of the program in our folder, beside files that have the names of libraries and are none'
    Needs = @('windows')
    Body = {
        $folder = Join-Path $script:work 'planted'
        [void][System.IO.Directory]::CreateDirectory($folder)
        $copy = Join-Path $folder 'provisioner.exe'
        Copy-Item -LiteralPath $script:program -Destination $copy -Force
        foreach ($name in 'bcrypt bcryptprimitives crypt32 cryptbase cryptsp cryptnet msasn1 ncrypt profapi rsaenh uxtheme version winhttp wintrust userenv sspicli'.Split(' ')) {
            # A library that is loaded and is none ends the start with an error of the loader.
            [System.IO.File]::WriteAllText((Join-Path $folder "$name.dll"), 'not a library')
        }
        foreach ($words in @('--version'), @('extract', $script:settings), @('status', '--output', 'json')) {
            $expected = (Invoke-Tool $script:program $words).Code
            Test-Same "exit code of $($words[0])" $expected (Invoke-Tool $copy $words).Code
        }
    }
}

Add-Check 'acl-work-of-others' @{
    Claim = 'a state folder that is a junction is refused, and nothing is written behind it'
    Changes = 'a junction in the place of the state folder, for a moment'
    Needs = @('administrator', 'bare')
    Body = {
        if (Test-Path -LiteralPath (Get-StateFolder)) { Skip-Check 'the state folder is there already' }
        $elsewhere = Join-Path $script:work 'elsewhere'
        [void][System.IO.Directory]::CreateDirectory($elsewhere)
        # Should the program not refuse it.
        Add-SettingsUndo
        Add-Undo @{ action = 'junction'; path = (Get-StateFolder) }
        $made = Invoke-Tool "$(Get-System32)\cmd.exe" @('/d', '/c', 'mklink', '/J', (Get-StateFolder), $elsewhere)
        if ($made.Code -ne 0) { throw "mklink ended with $($made.Code): $($made.Err)" }
        # This one sets nothing else than what is remembered above.
        $run = Invoke-Provisioner @('apply', $script:scriptPayload)
        Test-Same 'exit code' '12' $run.Code
        Test-Same 'files behind the junction' '0' @(Get-ChildItem -LiteralPath $elsewhere -Force).Count
        [System.IO.Directory]::Delete((Get-StateFolder))
    }
}

Add-Check 'followed-file-of-others' @{
    Claim = 'a source that users can write is not followed'
    Changes = 'a file in our folder, which users may write'
    Needs = @('administrator', 'bare')
    Body = {
        $file = Join-Path $script:work 'open.json'
        Copy-Item -LiteralPath $script:settings -Destination $file
        [void](Invoke-Tool "$(Get-System32)\icacls.exe" @($file, '/grant', '*S-1-5-32-545:(M)'))
        Add-Undo @{ action = 'removal' }  # should the program take it
        Test-Same 'exit code' '12' (Invoke-Provisioner @('service', 'install', '--source', $file)).Code
    }
}

Add-Check 'winhttp-header' @{
    Claim = 'WinHttpSettings begins with 0x18 or 0x28, and flags are 3 with a proxy, as netsh writes it'
    Changes = 'WinHTTP''s settings, for a moment'
    Needs = @('administrator', 'bare')
    Body = {
        foreach ($key in $script:winHttpKeys) { Add-Undo @{ action = 'value'; key = $key; name = 'WinHttpSettings'; before = (Read-Value $key 'WinHttpSettings') } }
        $before = @($script:winHttpKeys | ForEach-Object { Read-Value $_ 'WinHttpSettings' })
        [void](Invoke-Tool "$(Get-System32)\netsh.exe" @('winhttp', 'set', 'proxy', 'p.example.test:3128', '*.a.test;b.test'))
        try {
            $bytes = [System.Convert]::FromBase64String(((Read-Value $script:winHttpKeys[0] 'WinHttpSettings') -replace '\ABinary:', ''))
            Test-Like 'first number' '\A(24|40)\z' ([System.BitConverter]::ToInt32($bytes, 0))
            Test-Same 'flags' '3' ([System.BitConverter]::ToInt32($bytes, 8))
            Test-Same 'proxy' 'p.example.test:3128' ([System.Text.Encoding]::ASCII.GetString($bytes, 16, [System.BitConverter]::ToInt32($bytes, 12)))
            Test-Same 'the 32-bit view' (Read-Value $script:winHttpKeys[0] 'WinHttpSettings') (Read-Value $script:winHttpKeys[1] 'WinHttpSettings')
        } finally {
            for ($i = 0; $i -lt $before.Count; $i++) { Write-Value $script:winHttpKeys[$i] 'WinHttpSettings' $before[$i] }
        }
    }
}
