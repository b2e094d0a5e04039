/* The C interface, tested from C. This file is built twice: as C with CMocka, and as C++ with the shim on GoogleTest;
 * so it keeps to what both languages share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* behind those it needs; clang-format would sort it in: clang-format off */
#include <cmocka.h>
/* clang-format on */

#include "provisioner/c_api/provisioner.h"

#define SAMPLE TEST_SOURCE_DIR "/sample/rendered-worker.json"
#define SECRET "S3cret%40%23%25%26%27p"
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Documents ---- */

struct Document {
  char* bytes;
  size_t size;
};

static struct Document g_sample;

static int ReadSample(void** state) {
  FILE* file = fopen(SAMPLE, "rb");
  if (file == NULL) return 1;
  const size_t room = 4U << 20U;
  g_sample.bytes = (char*)malloc(room);
  g_sample.size = g_sample.bytes == NULL ? 0 : fread(g_sample.bytes, 1, room, file);
  *state = &g_sample;
  return fclose(file) != 0 || g_sample.size == 0 || g_sample.size == room;
}

static int FreeSample(void** state) {
  free(((struct Document*)*state)->bytes);
  return 0;
}

/* An Ignition config with a proxy.env of this text (URL-escaped where needed). */
static provisioner_config* ReadEnv(const char* env, provisioner_error* error) {
  char text[4096];
  const int length =
      snprintf(text, sizeof(text),
               "{\"ignition\":{\"version\":\"3.2.0\"},\"storage\":{\"files\":[{\"path\":\"/etc/mco/proxy.env\","
               "\"contents\":{\"source\":\"data:,%s\"}}]}}",
               env);
  assert_in_range(length, 1, sizeof(text) - 1);
  return provisioner_config_read(text, (size_t)length, NULL, NULL, error);
}

/* ---- Reading ---- */

static void SampleHasItsProxy(void** state) {
  const struct Document* sample = (const struct Document*)*state;
  provisioner_error error;
  memset(&error, 'x', sizeof(error));
  provisioner_config* config = provisioner_config_read(sample->bytes, sample->size, NULL, NULL, &error);
  assert_non_null(config);
  assert_string_equal(error.code, "");
  assert_string_equal(error.message, "");
  assert_string_equal(error.where, "");
  assert_string_equal(provisioner_config_http_proxy(config), "http://egress-user:" SECRET "@proxy.example.com:3128");
  assert_string_equal(provisioner_config_https_proxy(config), provisioner_config_http_proxy(config));
  assert_memory_equal(provisioner_config_no_proxy(config), ".cluster.local,", 15);
  provisioner_config_free(config);
}

static void SampleHasItsCertificates(void** state) {
  const struct Document* sample = (const struct Document*)*state;
  provisioner_config* config = provisioner_config_read(sample->bytes, sample->size, "worker", "", NULL);
  assert_non_null(config);
  assert_int_equal(provisioner_config_certificate_count(config), 3);
  assert_string_equal(provisioner_config_certificate_subject(config, 0), "CN=Example Corp Root CA,O=Example Corp");
  for (size_t i = 0; i < 3; ++i) {
    size_t size = 0;
    const unsigned char* der = provisioner_config_certificate_der(config, i, &size);
    assert_non_null(der);
    assert_in_range(size, 500, 5000);
    assert_int_equal(der[0], 0x30); /* SEQUENCE with a length of two bytes, up to the end */
    assert_int_equal(der[1], 0x82);
    assert_int_equal(((size_t)der[2] << 8U) + der[3] + 4, size);
    assert_ptr_equal(provisioner_config_certificate_der(config, i, NULL), der);
    const char* sha256 = provisioner_config_certificate_sha256(config, i);
    assert_int_equal(strlen(sha256), 64);
    assert_int_equal(strspn(sha256, "0123456789abcdef"), 64);
  }
  assert_string_not_equal(provisioner_config_certificate_sha256(config, 0),
                          provisioner_config_certificate_sha256(config, 1));
  size_t size = 7;
  assert_null(provisioner_config_certificate_der(config, 3, &size));
  assert_int_equal(size, 0);
  assert_null(provisioner_config_certificate_sha256(config, 3));
  assert_null(provisioner_config_certificate_subject(config, SIZE_MAX));
  provisioner_config_free(config);
}

static void FindingsAreText(void** state) {
  const struct Document* sample = (const struct Document*)*state;
  provisioner_config* config = provisioner_config_read(sample->bytes, sample->size, NULL, NULL, NULL);
  assert_non_null(config);
  const size_t count = provisioner_config_finding_count(config);
  for (size_t i = 0; i < count; ++i) {
    const char* severity = provisioner_config_finding_severity(config, i);
    assert_true(strcmp(severity, "info") == 0 || strcmp(severity, "warning") == 0 || strcmp(severity, "error") == 0);
    assert_in_range(strlen(provisioner_config_finding_code(config, i)), 1, 40);
    assert_in_range(strlen(provisioner_config_finding_text(config, i)), 1, 4000);
    assert_null(strstr(provisioner_config_finding_text(config, i), "S3cret"));
  }
  assert_null(provisioner_config_finding_severity(config, count));
  assert_null(provisioner_config_finding_code(config, count));
  assert_null(provisioner_config_finding_text(config, count));
  provisioner_config_free(config);
}

