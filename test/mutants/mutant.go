package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is a small break of the program, and the tests that must notice it.
type mutant struct {
	// name says what is broken.
	name string
	// file has old, once; new stands in its place.
	file, old, new string
	// also are breaks of the same mutant in other places.
	also []edit
	// caught are the tests that must fail, by package.
	caught tests
	// nightly is set if one of these tests runs only in the nightly tier.
	nightly bool
}

// edit is one change of a file.
type edit struct{ file, old, new string }

// tests are names of tests by package, which is a path from the root. A part of a test has
// its name behind that of the test, with a slash and as the go command prints it.
type tests map[string][]string

func (m mutant) edits() []edit { return append([]edit{{m.file, m.old, m.new}}, m.also...) }

// files returns what the mutant makes of each file that it breaks, by path. Errors: a text
// is not in its file, or there more than once.
func (m mutant) files(root string) (map[string]string, error) {
	texts := map[string]string{}
	for _, e := range m.edits() {
		text, known := texts[e.file]
		if !known {
			content, err := os.ReadFile(filepath.Join(root, e.file))
			if err != nil {
				return nil, err
			}
			text = string(content)
		}
		if n := strings.Count(text, e.old); n != 1 {
			return nil, fmt.Errorf("%s has this %d times and not once: %s", e.file, n, e.old)
		}
		texts[e.file] = strings.Replace(text, e.old, e.new, 1)
	}
	return texts, nil
}

// packages returns the mutant's packages as the go command takes them, and pattern the
// pattern of its tests' names.
func (t tests) packages() []string {
	paths := slices.Sorted(maps.Keys(t))
	for i, path := range paths {
		paths[i] = "./" + path
	}
	return paths
}

func (t tests) pattern() string {
	var names []string
	for _, of := range t {
		names = append(names, of...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range names {
		parts := strings.Split(name, "/")
		for j, part := range parts {
			parts[j] = "^" + regexp.QuoteMeta(part) + "$"
		}
		names[i] = strings.Join(parts, "/")
	}
	return strings.Join(names, "|")
}
