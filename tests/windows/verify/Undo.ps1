# What Verify-OnWindows.ps1 has to put back. Each entry is data and is in a file before the change is made, so that a later
# run (-Continue after a restart, or -PutBack) can do it, too. Entries are undone in the opposite order.
$script:entriesFile = ''
$script:entries = New-Object System.Collections.ArrayList

function Save-Undo {
    $text = ConvertTo-Json -InputObject @($script:entries) -Depth 6
    $bytes = (New-Object System.Text.UTF8Encoding $false).GetBytes($text)
    $stream = [System.IO.File]::Create("$($script:entriesFile).new")
    try {
        $stream.Write($bytes, 0, $bytes.Length)
        $stream.Flush($true)  # to the disk, before what it tells of is done
    } finally { $stream.Close() }
    if (Test-Path -LiteralPath $script:entriesFile) { [System.IO.File]::Delete($script:entriesFile) }
    [System.IO.File]::Move("$($script:entriesFile).new", $script:entriesFile)
}

function Read-Undo {
    param([string]$File)
    $script:entriesFile = $File
    $script:entries.Clear()
    # A run that was cut off between two names left the newer one; one that was cut off earlier left a part of the newer one,
    # and had not yet done what that adds.
    $entries = $null
    foreach ($path in "$File", "$File.new") {
        if ($null -ne $entries -or -not (Test-Path -LiteralPath $path)) { continue }
        # Windows PowerShell 5.1 hands on a list as one object unless it is assigned first.
        try { $entries = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($path)) } catch { $entries = $null }
    }
    if ($null -eq $entries) {
        if (Test-Path -LiteralPath $File) { throw "$File can't be read: put back by hand what it tells of" }
        return
    }
    foreach ($entry in @($entries)) {
        $row = @{}
        foreach ($member in $entry.PSObject.Properties) { $row[$member.Name] = $member.Value }
        [void]$script:entries.Add($row)
    }
}

# ENTRY has "action", which Invoke-UndoAction knows, and what that needs. The same entry twice is one.
function Add-Undo {
    param([hashtable]$Entry)
    $text = Format-Undo $Entry
    foreach ($known in $script:entries) {
        if ((Format-Undo $known) -ceq $text) { return }
    }
    [void]$script:entries.Add($Entry)
    Save-Undo
}

function Format-Undo {
    param([hashtable]$Entry)
    $parts = @($Entry.action)
    foreach ($name in 'key', 'name', 'path', 'store', 'thumbprint') {
        if ($Entry.ContainsKey($name)) { $parts += "$($Entry[$name])" }
    }
    return ($parts -join ' ')
}

# Undoes everything; what fails stays in the file. Prints an object for each: action, result ("done", or why not).
function Invoke-Undo {
    $left = @()
    # The installation goes first, whenever it was noted: its service would bring back what the others put back, and what it
    # has to take back is in a folder that one of them removes.
    $order = @($script:entries | Where-Object { $_.action -cne 'removal' }) + @($script:entries | Where-Object { $_.action -ceq 'removal' })
    for ($i = $order.Count - 1; $i -ge 0; $i--) {
        $entry = $order[$i]
        $result = 'done'
        try {
            $installed = @($left | Where-Object { $_.action -ceq 'removal' }).Count -gt 0
            if ($installed -and $entry.action -ceq 'folder' -and $entry.path -ceq (Get-StateFolder)) { throw 'remove --all still needs what is in it' }
            Invoke-UndoAction $entry
        } catch {
            $result = $_.Exception.Message
            $left = @($entry) + $left
        }
        New-Object -TypeName PSObject -Property ([ordered]@{ action = (Format-Undo $entry); result = $result })
    }
    $script:entries.Clear()
    foreach ($entry in $left) { [void]$script:entries.Add($entry) }
    if ($left.Count -gt 0) { Save-Undo } elseif (Test-Path -LiteralPath $script:entriesFile) { [System.IO.File]::Delete($script:entriesFile) }
}
