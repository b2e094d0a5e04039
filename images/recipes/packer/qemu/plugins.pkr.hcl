# Packer 1.7 and later: packer init fetches the plugin. Delete this file for Packer 1.6, which has it built in and does not
# know the block.
packer {
  required_plugins {
    qemu = {
      source  = "github.com/hashicorp/qemu"
      version = ">= 1.0.0"
    }
  }
}
