# A golden image with the egress settings of a cluster, built on QEMU. ../../README.md says what is needed and how to
# run it.

variable "iso" {
  type        = string
  description = "The installation medium of Windows Server: a path or a URL."
}

variable "iso_checksum" {
  type        = string
  description = "Its checksum with the kind before it: sha256:1234..."
}

variable "firmware" {
  type        = string
  description = "A UEFI firmware in one file (Debian's package ovmf)."
  default     = "/usr/share/ovmf/OVMF.fd"
}

variable "accelerator" {
  type        = string
  description = "kvm, or tcg where there is none (hours)."
  default     = "kvm"
}

variable "output_directory" {
  type        = string
  description = "The folder for the image; it must not exist."
  default     = "output-windows"
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

source "qemu" "windows" {
  iso_url      = var.iso
  iso_checksum = var.iso_checksum

  vm_name          = "windows.qcow2"
  output_directory = var.output_directory
  format           = "qcow2"
  disk_size        = "64G"
  accelerator      = var.accelerator
  headless         = true
  machine_type     = "q35"
  cpus             = 2
  memory           = 4096
  # A disk and a network card that Windows setup has drivers for. For virtio: see the README.
  disk_interface = "ide"
  net_device     = "e1000e"
  qemuargs       = [["-bios", var.firmware]]

  cd_files = ["${var.answer_folder}/cd/*"]
  cd_label = "ANSWERS"
  # The medium asks for a key.
  boot_wait    = "2s"
  boot_command = ["<spacebar><wait><spacebar><wait><spacebar><wait><spacebar><wait><spacebar>"]

  # Over TLS with the build machine's own certificate, which nobody can check: build in a network that you trust.
  communicator   = "winrm"
  winrm_username = "Administrator"
  winrm_password = var.build_password
  winrm_use_ssl  = true
  winrm_insecure = true
  winrm_timeout  = "2h"

  # Takes back what was there for the build, then runs sysprep, which shuts the machine down.
  shutdown_command = "powershell.exe -NoProfile -ExecutionPolicy Bypass -File C:\\ProvisionerBuild\\seal.ps1"
  shutdown_timeout = "30m"
}

build {
  sources = ["source.qemu.windows"]

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
