// The peer for `extract`: encoding/json into the smallest struct that holds what is wanted, data URLs decoded, the bundle parsed.
package main

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/url"
	"os"
	"strings"
)

type machineConfig struct {
	Spec struct {
		Config struct {
			Storage struct {
				Files []struct {
					Path     string
					Contents struct{ Source string }
				}
			}
		}
	}
}

func decode(source string) []byte {
	comma := strings.IndexByte(source, ',')
	if strings.HasSuffix(source[:comma], ";base64") {
		out, _ := base64.StdEncoding.DecodeString(source[comma+1:])
		return out
	}
	out, _ := url.PathUnescape(source[comma+1:])
	return []byte(out)
}

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var mc machineConfig
	if err := json.Unmarshal(data, &mc); err != nil {
		panic(err)
	}
	for _, f := range mc.Spec.Config.Storage.Files {
		switch f.Path {
		case "/etc/mco/proxy.env":
			fmt.Print(string(decode(f.Contents.Source)))
		case "/etc/pki/ca-trust/source/anchors/openshift-config-user-ca-bundle.crt":
			n := 0
			for rest := decode(f.Contents.Source); ; n++ {
				var block *pem.Block
				if block, rest = pem.Decode(rest); block == nil {
					break
				}
				if _, err := x509.ParseCertificate(block.Bytes); err != nil {
					panic(err)
				}
			}
			fmt.Println(n)
		}
	}
}
