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

var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	for _, document := range []string{"../../README.md", "../../docs/architecture.md", "../../docs/guarantees.md", "../../load/README.md"} {
		text, err := os.ReadFile(document)
		require.NoError(t, err)
		for _, match := range link.FindAllSubmatch(text, -1) {
			require.FileExists(t, filepath.Join(filepath.Dir(document), string(match[1])), document)
		}
	}
}
