// Words checks that the project's texts are plain technical English: comments, documentation, log
// messages, errors, texts of the web admin, names of tests and identifiers. The rules are in list.go.
//
// Usage:
//
//	go run ./test/words [-list] [-lower]
//
// Each directory has a budget in budgets.txt, the number of uses it had when it was last lowered; a
// directory that is not listed has none. The check fails if a directory exceeds its budget and
// prints each use with its replacement. -list prints the uses of all directories, or of those
// whose path starts with an argument. -lower writes the current counts that are lower than their
// budgets. allowed.txt lists uses that are right, with the reason.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

const budgetsFile = "test/words/budgets.txt"

//go:embed budgets.txt
var budgetsText string

// allowedText has a line "path word: reason" for each use that is right.
//
//go:embed allowed.txt
var allowedText string

func main() {
	list := flag.Bool("list", false, "print the uses in the directories that start with an argument, or in all")
	lower := flag.Bool("lower", false, "write the counts that are lower than their budgets to "+budgetsFile)
	flag.Parse()
	if err := run(os.Stdout, *list, *lower, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, list, lower bool, prefixes []string) error {
	budgets, err := parseBudgets(budgetsText)
	if err != nil {
		return err
	}
	hits, err := search(parseAllowed(allowedText))
	if err != nil {
		return err
	}
	if list {
		for _, directory := range slices.Sorted(maps.Keys(hits)) {
			if len(prefixes) == 0 || slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(directory, p) }) {
				report(out, hits[directory])
			}
		}
		return nil
	}
	if lower {
		return os.WriteFile(budgetsFile, []byte(lowered(budgets, hits)), 0o644)
	}
	exceeded := 0
	for _, directory := range slices.Sorted(maps.Keys(hits)) {
		if found := hits[directory]; len(found) > budgets[directory] {
			exceeded++
			report(out, found)
			fmt.Fprintf(out, "%s: %d uses of words that have a plainer replacement; its budget is %d\n", directory, len(found), budgets[directory])
		}
	}
	if exceeded > 0 {
		return fmt.Errorf("%d directories exceed their budgets: replace the words above, or add a use that is right to test/words/allowed.txt with its reason", exceeded)
	}
	return nil
}

// search returns the uses in the files of the repository, by directory.
func search(allowed map[string]bool) (map[string][]hit, error) {
	listed, err := exec.Command("git", "ls-files", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files: %w", err)
	}
	prose, names := newMatcher(rules), newMatcher(nameRules)
	found := map[string][]hit{}
	for name := range strings.Lines(string(listed)) {
		name = strings.TrimSpace(name)
		if strings.Contains(name, "testdata/") || strings.HasPrefix(name, "test/words/") || strings.Contains(name, "NOTICES") {
			continue
		}
		content, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		texts, err := textsOf(name, string(content))
		if err != nil {
			return nil, err
		}
		for _, t := range texts {
			matcher := prose
			if t.isIdentifier {
				matcher = names
			}
			for _, h := range matcher.find(t.content) {
				if allowed[name+" "+strings.ToLower(h.word)] {
					continue
				}
				h.file, h.line = name, t.line
				found[path.Dir(name)] = append(found[path.Dir(name)], h)
			}
		}
	}
	return found, nil
}

func report(out io.Writer, hits []hit) {
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	for _, h := range hits {
		fmt.Fprintf(out, "%s:%d: %q: write %s\n", h.file, h.line, h.word, h.replacement)
	}
}

// parseBudgets reads lines of a directory and its number of uses.
func parseBudgets(content string) (map[string]int, error) {
	budgets := map[string]int{}
	for line := range strings.Lines(content) {
		directory, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, err := strconv.Atoi(count)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a directory and a number", budgetsFile, line)
		}
		budgets[directory] = number
	}
	return budgets, nil
}

// parseAllowed reads lines "path word: reason".
func parseAllowed(content string) map[string]bool {
	allowed := map[string]bool{}
	for line := range strings.Lines(content) {
		if use, reason, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && reason != "" {
			allowed[use] = true
		}
	}
	return allowed
}

// lowered returns the budgets of the directories that still have uses, none higher than before.
func lowered(budgets map[string]int, hits map[string][]hit) string {
	var lines strings.Builder
	for _, directory := range slices.Sorted(maps.Keys(budgets)) {
		if count := min(budgets[directory], len(hits[directory])); count > 0 {
			fmt.Fprintln(&lines, directory, count)
		}
	}
	return lines.String()
}
