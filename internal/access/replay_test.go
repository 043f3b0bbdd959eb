package access

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/sessions"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/lock"
)

// newKeyedDesk is newDesk with a reply store that does not encrypt, so that a test can scan the
// replies.
func newKeyedDesk(t *testing.T, h *fixture, wrap func(httpapi.ReplyStore) httpapi.ReplyStore) desk {
	t.Helper()
	d := newDesk(t, h)
	keeper := idempotency.New(idempotency.Deps{DB: h.db, Locks: lock.NewInProcess(lock.Observer{}), Clock: h.clock, Epochs: epoch.NewWatch(h.db, h.clock)})
	options := httpapi.Options{Runner: h.runner, Authenticator: h.Callers, Secrets: h.Service, Replies: keeper}
	if wrap != nil {
		options.Replies = wrap(keeper)
	}
	d.Caller = httpapitest.NewOf(options, func(r *httpapi.Router) { Routes(r, h.Service) })
	return d
}

// secretCase is a request with a secret in its body or its reply.
type secretCase struct {
	path, body, otherBody string
	// secrets are the texts that must not be stored.
	secrets func(reply map[string]any) []string
	// shownOnce is set if the reply contains them.
	shownOnce bool
	effects   string
}

func ofInvitation(reply map[string]any) []string {
	invitation := reply["invitation"].(map[string]any)
	return []string{invitation["token"].(string), invitation["path"].(string)}
}

func secretCases(d desk) map[string]secretCase {
	path, _ := d.hire("guest")
	return map[string]secretCase{
		"a token": {
			path: "/tokens", body: `{"name":"till"}`, otherBody: `{"name":"shop"}`, shownOnce: true,
			secrets: func(reply map[string]any) []string { return []string{reply["token"].(string)} },
			effects: "SELECT COUNT(*) FROM api_tokens WHERE tenant_id = ? AND name = 'till'",
		},
		"an invited user": {
			path: "/users", body: `{"username":"li"}`, otherBody: `{"username":"wu"}`, shownOnce: true, secrets: ofInvitation,
			effects: "SELECT COUNT(*) FROM users WHERE tenant_id = ? AND username = 'li'",
		},
		"another invitation": {
			path: path + "/invite", body: ``, otherBody: ``, shownOnce: true, secrets: ofInvitation,
			effects: "SELECT COUNT(*) FROM user_histories WHERE tenant_id = ? AND action = 'invite'",
		},
		"a user with a password": {
			path: "/users", body: `{"username":"zoe","password":"xyzzy plugh plover"}`, otherBody: `{"username":"zoe","password":"xyzzy plugh plovers"}`,
			secrets: func(map[string]any) []string { return []string{"xyzzy plugh plover"} },
			effects: "SELECT COUNT(*) FROM users WHERE tenant_id = ? AND username = 'zoe'",
		},
		"another password": {
			path: path + "/reset-password", body: `{"password":"xyzzy plugh plover"}`, otherBody: `{"password":"xyzzy plugh plovers"}`,
			secrets: func(map[string]any) []string { return []string{"xyzzy plugh plover"} },
			effects: "SELECT COUNT(*) FROM user_histories WHERE tenant_id = ? AND action = 'password'",
		},
	}
}

func (h *fixture) count(t *testing.T, query string) (n int64) {
	t.Helper()
	require.NoError(t, h.db.Read(h.inside(t)).Raw(query, h.tenant.ID).Scan(&n).Error)
	return n
}

// Proves G3.4, G7.21.
func TestReplayHasTheSameIDsAndNoSecret(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newKeyedDesk(t, h, nil)
		for name, c := range secretCases(d) {
			first := d.send("POST", c.path, c.body, "Idempotency-Key", name)
			require.Less(t, first.Status, 300, "%s: %s", name, first.Text)
			require.NotContains(t, first.Body, "secretShownOnce", name)
			again := d.do(first.Status, "POST", c.path, c.body, "X-Idempotency-Key", name)
			require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"), name)
			for _, header := range []string{"Location", "ETag", "Content-Type"} {
				require.Equal(t, first.Header.Get(header), again.Header.Get(header), "%s: %s", name, header)
			}
			secrets := c.secrets(first.Body)
			want := first.Body
			if c.shownOnce {
				want["secretShownOnce"] = true
				delete(want, "token")
				if invitation, ok := want["invitation"].(map[string]any); ok {
					delete(invitation, "token")
					delete(invitation, "path")
				}
			}
			require.Equal(t, want, again.Body, name)
			require.EqualValues(t, 1, h.count(t, c.effects), name)
			for _, secret := range secrets {
				d.requireNowhere(name, secret, c)
			}
			if c.otherBody != c.body {
				reused := d.do(422, "POST", c.path, c.otherBody, "Idempotency-Key", name)
				require.Equal(t, "idempotency_key_reused", reused.Body["code"], name)
			}
		}
	})
}

