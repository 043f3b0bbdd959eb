//go:build lint

// Package lint proves that the rules of .golangci.yaml work: it runs the linter on a small
// module, testdata, in which a comment announces each line that breaks a rule, at its end
// or above it, and expects exactly those findings.
package lint

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root = "../.."
	mark = "// forbidden: "
)

func TestExactlyTheForbiddenLinesAreFound(t *testing.T) {
	linter, err := filepath.Abs(filepath.Join(root, "bin", "golangci-lint"))
	require.NoError(t, err)
	require.FileExists(t, linter, "build it with: make lint")
	module := t.TempDir()
	require.NoError(t, os.CopyFS(module, os.DirFS("testdata")))
	for _, name := range []string{"go.mod", "go.sum", ".golangci.yaml"} {
		content, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(module, name), content, 0o644))
	}

	require.ElementsMatch(t, marked(t, module), found(t, linter, module))
}

// marked returns "path:line linter" for each finding that the fixtures announce.
func marked(t *testing.T, module string) (findings []string) {
	err := filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(module, path)
		if err != nil {
			return err
		}
		for number, line := range strings.Split(string(content), "\n") {
			before, linters, _ := strings.Cut(line, mark)
			if strings.TrimSpace(before) == "" {
				number++
			}
			for _, linter := range strings.Fields(linters) {
				findings = append(findings, fmt.Sprintf("%s:%d %s", name, number+1, linter))
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, findings)
	return findings
}

func found(t *testing.T, linter, module string) (findings []string) {
	run := exec.Command(linter, "run", "--max-issues-per-linter=0", "--max-same-issues=0",
		"--uniq-by-line=false", "--output.json.path=stdout", "--output.text.path=", "--show-stats=false")
	run.Dir = module
	var complaints strings.Builder
	run.Stderr = &complaints
	output, err := run.Output()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit, "the linter finds something")
	require.Equal(t, 1, exit.ExitCode(), "%s", &complaints)

	var report struct {
		Issues []struct {
			FromLinter string
			Text       string
			Pos        struct {
				Filename string
				Line     int
			}
		}
	}
	require.NoError(t, json.Unmarshal(output, &report))
	for _, issue := range report.Issues {
		t.Logf("%s:%d %s: %s", issue.Pos.Filename, issue.Pos.Line, issue.FromLinter, issue.Text)
		findings = append(findings, fmt.Sprintf("%s:%d %s", issue.Pos.Filename, issue.Pos.Line, issue.FromLinter))
	}
	return findings
}
