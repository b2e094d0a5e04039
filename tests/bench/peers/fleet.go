// The peer for a fleet: text/template for each file of each node, archive/tar, the same files with the same contents.
//
// usage: fleet COMMON TEMPLATES NODES.CSV OUT     TEMPLATES holds a file for each of a node's, with {{.Name}} and so on
package main

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"
	"time"
)

// Digits are those of the MAC address, which the name of the adapter in the metadata ends with.
type node struct{ Name, Address, Prefix, Netmask, Gateway, Dns, Mac, Adapter, Digits, Id string }

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	common, templates, nodes, out := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	file, err := os.Create(out)
	check(err)
	buffered := bufio.NewWriterSize(file, 1<<18)
	archive := tar.NewWriter(buffered)
	when := time.Unix(315532800, 0)
	add := func(name string, data []byte, mode int64, kind byte) {
		check(archive.WriteHeader(&tar.Header{Name: name, Size: int64(len(data)), Mode: mode, Typeflag: kind, ModTime: when, Format: tar.FormatUSTAR}))
		_, err := archive.Write(data)
		check(err)
	}
	check(filepath.WalkDir(common, func(path string, entry fs.DirEntry, err error) error {
		check(err)
		name, err := filepath.Rel(common, path)
		check(err)
		if entry.IsDir() {
			add(filepath.Join("common", name)+"/", nil, 0755, tar.TypeDir)
			return nil
		}
		data, err := os.ReadFile(path)
		check(err)
		info, err := entry.Info()
		check(err)
		add("common/"+name, data, int64(info.Mode().Perm()), tar.TypeReg)
		return nil
	}))
	manifest, err := os.ReadFile(filepath.Join(common, "manifest.json"))
	check(err)
	payload := sha256.Sum256(manifest)

	parsed := template.Must(template.ParseGlob(filepath.Join(templates, "*")))
	list, err := os.Open(nodes)
	check(err)
	rows, err := csv.NewReader(bufio.NewReader(list)).ReadAll()
	check(err)
	rows = rows[1:]
	sort.Slice(rows, func(a, b int) bool { return rows[a][0] < rows[b][0] })
	add("nodes/", nil, 0755, tar.TypeDir)
	var text bytes.Buffer
	for _, row := range rows {
		address, prefix, _ := strings.Cut(row[1], "/")
		mac := strings.ToLower(strings.ReplaceAll(row[4], "-", ":"))
		told := fmt.Sprintf("%s%s\n%s\n%s\n%s\n%s", payload[:], row[0], row[1], row[2], row[3], mac)
		id := sha256.Sum256([]byte(told))
		id[6] = id[6]&0x0f | 0x80
		id[8] = id[8]&0x3f | 0x80
		n := node{row[0], address, prefix, "255.255.255.0", row[2], row[3], mac, row[4], strings.ReplaceAll(mac, ":", ""),
			fmt.Sprintf("%x-%x-%x-%x-%x", id[0:4], id[4:6], id[6:8], id[8:10], id[10:16])}
		add("nodes/"+n.Name+"/", nil, 0755, tar.TypeDir)
		for _, name := range []string{"meta-data", "meta_data.json", "network-config", "network_data.json", "unattend.xml"} {
			text.Reset()
			check(parsed.ExecuteTemplate(&text, name, n))
			add("nodes/"+n.Name+"/"+name, text.Bytes(), 0644, tar.TypeReg)
		}
	}
	check(archive.Close())
	check(buffered.Flush())
	check(file.Close())
}
