// Answers, for rows on standard input, what Go's HTTP clients do: golang.org/x/net/http/httpproxy and net/url of the
// installed Go. A row is four tab-separated fields in hex: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, the request's URL. An
// answer is "bad-url", "direct", or "proxy" with scheme, host, port, userinfo ("yes" or "no"), user and password,
// tab-separated, the last two and the host in hex. The first line names the version of Go.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// Addresses in Go's canonical form, so that the comparison needs no parser of ours.
func canonicalHost(host string) string {
	if ip := net.ParseIP(host); ip != nil {
		return ip.String()
	}
	return host
}

func describe(proxy *url.URL) string {
	userinfo := "no"
	password := ""
	if proxy.User != nil {
		userinfo = "yes"
		password, _ = proxy.User.Password()
	}
	return strings.Join([]string{"proxy", proxy.Scheme, hex.EncodeToString([]byte(canonicalHost(proxy.Hostname()))),
		proxy.Port(), userinfo, hex.EncodeToString([]byte(proxy.User.Username())),
		hex.EncodeToString([]byte(password))}, "\t")
}

func answer(fields []string) string {
	config := httpproxy.Config{HTTPProxy: fields[0], HTTPSProxy: fields[1], NoProxy: fields[2]}
	target, err := url.Parse(fields[3])
	if err != nil || target.Host == "" {
		return "bad-url"
	}
	proxy, err := config.ProxyFunc()(target)
	if err != nil || proxy == nil {
		return "direct"
	}
	return describe(proxy)
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	fmt.Fprintln(out, runtime.Version())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		fields := strings.Split(in.Text(), "\t")
		for i, field := range fields {
			decoded, err := hex.DecodeString(field)
			if err != nil {
				panic(err)
			}
			fields[i] = string(decoded)
		}
		fmt.Fprintln(out, answer(fields))
	}
}
