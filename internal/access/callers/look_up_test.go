package callers

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/accesstest"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/batcher"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

// Proves G7.5.
func TestConcurrentCallersAreReadInBatches(t *testing.T) {
	h, process, statements := tappedProcess(t)
	neighbour := newFixture(t, h.db)
	crowd := append(h.crowd(t, 200), neighbour.crowd(t, 100)...)
	statements.Take()
	for _, how := range []func(accesstest.Member) *http.Request{accesstest.Member.Request, accesstest.Member.Stream} {
		process.callers.invalidate()
		racing.Together(len(crowd), func(i int) {
			p, err := process.Authenticate(how(crowd[i]))
			requireRecognised(t, crowd[i], p, err)
		})
		// A flush needs at most three statements, and includes all callers that came during the
		// previous one.
		count := readsOf(statements.Take())
		require.Positive(t, count)
		require.Less(t, count, len(crowd)/5)
	}
}

// Proves G7.5.
func TestActiveCallersAreRefreshedBeforeExpiry(t *testing.T) {
	h, process, statements := tappedProcess(t)
	crowd := h.crowd(t, 300)
	known := process.checkRevisions(t.Context(), -1)
	racing.Together(len(crowd), func(i int) {
		p, err := process.Authenticate(crowd[i].Stream())
		requireRecognised(t, crowd[i], p, err)
	})
	before := process.callers.current.Load()
	statements.Take()
	waited, refreshed := 0, 0
	const minutes = 2
	for beat := range minutes * 60 * 10 { // tenths of a second
		h.clock.Advance(100 * time.Millisecond)
		// Each stream rechecks every ten seconds, at different times; one of them is closed.
		for i := beat % 100; i < len(crowd)-1; i += 100 {
			p, err := process.Authenticate(crowd[i].Stream())
			requireRecognised(t, crowd[i], p, err)
		}
		waited += readsOf(statements.Take())
		if beat%4 == 0 {
			known = process.checkRevisions(t.Context(), known)
			statements.Take()
			before = process.refreshDue(t.Context(), before)
			refreshed += readsOf(statements.Take())
		}
	}
	require.Zero(t, waited, "no call waits for a read")
	require.Positive(t, refreshed)
	require.Less(t, refreshed, minutes*60, "less than one statement a second")
	require.Nil(t, before.get(credentialOf(crowd[len(crowd)-1]).hash, h.clock.Now()), "a disconnected caller is not read again")
}

func TestActiveCallersAreRefreshedTogetherAfterAChange(t *testing.T) {
	h, process, statements := tappedProcess(t)
	crowd := h.crowd(t, 250)
	for range 2 {
		racing.Together(len(crowd), func(i int) {
			p, err := process.Authenticate(crowd[i].Request())
			requireRecognised(t, crowd[i], p, err)
		})
	}
	before := process.callers.current.Load()
	process.callers.invalidate()
	statements.Take()
	process.refreshDue(t.Context(), before)
	require.LessOrEqual(t, readsOf(statements.Take()), 3)
	for _, o := range crowd {
		p, err := process.Authenticate(o.Request())
		requireRecognised(t, o, p, err)
	}
	require.Zero(t, readsOf(statements.Take()))
}

