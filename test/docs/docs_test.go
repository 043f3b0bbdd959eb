// Package docs checks that the documents say what is there.
package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	named    = regexp.MustCompile("`(Test\\w+)`")
)

func TestEveryProofThatIsNamedExists(t *testing.T) {
	tests := map[string]bool{}
	for _, root := range []string{"../../internal", "../../client", ".."} {
		require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range declared.FindAllSubmatch(text, -1) {
				tests[string(match[1])] = true
			}
			return err
		}))
	}
	text, err := os.ReadFile("../../docs/guarantees.md")
	require.NoError(t, err)
	proofs := named.FindAllSubmatch(text, -1)
	require.NotEmpty(t, proofs)
	for _, proof := range proofs {
		require.True(t, tests[string(proof[1])], "docs/guarantees.md names %s, which no package has", proof[1])
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	documents := []string{"../../README.md", "../../CONTRIBUTING.md", "../../load/README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/decisions/*.md"} {
		found, err := filepath.Glob(pattern)
		require.NoError(t, err)
		documents = append(documents, found...)
	}
	for _, document := range documents {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, match := range link.FindAllSubmatch(text, -1) {
			path := filepath.Join(filepath.Dir(document), string(match[1]))
			_, err := os.Stat(path)
			require.NoError(t, err, document)
		}
	}
}

func TestEveryDecisionIsInTheIndex(t *testing.T) {
	index, err := os.ReadFile("../../docs/decisions/README.md")
	require.NoError(t, err)
	decisions, err := filepath.Glob("../../docs/decisions/*.md")
	require.NoError(t, err)
	for _, decision := range decisions {
		if name := filepath.Base(decision); name != "README.md" {
			require.Contains(t, string(index), "("+name+")")
		}
	}
}