static void UnsetAndEmptyDiffer(void** state) {
  (void)state;
  provisioner_config* config = ReadEnv("HTTPS_PROXY=%0ANO_PROXY=a,b%0A", NULL);
  assert_non_null(config);
  assert_null(provisioner_config_http_proxy(config));
  assert_string_equal(provisioner_config_https_proxy(config), "");
  assert_string_equal(provisioner_config_no_proxy(config), "a,b");
  assert_int_equal(provisioner_config_certificate_count(config), 0);
  provisioner_config_free(config);
}

static void MalformedProxyIsAFindingWithoutThePassword(void** state) {
  (void)state;
  provisioner_config* config = ReadEnv("HTTP_PROXY=http://user:c4nary@proxy:99999%0A", NULL);
  assert_non_null(config);
  size_t errors = 0;
  for (size_t i = 0; i < provisioner_config_finding_count(config); ++i) {
    assert_null(strstr(provisioner_config_finding_text(config, i), "c4nary"));
    if (strcmp(provisioner_config_finding_severity(config, i), "error") != 0) continue;
    assert_string_equal(provisioner_config_finding_code(config, i), "proxy-url");
    ++errors;
  }
  assert_int_equal(errors, 1);
  provisioner_decision* decision = provisioner_config_decide(config, "http://example.com", NULL);
  assert_int_equal(provisioner_decision_route(decision), PROVISIONER_ROUTE_INVALID);
  assert_null(strstr(provisioner_decision_proxy(decision), "c4nary"));
  assert_null(strstr(provisioner_decision_note(decision), "c4nary"));
  provisioner_decision_free(decision);
  provisioner_config_free(config);
}

/* ---- Failures ---- */

struct Failure {
  const char* bytes;
  size_t size;
  const char* code;
  int exit_code;
};

static void BadDocumentsAreErrors(void** state) {
  (void)state;
  static const char kEmpty[] = "{\"ignition\":{\"version\":\"3.2.0\"}}";
  const struct Failure failures[] = {
      {"{\"a\":", 5, "json", 11},
      {"{\"a\":\"\xff\"}", 9, "json", 11},
      {"{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", 32, "kind", 11},
      {"{\"ignition\":{\"version\":\"9.9.0\"}}", 32, "version", 11},
      {NULL, 5, "usage", 10},
      {kEmpty, SIZE_MAX, "too-large", 11}, /* refused by its size alone */
  };
  for (size_t i = 0; i < LENGTH(failures); ++i) {
    provisioner_error error;
    provisioner_config* config = provisioner_config_read(failures[i].bytes, failures[i].size, NULL, NULL, &error);
    assert_null(config);
    assert_string_equal(error.code, failures[i].code);
    assert_int_equal(error.exit_code, failures[i].exit_code);
    assert_in_range(strlen(error.message), 10, sizeof(error.message) - 1);
    assert_null(provisioner_config_read(failures[i].bytes, failures[i].size, NULL, NULL, NULL));
  }
  assert_null(provisioner_config_read(NULL, 0, NULL, NULL, NULL));
}

static void NulInAValueIsAnError(void** state) {
  (void)state;
  provisioner_error error;
  assert_null(ReadEnv("HTTP_PROXY=http://p:1%00c4nary%0A", &error));
  assert_string_equal(error.code, "env-nul");
  assert_null(strstr(error.message, "c4nary"));
}

static void ControlCharactersInNoProxyAreAnError(void** state) {
  (void)state;
  provisioner_error error;
  assert_null(ReadEnv("NO_PROXY=a%1B%5B31mb%0A", &error));
  assert_string_equal(error.code, "no-proxy");
  assert_null(strchr(error.message, 0x1B));
}

static void LongTextsAreCutAtACharacter(void** state) {
  const struct Document* sample = (const struct Document*)*state;
  char name[3001];
  for (size_t i = 0; i < 1500; ++i) memcpy(name + 2 * i, "\xc3\xa4", 2);
  name[3000] = '\0';
  provisioner_error error;
  memset(&error, 'x', sizeof(error));
  provisioner_config* config = provisioner_config_read(sample->bytes, sample->size, NULL, name, &error);
  assert_null(config);
  assert_int_equal(error.exit_code, 11);
  const size_t length = strlen(error.message);
  assert_in_range(length, 10, sizeof(error.message) - 1);
  assert_true((unsigned char)error.message[length - 1] < 0xC0); /* no character begins and does not end */
}

