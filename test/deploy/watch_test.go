package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/tier"
)

const (
	rules      = "../../deploy/prometheus/alerts.yaml"
	dashboards = "../../deploy/grafana/dashboards/*.json"
)

func TestPrometheusAcceptsItsConfiguration(t *testing.T) {
	runPromtool(t, "check", "config", "../../deploy/prometheus/prometheus.yaml")
}

func TestEachAlertFiresAndStaysSilent(t *testing.T) {
	tier.Nightly(t)
	runPromtool(t, "test", "rules", "../../deploy/prometheus/alerts_test.yaml")
}

func runPromtool(t *testing.T, arguments ...string) {
	t.Helper()
	output, err := exec.Command(need(t, "promtool"), arguments...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// alert is one rule of alerts.yaml.
type alert struct{ name, runbook, severity string }

func alerts(t *testing.T) (found []alert) {
	t.Helper()
	for _, group := range at(t, readYAML(t, rules), "groups").([]any) {
		for _, rule := range at(t, group, "rules").([]any) {
			found = append(found, alert{
				at(t, rule, "alert").(string),
				at(t, rule, "annotations", "runbook_url").(string), at(t, rule, "labels", "severity").(string),
			})
		}
	}
	require.NotEmpty(t, found)
	return found
}

func TestEachAlertIsTriedAndHasARunbook(t *testing.T) {
	type verdict struct{ fires, silent bool }
	tried := map[string]verdict{}
	for _, test := range at(t, readYAML(t, "../../deploy/prometheus/alerts_test.yaml"), "tests").([]any) {
		for _, rule := range at(t, test, "alert_rule_test").([]any) {
			name := at(t, rule, "alertname").(string)
			v := tried[name]
			if len(list(at(t, rule, "exp_alerts"))) > 0 {
				v.fires = true
			} else {
				v.silent = true
			}
			tried[name] = v
		}
	}
	runbooks := regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(read(t, "../../docs/operations.md"), -1)
	for _, a := range alerts(t) {
		require.Equal(t, verdict{fires: true, silent: true}, tried[a.name], a.name)
		require.True(t, slices.ContainsFunc(runbooks, func(heading []string) bool { return heading[1] == a.name }), "docs/operations.md has no ### %s", a.name)
		require.Equal(t, "docs/operations.md#"+strings.ToLower(a.name), a.runbook)
		require.Contains(t, []string{"warning", "critical"}, a.severity)
	}
	require.Len(t, runbooks, len(alerts(t)), "a runbook for each alert, and no other")
}

// Grafana is not available here to parse the files, so the test checks the paths that they
// name.
func TestGrafanaFindsDashboardsAndDataSources(t *testing.T) {
	source := at(t, readYAML(t, "../../deploy/grafana/provisioning/datasources/prometheus.yaml"), "datasources", 0)
	require.Equal(t, "prometheus", at(t, source, "uid"), "the data source of the panels")
	require.Equal(t, "prometheus", at(t, source, "type"))
	services := readYAML(t, "../../deploy/compose.yaml")["services"].(object)
	// Prometheus listens on its default port, 9090.
	require.Equal(t, "http://prometheus:9090", at(t, source, "url"))
	require.NotContains(t, fmt.Sprint(at(t, services, "prometheus", "command")), "listen-address")

	folder := at(t, readYAML(t, "../../deploy/grafana/provisioning/dashboards/interlock.yaml"), "providers", 0, "options", "path").(string)
	mounted := at(t, services, "grafana", "volumes")
	require.Contains(t, mounted, "./grafana/dashboards:"+folder+":ro")
	require.Contains(t, mounted, "./grafana/provisioning:/etc/grafana/provisioning:ro")
}

// promtool parses the expressions of the dashboards like those of rules.
func TestEveryExpressionOfADashboardCanBeRead(t *testing.T) {
	files, err := filepath.Glob(dashboards)
	require.NoError(t, err)
	var rules []object
	for _, file := range files {
		var board struct {
			Panels []struct {
				Title      string
				Datasource struct{ UID string }
				Targets    []struct{ Expr string }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(read(t, file)), &board))
		require.NotEmpty(t, board.Panels, file)
		for _, panel := range board.Panels {
			require.Equal(t, "prometheus", panel.Datasource.UID, panel.Title)
			require.NotEmpty(t, panel.Targets, panel.Title)
			for _, target := range panel.Targets {
				rules = append(rules, object{"record": "a:b", "expr": target.Expr, "labels": object{"n": strings.Repeat("x", len(rules)+1)}})
			}
		}
	}
	text, err := json.Marshal(object{"groups": []object{{"name": "dashboards", "rules": rules}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "rules.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	runPromtool(t, "check", "rules", path)
}
