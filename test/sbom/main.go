// Command sbom writes the components of a built program as a CycloneDX bill of materials:
// the Go modules that the linker included, and the npm packages that its web admin is
// bundled from.
//
//	go run ./test/sbom bin/admin VERSION web/package-lock.json > bin/admin.cdx.json
//
// The output is the same for the same program and the same lock file.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/url"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 4 {
		log.Fatal("usage: sbom PROGRAM VERSION PACKAGE-LOCK")
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal("sbom: ", err)
	}
}

func write(to io.Writer, program, version, lock string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the build information of %s: %w", program, err)
	}
	packages, err := bundled(lock)
	if err != nil {
		return err
	}
	components := slices.Concat(modules(info), packages)
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{Type: cdx.ComponentTypeApplication, Name: info.Main.Path, Version: version}}
	bom.Components = &components
	return cdx.NewBOMEncoder(to, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// modules returns the Go modules in a program, including the standard library.
func modules(info *buildinfo.BuildInfo) []cdx.Component {
	list := []cdx.Component{component("golang", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		list = append(list, component("golang", module.Path, module.Version))
	}
	return list
}

// locked is the entry of a package in a lock file of npm.
type locked struct {
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
	License   string `json:"license"`
	// Dev and DevOptional are set for packages that are only for builds or tests.
	Dev         bool `json:"dev"`
	DevOptional bool `json:"devOptional"`
}

// bundled returns the npm packages that the web admin is made from, without those for
// builds or tests.
func bundled(lock string) ([]cdx.Component, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, fmt.Errorf("read the packages of the web admin: %w", err)
	}
	var file struct {
		Packages map[string]locked `json:"packages"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("read %s: %w", lock, err)
	}
	var list []cdx.Component
	for path, p := range file.Packages {
		if path == "" || p.Dev || p.DevOptional {
			continue
		}
		made := component("npm", path[strings.LastIndex(path, "node_modules/")+len("node_modules/"):], p.Version)
		if p.License != "" {
			made.Licenses = &cdx.Licenses{{Expression: p.License}}
		}
		if digest, known := strings.CutPrefix(p.Integrity, "sha512-"); known {
			sum, err := base64.StdEncoding.DecodeString(digest)
			if err != nil {
				return nil, fmt.Errorf("read the digest of %s: %w", path, err)
			}
			made.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
		}
		list = append(list, made)
	}
	slices.SortFunc(list, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	return slices.CompactFunc(list, func(a, b cdx.Component) bool { return a.BOMRef == b.BOMRef }), nil
}

// component returns a library with its package URL.
func component(kind, name, version string) cdx.Component {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = url.PathEscape(part)
	}
	// An unescaped @ before a scope would be read as the @ before the version.
	at := "pkg:" + kind + "/" + strings.ReplaceAll(strings.Join(parts, "/"), "@", "%40") + "@" + url.PathEscape(version)
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: at, Name: name, Version: version, PackageURL: at}
}