/* ---- Deciding ---- */

struct Case {
  const char* http_proxy;
  const char* https_proxy;
  const char* no_proxy;
  const char* url;
  provisioner_route route;
  const char* proxy; /* NULL: none */
  const char* entry; /* NULL: none */
};

#define P "http://p:1"
#define S "http://s:2"
#define DIRECT PROVISIONER_ROUTE_DIRECT, NULL

static const struct Case kCases[] = {
    /* the scheme picks the variable */
    {P, S, NULL, "http://example.com/", PROVISIONER_ROUTE_PROXY, P, NULL},
    {P, S, NULL, "https://example.com/", PROVISIONER_ROUTE_PROXY, S, NULL},
    {P, S, "", "HTTPS://example.com", PROVISIONER_ROUTE_PROXY, S, NULL},
    {P, NULL, NULL, "https://example.com/", DIRECT, NULL},
    {P, "", NULL, "https://example.com/", DIRECT, NULL},
    {P, S, NULL, "ftp://example.com/", DIRECT, NULL},
    {NULL, NULL, NULL, "http://example.com/", DIRECT, NULL},
    /* NO_PROXY: tests/egress/no_proxy_test.cc has the rules; here what of a URL they are asked about */
    {P, S, " x , example.com ", "http://a.Example.COM?q", DIRECT, "example.com"},
    {P, S, ".example.com", "http://example.com/", PROVISIONER_ROUTE_PROXY, P, NULL},
    {P, S, "example.com:80", "http://example.com:/", DIRECT, "example.com:80"},
    {P, S, "example.com:443", "https://example.com/", DIRECT, "example.com:443"},
    {P, S, "example.com:8443", "https://u:p@example.com:8443#f", DIRECT, "example.com:8443"},
    {P, S, "2001:db8::/32", "http://[2001:DB8::1]:8080/", DIRECT, "2001:db8::/32"},
    /* loopback */
    {P, S, "localhost", "http://localhost:8080/", DIRECT, NULL},
    {P, S, NULL, "http://127.9.9.9/", DIRECT, NULL},
    {P, S, NULL, "http://[::1]/", DIRECT, NULL},
    {P, S, NULL, "http://LOCALHOST/", PROVISIONER_ROUTE_PROXY, P, NULL},
    /* malformed proxies, and passwords */
    {"http://p:x", S, NULL, "http://example.com/", PROVISIONER_ROUTE_INVALID, "http://p:***", NULL},
    {"http://p:x", S, "example.com", "http://example.com/", DIRECT, "example.com"},
    {"http://p:x", S, NULL, "https://example.com/", PROVISIONER_ROUTE_PROXY, S, NULL},
    {"http://u:c4nary@p:1", S, NULL, "http://example.com/", PROVISIONER_ROUTE_PROXY, "http://u:***@p:1", NULL},
    {"socks5://u:c4nary@p:1", S, NULL, "http://example.com/", PROVISIONER_ROUTE_INVALID, "socks5://u:***@p:1", NULL},
};

static void DecidesAsGoDoes(void** state) {
  (void)state;
  for (size_t i = 0; i < LENGTH(kCases); ++i) {
    const struct Case* c = &kCases[i];
    provisioner_error error;
    provisioner_decision* decision = provisioner_decide(c->http_proxy, c->https_proxy, c->no_proxy, c->url, &error);
    if (decision == NULL) fail_msg("case %d, %s: %s: %s", (int)i, c->url, error.code, error.message);
    if (provisioner_decision_route(decision) != c->route)
      fail_msg("case %d, %s: %s", (int)i, c->url, provisioner_decision_note(decision));
    assert_int_equal(error.exit_code, 0);
    const char* proxy = provisioner_decision_proxy(decision);
    const char* entry = provisioner_decision_entry(decision);
    assert_int_equal(proxy != NULL, c->proxy != NULL);
    assert_int_equal(entry != NULL, c->entry != NULL);
    if (proxy != NULL) assert_string_equal(proxy, c->proxy);
    if (entry != NULL) assert_string_equal(entry, c->entry);
    assert_in_range(strlen(provisioner_decision_note(decision)), 5, 1000);
    assert_null(strstr(provisioner_decision_note(decision), "c4nary"));
    provisioner_decision_free(decision);
  }
}

