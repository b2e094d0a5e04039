/* provisioner's C interface: reads the egress settings of a cluster, and decides how a Go client would reach a URL with
 * them.
 *
 * For C11 and C++. No function performs input or output, and calls share no state.
 * Threads: every function may be called from any thread. Several threads may read one object at a time; only one may
 * free it, after all others are done with it. Texts: UTF-8, ending in NUL. Arguments are copied. A returned pointer
 * belongs to the object that was passed, and is valid until that object is freed, unless said otherwise. Texts for
 * people (messages, findings, subjects, notes) are safe for a terminal: control characters and malformed UTF-8 are
 * written as escapes. They contain no passwords. Failures: a function that returns an object returns NULL and fills in
 * `error`, which may be NULL if the caller does not need the reason. No C++ exception leaves a function; running out of
 * memory is the error "internal". NULL objects: every getter returns NULL, 0 or PROVISIONER_ROUTE_INVALID for them, and
 * freeing them does nothing.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Increased when a declaration below changes in a way that affects existing callers. */
#define PROVISIONER_C_API_VERSION 1

/* Why a call failed. Plain memory: nothing to free, may be copied. All three texts end in NUL. Longer ones are cut
 * between characters. */
typedef struct provisioner_error {
  int exit_code;      /* exit code of the program `provisioner` for this error, e.g. 11; 0: no error */
  char code[28];      /* a stable word: "json", "cert", "no-proxy", ... */
  char message[1024]; /* what went wrong and the remedy; without passwords */
  char where[512];    /* the file or field; "" if there is none */
} provisioner_error;

/* ---- Reading a source ---- */

/* The settings of one MachineConfig or Ignition config. */
typedef struct provisioner_config provisioner_config;

/* Reads `size` bytes of JSON or YAML: a MachineConfig, a List of them, or an Ignition config. From a list, selects the
 * one called `name` or, if `name` is NULL or empty, the newest rendered one of `pool` (NULL or empty: "worker").
 * References to other machines are not followed: they are errors. `bytes` may be NULL only if `size` is 0. A malformed
 * proxy URL is not a failure, but a finding of severity "error". On success `error` is cleared. Free the result with
 * provisioner_config_free(). */
provisioner_config* provisioner_config_read(const void* bytes, size_t size, const char* pool, const char* name,
                                            provisioner_error* error);

void provisioner_config_free(provisioner_config* config);

/* The variables as the source assigns them, with passwords: do not log them. NULL: not assigned. "": assigned empty,
 * which counts as unset. Not escaped. */
const char* provisioner_config_http_proxy(const provisioner_config* config);
const char* provisioner_config_https_proxy(const provisioner_config* config);
const char* provisioner_config_no_proxy(const provisioner_config* config);

/* Certificates in order of appearance, duplicates kept. Getters return NULL for an invalid index. */
size_t provisioner_config_certificate_count(const provisioner_config* config);
/* The exact bytes. Sets `size`, which may be NULL, to their number (0 if the result is NULL). */
const unsigned char* provisioner_config_certificate_der(const provisioner_config* config, size_t index, size_t* size);
/* SHA-256 of those bytes, 64 lower-case hexadecimal digits. */
const char* provisioner_config_certificate_sha256(const provisioner_config* config, size_t index);
/* The subject in RFC 4514's form: "CN=Example Root,O=Example". */
const char* provisioner_config_certificate_subject(const provisioner_config* config, size_t index);

/* Findings: facts about usable settings that their user should know. Certificates expire by the clock at the time of
 * reading. Getters return NULL for an invalid index. */
size_t provisioner_config_finding_count(const provisioner_config* config);
/* "info", "warning" or "error"; always valid. */
const char* provisioner_config_finding_severity(const provisioner_config* config, size_t index);
/* A stable word such as "cert-expired". */
const char* provisioner_config_finding_code(const provisioner_config* config, size_t index);
/* One line: the message, followed by its place in parentheses. */
const char* provisioner_config_finding_text(const provisioner_config* config, size_t index);

/* ---- Deciding about a URL ---- */

typedef enum provisioner_route {
  PROVISIONER_ROUTE_DIRECT = 0,
  PROVISIONER_ROUTE_PROXY = 1,
  /* The variable for the URL holds a malformed proxy URL. Clients would silently go around the proxy, which is hardly
     intended. */
  PROVISIONER_ROUTE_INVALID = 2
} provisioner_route;

/* The answer for one URL. */
typedef struct provisioner_decision provisioner_decision;

/* How a Go client (x/net/http/httpproxy) reaches `url` with these settings; NULL and "" mean unset. The URL's scheme
 * picks the variable: http:// HTTP_PROXY, https:// HTTPS_PROXY; others go direct. The default ports are 80 and 443.
 * localhost and loopback addresses go direct. Resolves no names. Evaluates NO_PROXY before it checks the proxy's
 * URL. Failures: "usage" for a malformed `url` (also NULL), "no-proxy" for control characters or malformed UTF-8 in
 * `no_proxy`.
 * On success `error` is cleared. Free the result with provisioner_decision_free(). */
provisioner_decision* provisioner_decide(const char* http_proxy, const char* https_proxy, const char* no_proxy,
                                         const char* url, provisioner_error* error);
/* The same with the settings of a config; a NULL `config` has none. */
provisioner_decision* provisioner_config_decide(const provisioner_config* config, const char* url,
                                                provisioner_error* error);

void provisioner_decision_free(provisioner_decision* decision);

provisioner_route provisioner_decision_route(const provisioner_decision* decision);
/* The value of the variable for the URL, with its password hidden. NULL for direct routes. */
const char* provisioner_decision_proxy(const provisioner_decision* decision);
/* The first NO_PROXY entry that makes the route direct, as written. NULL if none does. */
const char* provisioner_decision_entry(const provisioner_decision* decision);
/* The reason, in one line. */
const char* provisioner_decision_note(const provisioner_decision* decision);

#ifdef __cplusplus
}
#endif
