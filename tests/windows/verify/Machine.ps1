# The functions with which the checks query and change Windows. The tests replace them.
$script:program = ''  # the program under test
$script:work = ''         # our folder, open to administrators only

function Get-System32 { return [System.Environment]::SystemDirectory }
function Get-ProgramFolder { return (Join-Path $env:ProgramFiles 'Provisioner') }
function Get-StateFolder { return (Join-Path $env:ProgramData 'Provisioner') }

# One argument as the programs of Windows take it apart.
function Format-Argument {
    param([string]$Text)
    if ($Text -cmatch '\A[^\s"]+\z') { return $Text }
    return '"' + (($Text -replace '(\\*)"', '$1$1\"') -replace '(\\+)\z', '$1$1') + '"'
}

# Runs a program: Code, Out and Err. An ENVIRONMENT value of $null takes the variable away.
function Invoke-Tool {
    param([string]$File, [string[]]$Arguments = @(), [hashtable]$Environment = @{}, [int]$Seconds = 300)
    $start = New-Object System.Diagnostics.ProcessStartInfo
    $start.FileName = $File
    $start.Arguments = (@($Arguments | ForEach-Object { Format-Argument $_ }) -join ' ')
    $start.UseShellExecute = $false
    $start.CreateNoWindow = $true
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.StandardOutputEncoding = [System.Text.Encoding]::UTF8
    $start.StandardErrorEncoding = [System.Text.Encoding]::UTF8
    # A PowerShell of another edition would find our modules there, and could not load them.
    $start.EnvironmentVariables.Remove('PSModulePath')
    foreach ($name in $Environment.Keys) {
        if ($null -eq $Environment[$name]) { $start.EnvironmentVariables.Remove($name) } else { $start.EnvironmentVariables[$name] = [string]$Environment[$name] }
    }
    $process = [System.Diagnostics.Process]::Start($start)
    $process.StandardInput.Close()
    $out = $process.StandardOutput.ReadToEndAsync()
    $err = $process.StandardError.ReadToEndAsync()
    if (-not $process.WaitForExit($Seconds * 1000)) {
        $process.Kill()
        throw "$File did not end within $Seconds seconds"
    }
    return @{ Code = $process.ExitCode; Out = [string]$out.Result; Err = [string]$err.Result }
}

# The boot service may be at work just then: commands that can wait for it do.
function Invoke-Provisioner {
    param([string[]]$Arguments)
    if ('apply', 'remove' -ccontains $Arguments[0]) { $Arguments = @($Arguments) + @('--wait-lock', '60') }
    return (Invoke-Tool $script:program $Arguments)
}

# The document that a command prints; its exit code must be one of CODES.
function Read-Provisioner {
    param([string[]]$Arguments, [int[]]$Codes = @(0))
    $run = Invoke-Provisioner (@($Arguments) + @('--output', 'json'))
    if ($Codes -notcontains $run.Code) { throw "provisioner $($Arguments[0]) ended with $($run.Code): $($run.Out) $($run.Err)" }
    return (ConvertFrom-Json -InputObject $run.Out)
}

function Open-Key {
    param([string]$Key, [bool]$Write = $false, [string]$View = 'Registry64')
    $root = [Microsoft.Win32.RegistryKey]::OpenBaseKey('LocalMachine', $View)
    if ($Write) { return $root.CreateSubKey($Key) }
    return $root.OpenSubKey($Key)
}

