// The peer for reading certificates: pem and crypto/x509 in process. Prints the minimum and the median in nanoseconds, and the count.
package main

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
)

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	rounds, _ := strconv.Atoi(os.Args[2])
	var times []int64
	n := 0
	for i := 0; i < rounds; i++ {
		start := time.Now()
		n = 0
		for rest := data; ; {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				break
			}
			if _, err := x509.ParseCertificate(block.Bytes); err == nil {
				n++
			}
			_ = sha1.Sum(block.Bytes)
			_ = sha256.Sum256(block.Bytes)
		}
		times = append(times, time.Since(start).Nanoseconds())
	}
	sort.Slice(times, func(a, b int) bool { return times[a] < times[b] })
	fmt.Println(times[0], times[len(times)/2], n)
}
