package access

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/accesstest"
	"interlock/internal/access/users"
	"interlock/internal/base/background"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/test/racing"
)

// tappedProcess returns a fixture, and a second process whose statements pass through a tap.
func tappedProcess(t *testing.T) (h, process *fixture, statements *storagetest.Tap) {
	t.Helper()
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	h = newFixture(t, storagetest.Open(t, address))
	statements, through := storagetest.NewTap(t, address)
	return h, newProcess(storagetest.Open(t, through), h.clock), statements
}

// readsOf returns the number of statements that read callers.
func readsOf(statements []string) (n int) {
	for _, s := range statements {
		if strings.HasPrefix(s, "SELECT") && !strings.Contains(s, "access_revisions") {
			n++
		}
	}
	return n
}

// 80 of 240 users lose a permission, one user is disabled and one token is revoked. Their streams
// in another process end within a second, all others continue, and few statements run.
// Proves G7.20.
func TestManyStreamsEndWithTheirPermissions(t *testing.T) {
	h, elsewhere, statements := tappedProcess(t)
	d, crowd := newDesk(t, h), accesstest.Crowd(t, h.db, h.tenant.ID, h.clock.Now(), 240)
	elsewhere.watch(t)
	beats := elsewhere.beats(t, "")
	// A stream that fails to end is interrupted by the timeout, and has then lasted too long.
	patient, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	elsewhere.noticesChanges(t, d)

	var reading sync.WaitGroup
	defer reading.Wait()
	defer cancel()
	ended := make([]atomic.Bool, len(crowd))
	racing.Together(len(crowd), func(i int) {
		request := crowd[i].Request().Clone(patient)
		request.RequestURI = ""
		request.URL, _ = request.URL.Parse(beats)
		reply, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		lines := bufio.NewScanner(reply.Body)
		require.True(t, lines.Scan())
		reading.Go(func() {
			defer reply.Body.Close()
			for lines.Scan() {
			}
			ended[i].Store(true)
		})
	})
	loses := func(o accesstest.Member) bool { return o.Role == "readers" || o == crowd[1] || o == crowd[2] }
	require.False(t, crowd[1].Role == "readers" || crowd[2].Role == "readers" || crowd[2].Token || !crowd[1].Token)
	var revoked int64
	require.NoError(t, h.db.Read(h.inside(t)).Model(&users.Token{}).Where("user_id = ?", crowd[1].UserID).Pluck("id", &revoked).Error)
	statements.Take()
	began := time.Now()
	require.NoError(t, h.Users.SetRolePermissions(anonymous(t), h.tenant.Name, "readers", []string{"configs:read"}))
	require.NoError(t, h.Users.RevokeToken(anonymous(t), h.tenant.Name, revoked))
	d.do(200, "POST", fmt.Sprintf("/users/%d/disable", crowd[2].UserID), nil)
	require.Eventually(t, func() bool {
		for i, o := range crowd {
			if loses(o) && !ended[i].Load() {
				return false
			}
		}
		return true
	}, 20*time.Second, 5*time.Millisecond)
	require.Less(t, time.Since(began), time.Second)
	require.Less(t, readsOf(statements.Take()), len(crowd)/5)
	for i, o := range crowd {
		require.Equal(t, loses(o), ended[i].Load(), "user %d", i)
	}
}

// watch runs the background services of a process until the test ends.
func (h *fixture) watch(t *testing.T) *background.Group {
	services := background.NewGroup(h.clock)
	require.NoError(t, services.Start(t.Context(), h.Callers.Background()...))
	t.Cleanup(func() { services.Stop(context.Background()) })
	return services
}

// beats serves a stream that needs a permission, and returns its URL.
func (h *fixture) beats(t *testing.T, permission string) (url string) {
	server := httpapi.NewServer(httpapi.Options{Authenticator: h.Callers})
	httpapi.Listen(server.Router(), "/beats", permission, func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
		if err := s.Send("", "begun", true); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return listening.URL + httpapi.Base + "/beats"
}
