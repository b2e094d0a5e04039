// usage: make_certificates COUNT > bundle.pem
// Self-signed RSA-2048 CAs with one key and running names: what matters to a reader is their number and size.
#include "tests/support/make_certificate.h"

int main(int argc, char** argv) {
  if (argc != 2) return 10;
  for (long i = 0; i < std::atol(argv[1]); ++i)
    std::fputs(prov::test::MakeRoot("Benchmark Root CA " + std::to_string(i)).pem.c_str(), stdout);
  return 0;
}
