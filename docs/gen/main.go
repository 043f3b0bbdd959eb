// Command gen writes a page of the documentation from the declarations in the code: the
// status machines, or the error codes.
package main

import (
	"fmt"
	"os"
	"strings"

	"interlock/internal/approvals"
	"interlock/internal/base/status"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/workorders"
)

//go:generate go run . states ../states.md
//go:generate go run . errors ../reference/errors.md

var pages = map[string]func() string{"states": states, "errors": errorCodes}

func main() {
	if len(os.Args) != 3 || pages[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: gen states|errors FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[2], []byte(pages[os.Args[1]]()), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

const generated = "Written by `make generate` from the declarations in the code; a test fails when they differ.\n"

const preface = `# Status machines

` + generated + `
Of concurrent transitions from one status exactly one succeeds; the others get the winner's name. An action
marked _internal_ is executed by the program only.
`

func states() string {
	machines := []struct {
		title, declared string
		machine         *status.Machine
	}{
		{"Orders", "internal/orders/status.go", orders.Machine},
		{"Refunds", "internal/refunds/status.go", refunds.Machine},
		{"Work orders", "internal/workorders/status.go", workorders.Machine},
		{"Flash sales", "internal/flashsale/status.go", flashsale.Machine},
		{"Coupons", "internal/coupons/status.go", coupons.Machine},
		{"Approvals", "internal/approvals/status.go", approvals.Machine},
	}
	var b strings.Builder
	b.WriteString(preface)
	for _, m := range machines {
		fmt.Fprintf(&b, "\n## %s\n\nDeclared in `%s`.\n\n```mermaid\n%s```\n\n", m.title, m.declared, m.machine.Mermaid())
		b.WriteString("| action | from | to | |\n|---|---|---|---|\n")
		for _, action := range m.machine.Actions {
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s |\n", action.Name, names(action.From), action.To.Name, mark(action))
		}
	}
	return b.String()
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

func errorCodes() string {
	var b strings.Builder
	b.WriteString("# Error codes\n\n" + generated + `
Every error reply is ` + "`application/problem+json`" + ` (RFC 9457) with one of these codes in its member
` + "`code`" + `. The service shows the same texts at ` + "`/problems/CODE`" + `, the address in the member ` + "`type`" + `.
`)
	for _, problem := range httpapi.Problems() {
		fmt.Fprintf(&b, "\n## `%s`\n\n**%d %s.** %s\n\n*Cause:* %s\n\n*Remedy:* %s\n",
			problem.Code, problem.Status, problem.Title, problem.Meaning, problem.Cause, problem.Remedy)
	}
	return b.String()
}