// requireNowhere requires that a secret is neither in the stored reply nor in the audit log, and
// that the stored fingerprint is not the fast hash of the request that contains it.
func (d desk) requireNowhere(key, secret string, c secretCase) {
	d.t.Helper()
	db := d.h.db.Read(d.h.inside(d.t))
	var kept idempotency.Record
	require.NoError(d.t, db.Where("idempotency_key = ?", key).Take(&kept).Error)
	row, err := json.Marshal(kept)
	require.NoError(d.t, err)
	require.NotContains(d.t, string(row)+string(kept.Reply), secret, key)
	body, err := strictjson.Canonical([]byte(c.body))
	if err == nil {
		guess := sha256.New()
		for _, part := range []string{"POST", httpapi.Base + c.path, "", string(body)} {
			guess.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			guess.Write([]byte(part))
		}
		require.Equal(d.t, c.shownOnce, string(guess.Sum(nil)) == string(kept.Fingerprint), "%s: the fingerprint confirms guesses only of a request without a secret", key)
	}
	var entries []uow.AuditRow
	require.NoError(d.t, db.Find(&entries).Error)
	for _, entry := range entries {
		require.NotContains(d.t, string(entry.Detail), secret, key)
	}
}

// Proves G3.4.
func TestParallelRepeatsCreateOneTokenAndOneUser(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newKeyedDesk(t, h, nil)
		for name, c := range secretCases(d) {
			const racers = 10
			answers := make([]httpapitest.Answer, racers)
			var wait sync.WaitGroup
			for i := range racers {
				wait.Go(func() { answers[i] = d.send("POST", c.path, c.body, "Idempotency-Key", name) })
			}
			wait.Wait()
			effective := 0
			for _, a := range answers {
				switch {
				case a.Status == http.StatusConflict:
					require.Equal(t, "request_in_progress", a.Body["code"], name)
					require.NotNil(t, a.Body["retryAfterMs"], name)
				case a.Header.Get("X-Idempotency-Replay") == "true":
				default:
					require.Less(t, a.Status, 300, "%s: %s", name, a.Text)
					effective++
				}
			}
			require.Equal(t, 1, effective, name)
			require.EqualValues(t, 1, h.count(t, c.effects), name)
		}
	})
}

// failingStore fails to store replies, like a process that dies before COMMIT.
type failingStore struct{ httpapi.ReplyStore }

func (s failingStore) Begin(ctx context.Context, request httpapi.KeyedRequest) (httpapi.Attempt, error) {
	attempt, err := s.ReplyStore.Begin(ctx, request)
	return failingAttempt{attempt}, err
}

type failingAttempt struct{ httpapi.Attempt }

func (failingAttempt) Store(context.Context, *uow.Unit, httpapi.StoredReply) error {
	return errors.New("the reply cannot be stored")
}

// Proves G3.4.
func TestUnstoredReplyRollsTheEffectBack(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d, failing := newKeyedDesk(t, h, nil), newKeyedDesk(t, h, func(s httpapi.ReplyStore) httpapi.ReplyStore { return failingStore{s} })
		for name, c := range secretCases(d) {
			failing.do(500, "POST", c.path, c.body, "Idempotency-Key", name)
			require.Zero(t, h.count(t, c.effects), name)
			made := d.send("POST", c.path, c.body, "Idempotency-Key", name)
			require.Less(t, made.Status, 300, "%s: %s", name, made.Text)
			require.Empty(t, made.Header.Get("X-Idempotency-Replay"), name)
			require.EqualValues(t, 1, h.count(t, c.effects), name)
		}
	})
}

// Otherwise a replayed key would confirm guesses that no limit counts.
// Proves G3.4.
func TestKeyConfirmsNoGuessOfTheCallersPassword(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	d := newKeyedDesk(t, h, nil)
	session := h.mustSignIn(t)
	caller, err := h.Current(anonymous(t), session)
	require.NoError(t, err)
	begin := func(status int, key, password string) httpapitest.Answer {
		body := fmt.Sprintf(`{"kind":"totp","name":"Phone","password":%q}`, password)
		a := d.Send(t, "POST", "/me/factors", body, "Idempotency-Key", key, "Cookie", sessions.Cookie+"="+session, "X-CSRF-Token", caller.CSRFToken)
		require.Equal(t, status, a.Status, "%s", a.Text)
		return a
	}
	begin(422, "wrong", "not this password")
	first := begin(201, "right", adminPassword)
	for _, guess := range []string{"not this password", adminPassword} {
		again := begin(201, "right", guess)
		require.Equal(t, []any{"true", first.Body["id"], true, nil, nil},
			[]any{again.Header.Get("X-Idempotency-Replay"), again.Body["id"], again.Body["secretShownOnce"], again.Body["secret"], again.Body["uri"]})
	}
}