static void BadUrlsAreErrors(void** state) {
  (void)state;
  static const char* const kUrls[] = {NULL,
                                      "",
                                      "example.com",
                                      "example.com:80",
                                      "/path",
                                      "http:/c4nary",
                                      "http://",
                                      "http:///c4nary",
                                      "http://:80/",
                                      "http://user:c4nary@/",
                                      "http://h:65536/",
                                      "http://h:c4nary/",
                                      "http://h:1:2/",
                                      "http://[::1/",
                                      "http://[::1]c4nary/",
                                      "http://[c4nary]/",
                                      "http://::1/",
                                      "http://a b/",
                                      "http://a\tb/",
                                      "http://a\x7f/",
                                      "http://a%20b/",
                                      "http://\xff/",
                                      "1http://h/",
                                      "ht_tp://h/",
                                      "://h/"};
  for (size_t i = 0; i < LENGTH(kUrls); ++i) {
    provisioner_error error;
    provisioner_decision* decision = provisioner_decide(P, S, NULL, kUrls[i], &error);
    if (decision != NULL) fail_msg("accepted: %s", kUrls[i]);
    assert_string_equal(error.code, "usage");
    assert_int_equal(error.exit_code, 10);
    assert_string_equal(error.where, "url");
    assert_null(strstr(error.message, "c4nary"));
  }
}

static void BadNoProxyIsAnError(void** state) {
  (void)state;
  provisioner_error error;
  assert_null(provisioner_decide(P, S, "a\nb", "http://example.com", &error));
  assert_string_equal(error.code, "no-proxy");
  assert_string_equal(error.where, "NO_PROXY");
  assert_int_equal(error.exit_code, 11);
}

static void ConfigDecides(void** state) {
  const struct Document* sample = (const struct Document*)*state;
  provisioner_config* config = provisioner_config_read(sample->bytes, sample->size, NULL, NULL, NULL);
  assert_non_null(config);
  provisioner_decision* proxied = provisioner_config_decide(config, "https://registry.example.net/v2/", NULL);
  assert_int_equal(provisioner_decision_route(proxied), PROVISIONER_ROUTE_PROXY);
  assert_string_equal(provisioner_decision_proxy(proxied), "http://egress-user:***@proxy.example.com:3128");
  provisioner_decision* direct = provisioner_config_decide(config, "https://api.x.cluster.local", NULL);
  provisioner_config_free(config); /* decisions outlive it */
  assert_int_equal(provisioner_decision_route(direct), PROVISIONER_ROUTE_DIRECT);
  assert_string_equal(provisioner_decision_entry(direct), ".cluster.local");
  provisioner_decision_free(direct);
  provisioner_decision_free(proxied);
}

/* ---- NULL objects ---- */

static void NullObjectsAreHarmless(void** state) {
  (void)state;
  size_t size = 7;
  assert_null(provisioner_config_http_proxy(NULL));
  assert_null(provisioner_config_https_proxy(NULL));
  assert_null(provisioner_config_no_proxy(NULL));
  assert_int_equal(provisioner_config_certificate_count(NULL), 0);
  assert_null(provisioner_config_certificate_der(NULL, 0, &size));
  assert_int_equal(size, 0);
  assert_null(provisioner_config_certificate_sha256(NULL, 0));
  assert_null(provisioner_config_certificate_subject(NULL, 0));
  assert_int_equal(provisioner_config_finding_count(NULL), 0);
  assert_null(provisioner_config_finding_severity(NULL, 0));
  assert_null(provisioner_config_finding_code(NULL, 0));
  assert_null(provisioner_config_finding_text(NULL, 0));
  provisioner_config_free(NULL);
  assert_int_equal(provisioner_decision_route(NULL), PROVISIONER_ROUTE_INVALID);
  assert_null(provisioner_decision_proxy(NULL));
  assert_null(provisioner_decision_entry(NULL));
  assert_null(provisioner_decision_note(NULL));
  provisioner_decision_free(NULL);
  provisioner_decision* decision = provisioner_config_decide(NULL, "http://example.com", NULL);
  assert_int_equal(provisioner_decision_route(decision), PROVISIONER_ROUTE_DIRECT);
  provisioner_decision_free(decision);
}

int main(void) {
  const struct CMUnitTest c_api[] = {cmocka_unit_test(SampleHasItsProxy),
                                     cmocka_unit_test(SampleHasItsCertificates),
                                     cmocka_unit_test(FindingsAreText),
                                     cmocka_unit_test(UnsetAndEmptyDiffer),
                                     cmocka_unit_test(MalformedProxyIsAFindingWithoutThePassword),
                                     cmocka_unit_test(BadDocumentsAreErrors),
                                     cmocka_unit_test(NulInAValueIsAnError),
                                     cmocka_unit_test(ControlCharactersInNoProxyAreAnError),
                                     cmocka_unit_test(LongTextsAreCutAtACharacter),
                                     cmocka_unit_test(DecidesAsGoDoes),
                                     cmocka_unit_test(BadUrlsAreErrors),
                                     cmocka_unit_test(BadNoProxyIsAnError),
                                     cmocka_unit_test(ConfigDecides),
                                     cmocka_unit_test(NullObjectsAreHarmless)};
  return cmocka_run_group_tests(c_api, ReadSample, FreeSample);
}