// Proves G7.5.
func TestBatchedLookupReturnsEachCallersResult(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h, neighbour, closed := newFixture(t, db), newFixture(t, db), newFixture(t, db)
		h.store.Idle = time.Hour
		crowd, others, shut := h.crowd(t, 40), neighbour.crowd(t, 10), closed.crowd(t, 2)
		_, err := h.tenants.SetTenantDisabled(t.Context(), closed.tenant.Name, true)
		require.NoError(t, err)
		// The crowd cycles through six combinations: even indexes are sessions, odd ones tokens.
		session := func(i int) accesstest.Member { return crowd[2*i] }
		token := func(i int) accesstest.Member { return crowd[2*i+1] }
		later := h.clock.Now().Add(30 * time.Minute)
		refused := map[string]accesstest.Member{
			"a session that ended": session(0), "an unused session": session(1), "a session of a disabled user": session(2),
			"a session that was deleted": session(3), "a session of another tenant's user": session(4),
			"a token that ended": token(0), "a token of a disabled user": token(1), "a token that was revoked": token(2),
			"a token of another tenant's user": token(3),
			"a session of a disabled tenant":   shut[0], "a token of a disabled tenant": shut[1],
			"a token that was never made": {Token: true, Secret: secrets.NewToken()},
		}
		hash := func(o accesstest.Member) string { return secrets.DigestOf(o.Secret).String() }
		h.everywhere(t, "UPDATE sessions SET expires_time = ? WHERE token_hash = ?", later, hash(session(0)))
		h.everywhere(t, "UPDATE sessions SET last_used_time = ? WHERE token_hash <> ? AND tenant_id IN (?, ?)", later, hash(session(1)), h.tenant.ID, neighbour.tenant.ID)
		h.everywhere(t, "UPDATE sessions SET created_time = ? WHERE token_hash = ?", later.Add(-time.Hour), hash(session(1)))
		h.everywhere(t, "UPDATE users SET disabled = ? WHERE id IN (?, ?)", true, session(2).UserID, token(1).UserID)
		h.everywhere(t, "DELETE FROM sessions WHERE token_hash = ?", hash(session(3)))
		h.everywhere(t, "UPDATE sessions SET user_id = ? WHERE token_hash = ?", others[0].UserID, hash(session(4)))
		h.everywhere(t, "UPDATE api_tokens SET expires_time = ? WHERE token_hash = ?", later, hash(token(0)))
		h.everywhere(t, "DELETE FROM api_tokens WHERE token_hash = ?", hash(token(2)))
		h.everywhere(t, "UPDATE api_tokens SET user_id = ? WHERE token_hash = ?", others[1].UserID, hash(token(3)))
		broken := map[string]accesstest.Member{"a session that cannot be read": session(5), "a token with unreadable scopes": token(4)}
		h.everywhere(t, "UPDATE sessions SET data = ? WHERE token_hash = ?", []byte("no gob"), hash(session(5)))
		h.everywhere(t, "UPDATE api_tokens SET scopes = ? WHERE token_hash = ?", `{"configs":"read"}`, hash(token(4)))
		// A row grants nothing if its tenant differs from the tenant of its user and role.
		h.everywhere(t, "INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT ?, ?, id FROM roles WHERE tenant_id = ? AND name = 'admin'", neighbour.tenant.ID, session(6).UserID, neighbour.tenant.ID)
		h.everywhere(t, "INSERT INTO user_roles (tenant_id, user_id, role_id) SELECT ?, ?, id FROM roles WHERE tenant_id = ? AND name = 'admin'", h.tenant.ID, session(7).UserID, neighbour.tenant.ID)
		h.everywhere(t, "INSERT INTO role_permissions (tenant_id, role_id, permission) SELECT ?, id, '*' FROM roles WHERE tenant_id = ? AND name = 'nobody'", neighbour.tenant.ID, h.tenant.ID)
		// A role that a user has both by hand and by a group counts once.
		h.everywhere(t, "INSERT INTO user_roles (tenant_id, user_id, role_id, link_id) SELECT tenant_id, user_id, role_id, 7 FROM user_roles WHERE user_id = ?", session(8).UserID)
		h.clock.Advance(later.Sub(h.clock.Now()))

		all := slices.Concat(crowd, others, shut, []accesstest.Member{refused["a token that was never made"]})
		shown := make([]credential, 0, 2*len(all))
		for _, o := range slices.Concat(all, all) { // twice, as from two tabs
			shown = append(shown, credentialOf(o))
		}
		answers, err := h.lookUpAll(t.Context(), shown)
		require.NoError(t, err)
		require.Len(t, answers, len(shown))
		for i, answer := range answers {
			o := all[i%len(all)]
			if name := nameOf(refused, o); name != "" {
				require.Nil(t, answer.caller, name)
				requireCode(t, map[bool]apperr.Code{true: apperr.InvalidCredentials, false: apperr.Unauthenticated}[o.Token], answer.err)
				continue
			}
			if name := nameOf(broken, o); name != "" {
				var known *apperr.Error
				require.ErrorContains(t, answer.err, "decode", name)
				require.False(t, errors.As(answer.err, &known), "an unreadable credential is not a rejection")
				continue
			}
			require.NoError(t, answer.err)
			requireRecognised(t, o, answer.caller.Principal, nil)
			require.Equal(t, []string{o.Role}, answer.caller.User.Roles)
		}
	})
}

// readsRights reports whether a statement is the last one of a lookup.
func readsRights(statement string) bool { return strings.Contains(statement, "FROM user_roles") }

func nameOf(named map[string]accesstest.Member, o accesstest.Member) string {
	for name, other := range named {
		if other == o {
			return name
		}
	}
	return ""
}

