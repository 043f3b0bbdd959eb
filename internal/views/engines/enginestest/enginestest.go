// Package enginestest checks the findings of package engines in tests.
package enginestest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/views/engines"
)

// Inspect returns the report of a probe and checks its sentences. A probe without a clock uses
// the system clock.
func Inspect(t *testing.T, p engines.Probe) engines.Report {
	t.Helper()
	if p.Clock == nil {
		p.Clock = clock.System{}
	}
	report := p.Inspect(t.Context())
	RequireSentences(t, report.Findings)
	return report
}

// About returns the finding with a name, and fails the test if there is none.
func About(t *testing.T, findings []engines.Finding, name string) engines.Finding {
	t.Helper()
	for _, f := range findings {
		if f.Name == name {
			return f
		}
	}
	require.FailNow(t, "no finding has the name "+name)
	return engines.Finding{}
}

// RequireSentences fails the test unless each finding consists of sentences. A finding at
// level OK recommends nothing.
func RequireSentences(t *testing.T, findings []engines.Finding) {
	t.Helper()
	for _, f := range findings {
		require.Regexp(t, `^[A-Z0-9].*\.$`, f.Says, f.Name)
		require.NotContains(t, f.Says, "%!", f.Name)
		require.NotEmpty(t, f.Level, f.Name)
		if f.Level == engines.OK {
			require.Empty(t, f.Want, f.Name)
		}
	}
}
