package settings_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
)

type command struct {
	settings.Storage `embed:""`
	settings.Log     `embed:""`
	settings.Serve   `embed:""`
}

func parse(t *testing.T, arguments ...string) (command, error) {
	t.Helper()
	var c command
	parser, err := kong.New(&c, kong.Exit(func(int) {}))
	require.NoError(t, err)
	_, err = parser.Parse(arguments)
	return c, err
}

func TestDefaultsAreEmbeddedServiceOnLoopback(t *testing.T) {
	c, err := parse(t)
	require.NoError(t, err)
	require.Equal(t, "sqlite://data/interlock.db", c.URL())
	path, embedded := c.SQLitePath()
	require.True(t, embedded)
	require.Equal(t, "data/interlock.db", path)
	require.Equal(t, "127.0.0.1:8080", c.Addr)
	require.Empty(t, c.Currency, "the stored one, or CNY at the first start")
}

func TestRateLimitsAreOnByDefault(t *testing.T) {
	c, err := parse(t)
	require.NoError(t, err)
	for name, limit := range map[string]int{
		"sign-ins": c.SignInLimit, "a principal": c.RateLimit, "a tenant": c.TenantRateLimit, "streams": c.MaxStreams, "connections": c.MaxClients,
	} {
		require.Positive(t, limit, name)
	}
	c, err = parse(t, "--sign-in-limit=0", "--rate-limit=0", "--tenant-rate-limit=0", "--max-streams=0", "--max-clients=0")
	require.NoError(t, err)
	require.Zero(t, c.SignInLimit+c.RateLimit+c.TenantRateLimit+c.MaxStreams+c.MaxClients)
}

func TestEnvironmentAppliesWithoutFlag(t *testing.T) {
	t.Setenv("INTERLOCK_DATABASE_URL", "mysql://u:p@db:3306/interlock")
	t.Setenv("INTERLOCK_TRUSTED_PROXIES", "10.0.0.0/8,192.168.0.7,fd00::7")
	t.Setenv("INTERLOCK_ROLE", "worker")
	c, err := parse(t, "--role", "api")
	require.NoError(t, err)
	require.Equal(t, "mysql://u:p@db:3306/interlock", c.URL())
	require.Equal(t, "api", c.Role)
	networks, err := c.ProxyNetworks()
	require.NoError(t, err)
	require.Equal(t, "[10.0.0.0/8 192.168.0.7/32 fd00::7/128]", fmt.Sprint(networks))
}

func TestSecretComesFromTextOrFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(" a secret of thirty-two bytes or more \r\n"), 0o600))
	t.Setenv("INTERLOCK_ADMIN_PASSWORD_FILE", file)
	t.Setenv("INTERLOCK_CUSTOMER_JWT_SECRET_FILE", file)
	c, err := parse(t)
	require.NoError(t, err)
	password, err := c.Password()
	require.NoError(t, err)
	require.Equal(t, " a secret of thirty-two bytes or more ", password, "only the end of its line is left out")
	secret, weak, err := c.CustomerSecret()
	require.NoError(t, err)
	require.Equal(t, password, secret)
	require.False(t, weak)
	password, err = settings.FirstAdminOfEnvironment().Password()
	require.NoError(t, err)
	require.Equal(t, secret, password)

	c, err = parse(t, "--admin-password=p", "--customer-jwt-secret=s")
	require.NoError(t, err)
	_, err = c.Password()
	require.ErrorContains(t, err, "INTERLOCK_ADMIN_PASSWORD_FILE are both set")
	_, _, err = c.CustomerSecret()
	require.ErrorContains(t, err, "INTERLOCK_CUSTOMER_JWT_SECRET_FILE are both set")
	_, err = parse(t, "--customer-jwks-url=https://shop.example/keys")
	require.ErrorContains(t, err, "choose one way")

	_, err = settings.FirstAdmin{AdminPasswordFile: "/dev/zero"}.Password()
	require.ErrorContains(t, err, "too large")
	_, err = settings.FirstAdmin{AdminPasswordFile: t.TempDir()}.Password()
	require.ErrorContains(t, err, "cannot be read")
}

func TestShortSecretNeedsInsecureDevelopment(t *testing.T) {
	c, err := parse(t, "--customer-jwt-secret=short")
	require.NoError(t, err)
	_, _, err = c.CustomerSecret()
	require.ErrorContains(t, err, "has 5 bytes")
	require.NotContains(t, err.Error(), "short")
	c, err = parse(t, "--customer-jwt-secret=short", "--insecure-development")
	require.NoError(t, err)
	secret, weak, err := c.CustomerSecret()
	require.NoError(t, err)
	require.Equal(t, "short", secret)
	require.True(t, weak)
}

