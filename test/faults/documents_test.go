package faults_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// documented is a command of a document with the output that the document shows.
type documented struct {
	command, output string
}

var console = regexp.MustCompile("(?s)```console\n(.*?)```")

// documentedCommands returns the commands of the document's console blocks in order. A command is a
// line that starts with `$ `; the lines after it are its output.
func documentedCommands(t *testing.T, document string) (commands []documented) {
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	for _, block := range console.FindAllSubmatch(text, -1) {
		for line := range strings.Lines(string(block[1])) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				commands = append(commands, documented{command: strings.TrimSpace(command)})
				continue
			}
			require.NotEmpty(t, commands, "%s: output before the first command: %s", document, line)
			commands[len(commands)-1].output += line
		}
	}
	require.NotEmpty(t, commands)
	return commands
}

// pattern matches the output of the command; … in the document matches any text.
func (d documented) pattern() *regexp.Regexp {
	parts := strings.Split(strings.TrimSpace(d.output), "…")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(`(?s)^\s*` + strings.Join(parts, ".*") + `\s*$`)
}

func TestDocumentedCommandsPrintTheirOutput(t *testing.T) {
	_, err := exec.LookPath("curl")
	require.NoError(t, err, "install curl")
	documents, err := filepath.Glob("../../docs/guides/*.md")
	require.NoError(t, err)
	for _, document := range append(documents, "../../README.md", "../../docs/tutorial.md") {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		if !console.Match(text) {
			continue
		}
		t.Run(filepath.Base(document), func(t *testing.T) {
			t.Parallel()
			commands := documentedCommands(t, document)
			folder := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o755))
			require.NoError(t, os.Symlink(programPath, filepath.Join(folder, "bin", "admin")))
			s := fresh(t, "sqlite")
			s.Addr = freeAddress(t)
			s.CustomerJWTSecret = "a secret of at least 32 bytes for customers"
			serve(t, s)

			const end = "== end of the output"
			var script strings.Builder
			for _, c := range commands {
				script.WriteString(strings.ReplaceAll(c.command, "127.0.0.1:8080", s.Addr) + "\necho '" + end + "'\n")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			bash := exec.CommandContext(ctx, "bash", "-c", script.String())
			bash.Dir, bash.Env = folder, environment(s)
			printed, err := bash.CombinedOutput()
			require.NoError(t, err, "%s", printed)
			outputs := strings.Split(string(printed), end+"\n")
			require.Len(t, outputs, len(commands)+1)
			for i, c := range commands {
				require.Regexp(t, c.pattern(), outputs[i], c.command)
			}
		})
	}
}
