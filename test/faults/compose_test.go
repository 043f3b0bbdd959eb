package faults_test

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// stack runs the services of deploy/compose.yaml as processes, with the same programs,
// arguments, environments and files. It replaces a container's name, port or folder by an
// address or a folder of this machine. The programs are those installed here, in other
// versions than the images. Grafana is not included, because Debian has no package of it.
type stack struct {
	services map[string]service
	// settings are the variables of deploy/.env.
	settings map[string]string
	// places are pairs of a name in a container and its replacement.
	places [][2]string
	used   map[string]bool

	database                     *mariadb
	redis, haproxy, prometheus   *process
	replicas                     []*process
	front, prometheusAt, redisAt string
}

// readDeployed reads a file of deploy/.
func readDeployed(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/" + name)
	require.NoError(t, err)
	return string(text)
}

// service is the part of a compose service that the tests use.
type service struct {
	Command     []string
	Environment environmentOf
	StopGrace   string `yaml:"stop_grace_period"`
	Healthcheck struct{ Test []string }
}

// environmentOf is an environment in the form of a list or a map.
type environmentOf []string

func (e *environmentOf) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return node.Decode((*[]string)(e))
	}
	var pairs map[string]string
	if err := node.Decode(&pairs); err != nil {
		return err
	}
	for name, value := range pairs {
		*e = append(*e, name+"="+value)
	}
	return nil
}

func readStack(t *testing.T) *stack {
	t.Helper()
	var file struct{ Services map[string]service }
	require.NoError(t, yaml.Unmarshal([]byte(readDeployed(t, "compose.yaml")), &file))
	return &stack{services: file.Services, settings: madeSettings(t), used: map[string]bool{}}
}