func TestInvalidValueIsNamedInError(t *testing.T) {
	cases := map[string][2]string{
		"--database-url=postgres://h/db":            {"INTERLOCK_DATABASE_URL", "sqlite:// or mysql://"},
		"--max-connections=1":                       {"INTERLOCK_MAX_CONNECTIONS", "2 to 1000"},
		"--max-connections=many":                    {"--max-connections", "int"},
		"--addr=8080":                               {"INTERLOCK_ADDR", "HOST:PORT"},
		"--redis-url=localhost:6379":                {"INTERLOCK_REDIS_URL", "redis://"},
		"--trusted-proxies=proxy.example":           {"INTERLOCK_TRUSTED_PROXIES", "10.0.0.0/8"},
		"--public-url=admin.example":                {"INTERLOCK_PUBLIC_URL", "https://"},
		"--public-url=http://admin.example":         {"INTERLOCK_PUBLIC_URL", "of this machine"},
		"--public-url=https://admin.example/x":      {"INTERLOCK_PUBLIC_URL", "without a path"},
		"--customer-jwks-url=keys.json":             {"INTERLOCK_CUSTOMER_JWKS_URL", "https://"},
		"--customer-jwks-url=http://shop.example/k": {"INTERLOCK_CUSTOMER_JWKS_URL", "on this machine"},
		"--session-lifetime=1s":                     {"INTERLOCK_SESSION_LIFETIME", "a minute"},
		"--session-idle=1m":                         {"INTERLOCK_SESSION_IDLE", "five minutes"},
		"--idempotency-retention=1s":                {"INTERLOCK_IDEMPOTENCY_RETENTION", "a minute"},
		"--idempotency-retention-critical=1s":       {"INTERLOCK_IDEMPOTENCY_RETENTION_CRITICAL", "a minute"},
		"--idempotency-quota=-1":                    {"INTERLOCK_IDEMPOTENCY_QUOTA", "0 or more"},
		"--ops-addr=9090":                           {"INTERLOCK_OPS_ADDR", "HOST:PORT"},
		"--tls-cert=/tmp/cert.pem":                  {"INTERLOCK_TLS_KEY", "must both be set, or neither"},
		"--sign-in-limit=-1":                        {"INTERLOCK_SIGN_IN_LIMIT", "0 or more"},
		"--tenant-rate-limit=-1":                    {"INTERLOCK_TENANT_RATE_LIMIT", "0 or more"},
		"--max-streams=-1":                          {"INTERLOCK_MAX_STREAMS", "0 or more"},
		"--max-clients=-1":                          {"INTERLOCK_MAX_CLIENTS", "0 or more"},
		"--rate-limit=-1":                           {"INTERLOCK_RATE_LIMIT", "0 or more"},
		"--currency=XYZ":                            {"INTERLOCK_CURRENCY", "ISO 4217"},
		"--currency=eur":                            {"INTERLOCK_CURRENCY", "capital letters"},
		"--promise-share=101":                       {"INTERLOCK_PROMISE_SHARE", "from 0 to 100"},
		"--shutdown-timeout=0s":                     {"INTERLOCK_SHUTDOWN_TIMEOUT", "more than 0"},
		"--shutdown-delay=-1s":                      {"INTERLOCK_SHUTDOWN_DELAY", "must be 0 or more"},
		"--log-level=loud":                          {"--log-level", "debug"},
		"--role=boss":                               {"--role", "worker"},
		"--otlp-endpoint=collector.host:1":          {"INTERLOCK_OTLP_ENDPOINT", "http"},
	}
	for argument, want := range cases {
		_, err := parse(t, argument)
		require.Error(t, err, argument)
		require.Contains(t, err.Error(), want[0], argument)
		require.Contains(t, err.Error(), want[1], argument)
	}
}

func TestRetentionIsUnlimitedByDefault(t *testing.T) {
	c, err := parse(t)
	require.NoError(t, err)
	require.Equal(t, settings.Retention{Share: 5}, c.Retention)
	c, err = parse(t, "--retention-audit", "400", "--retention-history", "90", "--retention-tickets", "30", "--retention-share", "0.5")
	require.NoError(t, err)
	require.Equal(t, settings.Retention{Audit: 400, History: 90, Tickets: 30, Share: 0.5}, c.Retention)
	for _, refused := range [][]string{{"--retention-audit", "-1"}, {"--retention-history", "36501"}, {"--retention-share", "0"}, {"--retention-share", "101"}} {
		_, err := parse(t, refused[0]+"="+refused[1])
		require.ErrorContains(t, err, "INTERLOCK_RETENTION_", refused)
	}
}

// docs/scaling.md promises 600 writes a second of one replica.
func TestDefaultKeyQuotaCoversDocumentedRate(t *testing.T) {
	c, err := parse(t)
	require.NoError(t, err)
	require.GreaterOrEqual(t, c.Idempotency.Quota, int64(600*c.Idempotency.RetentionCritical.Seconds()))
}
