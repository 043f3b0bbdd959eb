package app_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
)

const someKey = "some:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// opens opens the engines and closes them.
func opens(t *testing.T, s settings.Storage) error {
	t.Helper()
	sv, err := app.Open(t.Context(), s, app.Options{Create: true})
	if err == nil {
		sv.Close()
	}
	return err
}

// starts starts a program and stops it.
func starts(t *testing.T, s settings.Settings) error {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	p := app.New(s, "test")
	if err := p.Start(ctx); err != nil {
		return err
	}
	end()
	return p.Run(ctx)
}

func TestEmbeddedKeyIsGeneratedOnceAndNeverReplaced(t *testing.T) {
	s := settings.Storage{DataDir: t.TempDir(), MaxConnections: 4}
	require.NoError(t, opens(t, s))
	file, _ := s.KeyFile()
	made, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, opens(t, s))
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, made, again)
	well := findings(t, s, "")["database encryption"]
	require.Equal(t, engines.OK, well.Level, well.Says)
	require.Contains(t, well.Says, file)

	require.NoError(t, os.Remove(file))
	require.ErrorContains(t, opens(t, s), "restore its copy")
	require.NoFileExists(t, file, "a new key would hide the loss")
	require.Equal(t, engines.Broken, findings(t, s, "")["database encryption"].Level)
	says, err := app.MissingKeys(t.Context(), s)
	require.NoError(t, err)
	require.Contains(t, says, "they are unreadable")

	s.EncryptionKeys = []string{someKey}
	require.NoError(t, opens(t, s), "another key accepts the loss")
	require.NoFileExists(t, file)
	require.Contains(t, findings(t, s, "")["database encryption"].Says, "is missing")
	require.NoError(t, os.WriteFile(file, made, 0o600))
	require.Contains(t, findings(t, s, "")["database encryption"].Says, `the key "some" of the settings`)
}

func TestServerDatabaseRequiresKeysAfterFirstEncryption(t *testing.T) {
	s := settings.Settings{}
	s.Addr, s.Role, s.Currency = "127.0.0.1:0", "all", "CNY"
	s.DatabaseURL, s.MaxConnections = storagetest.NewMariaDBURL(t), 4
	_, err := app.Migrate(t.Context(), s.Storage)
	require.NoError(t, err)
	require.NoError(t, starts(t, s))
	for _, keys := range [][]string{nil, {"none"}} {
		s.EncryptionKeys = keys
		unencrypted := findings(t, s.Storage, "")["database encryption"]
		require.Equal(t, engines.Risk, unencrypted.Level)
		require.Contains(t, unencrypted.Says, "in clear")
	}
	s.EncryptionKeys = []string{someKey}
	require.NoError(t, starts(t, s))
	s.EncryptionKeys = nil
	require.ErrorContains(t, starts(t, s), "encrypted with the key some, and INTERLOCK_ENCRYPTION_KEYS is not set")
	require.Equal(t, engines.Broken, findings(t, s.Storage, "")["database encryption"].Level)
}

func TestKeysComeFromSettingOrFileNotBoth(t *testing.T) {
	file := t.TempDir() + "/keys"
	require.NoError(t, os.WriteFile(file, []byte(someKey+"\n"), 0o600))
	s := settings.Storage{DataDir: t.TempDir(), MaxConnections: 4}
	s.EncryptionKeysFile = file
	require.NoError(t, opens(t, s))
	require.Contains(t, findings(t, s, "")["database encryption"].Says, `"some"`)
	s.EncryptionKeys = []string{someKey}
	require.ErrorContains(t, opens(t, s), "are both set")
}

// Encrypted values are in binary columns or in proposals. A column that is missing in app.Encrypted
// would need an old key forever, unnoticed.
func TestEveryBinaryColumnIsReencryptedOrExempt(t *testing.T) {
	never := map[string]string{
		"aggregate_events.fingerprint": "a digest of business data that is also stored in clear",
		"customer_erasures.secret":     "random, and of no use without a backup",
		"encryption_keys.check_value":  "each is encrypted with the key of its row",
		"idempotency_keys.fingerprint": "random where there is a key",
		"installation.device_key":      "in clear, as docs/security.md says",
		"mq_messages.body":             "tickets of flash sales",
		"mq_messages.message_id":       "a name",
		"promise_keys.seed":            "in clear: with write access to the database it can be forged anyway",
		"sessions.data":                "found by the digest of a token",
		"user_passkeys.credential_id":  "public",
		"user_passkeys.public_key":     "public",
		"user_passkeys.user_handle":    "random",
	}
	schema, err := os.ReadFile("../../migrations/sqlite/schema.golden.sql")
	require.NoError(t, err)
	listed := map[string]string{}
	for _, table := range app.Encrypted() {
		for _, column := range table.Reads {
			listed[table.Name+"."+column] = "encrypted"
		}
	}
	table, found := "", 0
	for line := range strings.Lines(string(schema)) {
		if name := regexp.MustCompile(`^CREATE TABLE "?(\w+)`).FindStringSubmatch(line); name != nil {
			table = name[1]
		}
		for _, column := range regexp.MustCompile(`(\w+) +BLOB`).FindAllStringSubmatch(line, -1) {
			found++
			at := table + "." + column[1]
			require.True(t, listed[at] != "" || never[at] != "", "%s is neither in app.Encrypted nor listed as needing no key", at)
		}
	}
	require.Greater(t, found, 15)
}
