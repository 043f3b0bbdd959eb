// Command gen writes pages of the documentation from the declarations in the code.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"interlock/internal/app"
	"interlock/internal/base/status"
	"interlock/internal/edge/httpapi"
)

//go:generate go run .

const root = "../.."

// pages are the generated pages by their path under docs.
var pages = map[string]func() (string, error){
	"guarantees.md":         guarantees,
	"states.md":             states,
	"reference/errors.md":   errorCodes,
	"reference/settings.md": fromSources(settingsPage),
	"reference/metrics.md":  fromSources(metricsPage),
	"reference/logs.md":     fromSources(logsPage),
	"reference/events.md":   fromSources(eventsPage),
}

func main() {
	for path, page := range pages {
		text, err := page()
		if err == nil {
			err = os.WriteFile(filepath.Join(root, "docs", path), []byte(text), 0o600)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}

// fromSources returns a page that is made from the sources of the program.
func fromSources(page func(*sources) (string, error)) func() (string, error) {
	return func() (string, error) {
		s, err := parseSources(root, "internal", "cmd")
		if err != nil {
			return "", err
		}
		return page(s)
	}
}

const generated = "Written by `make generate` from the declarations in the code; a test fails when they differ.\n"

const preface = `# Status machines

` + generated + `
Of concurrent transitions from one status exactly one succeeds; the others get the winner's name. An action
marked _internal_ is executed by the program only.
`

func states() (string, error) {
	var b strings.Builder
	b.WriteString(preface)
	for _, d := range app.Declarations() {
		if d.Machine == nil {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n```mermaid\n%s```\n\n", strings.ToUpper(d.Name[:1])+d.Name[1:], d.Machine.Mermaid())
		b.WriteString("| action | from | to | |\n|---|---|---|---|\n")
		for _, action := range d.Machine.Actions {
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", action.Name, names(action.From), action.To.Name, mark(action))
		}
	}
	return b.String(), nil
}

func names(states []status.State) string {
	quoted := make([]string, len(states))
	for i, state := range states {
		quoted[i] = "`" + state.Name + "`"
	}
	return strings.Join(quoted, ", ")
}

func mark(action status.Action) string {
	if action.Internal {
		return "_internal_"
	}
	return ""
}

func errorCodes() (string, error) {
	var b strings.Builder
	b.WriteString("# Error codes\n\n" + generated + `
Every error reply is ` + "`application/problem+json`" + ` (RFC 9457) with one of these codes in its member
` + "`code`" + `. The service shows the same texts at ` + "`/problems/CODE`" + `, the address in the member ` + "`type`" + `.
`)
	for _, problem := range httpapi.Problems() {
		fmt.Fprintf(&b, "\n## `%s`\n\n**%d %s.** %s\n\n*Cause:* %s\n\n*Remedy:* %s\n",
			problem.Code, problem.Status, problem.Title, problem.Meaning, problem.Cause, problem.Remedy)
	}
	return b.String(), nil
}
