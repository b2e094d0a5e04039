# Runs a script on the stand-ins, or several times in one process: a comma separates the runs. FAKE_LANGUAGE is the language
# mode that a policy would set. The last code is the process's. Behind each of several, its code is printed and the store is
# copied to FAKE_STORE.NUMBER.
#   pwsh -NoProfile -File driver.ps1 SCRIPT [-Undo] [-AllowDowngrade] [-Operations FILE] [, [SCRIPT] [OPTION]...]...
. "$PSScriptRoot/stand-ins.ps1"
$target, $words = $args
if ($env:FAKE_LANGUAGE) { $ExecutionContext.SessionState.LanguageMode = $env:FAKE_LANGUAGE }
$options = @{}
$name = ''
$number = 0
$words = @($words | Where-Object { $_ }) + ','
foreach ($word in $words) {
    if ($word -eq ',') {
        & $target @options
        $options = @{}
        $number++
        if (@($words -eq ',').Count -gt 1) {
            "exit code $LASTEXITCODE"
            [IO.File]::Copy($env:FAKE_STORE, "$($env:FAKE_STORE).$number", $true)
        }
    } elseif ($word -like '*.ps1') {
        $target = $word
    } elseif ($word -like '-*') {
        $name = $word.Substring(1)
        $options[$name] = $true
    } else {
        $options[$name] = $word
    }
}
exit $LASTEXITCODE