func TestRefreshEvictsDeletedCredentials(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		crowd := h.crowd(t, 4)
		known := h.checkRevisions(t.Context(), -1)
		for range 2 {
			for _, o := range crowd {
				_, err := h.Authenticate(o.Request())
				require.NoError(t, err)
			}
		}
		// By hand, without a new revision.
		h.everywhere(t, "DELETE FROM sessions WHERE user_id = ?", crowd[0].UserID)
		h.everywhere(t, "DELETE FROM api_tokens WHERE user_id = ?", crowd[1].UserID)
		h.clock.Advance(refreshAfter)
		h.checkRevisions(t.Context(), known)
		_, err := h.Authenticate(crowd[0].Request())
		require.NoError(t, err, "it is believed for a while")
		h.refreshDue(t.Context(), h.callers.current.Load())
		_, err = h.Authenticate(crowd[0].Request())
		requireCode(t, apperr.Unauthenticated, err)
		_, err = h.Authenticate(crowd[1].Request())
		requireCode(t, apperr.InvalidCredentials, err)
		for _, o := range crowd[2:] {
			p, err := h.Authenticate(o.Request())
			requireRecognised(t, o, p, err)
		}
	})
}

// The rows were read before the revocation, and the result reaches only callers that came before it.
// Proves G7.5.
func TestLookupBeforeRevocationIsNotCached(t *testing.T) {
	h, process, statements := tappedProcess(t)
	robot := h.crowd(t, 2)[1]
	reading, revoked := make(chan struct{}), make(chan struct{})
	var once sync.Once
	statements.Refuse(func(statement string) *storagetest.Refusal {
		// The token's row has already been read.
		if readsRights(statement) {
			once.Do(func() { close(reading); <-revoked })
		}
		return nil
	})
	told := make(chan error)
	go func() {
		_, err := process.Authenticate(robot.Request())
		told <- err
	}()
	<-reading
	h.revoke(t, robot)
	process.callers.invalidate()
	close(revoked)
	require.NoError(t, <-told)
	_, err := process.Authenticate(robot.Request())
	requireCode(t, apperr.InvalidCredentials, err)
}

func TestCancelledLookupDoesNotFailOthers(t *testing.T) {
	h, process, statements := tappedProcess(t)
	robot := h.crowd(t, 2)[1]
	impatient, hangUp := context.WithCancel(t.Context())
	statements.Refuse(func(statement string) *storagetest.Refusal {
		if readsRights(statement) {
			hangUp()
		}
		return nil
	})
	racing.Together(20, func(i int) {
		ctx := t.Context()
		if i == 0 {
			ctx = impatient
		}
		_, err := process.Authenticate(robot.Request().WithContext(ctx))
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
			require.Zero(t, i)
		}
	})
}

// Proves G7.5.
func TestRequestsDoNotWaitForStreamLookups(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	crowd := h.crowd(t, 2)
	entered, leave := make(chan struct{}), make(chan struct{})
	h.callers.streams = batcher.New(maxBatch, func(ctx context.Context, shown []credential) ([]recognition, error) {
		close(entered)
		<-leave
		return h.lookUpAll(ctx, shown)
	})
	stream := make(chan error)
	go func() {
		_, err := h.Authenticate(crowd[0].Stream())
		stream <- err
	}()
	defer func() {
		close(leave)
		require.NoError(t, <-stream)
	}()
	patient, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	select {
	case <-entered:
	case <-patient.Done():
		require.Fail(t, "the lookup of a stream is not among those of streams")
	}
	p, err := h.Authenticate(crowd[1].Request().WithContext(patient))
	requireRecognised(t, crowd[1], p, err)
}

// inLine is a context that reports when its caller waits for a batcher: the batcher calls Done
// once before it queues the caller, and once afterwards.
type inLine struct {
	context.Context
	calls atomic.Int64
	waits chan struct{}
}

func (w *inLine) Done() <-chan struct{} {
	if w.calls.Add(1) == 2 {
		close(w.waits)
	}
	return w.Context.Done()
}

// Proves G7.6.
func TestLookupAfterAFailedBatchSucceeds(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	crowd := h.crowd(t, 2)
	entered, fail := make(chan struct{}, 2), make(chan struct{})
	var once sync.Once
	h.callers.requests = batcher.New(1, func(ctx context.Context, shown []credential) (_ []recognition, err error) {
		once.Do(func() {
			entered <- struct{}{}
			<-fail
			err = errors.New("the connection was reset")
		})
		if err != nil {
			return nil, err
		}
		return h.lookUpAll(ctx, shown)
	})
	first := make(chan error)
	go func() {
		_, err := h.Authenticate(crowd[0].Request())
		first <- err
	}()
	<-entered
	second := make(chan error)
	coming := &inLine{Context: t.Context(), waits: make(chan struct{})}
	go func() {
		p, err := h.Authenticate(crowd[1].Request().WithContext(coming))
		if err == nil && p.UserID != crowd[1].UserID {
			err = errors.New("another user")
		}
		second <- err
	}()
	<-coming.waits
	close(fail)
	require.ErrorContains(t, <-first, "reset")
	require.NoError(t, <-second)
}
