// Command gen writes docs/states.md from the status machines, so that the diagrams
// are those of the program.
package main

import (
	"fmt"
	"os"
	"strings"

	"interlock/internal/approvals"
	"interlock/internal/base/status"
	"interlock/internal/coupons"
	"interlock/internal/flashsale"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/workorders"
)

//go:generate go run . ../states.md

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], []byte(states()), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

const preface = `# Status machines

Written by ` + "`make generate`" + ` from the declarations in the code; a test fails when they differ.

Of transitions that race from one status exactly one wins, and the others are told who it was. An action marked
_internal_ is taken by the program and never offered to a caller.
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
