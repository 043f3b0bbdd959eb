package e2e_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

const watchPath = "/api/v1/configs/watch"

func TestChangeReachesTheStreamsOfOtherClients(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		ada := colleague(t, c, "ada", "Ada")
		watching, elsewhere := open(t, c, watchPath), open(t, stranger, watchPath)

		created := newConfig(t, ada, "seen", 1, "number")
		changed := ada.Do(t, http.MethodPatch, "/api/v1/configs/seen", object{"value": 2}, "If-Match", etag(created)).JSON(t)
		require.Equal(t, http.StatusNoContent, ada.Do(t, http.MethodDelete, "/api/v1/configs/seen", nil, "If-Match", etag(changed)).Status)

		for i, action := range []string{"create", "update", "delete"} {
			e := watching.next(t, "change")
			require.Equal(t, "seen", e.Data["key"])
			require.Equal(t, action, e.Data["action"])
			require.EqualValues(t, i+1, e.Data["version"])
			require.Equal(t, "Ada", name(e.Data, "changedBy"))
			require.NotEmpty(t, e.ID)
		}
		newConfig(t, stranger, "own", 1, "number")
		require.Equal(t, "own", elsewhere.next(t, "change").Data["key"], "nothing of another tenant comes before it")
	})
}

// Proves G6.8.
func TestReconnectingWatcherSeesEachChangeOnce(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const configs, writers, edits = 4, 4, 25
		c := p.Admin(t)
		first := open(t, c, watchPath)
		var seen []int64
		last := ""
		take := func(s *stream) {
			e := s.next(t, "change")
			require.Equal(t, e.ID, e.Data["revision"])
			seen = append(seen, place(t, e.ID))
			last = e.ID
		}
		for i := range configs {
			newConfig(t, c, fmt.Sprintf("watched-%d", i), 0, "number")
		}
		for range configs {
			take(first)
		}
		first.close()

		done := make(chan struct{})
		go func() {
			defer close(done)
			edit(t, c, configs, writers, edits)
		}()
		for finished := false; !finished; {
			back := open(t, c, watchPath, "Last-Event-ID", last)
			for range 1 + rand.N(12) {
				if total := configs + writers*edits; len(seen) == total {
					finished = true
					break
				}
				take(back)
			}
			back.close()
		}
		receive(t, done, "the end of the edits")

		var committed []int64
		query := "SELECT " + placeColumn(p) + " FROM config_histories WHERE tenant_id = (SELECT id FROM tenants WHERE name = ?) ORDER BY 1"
		require.NoError(t, p.Services().DB.Read(storage.AcrossTenants(t.Context())).Raw(query, c.Tenant).Scan(&committed).Error)
		require.Equal(t, committed, seen)
	})
}

// place returns the position of a revision in the log.
func place(t *testing.T, revision string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(revision[strings.LastIndex(revision, "-")+1:], 10, 64)
	require.NoError(t, err)
	return n
}

// placeColumn is the column with the position of a version of a config.
func placeColumn(p *apptest.Program) string {
	if p.Services().DB.Dialect == storage.MySQL {
		return "place"
	}
	return "id"
}

// edit makes writers edit configs, each until that many of its edits have succeeded.
func edit(t *testing.T, c *apptest.Caller, configs, writers, edits int) {
	race(t, writers, func(ctx context.Context, _ int) (apptest.Answer, error) {
		var answer apptest.Answer
		for landed := 0; landed < edits; {
			path := fmt.Sprintf("/api/v1/configs/watched-%d", rand.N(configs))
			var err error
			if answer, err = c.Try(ctx, http.MethodGet, path, nil); err != nil {
				return answer, err
			}
			body := object{"value": rand.N(1 << 30)}
			if answer, err = c.Try(ctx, http.MethodPatch, path, body, "If-Match", answer.Header.Get("ETag")); err != nil {
				return answer, err
			}
			if answer.Status == http.StatusOK {
				landed++
			}
		}
		return answer, nil
	})
}

func TestWatcherWithAnExpiredRevisionGetsGone(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newConfig(t, c, "kept", 1, "number")
		gone := open(t, c, watchPath, "Last-Event-ID", "ab12-999999999").next(t, "gone")
		require.NotNil(t, gone.Data)

		snapshot := c.Do(t, http.MethodGet, "/api/v1/configs/snapshot", nil).JSON(t)
		require.Len(t, snapshot["items"], 1)
		back := open(t, c, watchPath, "Last-Event-ID", snapshot["revision"].(string))
		require.Equal(t, snapshot["revision"], back.next(t, "ready").ID)
	})
}
