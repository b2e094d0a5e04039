// main() of the Linux program.
#include "provisioner/cli/main.h"

int main(int argc, char** argv) { return prov::cli::Main(argc, argv); }
