// Package deploy checks the files that deploy and monitor the service, without a container
// runtime or a cluster: that their tools can read them, that they reach every setting, and
// that they name only things that exist.
package deploy

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"interlock/internal/settings"
	"interlock/test/servers"
)

type object = map[string]any

// shutdown is the maximum time for the end of a process: the default of
// INTERLOCK_SHUTDOWN_TIMEOUT, after the INTERLOCK_SHUTDOWN_DELAY that compose and the chart
// set.
func shutdown(t *testing.T) time.Duration {
	t.Helper()
	field, ok := reflect.TypeFor[settings.Serve]().FieldByName("ShutdownTimeout")
	require.True(t, ok)
	timeout, err := time.ParseDuration(field.Tag.Get("default"))
	require.NoError(t, err)
	delay, err := time.ParseDuration(at(t, readYAML(t, chart+"/values.yaml"), "settings", "INTERLOCK_SHUTDOWN_DELAY").(string))
	require.NoError(t, err)
	require.Contains(t, read(t, "../../deploy/compose.yaml"), fmt.Sprintf("INTERLOCK_SHUTDOWN_DELAY:-%s}", delay))
	return timeout + delay
}

// variables returns the names of all settings in the environment.
func variables(t *testing.T) []string {
	t.Helper()
	var names []string
	var walk func(of reflect.Type)
	walk = func(of reflect.Type) {
		for i := range of.NumField() {
			field := of.Field(i)
			if name := field.Tag.Get("env"); name != "" {
				// If a setting has two names, the second one belongs to an older program.
				name, _, _ = strings.Cut(name, ",")
				names = append(names, name)
			} else if field.Type.Kind() == reflect.Struct {
				walk(field.Type)
			}
		}
	}
	walk(reflect.TypeFor[settings.Settings]())
	require.Greater(t, len(names), 30)
	slices.Sort(names)
	return names
}

func readYAML(t *testing.T, path string) object {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var value object
	require.NoError(t, yaml.Unmarshal(text, &value), path)
	return value
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func TestEveryDeploymentExposesEverySetting(t *testing.T) {
	var composed []string
	for _, variable := range at(t, readYAML(t, "../../deploy/compose.yaml"), "services", "interlock-1", "environment").([]any) {
		name, _, _ := strings.Cut(variable.(string), "=")
		composed = append(composed, name)
	}
	slices.Sort(composed)
	require.Equal(t, variables(t), composed, "deploy/compose.yaml")

	listed := regexp.MustCompile(`(?m)^#?(INTERLOCK_\w+)=`).FindAllStringSubmatch(read(t, "../../deploy/.env.example"), -1)
	var exampled []string
	for _, match := range listed {
		if name := match[1]; !slices.Contains([]string{"INTERLOCK_DATABASE_PASSWORD", "INTERLOCK_REDIS_PASSWORD", "INTERLOCK_GRAFANA_PASSWORD"}, name) {
			exampled = append(exampled, name)
		}
	}
	slices.Sort(exampled)
	require.Equal(t, variables(t), exampled, "deploy/.env.example, which the unit of systemd is set by too")

	var schema struct {
		Properties struct {
			Settings, Secrets struct{ Properties map[string]any }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read(t, chart+"/values.schema.json")), &schema))
	var charted []string
	for name := range schema.Properties.Settings.Properties {
		charted = append(charted, name)
	}
	for name := range schema.Properties.Secrets.Properties {
		charted = append(charted, name)
	}
	slices.Sort(charted)
	require.Equal(t, variables(t), charted, "the chart's values")
}

func TestDeploymentsHaveNoDefaultPassword(t *testing.T) {
	compose := readYAML(t, "../../deploy/compose.yaml")
	secret := regexp.MustCompile(`(?i)password|secret|_keys|auth`)
	demanded := regexp.MustCompile(`\$\{INTERLOCK_\w+:\?`)
	for name, service := range compose["services"].(object) {
		image, _ := service.(object)["image"].(string)
		require.Regexp(t, `:[^:]+$`, image, "%s has a version", name)
		require.NotContains(t, image, ":latest")
		for _, variable := range pairs(service.(object)["environment"]) {
			if secret.MatchString(variable[0]) && variable[1] != "" && variable[0] != "MARIADB_RANDOM_ROOT_PASSWORD" {
				require.Regexp(t, demanded, variable[1], "%s %s", name, variable[0])
			}
		}
		for _, published := range list(service.(object)["ports"]) {
			require.Regexp(t, `^127\.0\.0\.1:`, published, "the operator decides on reachable addresses")
		}
	}
	for _, match := range regexp.MustCompile(`(?m)^(INTERLOCK_\w+)=(.*)$`).FindAllStringSubmatch(read(t, "../../deploy/.env.example"), -1) {
		require.Empty(t, match[2], match[1])
	}
}

// pairs returns the variables of a service, written as a list or as a map.
func pairs(environment any) (found [][2]string) {
	switch environment := environment.(type) {
	case []any:
		for _, variable := range environment {
			name, value, _ := strings.Cut(variable.(string), "=")
			found = append(found, [2]string{name, value})
		}
	case object:
		for name, value := range environment {
			found = append(found, [2]string{name, value.(string)})
		}
	}
	return found
}

func list(value any) []any {
	l, _ := value.([]any)
	return l
}

