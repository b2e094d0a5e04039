# Egress settings of a cluster, for this node. The text below is data: a compressed script and what it applies. It is
# unpacked where only administrators can read or write, and runs in a process of its own.
#
# Windows logs each script that has one of certain words in it (event 4104), and with this one the data: the usual ways to
# read base64 and to unpack in memory are such words. So the data are in Ascii85, and a file in that folder holds it packed.
#
# All of this but comments and indentation is in user data as it is here, so it is written in few bytes. A region "web" or
# "account" is there only where a script behind this one downloads something.
& {
    try {
        $ErrorActionPreference = 'Stop'
        $b = @'
DATA
'@
        $d = "$env:SystemRoot\Setup\Scripts\ProvisionerUserData"
        # Whose descriptor it was does not matter: it is replaced as a whole.
        $s = Get-Acl $PSHOME
        $s.SetSecurityDescriptorSddlForm('O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)')
        $null = (mkdir "$d\.." -Force), [IO.Directory]::CreateDirectory($d, $s)
        # Ascii85: five digits of base 85 are four bytes, and '!' is the digit 0. Line ends mean nothing.
        $v = $k = 0
        $g = foreach ($c in [int[]][char[]]$b) {
            if ($c -gt 32) {
                $v = 85*$v+$c-33
                if (!(++$k%5)) {
                    [BitConverter]::GetBytes([uint32]$v)[3..0]
                    $v = 0
                }
            }
        }
        [IO.File]::WriteAllBytes("$d\z", $g)
        $r = [IO.BinaryReader][IO.Compression.GZipStream]::new([IO.File]::OpenRead("$d\z"), [IO.Compression.CompressionMode]0)
        foreach ($n in 'run','apply') { [IO.File]::WriteAllBytes("$d\$n.ps1", $r.ReadBytes($r.ReadUInt16())) }
        # No more than that is read: kMostUnpackedBytes of the program.
        [IO.File]::WriteAllBytes("$d\data.egress", $r.ReadBytes(8e6))
        $r.Close()
        #region web
        $p = (gc "$d\data.egress" -First 1 | ConvertFrom-Json).proxy
        #endregion
        & "$PSHOME\powershell.exe" -nop -ep RemoteSigned -f "$d\run.ps1"
        #region web
        # Invoke-WebRequest and its like follow the settings of WinINET, and these of their own process before. They know
        # names and addresses as expressions, and no networks: what NO_PROXY says of these goes to the proxy.
        [Net.WebRequest]::DefaultWebProxy = $w = [Net.WebProxy]::new($p.HTTPS_PROXY,0,($p.NO_PROXY-split','-match'^[\w.-]+$'-replace'^\.'-replace'\.','\.'-replace'.+','[/.]$0(:|$)'))
        #endregion
        #region account
        $n = @(([uri]$p.HTTPS_PROXY).UserInfo-split':',2 | %{[uri]::UnescapeDataString($_)})
        $w.Credentials = [Net.NetworkCredential]::new($n[0],$n[1])
        #endregion
    } catch {
        "provisioner: $($_.FullyQualifiedErrorId)"
        $global:LASTEXITCODE = 13
    }
}
