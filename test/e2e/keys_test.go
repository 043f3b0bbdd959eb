package e2e_test

import (
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/encryption"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

// After a re-encryption of a running service no ciphertext needs the former key. A process
// that starts without the key can repeat stored replies and read older values.
func TestReencryptionMakesTheFormerKeyUnnecessary(t *testing.T) {
	for _, engine := range engines() {
		t.Run(engine, func(t *testing.T) {
			s := apptest.Settings(t.TempDir())
			if engine == "mariadb" {
				s.DatabaseURL = storagetest.NewMariaDBURL(t)
			}
			caller, replies := new(apptest.Caller), map[string]apptest.Answer{}
			t.Run("before", func(t *testing.T) {
				s.EncryptionKeys = []string{"none"}
				*caller = *apptest.Start(t, s).Admin(t)
				replies["PLAIN"] = keyed(t, caller, "PLAIN", "PLAIN")
			})
			secret := object{"key": "secret", "value": "told to few", "secret": true, "protected": true}
			under(t, s, caller, func(c *apptest.Caller) {
				replies["OLD"] = keyed(t, c, "OLD", "OLD")
				made := c.Do(t, http.MethodPost, "/api/v1/configs", secret)
				require.Equal(t, http.StatusCreated, made.Status, "%s", made.Body)
				proposal := c.Do(t, http.MethodPatch, "/api/v1/configs/secret", object{"value": "proposed"}, "If-Match", made.Header.Get("ETag"))
				require.Equal(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
			}, encryptionKey("old"))
			repeated := func(c *apptest.Caller) {
				t.Helper()
				for key, first := range replies {
					again := keyed(t, c, key, key)
					require.True(t, isReplay(again), "%s", again.Body)
					require.Equal(t, string(first.Body), string(again.Body))
					requireProblem(t, keyed(t, c, key, "ANOTHER"), http.StatusUnprocessableEntity, "idempotency_key_reused")
				}
			}
			says := func(keys ...string) string {
				s := s.Storage
				s.EncryptionKeys = keys
				for _, finding := range app.Examine(t.Context(), s, "") {
					if finding.Name == "encryption" {
						return finding.Says
					}
				}
				return ""
			}
			both := []string{encryptionKey("new"), encryptionKey("old")}
			under(t, s, caller, func(c *apptest.Caller) {
				repeated(c)
				require.Contains(t, says(both...), "Older values still need: old")
				// A command, concurrently with the server.
				stored := s.Storage
				stored.EncryptionKeys = both
				command, err := app.Open(t.Context(), stored, app.Options{WithoutKeys: true})
				require.NoError(t, err)
				defer command.Close()
				keys, clear, err := command.KeysInUse(t.Context())
				require.NoError(t, err)
				require.Equal(t, []app.KeyUse{
					{KnownKey: encryption.KnownKey{ID: "old", Here: true}, Rows: map[string]int{"configs": 1, "config_histories": 1, "approvals": 1, "approval_histories": 1, "idempotency_keys": 1}},
					{KnownKey: encryption.KnownKey{ID: "new", Here: true, Current: true}},
				}, keys)
				require.Equal(t, map[string]int{"idempotency_keys": 1}, clear)
				done, err := command.Reencrypt(t.Context())
				require.NoError(t, err)
				require.Equal(t, map[string]int{"configs": 1, "config_histories": 0, "approvals": 1, "approval_histories": 1, "idempotency_keys": 2, "user_factors": 0, "webhooks": 0}, done.Renewed)
				require.Equal(t, []string{"old"}, done.Retired)
				require.Zero(t, done.Left.Rows())
				_, err = command.Reencrypt(t.Context())
				require.NoError(t, err)
				repeated(c)
				require.Contains(t, says(both...), "No values need: old")
				log := c.Do(t, http.MethodGet, "/api/v1/audit-log?action=encryption.reencrypt", nil).JSON(t)["items"].([]any)
				require.Len(t, log, 1, "it is in the audit log once: %v", log)
				detail := log[0].(object)["detail"].(object)
				require.Equal(t, "new", detail["key"])
				require.Equal(t, object{"old": 1.0}, detail["rows"].(object)["configs"])
				require.Equal(t, object{"old": 1.0, "": 1.0}, detail["rows"].(object)["idempotency_keys"])
				require.Regexp(t, `^command line \(.+\)$`, log[0].(object)["actor"].(object)["name"], "with the user of the operating system")
			}, both...)
			under(t, s, caller, func(c *apptest.Caller) {
				repeated(c)
				now := c.Do(t, http.MethodGet, "/api/v1/configs/secret", nil)
				require.Equal(t, "told to few", now.JSON(t)["value"])
				history := c.Do(t, http.MethodGet, "/api/v1/configs/secret/history", nil).JSON(t)["items"].([]any)
				require.Len(t, history, 1)
				require.Equal(t, "told to few", history[0].(object)["value"])
				waiting := c.Do(t, http.MethodGet, "/api/v1/approvals", nil).JSON(t)["items"].([]any)[0].(object)
				approval := c.Do(t, http.MethodGet, "/api/v1/approvals/"+strconv.FormatInt(int64(waiting["id"].(float64)), 10), nil).JSON(t)
				require.Equal(t, object{"value": "proposed"}, approval["patch"])
				require.NotContains(t, says(encryptionKey("new")), "missing")
			}, encryptionKey("new"))
		})
	}
}