# A value below HKEY_LOCAL_MACHINE as text: its type, a colon, its data; "absent".
function Read-Value {
    param([string]$Key, [string]$Name, [string]$View = 'Registry64')
    $open = Open-Key $Key $false $View
    if ($null -eq $open) { return 'absent' }
    try {
        $data = $open.GetValue($Name, $null, 'DoNotExpandEnvironmentNames')
        if ($null -eq $data) { return 'absent' }
        $kind = "$($open.GetValueKind($Name))"
    } finally { $open.Close() }
    if ($kind -eq 'Binary') { return "${kind}:$([System.Convert]::ToBase64String($data))" }
    if ($kind -eq 'MultiString') { return "${kind}:$(@($data) -join "`n")" }
    return "${kind}:$data"
}

# And back again.
function Write-Value {
    param([string]$Key, [string]$Name, [string]$Text, [string]$View = 'Registry64')
    if ($Text -ceq 'absent') {
        $there = Open-Key $Key $false $View
        if ($null -eq $there) { return }
        $there.Close()
    }
    $open = Open-Key $Key $true $View
    try {
        $kind, $data = $Text.Split([char[]]':', 2)
        if ($Text -ceq 'absent') { $open.DeleteValue($Name, $false); return }
        if ($kind -eq 'Binary') { $open.SetValue($Name, [System.Convert]::FromBase64String($data), 'Binary') }
        elseif ($kind -eq 'MultiString') { $open.SetValue($Name, [string[]]@($data.Split([char]10)), 'MultiString') }
        elseif ($kind -eq 'DWord') { $open.SetValue($Name, [int]$data, 'DWord') }
        elseif ($kind -eq 'QWord') { $open.SetValue($Name, [long]$data, 'QWord') }
        else { $open.SetValue($Name, $data, $kind) }
    } finally { $open.Close() }
}

# Remembers a value, then sets it.
function Set-ValueForNow {
    param([string]$Key, [string]$Name, [string]$Text)
    Add-Undo @{ action = 'value'; key = $Key; name = $Name; before = (Read-Value $Key $Name) }
    Write-Value $Key $Name $Text
}

# Before the end of the run.
function Reset-Value {
    param([string]$Key, [string]$Name)
    foreach ($entry in @($script:entries | Where-Object { $_.action -ceq 'value' -and $_.key -ceq $Key -and $_.name -ceq $Name })) { Write-Value $Key $Name $entry.before }
}

# Remembers all that settings change, without which each check would have to know it.
function Add-SettingsUndo {
    foreach ($name in 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY') { Add-Undo @{ action = 'value'; key = $script:environmentKey; name = $name; before = (Read-Value $script:environmentKey $name) } }
    foreach ($key in $script:winHttpKeys) { Add-Undo @{ action = 'value'; key = $key; name = 'WinHttpSettings'; before = (Read-Value $key 'WinHttpSettings') } }
    foreach ($one in $script:authorities) { Add-Undo @{ action = 'certificate'; store = $one.Store; thumbprint = $one.Thumbprint } }
}

function Get-Descriptor {
    param([string]$Path)
    return (Get-Acl -LiteralPath $Path).Sddl
}

function Test-InStore {
    param([string]$Store, [string]$Thumbprint)
    return (Test-Path -LiteralPath "Cert:\LocalMachine\$Store\$Thumbprint")
}

# A service of one command, which Windows starts and then gives up, because the command does not speak to it: what the
# command saw of its environment is in the file.
function Add-ShowingService {
    param([string]$Name, [string]$Account = 'LocalSystem')
    $file = Join-Path $script:work "$Name.txt"
    Add-Undo @{ action = 'service'; name = $Name }
    $command = "$(Get-System32)\cmd.exe /d /c set > `"$file`""
    $made = Invoke-Tool "$(Get-System32)\sc.exe" @('create', $Name, 'binPath=', $command, 'start=', 'demand', 'obj=', $Account)
    if ($made.Code -ne 0) { throw "sc.exe create ended with $($made.Code): $($made.Out)" }
}

# The variables that the service sees now, NAME=VALUE each.
function Read-ShowingService {
    param([string]$Name)
    $file = Join-Path $script:work "$Name.txt"
    if (Test-Path -LiteralPath $file) { Remove-Item -LiteralPath $file -Force }
    [void](Invoke-Tool "$(Get-System32)\sc.exe" @('start', $Name) -Seconds 90)
    for ($i = 0; $i -lt 100; $i++) {
        if ((Test-Path -LiteralPath $file) -and (Get-Item -LiteralPath $file).Length -gt 0) { break }
        Start-Sleep -Milliseconds 200
    }
    Start-Sleep -Milliseconds 500
    if (-not (Test-Path -LiteralPath $file)) { throw "the service $Name left no $file" }
    return @(Get-Content -LiteralPath $file)
}

function Invoke-UndoAction {
    param([hashtable]$Entry)
    switch ($Entry.action) {
        'value' { Write-Value $Entry.key $Entry.name $Entry.before }
        'folder' { if (Test-Path -LiteralPath $Entry.path) { Remove-Item -LiteralPath $Entry.path -Recurse -Force } }
        'junction' {
            if (-not (Test-Path -LiteralPath $Entry.path)) { return }
            # A folder that came in its place meanwhile is not its entry's.
            if (([System.IO.File]::GetAttributes($Entry.path) -band [System.IO.FileAttributes]::ReparsePoint) -ne 0) { [System.IO.Directory]::Delete($Entry.path) }
        }
        'hive' { [void](Dismount-Hive $Entry.name) }
        'service' {
            $key = "SYSTEM\CurrentControlSet\Services\$($Entry.name)"
            if ((Read-Value $key 'ImagePath') -ceq 'absent') { return }
            $run = Invoke-Tool "$(Get-System32)\sc.exe" @('delete', $Entry.name)
            # Windows keeps the key, with a mark, as long as somebody has the service open.
            if ((Read-Value $key 'ImagePath') -cne 'absent' -and (Read-Value $key 'DeleteFlag') -ceq 'absent') { throw "sc.exe delete ended with $($run.Code): $($run.Out)" }
        }
        'image' {
            $mounted = { (Test-Path -LiteralPath $Entry.path) -and @(Get-ChildItem -LiteralPath $Entry.path -Force).Count -gt 0 }
            if (-not (& $mounted)) { return }
            $run = Invoke-Tool "$(Get-System32)\dism.exe" @('/Unmount-Image', "/MountDir:$($Entry.path)", '/Discard') -Seconds 1800
            if (& $mounted) { throw "dism.exe /Unmount-Image ended with $($run.Code), and the image is still mounted" }
        }
        'hns' {
            $there = @((Read-Provisioner @('hns-proxy', 'list', '--all')).endpoints | Where-Object { $_.id -eq $Entry.name })
            if ($there.Count -gt 0) { [void](Read-Provisioner @('hns-proxy', 'clear', $Entry.name)) }
        }
        'certificate' { if (Test-InStore $Entry.store $Entry.thumbprint) { Remove-Item -LiteralPath "Cert:\LocalMachine\$($Entry.store)\$($Entry.thumbprint)" } }
        'script-record' { [void](Invoke-BakedScript $Entry.path '5.1' @('-Undo')) }
        'removal' {
            if (-not (Test-Path -LiteralPath (Get-StateFolder)) -and -not (Test-Path -LiteralPath (Get-ProgramFolder))) { return }
            $run = Invoke-Provisioner @('remove', '--all')
            if ($run.Code -ne 0) { throw "remove --all ended with $($run.Code): $($run.Err)" }
        }
        default { throw "nothing is known of the action $($Entry.action)" }
    }
}
