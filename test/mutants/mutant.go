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

// mutant is a small break of the program, with the tests that must detect it.
type mutant struct {
	// name describes the break.
	name string
	// file contains old exactly once; new replaces it.
	file, old, new string
	// also contains further edits of the same mutant.
	also []edit
	// caught are the tests that must fail, by package.
	caught tests
	// nightly is set if one of these tests runs only in the nightly tier.
	nightly bool
}

// edit is one change of a file.
type edit struct{ file, old, new string }

// tests are names of tests by package, which is a path from the root. A subtest is named as
// the go command prints it: the name of the test, a slash and the name of the subtest.
type tests map[string][]string

func (m mutant) edits() []edit { return append([]edit{{m.file, m.old, m.new}}, m.also...) }

// files returns the mutated content of each changed file, by path. It returns an error if a
// text is not in its file, or more than once.
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

// packages returns the mutant's packages as arguments of the go command, and pattern the
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
