/* What libcurl does with rows of HTTP_PROXY, HTTPS_PROXY, NO_PROXY, a request's URL and addresses of names: where it
 * would connect to. Reads one row a line, the fields in hexadecimal, tabs between them; the addresses are
 * HOST:PORT:ADDRESS, blanks between them. Prints the version, then an answer a row: "ADDRESS PORT" of the first
 * connection, the address in hexadecimal, "3f 0" ('?') for a name without an address, or "-" and curl's error. Nothing
 * is looked up and nothing sent.
 *
 * The library is found when the program runs, so that it may be another than the one that it was compiled with, with a
 * C library of its own: ld.so --library-path FOLDER curl_oracle. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostLine = 1 << 18, kMostHost = 1 << 12 };

static struct {
  char host[kMostHost]; /* of the first lookup or connection; "" for none */
  int port;
} seen;

static void See(const char* host, int port) {
  if (seen.host[0] != '\0') return;
  snprintf(seen.host, sizeof seen.host, "%s", host);
  seen.port = port;
}

static curl_socket_t NoteSocket(void* unused, curlsocktype purpose, struct curl_sockaddr* to) {
  char text[INET6_ADDRSTRLEN] = "";
  (void)unused;
  (void)purpose;
  if (to->family == AF_INET6) {
    const struct sockaddr_in6* ipv6 = (const struct sockaddr_in6*)&to->addr;
    See(inet_ntop(AF_INET6, &ipv6->sin6_addr, text, sizeof text), ntohs(ipv6->sin6_port));
  } else {
    const struct sockaddr_in* ipv4 = (const struct sockaddr_in*)&to->addr;
    See(inet_ntop(AF_INET, &ipv4->sin_addr, text, sizeof text), ntohs(ipv4->sin_port));
  }
  return CURL_SOCKET_BAD;
}

/* Before a name would be looked up: no. */
static int RefuseLookup(void* state, void* reserved, void* data) {
  (void)state;
  (void)reserved;
  (void)data;
  See("?", 0);
  return 1;
}

static char* Decode(const char* hex, char* out) {
  unsigned byte = 0;
  char* end = out;
  while (sscanf(hex, "%2x", &byte) == 1 && hex[0] != '\0') {
    *end++ = (char)byte;
    hex += 2;
  }
  *end = '\0';
  return out;
}

struct Curl {
  CURL* (*init)(void);
  CURLcode (*setopt)(CURL*, CURLoption, ...);
  CURLcode (*perform)(CURL*);
  void (*cleanup)(CURL*);
  struct curl_slist* (*append)(struct curl_slist*, const char*);
  void (*free_all)(struct curl_slist*);
  curl_version_info_data* (*version)(CURLversion);
};

static int Find(void* library, struct Curl* out) {
  *(void**)&out->init = dlsym(library, "curl_easy_init");
  *(void**)&out->setopt = dlsym(library, "curl_easy_setopt");
  *(void**)&out->perform = dlsym(library, "curl_easy_perform");
  *(void**)&out->cleanup = dlsym(library, "curl_easy_cleanup");
  *(void**)&out->append = dlsym(library, "curl_slist_append");
  *(void**)&out->free_all = dlsym(library, "curl_slist_free_all");
  *(void**)&out->version = dlsym(library, "curl_version_info");
  return out->init && out->setopt && out->perform && out->cleanup && out->append && out->free_all && out->version;
}

static void Answer(const struct Curl* curl, const char* url, char* addresses) {
  CURL* handle = curl->init();
  struct curl_slist* known = NULL;
  for (char* one = strtok(addresses, " "); one != NULL; one = strtok(NULL, " ")) known = curl->append(known, one);
  seen.host[0] = '\0';
  curl->setopt(handle, CURLOPT_URL, url);
  curl->setopt(handle, CURLOPT_RESOLVE, known);
  curl->setopt(handle, CURLOPT_OPENSOCKETFUNCTION, &NoteSocket);
  curl->setopt(handle, CURLOPT_RESOLVER_START_FUNCTION, &RefuseLookup);
  const CURLcode code = curl->perform(handle);
  if (seen.host[0] == '\0') {
    printf("- %d\n", (int)code);
  } else {
    for (const char* c = seen.host; *c != '\0'; ++c) printf("%02x", (unsigned)(unsigned char)*c);
    printf(" %d\n", seen.port);
  }
  curl->cleanup(handle);
  curl->free_all(known);
}

int main(void) {
  static const char* const kNames[] = {"http_proxy", "https_proxy", "no_proxy"};
  static char line[kMostLine], text[kMostLine], addresses[kMostLine];
  void* library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  struct Curl curl;
  if (library == NULL || !Find(library, &curl)) {
    fprintf(stderr, "curl_oracle: no libcurl.so.4: %s\n", dlerror());
    return 2;
  }
  printf("%s\n", curl.version(CURLVERSION_NOW)->version);
  while (fgets(line, sizeof line, stdin) != NULL) {
    char* rest = line;
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < 3; ++i) setenv(kNames[i], Decode(strsep(&rest, "\t"), text), 1);
    Decode(strsep(&rest, "\t"), text);
    Answer(&curl, text, Decode(strsep(&rest, "\t"), addresses));
  }
  return 0;
}
