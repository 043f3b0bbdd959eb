// Command notices writes THIRD_PARTY_NOTICES.md: the third-party code in the program, with
// its licences. It reads the modules that cmd/admin links from the module cache, and the
// packages that the web admin bundles from node_modules.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:generate go run . ../.. ../../THIRD_PARTY_NOTICES.md

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: notices ROOT FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

// part is a third-party module, package or file.
type part struct{ name, licence string }

func write(root, file string) error {
	modules, err := modules(root)
	if err != nil {
		return err
	}
	packages, err := packages(filepath.Join(root, "web"))
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("# Third-party notices\n\nWritten by `make generate`. Interlock itself is under the [Apache License 2.0](LICENSE). `bin/admin` has in it:\n")
	for _, section := range []struct {
		title string
		parts []part
	}{{"Go", append(modules, commonPasswords)}, {"The web admin and its pages", append(packages, bundled...)}} {
		fmt.Fprintf(&text, "\n## %s\n", section.title)
		// Licence texts that differ only in white space are printed once.
		names, texts := map[string][]string{}, map[string]string{}
		for _, p := range section.parts {
			words := strings.Join(strings.Fields(p.licence), " ")
			names[words], texts[words] = append(names[words], p.name), p.licence
		}
		for _, words := range slices.SortedFunc(maps.Keys(names), func(a, b string) int {
			return strings.Compare(names[a][0], names[b][0])
		}) {
			fmt.Fprintf(&text, "\n### %s\n\n````text\n%s\n````\n", strings.Join(names[words], ", "), strings.TrimSpace(texts[words]))
		}
	}
	return os.WriteFile(file, []byte(text.String()), 0o600)
}

// bundled are the third-party files in this repository, see
// internal/edge/httpapi/graphiql/README.md.
var bundled = []part{
	{"GraphiQL (internal/edge/httpapi/graphiql)", "MIT License, Copyright (c) GraphQL Contributors. The text is that of the MIT License below."},
	{"React 18 (internal/edge/httpapi/graphiql)", "MIT License, Copyright (c) Facebook, Inc. and its affiliates. The text is that of the MIT License below."},
}

// commonPasswords is a third-party list in this repository; see the package.
var commonPasswords = part{"Common passwords of @zxcvbn-ts/language-common (internal/base/guessable)", "MIT License, Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc., Copyright (c) 2021 @zxcvbn-ts. The text is that of the MIT License in this file."}

// modules returns the modules that cmd/admin links, and Go itself.
func modules(root string) ([]part, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}", "./cmd/admin")
	list.Dir, list.Stderr = root, os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("list the modules: %w", err)
	}
	goRoot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find Go: %w", err)
	}
	licence, err := licenceIn(strings.TrimSpace(string(goRoot)))
	if err != nil {
		return nil, err
	}
	parts := []part{{"The Go standard library", licence}}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		field := strings.Split(line, "\t")
		if len(field) != 3 {
			continue
		}
		licence, err := licenceIn(field[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", field[0], err)
		}
		parts = append(parts, part{field[0] + " " + field[1], licence})
	}
	return parts, nil
}

// packages returns the packages of the lock file, without development dependencies.
func packages(web string) ([]part, error) {
	text, err := os.ReadFile(filepath.Join(web, "package-lock.json"))
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version  string
			License  string
			Dev      bool
			Optional bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return nil, fmt.Errorf("read the lock file: %w", err)
	}
	var parts []part
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		p := lock.Packages[at]
		if at == "" || p.Dev || p.Optional {
			continue
		}
		_, name, _ := strings.Cut(at, "node_modules/")
		licence, err := licenceIn(filepath.Join(web, at))
		if errors.Is(err, errNone) {
			licence, err = p.License+" (the package has no licence text)", nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		parts = append(parts, part{name + " " + p.Version, licence})
	}
	return parts, nil
}

var errNone = errors.New("there is no licence file")

// licenceIn returns the text of the licence and notice files of a folder.
func licenceIn(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	for _, file := range files {
		if !isLicence(file) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			return "", err
		}
		text.Write(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")))
	}
	if text.Len() == 0 {
		return "", fmt.Errorf("%s: %w", dir, errNone)
	}
	return text.String(), nil
}

func isLicence(file fs.DirEntry) bool {
	name := strings.ToUpper(file.Name())
	stem := strings.TrimSuffix(strings.TrimSuffix(name, ".MD"), ".TXT")
	return !file.IsDir() && (strings.HasPrefix(stem, "LICENSE") || strings.HasPrefix(stem, "LICENCE") || stem == "COPYING" || stem == "NOTICE") &&
		!strings.HasSuffix(name, ".GO")
}
