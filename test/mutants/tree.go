package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"interlock/test/tier"
)

// module is the prefix of the import paths of packages.
const module = "interlock/"

// timeLimit is the time limit for the tests of one package, passed to the go command.
const timeLimit = "10m"

// unseen omits debug information from binaries, because linking is most of the cost of a
// mutant.
const unseen = " -ldflags=-w"

// verdict is the result of a mutant, with the reason if it was not caught.
type verdict struct{ is, why string }

// The verdicts.
const (
	caught     = "caught"
	lives      = "LIVES"
	hangs      = "HANGS"
	unmade     = "NOT MADE"
	uncompiled = "BROKEN"
)

// tree is the source that mutants are derived from.
type tree struct{ root, scratch string }

func openTree() (*tree, error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		return nil, fmt.Errorf("run it in the root of the module: %w", err)
	}
	scratch, err := os.MkdirTemp("", "interlock-mutants-")
	return &tree{root, scratch}, err
}

func (t *tree) close() { _ = os.RemoveAll(t.scratch) }

// control runs the tests of all mutants on the unchanged tree. Each must exist and pass.
func (t *tree) control(ctx context.Context, mutants []mutant) error {
	return errors.Join(t.controlTier(ctx, mutants, false), t.controlTier(ctx, mutants, true))
}

// controlTier is control for the mutants of one tier.
func (t *tree) controlTier(ctx context.Context, mutants []mutant, nightly bool) error {
	union := tests{}
	for _, m := range mutants {
		if m.nightly != nightly {
			continue
		}
		for path, names := range m.caught {
			union[path] = slices.Compact(slices.Sorted(slices.Values(append(union[path], names...))))
		}
	}
	if len(union) == 0 {
		return nil
	}
	got, err := t.test(ctx, union, nightly, "")
	if err != nil {
		return err
	}
	var failures []error
	for path, names := range union {
		for _, name := range names {
			if outcome := got.of(path, name); outcome != "pass" {
				failures = append(failures, fmt.Errorf("%s of %s must pass and did not: %s", name, path, outcome))
			}
		}
	}
	if len(failures) > 0 {
		return errors.Join(append(failures, errors.New(got.output))...)
	}
	return nil
}

// verdict runs the tests of a mutant and returns its verdict.
func (t *tree) verdict(ctx context.Context, m mutant) verdict {
	overlay, err := t.overlay(m)
	if err != nil {
		return verdict{unmade, err.Error()}
	}
	got, err := t.test(ctx, m.caught, m.nightly, overlay)
	switch {
	case err != nil:
		return verdict{unmade, "its tests could not be run: " + err.Error()}
	case got.broken:
		return verdict{uncompiled, "it does not compile: " + got.output}
	case got.hung:
		return verdict{hangs, "its tests took more than " + timeLimit}
	}
	var missed []string
	for path, names := range m.caught {
		for _, name := range names {
			if outcome := got.of(path, name); outcome != "fail" {
				missed = append(missed, fmt.Sprintf("%s of %s (%s)", name, path, outcome))
			}
		}
	}
	if len(missed) > 0 {
		slices.Sort(missed)
		return verdict{lives, "unnoticed by " + strings.Join(missed, ", ")}
	}
	return verdict{is: caught}
}

// overlay writes a mutant's files and the overlay file for the go command.
func (t *tree) overlay(m mutant) (path string, err error) {
	texts, err := m.files(t.root)
	if err != nil {
		return "", err
	}
	scratch, err := os.MkdirTemp(t.scratch, "")
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for file, text := range texts {
		copied := filepath.Join(scratch, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(t.root, file)] = copied
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path = filepath.Join(scratch, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}

// results are the results of tests, by package and name.
type results struct {
	outcomes map[string]string
	// broken means that the mutant does not compile, hung that its tests reached the time limit.
	broken, hung bool
	// output is the output of the go command if something failed.
	output string
}

func (r results) of(path, name string) string {
	if outcome, ok := r.outcomes[module+path+" "+name]; ok {
		return outcome
	}
	return "was not run"
}

// test runs tests with the go command.
func (t *tree) test(ctx context.Context, selected tests, nightly bool, overlay string) (results, error) {
	arguments := []string{"test", "-json", "-count=1", "-vet=off", "-timeout=" + timeLimit, "-run=" + selected.pattern()}
	command := exec.CommandContext(ctx, "go", append(arguments, selected.packages()...)...)
	command.Dir = t.root
	flags := os.Getenv("GOFLAGS") + unseen
	if overlay != "" {
		flags += " -overlay=" + overlay
	}
	// The flags are in the environment, so that a test that builds the program builds the
	// mutant.
	command.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(flags), tier.Variable+"="+map[bool]string{false: "change", true: "nightly"}[nightly])
	var errs bytes.Buffer
	command.Stderr = &errs
	// The command fails if a test does; the output contains the test's failure.
	printed, err := command.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return results{}, err
	}
	got := read(printed)
	got.output += errs.String()
	return got, nil
}

// event is one line of the output of `go test -json`.
type event struct {
	Action, Package, Test, Output, FailedBuild string
}

func read(printed []byte) results {
	got := results{outcomes: map[string]string{}}
	var output strings.Builder
	for line := range bytes.Lines(printed) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			continue
		}
		got.broken = got.broken || e.FailedBuild != ""
		got.hung = got.hung || strings.HasPrefix(e.Output, "panic: test timed out")
		switch e.Action {
		case "pass", "fail", "skip":
			if e.Test != "" {
				got.outcomes[e.Package+" "+e.Test] = e.Action
			}
		case "build-output":
			output.WriteString(e.Output)
		case "output":
			if strings.Contains(e.Output, "Error") || strings.Contains(e.Output, "--- FAIL") {
				output.WriteString(e.Output)
			}
		}
	}
	got.output = output.String()
	return got
}