func TestComposeReplicasAreHardenedAndStopInTime(t *testing.T) {
	services := readYAML(t, "../../deploy/compose.yaml")["services"].(object)
	for _, name := range []string{"migrate", "interlock-1", "interlock-2", "backup"} {
		service := services[name].(object)
		require.Equal(t, true, service["read_only"], name)
		require.Equal(t, []any{"ALL"}, service["cap_drop"], name)
		grace, err := time.ParseDuration(service["stop_grace_period"].(string))
		require.NoError(t, err)
		require.Greater(t, grace, shutdown(t), name)
	}
	for _, name := range []string{"interlock-1", "interlock-2"} {
		require.Equal(t, object{"condition": "service_completed_successfully"}, at(t, services, name, "depends_on", "migrate"))
		require.Contains(t, read(t, "../../deploy/haproxy/haproxy.cfg"), "server "+name+" "+name+":8080")
		require.Contains(t, read(t, "../../deploy/prometheus/prometheus.yaml"), name+":9090")
	}
	// Every mounted file exists.
	for name, service := range services {
		for _, volume := range list(service.(object)["volumes"]) {
			if source, _, _ := strings.Cut(volume.(string), ":"); strings.HasPrefix(source, ".") {
				_, err := os.Stat(filepath.Join("../../deploy", source))
				require.NoError(t, err, name)
			}
		}
	}
}

func TestImageIsStaticAndUnprivileged(t *testing.T) {
	text := read(t, "../../deploy/Dockerfile")
	for _, want := range []string{"CGO_ENABLED=0", "-trimpath", "-buildvcs=false", "-buildid=", "USER 65532:65532", "distroless/static"} {
		require.Contains(t, text, want)
	}
	stages := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(text, -1)
	for _, stage := range stages {
		require.Contains(t, stage[1], ":", "a base image has a version")
	}
	last := text[strings.LastIndex(text, "\nFROM "):]
	require.NotContains(t, last, "\nRUN ", "no shell exists")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(read(t, "../../go.mod"))[1]
	require.Contains(t, text, "golang:"+version+"-")
}

// units are the services of systemd in deploy, with a part of the text of what they start.
var units = map[string]string{"interlock.service": "serve", "interlock-backup.service": "backup /var/lib/interlock-backups --keep 14"}

// directives reads a file of systemd.
func directives(t *testing.T, file string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, match := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(read(t, "../../deploy/systemd/"+file), -1) {
		found[match[1]] = match[2]
	}
	return found
}

func TestSystemdUnitsAreHardenedAndStopInTime(t *testing.T) {
	for file := range units {
		unit := directives(t, file)
		for name, want := range map[string]string{
			"DynamicUser": "yes", "NoNewPrivileges": "yes", "ProtectSystem": "strict", "ProtectHome": "yes", "PrivateDevices": "yes",
			"MemoryDenyWriteExecute": "yes", "CapabilityBoundingSet": "", "UMask": "0077", "EnvironmentFile": "-/etc/interlock/interlock.env",
		} {
			got, has := unit[name]
			require.True(t, has, name)
			require.Equal(t, want, got, name)
		}
	}
	service := directives(t, "interlock.service")
	stop, err := time.ParseDuration(service["TimeoutStopSec"] + "s")
	require.NoError(t, err)
	require.Greater(t, stop, shutdown(t))

	backup := directives(t, "interlock-backup.service")
	require.Equal(t, "interlock", backup["User"], "the dynamic user of interlock.service, which has its name")
	require.Equal(t, service["StateDirectory"]+" interlock-backups", backup["StateDirectory"])
	require.Equal(t, "*-*-* 03:00:00", directives(t, "interlock-backup.timer")["OnCalendar"])
}

// maxExposure is the maximum exposure that systemd may report for the service, in tenths of
// its scale of 10. systemd rates up to 2.0 as OK; a unit without hardening has 9.6.
const maxExposure = "20"

func TestSystemdTakesTheUnitsAndFindsThemHardened(t *testing.T) {
	systemd, folder := need(t, "systemd-analyze"), t.TempDir()
	for file, starts := range units {
		// What the unit starts is not installed here.
		text := strings.Replace(read(t, "../../deploy/systemd/"+file), "ExecStart=/usr/local/bin/interlock ", "ExecStart=/bin/true ", 1)
		require.Contains(t, text, "ExecStart=/bin/true "+starts)
		unit := filepath.Join(folder, file)
		require.NoError(t, os.WriteFile(unit, []byte(text), 0o600))
		verify(t, systemd, unit)
		output, err := exec.Command(systemd, "security", "--offline=true", "--threshold="+maxExposure, unit).CombinedOutput()
		require.NoError(t, err, "%s", output)
	}
	timer := filepath.Join(folder, "interlock-backup.timer")
	require.NoError(t, os.WriteFile(timer, []byte(read(t, "../../deploy/systemd/interlock-backup.timer")), 0o600))
	verify(t, systemd, timer)
}

func verify(t *testing.T, systemd, unit string) {
	t.Helper()
	output, err := exec.Command(systemd, "verify", unit).CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.NotContains(t, string(output), filepath.Base(unit), "systemd warns of a word that it does not know, and continues")
}

// need returns a program that test/tools/deploy.sh installs.
func need(t *testing.T, name string) string {
	t.Helper()
	servers.Uncached()
	return servers.Program(t, name, "run test/tools/deploy.sh (on Debian and Ubuntu it installs haproxy, prometheus and systemd)")
}

func TestHAProxyAcceptsItsConfiguration(t *testing.T) {
	output, err := exec.Command(need(t, "haproxy"), "-c", "-f", "../../deploy/haproxy/haproxy.cfg").CombinedOutput()
	require.NoError(t, err, "%s", output)
}
