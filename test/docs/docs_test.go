// Package docs checks that the documents match the code.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/test/proofs"
)

var named = regexp.MustCompile("`(Test\\w+)`( \\(nightly\\))?")

func TestEveryProofThatIsNamedExists(t *testing.T) {
	tests, nightly := proofs.List(t, "../.."), proofs.Nightly(t, "../..")
	for _, document := range []string{"docs/guarantees.md", "docs/security.md", "docs/operations.md", "docs/engines.md", "docs/guides/backups.md"} {
		text, err := os.ReadFile(filepath.Join("../..", document))
		require.NoError(t, err)
		found := named.FindAllSubmatch(text, -1)
		require.NotEmpty(t, found)
		for _, proof := range found {
			require.True(t, tests.Has(string(proof[1])), "%s names %s, which no package has", document, proof[1])
			require.Equal(t, nightly.Has(string(proof[1])), len(proof[2]) > 0, "%s: write (nightly) behind %s if and only if it calls tier.Nightly", document, proof[1])
		}
	}
}

// The guarantees document each promise of the promises page in more detail.
// Proves C7.
func TestEveryPromiseNamesProofsThatExistAndAreDocumented(t *testing.T) {
	tests := proofs.List(t, "../..")
	text, err := os.ReadFile("../../docs/guarantees.md")
	require.NoError(t, err)
	for _, p := range app.Promises() {
		require.Contains(t, string(text), "\n## "+p.Guarantee+" ", p.Name)
		for _, proof := range slices.Concat(p.Tests, p.Faults) {
			require.True(t, tests.Has(proof), "%s names %s, which no package has", p.Name, proof)
		}
		require.NotEmpty(t, p.Tests, p.Name)
		require.NotEmpty(t, p.Faults, "nothing breaks under the promise %s", p.Name)
		for _, proof := range p.Tests {
			require.Contains(t, string(text), "`"+proof+"`", p.Name)
		}
	}
}

// A control without a proof is only an intention.
func TestEveryControlOfTheSecurityDocumentNamesItsProof(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	require.NoError(t, err)
	_, controls, found := strings.Cut(string(text), "\n## Controls\n")
	require.True(t, found)
	controls, _, _ = strings.Cut(controls, "\n## ")
	_, rows, found := strings.Cut(controls, "|---|---|\n")
	require.True(t, found)
	for row := range strings.Lines(strings.TrimSpace(rows)) {
		require.Regexp(t, named, row)
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)

func TestEveryLinkBetweenDocumentsLeadsSomewhere(t *testing.T) {
	documents := []string{"../../README.md", "../../CONTRIBUTING.md", "../../SECURITY.md", "../../load/README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/*/*.md"} {
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

var (
	where  = regexp.MustCompile(`(?m)^Where: .+$`)
	quoted = regexp.MustCompile("`([^`]+)`")
)

// A path without a folder belongs to the folder that was named before it.
func TestEveryDecisionNamesExistingCode(t *testing.T) {
	decisions, err := filepath.Glob("../../docs/decisions/*.md")
	require.NoError(t, err)
	checked := 0
	for _, decision := range decisions {
		text, err := os.ReadFile(decision)
		require.NoError(t, err)
		folder := ""
		for _, match := range quoted.FindAllSubmatch(where.Find(text), -1) {
			name := string(match[1])
			if !strings.ContainsAny(name, "/.") && strings.ToLower(name) != name {
				continue // an identifier
			}
			path := filepath.Join("../..", name)
			if !strings.Contains(name, "/") && strings.Contains(name, ".") {
				path = filepath.Join(folder, name)
			}
			found, err := filepath.Glob(path)
			require.NoError(t, err)
			require.NotEmpty(t, found, "%s names %s", decision, name)
			if folder = path; strings.Contains(filepath.Base(path), ".") {
				folder = filepath.Dir(path)
			}
			checked++
		}
	}
	require.Greater(t, checked, len(decisions))
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

var (
	flow = regexp.MustCompile(`(?m)^### (.+)$`)
	step = regexp.MustCompile("(?m)^\\d+\\. `([^`:]+): ([^`]+)`")
)

// A reader follows a flow from function to function, so each function must be in the file
// that the text names.
func TestFlowsNameExistingFunctions(t *testing.T) {
	const maxSteps = 15
	pages, err := filepath.Glob("../../docs/explanation/*.md")
	require.NoError(t, err)
	flows := 0
	for _, page := range append(pages, "../../docs/architecture.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		titles := flow.FindAllSubmatchIndex(text, -1)
		for i, at := range titles {
			end := len(text)
			if i+1 < len(titles) {
				end = titles[i+1][0]
			}
			flows++
			checkFlow(t, string(text[at[2]:at[3]]), step.FindAllStringSubmatch(string(text[at[1]:end]), -1), maxSteps)
		}
	}
	require.Equal(t, 4, flows)
}

// checkFlow fails if a step names a missing function or enters one file more than twice.
func checkFlow(t *testing.T, title string, steps [][]string, maxSteps int) {
	require.NotEmpty(t, steps, title)
	require.LessOrEqual(t, len(steps), maxSteps, title)
	entered := map[string]int{}
	for n, s := range steps {
		source, err := os.ReadFile(filepath.Join("../..", s[1]))
		require.NoError(t, err, title)
		declaration := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?` + regexp.QuoteMeta(s[2]) + `[(\[]|local function ` + regexp.QuoteMeta(s[2]) + `\()`)
		require.True(t, declaration.Match(source), "%s: %s has no function %s", title, s[1], s[2])
		if n == 0 || steps[n-1][1] != s[1] {
			entered[s[1]]++
		}
		require.LessOrEqual(t, entered[s[1]], 2, "%s: %s is entered a third time", title, s[1])
	}
}

var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```")

// The code of a guide is part of an example of the client, which a test runs.
func TestGoCodeOfGuidesIsInExamples(t *testing.T) {
	examples, err := filepath.Glob("../../client/example*_test.go")
	require.NoError(t, err)
	code := ""
	for _, example := range examples {
		text, err := os.ReadFile(example)
		require.NoError(t, err)
		code += string(text)
	}
	guides, err := filepath.Glob("../../docs/guides/*.md")
	require.NoError(t, err)
	blocks := 0
	for _, guide := range guides {
		text, err := os.ReadFile(guide)
		require.NoError(t, err)
		for _, block := range goBlock.FindAllSubmatch(text, -1) {
			require.Contains(t, code, string(block[1]), guide)
			blocks++
		}
	}
	require.NotZero(t, blocks)
}
