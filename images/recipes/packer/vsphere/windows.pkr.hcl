# A golden image with the egress settings of a cluster, built on vSphere. ../../README.md says what is needed and how to
# run it.

variable "vcenter_server" {
  type        = string
  description = "vCenter's host name."
}

variable "vcenter_username" {
  type        = string
  description = "Who builds there; the README lists what this account must be allowed to."
}

variable "vcenter_password" {
  type        = string
  description = "Set PKR_VAR_vcenter_password rather than a file."
  sensitive   = true
}

variable "vcenter_insecure" {
  type        = bool
  description = "Accept any certificate of vCenter. Rather put its CA among those that this machine trusts."
  default     = false
}

variable "datacenter" {
  type        = string
  description = "The datacenter that builds."
}

variable "cluster" {
  type        = string
  description = "The cluster that builds."
}

variable "datastore" {
  type        = string
  description = "The datastore for the template; for the time of the build also for the CD with the answer file."
}

variable "folder" {
  type        = string
  description = "The folder of the template, beneath the datacenter's."
  default     = ""
}

variable "network" {
  type        = string
  description = "The build machine's network: with DHCP, and reachable from here at port 5986."
}

variable "iso" {
  type        = string
  description = "The installation medium on a datastore: [datastore1] iso/windows-server.iso"
}

variable "tools_iso" {
  type        = string
  description = "VMware Tools, which the host has."
  default     = "[] /vmimages/tools-isoimages/windows.iso"
}

variable "guest_os_type" {
  type        = string
  description = "As vSphere names it; Server 2022: windows2019srvNext_64Guest, Server 2025: windows2022srvNext_64Guest."
  default     = "windows2019srvNext_64Guest"
}

variable "vm_name" {
  type        = string
  description = "The template's name."
  default     = "windows-golden"
}

variable "build_password" {
  type        = string
  description = "Administrator's password while the image is built. Set PKR_VAR_build_password, which answer-files reads, too."
  sensitive   = true
}

variable "answer_folder" {
  type        = string
  description = "What answer-files wrote: cd/ and unattend.xml."
}

variable "payload" {
  type        = string
  description = "A payload folder of the cluster, from provisioner bake SOURCE --out payload --exe provisioner.exe."
}

variable "egress" {
  type        = string
  description = "deliver: nodes apply the payload when they first boot. apply: the build machine does, too; for a build network that has the cluster's proxy."
  default     = "deliver"

  validation {
    condition     = contains(["deliver", "apply"], var.egress)
    error_message = "The variable egress must be deliver or apply."
  }
}

source "vsphere-iso" "windows" {
  vcenter_server      = var.vcenter_server
  username            = var.vcenter_username
  password            = var.vcenter_password
  insecure_connection = var.vcenter_insecure
  datacenter          = var.datacenter
  cluster             = var.cluster
  datastore           = var.datastore
  folder              = var.folder

  vm_name       = var.vm_name
  guest_os_type = var.guest_os_type
  firmware      = "efi"
  CPUs          = 2
  RAM           = 4096
  # A controller and a network card that Windows setup has drivers for. A machine set may ask for others afterwards, since
  # VMware Tools bring theirs.
  disk_controller_type = ["lsilogic-sas"]
  storage {
    disk_size             = 65536
    disk_thin_provisioned = true
  }
  network_adapters {
    network      = var.network
    network_card = "e1000e"
  }

  iso_paths    = [var.iso, var.tools_iso]
  cd_files     = ["${var.answer_folder}/cd/*"]
  cd_label     = "ANSWERS"
  remove_cdrom = true
  # The medium asks for a key.
  boot_order   = "disk,cdrom"
  boot_wait    = "3s"
  boot_command = ["<spacebar><wait><spacebar><wait><spacebar><wait><spacebar><wait><spacebar>"]

  # Over TLS with the build machine's own certificate, which nobody can check: build in a network that you trust.
  communicator   = "winrm"
  winrm_username = "Administrator"
  winrm_password = var.build_password
  winrm_use_ssl  = true
  winrm_insecure = true
  winrm_timeout  = "2h"

  # Never power the template on again: it would be specialised, and every node would be a copy of that one machine.
  convert_to_template = true

  # Takes back what was there for the build, then runs sysprep, which shuts the machine down.
  shutdown_command = "powershell.exe -NoProfile -ExecutionPolicy Bypass -File C:\\ProvisionerBuild\\seal.ps1"
  shutdown_timeout = "30m"
}

build {
  sources = ["source.vsphere-iso.windows"]

  # Before anything arrives: only administrators read what is uploaded.
  provisioner "powershell" {
    inline = [
      "New-Item -ItemType Directory -Force -Path C:\\ProvisionerBuild | Out-Null",
      "icacls.exe C:\\ProvisionerBuild /inheritance:r /grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F' /q",
      "exit $LASTEXITCODE",
    ]
  }

  provisioner "file" {
    source      = "${var.payload}/"
    destination = "C:/ProvisionerBuild/payload"
  }

  provisioner "file" {
    sources = [
      "${var.answer_folder}/unattend.xml",
      "${path.root}/../scripts/seal.ps1",
    ]
    destination = "C:/ProvisionerBuild/"
  }

  # 3010: applied, and a restart is required; it follows in any case.
  provisioner "powershell" {
    script           = "${path.root}/../scripts/install-payload.ps1"
    environment_vars = ["EGRESS=${var.egress}"]
    valid_exit_codes = [0, 3010]
  }

  provisioner "windows-restart" {
    restart_timeout = "30m"
  }

  # Your own steps come here: updates, the OpenSSH server, agents. With egress=apply they go through the proxy. Restart once
  # more after them: sysprep refuses while a restart is pending.

  provisioner "powershell" {
    script           = "${path.root}/../scripts/check-payload.ps1"
    environment_vars = ["EGRESS=${var.egress}"]
  }
}
