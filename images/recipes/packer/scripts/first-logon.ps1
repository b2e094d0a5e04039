# Runs once, at the first logon of a build machine, from the CD with the answer file: makes the machine reachable for
# packer. seal.ps1 takes all of it back before the image is made, except for VMware Tools.
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version 2

# vCenter learns the machine's address from VMware Tools. 3010: installed, a restart is required.
foreach ($drive in [IO.DriveInfo]::GetDrives()) {
    if ($drive.DriveType -ne 'CDRom' -or -not $drive.IsReady -or $drive.VolumeLabel -notlike 'VMware Tools*') { continue }
    foreach ($name in 'setup64.exe', 'setup.exe') {
        $setup = Join-Path $drive.Name $name
        if (-not (Test-Path -LiteralPath $setup)) { continue }
        $run = Start-Process -FilePath $setup -ArgumentList '/S', '/v"/qn REBOOT=R"' -Wait -PassThru
        if ($run.ExitCode -ne 0 -and $run.ExitCode -ne 3010) { throw "$setup failed with exit code $($run.ExitCode)" }
        # Else Tools leave out the interfaces of containers by name, and on a node its only address with them.
        $folder = Join-Path $env:ProgramData 'VMware\VMware Tools'
        [IO.Directory]::CreateDirectory($folder) | Out-Null
        $conf = Join-Path $folder 'tools.conf'
        if (-not (Test-Path -LiteralPath $conf)) { [IO.File]::WriteAllText($conf, "[guestinfo]`r`nexclude-nics=`r`n") }
        break
    }
}

# TLS, so that the password and the payload do not cross the network in the clear; the certificate is this machine's own.
$certificate = New-SelfSignedCertificate -DnsName $env:COMPUTERNAME -FriendlyName 'provisioner build' -CertStoreLocation Cert:\LocalMachine\My
Enable-PSRemoting -Force -SkipNetworkProfileCheck
New-Item -Path WSMan:\localhost\Listener -Transport HTTPS -Address * -CertificateThumbPrint $certificate.Thumbprint -Force | Out-Null
Set-Item -Path WSMan:\localhost\Service\Auth\Basic -Value $true
New-NetFirewallRule -Name 'ProvisionerBuild' -DisplayName 'provisioner build' -Direction Inbound -Protocol TCP -LocalPort 5986 -Action Allow | Out-Null
