package e2e_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"interlock/test/apptest"
)

// metricName matches the name of a metric in a Prometheus expression.
var metricName = regexp.MustCompile(`\b((?:interlock|go|process|promhttp)_[a-z0-9_]+)\b`)

func TestEveryMetricThatIsWatchedIsMeasured(t *testing.T) {
	measured := map[string]bool{}
	for _, name := range apptest.Start(t, apptest.Settings(t.TempDir())).Services().Metrics.Names() {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			measured[name+suffix] = true
		}
	}
	require.True(t, measured["interlock_units_total"])
	require.False(t, measured["interlock_unit_total"])

	text, err := os.ReadFile("../../deploy/prometheus/alerts.yaml")
	require.NoError(t, err)
	var alerts struct {
		Groups []struct{ Rules []struct{ Expr string } }
	}
	require.NoError(t, yaml.Unmarshal(text, &alerts))
	var expressions []string
	for _, group := range alerts.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	require.NotEmpty(t, expressions)
	files, err := filepath.Glob("../../deploy/grafana/dashboards/*.json")
	require.NoError(t, err)
	require.Len(t, files, 4)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var board struct {
			Panels []struct {
				Title      string
				Datasource struct{ UID string }
				Targets    []struct{ Expr string }
			}
		}
		require.NoError(t, json.Unmarshal(text, &board), file)
		require.NotEmpty(t, board.Panels, file)
		for _, panel := range board.Panels {
			require.Equal(t, "prometheus", panel.Datasource.UID, panel.Title)
			require.NotEmpty(t, panel.Targets, panel.Title)
			for _, target := range panel.Targets {
				expressions = append(expressions, target.Expr)
			}
		}
	}
	for _, expression := range expressions {
		require.NotEmpty(t, expression)
		for _, match := range metricName.FindAllString(expression, -1) {
			require.True(t, measured[match], "/metrics does not contain %s, which is used by %s", match, expression)
		}
	}
}
