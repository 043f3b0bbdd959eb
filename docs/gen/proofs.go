package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	// taggedTest is a Go test with a tag at the end of its comment, and the mark of nightly tests.
	taggedTest = regexp.MustCompile(`(?m)^// Proves ([A-Z0-9., ]+)\.\nfunc (Test\w+)\(t \*testing\.T\) \{\n(\ttier\.Nightly\(t\))?`)
	// taggedFile is a tag in a file of another language.
	taggedFile = regexp.MustCompile(`(?m)^// Proves ([A-Z0-9., ]+)\.$`)
	proofRow   = regexp.MustCompile(`(?m)^\| ([A-Z]\d*\.?\d+) \| (.*) \| .*\|$`)
)

// proofsOf maps each tag to its tests by their folder.
type proofsOf map[string]map[string][]string

func (p proofsOf) add(tags, folder, test string) {
	for _, tag := range strings.Split(tags, ", ") {
		if p[tag] == nil {
			p[tag] = map[string][]string{}
		}
		p[tag][folder] = append(p[tag][folder], test)
	}
}

// findProofs returns the tagged tests of the repository.
func findProofs() (proofsOf, error) {
	found := proofsOf{}
	for _, folder := range []string{"internal", "client", "cmd", "test", "web/src", "web/e2e", "load"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			isGo := strings.HasSuffix(path, "_test.go")
			if err != nil || !isGo && !slices.Contains([]string{".ts", ".tsx", ".js"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			at, err := filepath.Rel(root, filepath.Dir(path))
			at = strings.TrimPrefix(at, "internal/")
			if !isGo {
				for _, match := range taggedFile.FindAllSubmatch(text, -1) {
					found.add(string(match[1]), at, code(filepath.Base(path)))
				}
				return err
			}
			for _, match := range taggedTest.FindAllSubmatch(text, -1) {
				test := code(string(match[2]))
				if len(match[3]) > 0 {
					test += " (nightly)"
				}
				found.add(string(match[1]), at, test)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// guarantees writes the tests of each promise into the last column of its row. A promise without a test
// and a tag without a promise are errors.
func guarantees() (string, error) {
	proofs, err := findProofs()
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/guarantees.md"))
	if err != nil {
		return "", err
	}
	var unproven []string
	page := proofRow.ReplaceAllStringFunc(string(text), func(line string) string {
		cells := proofRow.FindStringSubmatch(line)
		id := cells[1]
		tests := proofs[id]
		if tests == nil {
			unproven = append(unproven, id)
		}
		delete(proofs, id)
		var listed []string
		for _, folder := range slices.Sorted(maps.Keys(tests)) {
			listed = append(listed, strings.Join(slices.Sorted(slices.Values(tests[folder])), ", ")+" ("+folder+")")
		}
		return strings.TrimSuffix(row(id, cells[2], strings.Join(listed, "; ")), "\n")
	})
	if len(unproven) > 0 {
		return "", fmt.Errorf("guarantees: no test has the comment `Proves ID.` for %s", strings.Join(unproven, ", "))
	}
	for tag := range proofs {
		return "", fmt.Errorf("guarantees: a test proves %s, and docs/guarantees.md has no such row", tag)
	}
	return page, nil
}
