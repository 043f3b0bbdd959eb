package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// metricName matches the name of a metric in a Prometheus expression.
var metricName = regexp.MustCompile(`\b(?:interlock|go|process|promhttp)_[a-z0-9_]+\b`)

func TestEveryMetricThatIsWatchedIsMeasured(t *testing.T) {
	measured := map[string]bool{}
	for _, name := range apptest.Start(t, apptest.Settings(t.TempDir())).Services().Metrics.Names() {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			measured[name+suffix] = true
		}
	}
	require.True(t, measured["interlock_units_total"])
	require.False(t, measured["interlock_unit_total"])

	files, err := filepath.Glob("../../deploy/grafana/dashboards/*.json")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range append(files, "../../deploy/prometheus/alerts.yaml") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		watched := metricName.FindAllString(string(text), -1)
		require.NotEmpty(t, watched, file)
		for _, name := range watched {
			require.True(t, measured[name], "%s uses %s, which /metrics does not contain", file, name)
		}
	}
}
