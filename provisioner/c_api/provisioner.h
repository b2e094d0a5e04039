/* provisioner's C interface: read the egress settings of a cluster, and ask how a Go client would reach a URL with
 * them.
 *
 * For C11 and C++. Nothing here performs input or output, and no state is shared between calls.
 * Threads: every function may be called from any thread; one object may be read by many at a time, and is freed by one,
 * after all others are done with it. Texts: UTF-8 ending in NUL. What is handed in is copied; what is handed out
 * belongs to the object it was asked of and lives until that is freed, unless said otherwise. Texts for people
 * (messages, findings, subjects, notes) have control characters and damaged UTF-8 written as escapes, so that a
 * terminal may see them, and hold no password. Failures: a function that returns an object returns NULL and fills in
 * `error`, which may be NULL when the reason does not matter. No C++ exception leaves a function, running out of memory
 * is the error "internal". NULL objects: every getter returns NULL, 0 or PROVISIONER_ROUTE_INVALID for them, and
 * freeing them does nothing.
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a declaration below changes in a way that old callers would notice. */
#define PROVISIONER_C_API_VERSION 1

/* Why a call failed. Plain memory: nothing to free, may be copied. All three end in NUL and are cut at a character
 * where they don't fit. */
typedef struct provisioner_error {
  int exit_code;      /* what the program `provisioner` would exit with, e.g. 11; 0 where nothing failed */
  char code[28];      /* a stable word: "json", "cert", "no-proxy", ... */
  char message[1024]; /* what happened and what to do; no password */
  char where[512];    /* the file or field, "" where there is none */
} provisioner_error;

/* ---- Reading a source ---- */

/* The settings of one MachineConfig or Ignition config. */
typedef struct provisioner_config provisioner_config;

/* Reads `size` bytes of JSON or YAML: a MachineConfig, a List of them, or an Ignition config. Out of a list comes the
 * one called `name`, or, where `name` is NULL or empty, the newest rendered one of `pool` (NULL or empty: "worker").
 * References to other machines are not followed: they are errors. `bytes` may be NULL only when `size` is 0. A
 * malformed proxy URL is no failure but a finding of severity "error". On success `error` is cleared. Free the result
 * with provisioner_config_free(). */
provisioner_config* provisioner_config_read(const void* bytes, size_t size, const char* pool, const char* name,
                                            provisioner_error* error);

void provisioner_config_free(provisioner_config* config);

/* The variables as the source assigns them, passwords included: these are not for logs. NULL: not assigned. "":
 * assigned empty, which counts as unset. Not escaped. */
const char* provisioner_config_http_proxy(const provisioner_config* config);
const char* provisioner_config_https_proxy(const provisioner_config* config);
const char* provisioner_config_no_proxy(const provisioner_config* config);

/* Certificates in order of appearance, duplicates kept. An index that does not exist gives NULL. */
size_t provisioner_config_certificate_count(const provisioner_config* config);
/* The exact bytes; their number goes to `size` (0 with NULL), which may be NULL. */
const unsigned char* provisioner_config_certificate_der(const provisioner_config* config, size_t index, size_t* size);
/* SHA-256 of those bytes, 64 lower-case hexadecimal digits. */
const char* provisioner_config_certificate_sha256(const provisioner_config* config, size_t index);
/* The subject in RFC 4514's form: "CN=Example Root,O=Example". */
const char* provisioner_config_certificate_subject(const provisioner_config* config, size_t index);

/* What a person should know about the settings although they are usable; what expired is told by the clock at the time
 * of reading. An index that does not exist gives NULL. */
size_t provisioner_config_finding_count(const provisioner_config* config);
/* "info", "warning" or "error"; lives for ever. */
const char* provisioner_config_finding_severity(const provisioner_config* config, size_t index);
/* A stable word such as "cert-expired". */
const char* provisioner_config_finding_code(const provisioner_config* config, size_t index);
/* One line: the message, and in parentheses where it applies. */
const char* provisioner_config_finding_text(const provisioner_config* config, size_t index);

/* ---- Deciding about a URL ---- */

typedef enum provisioner_route {
  PROVISIONER_ROUTE_DIRECT = 0,
  PROVISIONER_ROUTE_PROXY = 1,
  /* The variable that applies holds a malformed URL. Clients would go around the proxy without a word; that is
     hardly what anybody meant. */
  PROVISIONER_ROUTE_INVALID = 2
} provisioner_route;

/* The answer for one URL. */
typedef struct provisioner_decision provisioner_decision;

/* How a Go client (x/net/http/httpproxy) reaches `url` with these settings; NULL and "" mean unset. The URL's scheme
 * picks the variable: http:// HTTP_PROXY, https:// HTTPS_PROXY; others go direct. Without a port, 80 and 443 count.
 * localhost and loopback addresses go direct. Nothing is resolved. NO_PROXY comes before the check of the proxy's URL.
 * Failures: "usage" for a malformed `url` (NULL too), "no-proxy" for control characters or damaged UTF-8 in `no_proxy`.
 * On success `error` is cleared. Free the result with provisioner_decision_free(). */
provisioner_decision* provisioner_decide(const char* http_proxy, const char* https_proxy, const char* no_proxy,
                                         const char* url, provisioner_error* error);
/* The same with the settings of a config; a NULL `config` has none. */
provisioner_decision* provisioner_config_decide(const provisioner_config* config, const char* url,
                                                provisioner_error* error);

void provisioner_decision_free(provisioner_decision* decision);

provisioner_route provisioner_decision_route(const provisioner_decision* decision);
/* The value of the variable that applies, its password hidden. NULL for direct routes. */
const char* provisioner_decision_proxy(const provisioner_decision* decision);
/* The first NO_PROXY entry that makes the route direct, as written. NULL where none does. */
const char* provisioner_decision_entry(const provisioner_decision* decision);
/* Why, as one line. */
const char* provisioner_decision_note(const provisioner_decision* decision);

#ifdef __cplusplus
}
#endif
