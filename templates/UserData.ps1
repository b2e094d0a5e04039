# Egress settings of a cluster, for this node. The text below is data: a compressed script and what it applies. It is
# unpacked where only administrators can read or write, and runs in a process of its own.
& {
    try {
        $ErrorActionPreference = 'Stop'
        $b = '
'
        $p = "$env:SystemRoot\Setup\Scripts"
        $d = "$p\ProvisionerUserData"
        $s = New-Object Security.AccessControl.DirectorySecurity
        $s.SetSecurityDescriptorSddlForm('O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
        $null = mkdir $p -Force
        $null = [IO.Directory]::CreateDirectory($d, $s)
        $i = [IO.MemoryStream][Convert]::FromBase64String($b)
        $o = [IO.MemoryStream]::new()
        [IO.Compression.GZipStream]::new($i, [IO.Compression.CompressionMode]0).CopyTo($o)
        $a = $o.ToArray()
        $n = 256 * $a[0] + $a[1]
        [IO.File]::WriteAllBytes("$d\run.ps1", $a[2..($n - 1)])
        [IO.File]::WriteAllBytes("$d\data.egress", $a[$n..$a.Length])
        & "$PSHOME\powershell.exe" -nop -ep Bypass -File "$d\run.ps1"
    } catch {
        "provisioner: $($_.FullyQualifiedErrorId)"
        $global:LASTEXITCODE = 13
    }
}
