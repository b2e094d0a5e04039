# Appended to the parts of Verify-OnWindows.ps1 in the copy that verify_test.py runs outside of Windows: a registry in a
# JSON file, tools that do nothing, and three checks that replace the real ones.
$script:registryFile = Join-Path $env:VERIFY_FOLDER 'registry.json'
$script:registry = @{}
if (Test-Path -LiteralPath $script:registryFile) {
    $object = ConvertFrom-Json -InputObject ([System.IO.File]::ReadAllText($script:registryFile))
    foreach ($member in $object.PSObject.Properties) { $script:registry[$member.Name] = $member.Value }
}
function Test-Windows { return $true }
function Test-Administrator { return $true }
function Test-SixtyFour { return (-not $env:VERIFY_32_BITS) }
function Get-Descriptor { return $env:VERIFY_DESCRIPTOR }
function Get-WorkFolder { return (Join-Path $env:VERIFY_FOLDER 'work') }
function Get-BootTime { return [long]$env:VERIFY_BOOT }
function Get-StateFolder { return (Join-Path $env:VERIFY_FOLDER 'state') }
function Get-ProgramFolder { return (Join-Path $env:VERIFY_FOLDER 'program') }
function Get-MachineFacts { return @{ build = '1' } }
function Invoke-Tool {
    param([string]$File, [string[]]$Arguments = @(), [hashtable]$Environment = @{}, [int]$Seconds = 300)
    # As icacls.exe documents its arguments.
    if ($Arguments -contains '/setowner' -and $Arguments -contains '/grant:r') { return @{ Code = 87; Out = ''; Err = 'Invalid parameter' } }
    if ($Arguments -contains 'bake' -and $env:VERIFY_NO_BAKE) { return @{ Code = 13; Out = ''; Err = 'no' } }
    return @{ Code = 0; Out = '{"writes": 0}'; Err = '' }
}
function Read-Value {
    param([string]$Key, [string]$Name, [string]$View)
    if ($script:registry.ContainsKey("$Key!$Name")) { return $script:registry["$Key!$Name"] }
    return 'absent'
}
function Write-Value {
    param([string]$Key, [string]$Name, [string]$Text, [string]$View)
    if ($Name -eq $env:VERIFY_REFUSES -and $script:registry.ContainsKey("$Key!$Name")) { throw 'access denied' }
    $script:registry["$Key!$Name"] = $Text
    [System.IO.File]::WriteAllText($script:registryFile, (ConvertTo-Json -InputObject $script:registry))
}
$script:checks.Clear()
Add-Check 'install' @{ Claim = 'sets a value'; Changes = 'a value'; Needs = @('bare'); Body = { Set-ValueForNow 'K' 'a' 'String:ours'; Test-Same 'a' 'String:ours' (Read-Value 'K' 'a') } }
Add-Check 'breaks' @{ Claim = 'fails'; Body = { Set-ValueForNow 'K' 'b' 'String:ours'; throw "no $($script:secret)" } }
Add-Check 'after' @{ Claim = 'comes after a restart'; Needs = @('second-boot'); Phase = 'second'; Body = { Test-Same 'a' 'String:ours' (Read-Value 'K' 'a') } }
Add-Check 'end' @{ Claim = 'comes last'; Phase = 'last'; Body = { Test-Same 'a' 'String:ours' (Read-Value 'K' 'a') } }
if ($env:VERIFY_DIES) { Add-Check 'dies' @{ Claim = 'ends the run as a power failure would'; Body = { [System.Environment]::Exit(99) } } }
