package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsAreFoundInTextsAndNotInCode(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		found         []string
	}{
		"comment of Go":         {"a.go", "package a\n\n// A says what it keeps.\nvar a = 1\n", []string{"says", "what", "keeps"}},
		"error of Go":           {"a.go", "package a\n\nvar a = \"nobody answered\"\n", []string{"nobody", "answered"}},
		"code of Go":            {"a.go", "package a\n\nvar what = says(\"kept\")\n", nil},
		"text of a test":        {"a_test.go", "package a\n\nvar a = \"nobody answered\"\n", nil},
		"name of a test":        {"a_test.go", "package a\n\nfunc TestNobodyIsTold() {}\n", []string{"Nobody", "Told"}},
		"identifier":            {"a.go", "package a\n\ntype ReplyKeeper struct{ askedTime int }\n", []string{"Keeper", "asked"}},
		"comment of TypeScript": {"a.ts", "/** What a tab tells. */\nconst a = 'whose';\n", []string{"What", "tells"}},
		"name of TypeScript":    {"a.ts", "export const draftKept = 1;\n", []string{"Kept"}},
		"catalogue":             {"messages.ts", "export const messages = {\n  gone: 'Nobody knows',\n};\n", []string{"Nobody"}},
		"Markdown":              {"a.md", "It is kept `gone`.\n```\nwhat\n```\nAnew.\n", []string{"kept", "Anew"}},
		"SQL":                   {"a.sql", "-- whose row\nSELECT 'what'\n", []string{"whose"}},
		"term of the field":     {"a.go", "package a\n\n// The worker holds the lock and places an order; connection refused.\nvar a = 1\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			prose, names := newMatcher(rules), newMatcher(nameRules)
			texts, err := textsOf(c.file, c.content)
			require.NoError(t, err)
			var found []string
			for _, text := range texts {
				matcher := prose
				if text.isIdentifier {
					matcher = names
				}
				for _, h := range matcher.find(text.content) {
					require.NotEmpty(t, h.replacement)
					found = append(found, h.word)
				}
			}
			require.ElementsMatch(t, c.found, found)
		})
	}
}

func TestBudgetsOnlyFall(t *testing.T) {
	hits := map[string][]hit{"a": make([]hit, 3), "b": make([]hit, 9), "c": make([]hit, 1)}
	require.Equal(t, "a 3\nb 5\n", lowered(map[string]int{"a": 4, "b": 5, "gone": 2}, hits))
}