// madeSettings fills in the settings that deploy/.env.example leaves empty, following its
// instructions.
func madeSettings(t *testing.T) map[string]string {
	t.Helper()
	settings := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(INTERLOCK_\w+)=(.*)$`).FindAllStringSubmatch(readDeployed(t, ".env.example"), -1) {
		settings[line[1]] = rand.Text()
	}
	require.Len(t, settings, 5)
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	settings["INTERLOCK_ENCRYPTION_KEYS"] = "main:" + base64.StdEncoding.EncodeToString(key)
	return settings
}

// variable matches a Compose variable: ${NAME:?instruction} or ${NAME:-default}.
var variable = regexp.MustCompile(`\$\{(\w+):([?-])([^}]*)\}`)

// fill replaces the variables of a text and the names of containers.
func (s *stack) fill(t *testing.T, text string) string {
	t.Helper()
	text = variable.ReplaceAllStringFunc(text, func(found string) string {
		parts := variable.FindStringSubmatch(found)
		value := s.settings[parts[1]]
		if value == "" && parts[2] == "-" {
			return parts[3]
		}
		require.NotEmpty(t, value, found)
		return value
	})
	require.NotContains(t, text, "${")
	for _, place := range s.places {
		s.used[place[0]] = s.used[place[0]] || strings.Contains(text, place[0])
		text = strings.ReplaceAll(text, place[0], place[1])
	}
	return text
}

// place adds the replacement of a container's name.
func (s *stack) place(inside, here string) { s.places = append(s.places, [2]string{inside, here}) }

func (s *stack) arguments(t *testing.T, of string) []string {
	t.Helper()
	var filled []string
	for _, argument := range s.services[of].Command {
		filled = append(filled, s.fill(t, argument))
	}
	require.NotEmpty(t, filled, of)
	return filled
}

// environment returns the environment of a service: that of the image, overridden and
// extended by compose, and then by more. A variable without a value has the value from
// .env, if it is set there.
func (s *stack) environment(t *testing.T, of string, more ...string) []string {
	t.Helper()
	image := regexp.MustCompile(`(?m)^ENV (.*)$`).FindStringSubmatch(readDeployed(t, "Dockerfile"))
	require.NotNil(t, image)
	values := map[string]string{}
	for _, variable := range slices.Concat(strings.Fields(image[1]), s.services[of].Environment, more) {
		name, value, has := strings.Cut(variable, "=")
		if !has {
			if value, has = s.settings[name]; !has {
				continue
			}
		}
		values[name] = value
	}
	var filled []string
	for name, value := range values {
		filled = append(filled, s.fill(t, name+"="+value))
	}
	return filled
}

// grace is the time that Compose waits for the end of a service.
func (s *stack) grace(t *testing.T, of string) time.Duration {
	t.Helper()
	if s.services[of].StopGrace == "" {
		return 10 * time.Second
	}
	grace, err := time.ParseDuration(s.services[of].StopGrace)
	require.NoError(t, err)
	return grace
}

// up starts all services in the order of their dependencies.
func (s *stack) up(t *testing.T) {
	t.Helper()
	s.startDatabase(t)
	s.startRedis(t)
	s.place("172.30.77.0/24", "127.0.0.0/8")
	s.place("=/data", "="+t.TempDir())

	migrate := exec.Command(programPath, s.arguments(t, "migrate")...)
	migrate.Env = s.environment(t, "migrate")
	output, err := migrate.CombinedOutput()
	require.NoError(t, err, "%s", output)

	var addresses, operators []string
	for _, name := range []string{"interlock-1", "interlock-2"} {
		require.Empty(t, s.services[name].Command, "the image's own command")
		address, ops := freeAddress(t), freeAddress(t)
		require.Subset(t, s.environment(t, name), []string{"INTERLOCK_ADDR=0.0.0.0:8080", "INTERLOCK_OPS_ADDR=0.0.0.0:9090"})
		command := exec.Command(programPath, "serve")
		command.Env = s.environment(t, name, "INTERLOCK_ADDR="+address, "INTERLOCK_OPS_ADDR="+ops)
		s.replicas = append(s.replicas, start(t, command))
		addresses, operators = append(addresses, address), append(operators, ops)
	}
	s.haproxy, s.front = startHAProxy(t, addresses...)
	s.startPrometheus(t, operators)
	for _, replica := range s.replicas {
		require.Eventually(t, func() bool { return replica.serves() || replica.hasEnded() }, patience, 20*time.Millisecond, "a replica did not start")
		require.False(t, replica.hasEnded(), "%s", replica.output)
	}
	for _, place := range s.places {
		require.True(t, s.used[place[0]], "nothing is reported of %s", place[0])
	}
}

// startDatabase starts MariaDB and creates the database and its user, as the image does
// from its environment.
func (s *stack) startDatabase(t *testing.T) {
	t.Helper()
	s.database = newMariaDB(t, s.arguments(t, "database")...)
	values := map[string]string{}
	for _, variable := range s.services["database"].Environment {
		name, value, _ := strings.Cut(s.fill(t, variable), "=")
		values[name] = value
	}
	pool := s.database.connect(t)
	for _, statement := range []string{
		"DROP DATABASE interlock",
		fmt.Sprintf("CREATE DATABASE `%s`", values["MARIADB_DATABASE"]),
		fmt.Sprintf("CREATE USER '%s'@'%%' IDENTIFIED BY '%s'", values["MARIADB_USER"], values["MARIADB_PASSWORD"]),
		fmt.Sprintf("GRANT ALL ON `%s`.* TO '%s'@'%%'", values["MARIADB_DATABASE"], values["MARIADB_USER"]),
	} {
		_, err := pool.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	s.place("@database:3306/", "@"+s.database.address+"/")
}

func (s *stack) startRedis(t *testing.T) {
	t.Helper()
	command := s.arguments(t, "redis")
	s.redisAt = freeAddress(t)
	_, port, err := net.SplitHostPort(s.redisAt)
	require.NoError(t, err)
	s.redis = start(t, exec.Command(find(t, command[0]), append(command[1:], "--bind", "127.0.0.1", "--port", port, "--dir", t.TempDir())...))
	s.place("@redis:6379/", "@"+s.redisAt+"/")

	check := s.services["redis"].Healthcheck.Test
	require.Equal(t, "CMD", check[0])
	require.Eventually(t, func() bool {
		healthy := exec.Command(find(t, check[1]), append([]string{"-p", port}, check[2:]...)...)
		healthy.Env = []string{s.fill(t, s.services["redis"].Environment[0])}
		output, err := healthy.Output()
		return err == nil && strings.TrimSpace(string(output)) == "PONG"
	}, patience, 20*time.Millisecond, "Redis is not healthy")
}

// startPrometheus starts Prometheus with the configuration and the rules of
// deploy/prometheus.
func (s *stack) startPrometheus(t *testing.T, replicas []string) {
	t.Helper()
	home := t.TempDir()
	configuration := readDeployed(t, "prometheus/prometheus.yaml")
	for i, address := range replicas {
		target := fmt.Sprintf("interlock-%d:9090", i+1)
		require.Contains(t, configuration, target)
		configuration = strings.Replace(configuration, target, address, 1)
	}
	require.NoError(t, os.WriteFile(filepath.Join(home, "prometheus.yaml"), []byte(configuration), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "alerts.yaml"), []byte(readDeployed(t, "prometheus/alerts.yaml")), 0o600))
	s.place("/etc/prometheus/", home+"/")
	s.place("=/prometheus", "="+filepath.Join(home, "data"))
	s.prometheusAt = freeAddress(t)
	arguments := append(s.arguments(t, "prometheus"), "--web.listen-address="+s.prometheusAt)
	require.True(t, slices.Contains(arguments, "--config.file="+home+"/prometheus.yaml"))
	s.prometheus = start(t, exec.Command(find(t, "prometheus"), arguments...))
}

// down stops all services in the reverse order of their dependencies, each within its grace
// time.
func (s *stack) down(t *testing.T) {
	t.Helper()
	for _, p := range append([]*process{s.haproxy, s.prometheus}, s.replicas...) {
		p.signal(syscall.SIGTERM)
	}
	// HAProxy ends by the signal.
	s.haproxy.exitCode(t, s.grace(t, "haproxy"))
	require.Equal(t, syscall.SIGTERM, s.haproxy.command.ProcessState.Sys().(syscall.WaitStatus).Signal())
	require.Zero(t, s.prometheus.exitCode(t, s.grace(t, "prometheus")))
	for i, replica := range s.replicas {
		require.Zero(t, replica.exitCode(t, s.grace(t, fmt.Sprintf("interlock-%d", i+1))))
	}
	s.redis.signal(syscall.SIGTERM)
	require.Zero(t, s.redis.exitCode(t, s.grace(t, "redis")))
	require.NoError(t, s.database.command.Process.Signal(syscall.SIGTERM))
	select {
	case <-s.database.ended:
		require.True(t, s.database.command.ProcessState.Success(), "MariaDB")
	case <-time.After(s.grace(t, "database")):
		require.Fail(t, "MariaDB did not end in its time")
	}
}
