package app_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
)

const someKey = "some:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="

// opens opens the engines and closes them again.
func opens(t *testing.T, s settings.Storage) error {
	t.Helper()
	sv, err := app.Open(t.Context(), s, app.Options{})
	if err == nil {
		sv.Close()
	}
	return err
}

func TestAnEmbeddedDatabaseHasAKeyFromItsFirstStartAndNeverAnotherInItsPlace(t *testing.T) {
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
	require.ErrorContains(t, opens(t, s), "put it back")
	require.NoFileExists(t, file, "another key would make it look well")
	require.Equal(t, engines.Broken, findings(t, s, "")["database encryption"].Level)
	says, err := app.MissingKeys(t.Context(), s)
	require.NoError(t, err)
	require.Contains(t, says, "nobody can read them")

	s.EncryptionKeys = []string{someKey}
	require.NoError(t, opens(t, s), "somebody who gives a key up says so by another one")
	require.NoFileExists(t, file)
	require.Contains(t, findings(t, s, "")["database encryption"].Says, "is not there")
	require.NoError(t, os.WriteFile(file, made, 0o600))
	require.Contains(t, findings(t, s, "")["database encryption"].Says, `the key "some" of the settings`)
}

func TestADatabaseOnAServerIsNotServedWithoutAKeyUnlessThatIsSaid(t *testing.T) {
	s := settings.Settings{}
	s.Addr, s.Role, s.Currency = "127.0.0.1:0", "all", "CNY"
	s.DatabaseURL, s.MaxConnections = storagetest.NewMariaDBURL(t), 4
	_, err := app.Migrate(t.Context(), s.Storage)
	require.NoError(t, err)
	err = app.New(s, "test").Start(t.Context())
	require.ErrorContains(t, err, "INTERLOCK_ENCRYPTION_KEYS")
	require.ErrorContains(t, err, "none")
	require.Equal(t, engines.Broken, findings(t, s.Storage, "")["database encryption"].Level)

	s.EncryptionKeys = []string{"none"}
	require.NoError(t, opens(t, s.Storage))
	unencrypted := findings(t, s.Storage, "")["database encryption"]
	require.Equal(t, engines.Risk, unencrypted.Level)
	require.Contains(t, unencrypted.Says, "stay in clear")
}

func TestKeysAreTakenFromTheSettingOrAFileAndNotFromBoth(t *testing.T) {
	file := t.TempDir() + "/keys"
	require.NoError(t, os.WriteFile(file, []byte(someKey+"\n"), 0o600))
	s := settings.Storage{DataDir: t.TempDir(), MaxConnections: 4}
	s.EncryptionKeysFile = file
	require.NoError(t, opens(t, s))
	require.Contains(t, findings(t, s, "")["database encryption"].Says, `"some"`)
	s.EncryptionKeys = []string{someKey}
	require.ErrorContains(t, opens(t, s), "are both set")
}
