package e2e_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
)

// A temporary error of an engine, on a statement inside or outside a unit, ends in success
// or in "unavailable", never in a 500. The number of writes equals the number of
// acknowledged ones.
// Proves D2.
func TestTransientDatabaseErrorsAreRetriedOrUnavailable(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	tap, through := storagetest.NewTap(t, storagetest.NewMariaDBURL(t))
	s.DatabaseURL = through
	p := apptest.Start(t, s)
	owner, visitor := p.Admin(t), browser(t, p)
	refuse := func(text string, with storagetest.Refusal, always bool) (refused *atomic.Int64) {
		refused = new(atomic.Int64)
		tap.Refuse(func(statement string) *storagetest.Refusal {
			if !strings.HasPrefix(strings.ReplaceAll(statement, "`", ""), text) || refused.Add(1) > 1 && !always {
				return nil
			}
			return &with
		})
		return refused
	}
	requireDoneOrUnavailable := func(name string, answer apptest.Answer, done int) bool {
		t.Helper()
		if answer.Status == done {
			return true
		}
		problem := requireProblem(t, answer, http.StatusServiceUnavailable, "unavailable")
		require.Equal(t, "1", answer.Header.Get("Retry-After"), name)
		require.NotContains(t, problem["detail"], "WSREP", name)
		return false
	}

	created := owner.Do(t, http.MethodPost, "/api/v1/configs", object{"key": "refused", "value": 0, "valueType": "number"})
	require.Equal(t, http.StatusCreated, created.Status, "%s", created.Body)
	edits := 0
	for refusal, with := range storagetest.Refusals {
		for _, statement := range []string{"START TRANSACTION", "UPDATE configs", "INSERT INTO config_histories"} {
			for _, always := range []bool{false, true} {
				name := refusal + ": " + statement + map[bool]string{true: ", each time"}[always]
				etag := owner.Do(t, http.MethodGet, "/api/v1/configs/refused", nil).Header.Get("ETag")
				refused := refuse(statement, with.Refusal, always)
				edited := owner.Do(t, http.MethodPatch, "/api/v1/configs/refused", object{"value": edits + 1}, "If-Match", etag)
				tap.Refuse(nil)
				require.NotZero(t, refused.Load(), name)
				if requireDoneOrUnavailable(name, edited, http.StatusOK) {
					require.False(t, always, name)
					edits++
				} else {
					require.True(t, always || !with.RunAgain, "%s is run again: %s", name, edited.Body)
					require.Contains(t, edited.JSON(t)["detail"], "othing was changed", name)
				}
				now := owner.Do(t, http.MethodGet, "/api/v1/configs/refused", nil).JSON(t)
				require.EqualValues(t, edits, now["value"], name)
				require.EqualValues(t, edits+1, now["version"], name)
			}
		}
		// The attempt to sign in is recorded by a statement outside a unit.
		refused := refuse("INSERT INTO sign_in_attempts", with.Refusal, false)
		signedIn := visitor.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": owner.Tenant, "username": "admin", "password": apptest.AdminPassword})
		tap.Refuse(nil)
		require.NotZero(t, refused.Load(), refusal)
		if !requireDoneOrUnavailable(refusal, signedIn, http.StatusCreated) && with.RunAgain {
			require.NotContains(t, signedIn.JSON(t)["detail"], "reached", refusal)
		}
	}
}
