package webhooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/catalog"
	"interlock/internal/edge/httpapi"
	"interlock/internal/lock"
	"interlock/internal/views/promises"
	"interlock/internal/webhooks"
	"interlock/test/world"
)

type object = world.Object

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is the webhooks and items of one tenant.
type fixture struct {
	*world.World
	Hooks *webhooks.Service
	// Unable are the permissions that the user of the webhooks has lost.
	mu     sync.Mutex
	unable []string
	router *httpapi.Router
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func open(ctx context.Context, t *testing.T, db *storage.DB, networks ...netip.Prefix) *fixture {
	t.Helper()
	return openWith(ctx, t, db, world.Options{}, networks...)
}

func openWith(ctx context.Context, t *testing.T, db *storage.DB, o world.Options, networks ...netip.Prefix) *fixture {
	t.Helper()
	f := &fixture{World: world.New(ctx, t, db, o)}
	items := catalog.New(catalog.Deps{DB: db, Bus: f.Bus})
	f.Hooks = webhooks.New(webhooks.Deps{
		DB: db, Runner: f.Runner, Bus: f.Bus, Locks: f.Locks, Clock: f.Clock, Records: f, Networks: networks,
		Topics: func() map[string]string {
			return map[string]string{catalog.Topic: catalog.ReadPermission, webhooks.WebhookTopic: webhooks.ReadPermission}
		},
	})
	routes := func(r *httpapi.Router) {
		catalog.Routes(r, items)
		webhooks.Routes(r, f.Hooks)
	}
	f.Serve(routes)
	f.router = httpapi.NewServer(httpapi.Options{}).Router()
	routes(f.router)
	return f
}

// Read implements webhooks.Records.
func (f *fixture) Read(ctx context.Context, user int64, permission, path string) (json.RawMessage, error) {
	f.mu.Lock()
	unable := slices.Contains(f.unable, permission)
	f.mu.Unlock()
	if unable {
		return nil, nil
	}
	p, _ := principal.From(ctx)
	body, err := f.router.Read(principal.With(ctx, principal.Principal{Kind: principal.Admin, TenantID: p.TenantID, UserID: user, Permissions: []string{permission}}), path)
	if apperr.Has(err, apperr.NotFound) {
		return nil, nil
	}
	return body, err
}

// deliver starts a deliverer, and returns a function that ends it and aborts its requests in flight.
func (f *fixture) deliver(t *testing.T) (kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = f.Hooks.Background().Run(ctx)
	}()
	kill = func() {
		cancel()
		<-ended
	}
	t.Cleanup(kill)
	return kill
}

func (f *fixture) item(t *testing.T, sku string, price int64) object {
	t.Helper()
	return f.Post(t, 201, "/items", object{"sku": sku, "name": "Item " + sku, "price": price})
}

func (f *fixture) price(t *testing.T, sku string, price int) {
	t.Helper()
	etag, _ := f.Get(t, "/items/"+sku).Body["etag"].(string)
	a := f.Send(t, http.MethodPatch, "/items/"+sku, object{"price": price}, "If-Match", etag)
	require.Equal(t, 200, a.Status, a.Text)
}

func (f *fixture) hook(t *testing.T, r *receiver, more object) object {
	t.Helper()
	body := object{"url": r.URL, "topics": []string{"items"}}
	for name, value := range more {
		body[name] = value
	}
	return f.Post(t, 201, "/webhooks", body)
}

func (f *fixture) edit(t *testing.T, hook object, patch object) object {
	t.Helper()
	etag, _ := f.Get(t, hookPath(hook)).Body["etag"].(string)
	a := f.Send(t, http.MethodPatch, hookPath(hook), patch, "If-Match", etag)
	require.Equal(t, 200, a.Status, a.Text)
	return a.Body
}

func hookPath(hook object) string { return fmt.Sprintf("/webhooks/%d", world.ID(hook)) }

// requirePromises checks every promise of webhooks.
func (f *fixture) requirePromises(t *testing.T) {
	t.Helper()
	totals, err := promises.Check(f.Ctx, f.DB, webhooks.Declaration.Promises, nil)
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
	}
}

// receiver records the messages that it receives.
type receiver struct {
	*httptest.Server
	mu sync.Mutex
	// reply decides on the nth message, from 1.
	reply    func(w http.ResponseWriter, n int)
	received []received
	inFlight map[any]int
	overlaps int
}

type received struct {
	header http.Header
	body   []byte
	object
}

func (m received) data() object { return m.object["data"].(object) }

func receive(t *testing.T, reply func(w http.ResponseWriter, n int)) *receiver {
	t.Helper()
	r := &receiver{reply: reply, inFlight: map[any]int{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	m := received{header: request.Header}
	m.body, _ = io.ReadAll(request.Body)
	_ = json.Unmarshal(m.body, &m.object)
	id := m.data()["id"]
	r.mu.Lock()
	r.received = append(r.received, m)
	n := len(r.received)
	if r.inFlight[id]++; r.inFlight[id] > 1 {
		r.overlaps++
	}
	r.mu.Unlock()
	if r.reply != nil {
		r.reply(w, n)
	}
	r.mu.Lock()
	r.inFlight[id]--
	r.mu.Unlock()
}

func (r *receiver) messages() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.received)
}

const patience = 30 * time.Second

// await waits until the receiver has n messages.
func (r *receiver) await(t *testing.T, n int) []received {
	t.Helper()
	require.Eventually(t, func() bool { return len(r.messages()) >= n }, patience, 10*time.Millisecond, "%d messages", n)
	return r.messages()
}

func fail(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusServiceUnavailable) }

// state waits until the state of a webhook meets a condition.
func (f *fixture) awaitState(t *testing.T, hook object, condition func(hook object) bool) object {
	t.Helper()
	var now object
	require.Eventually(t, func() bool {
		now = f.Get(t, hookPath(hook)).Body
		return condition(now)
	}, patience, 20*time.Millisecond, "%v", now)
	return now
}

func verify(t *testing.T, secret any, m received) error {
	t.Helper()
	w, err := standardwebhooks.NewWebhook(secret.(string))
	require.NoError(t, err)
	return w.VerifyIgnoringTimestamp(m.body, m.header)
}

// Proves G5.49.
func TestChangesAreDeliveredThinAndSigned(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		f.item(t, "BEFORE", 1)
		r := receive(t, nil)
		hook := f.hook(t, r, nil)
		f.deliver(t)
		item := f.item(t, "TEA-1", 100)
		m := r.await(t, 1)[0]
		require.NoError(t, verify(t, hook["secret"], m))
		require.Equal(t, fmt.Sprint(f.Clock.Now().Unix()), m.header.Get("webhook-timestamp"))
		require.Equal(t, object{"type": "items.create", "timestamp": item["createdTime"], "data": object{
			"id": "TEA-1", "version": 1.0, "etag": item["etag"], "link": "/api/v1/items/TEA-1",
		}}, m.object)

		f.price(t, "TEA-1", 200)
		etag, _ := f.Get(t, "/items/TEA-1").Body["etag"].(string)
		require.Equal(t, 204, f.Send(t, http.MethodDelete, "/items/TEA-1", nil, "If-Match", etag).Status)
		list := r.await(t, 3)
		require.Equal(t, []any{"items.delete", nil, 3.0}, []any{list[2].object["type"], list[2].data()["etag"], list[2].data()["version"]})
		require.Equal(t, http.StatusNotFound, f.Send(t, http.MethodGet, "/webhooks/999999", nil).Status)
		require.NotContains(t, f.Get(t, hookPath(hook)).Text, "whsec_", "the secret is returned once")
		f.requirePromises(t)
	})
}

// Proves G7.39.
func TestMessagesWithContentNeedThePermissionOfTheOwner(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, nil)
		f.hook(t, r, object{"content": "full"})
		f.deliver(t)
		f.item(t, "TEA-1", 100)
		content := r.await(t, 1)[0].data()["content"]
		require.Equal(t, []any{"TEA-1", 100.0}, world.Members(content.(object), "sku", "price"))
		f.mu.Lock()
		f.unable = []string{catalog.ReadPermission}
		f.mu.Unlock()
		f.price(t, "TEA-1", 200)
		require.NotContains(t, r.await(t, 2)[1].data(), "content")

		a := f.As(9, "Cem", "webhooks:write").Send(t, http.MethodPost, "/webhooks", object{"url": r.URL, "topics": []string{"items"}})
		require.Equal(t, []any{403, "forbidden"}, []any{a.Status, a.Body["code"]})
	})
}

func TestFilterSelectsChanges(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, nil)
		f.hook(t, r, object{"filter": object{"actions": []string{"create"}, "keyPrefixes": []string{"TEA-"}, "statuses": []string{"active"}}})
		f.deliver(t)
		f.item(t, "CUP-1", 1)
		f.item(t, "TEA-1", 1)
		f.price(t, "TEA-1", 2)
		f.item(t, "TEA-2", 1)
		list := r.await(t, 2)
		require.ElementsMatch(t, []any{"TEA-1", "TEA-2"}, []any{list[0].data()["id"], list[1].data()["id"]})
	})
}

// Every seventh request fails, so that a retry could overtake.
//
// Proves G5.50.
func TestMessagesAboutARecordArriveInOrder(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, func(w http.ResponseWriter, n int) {
			clock.Sleep(t.Context(), time.Duration(n%3)*time.Millisecond)
			if n%7 == 3 {
				w.WriteHeader(http.StatusInternalServerError)
			}
		})
		hook := f.hook(t, r, nil)
		const records, versions = 5, 6
		for i := range records {
			f.item(t, fmt.Sprintf("TEA-%d", i), 1)
		}
		for v := range versions - 1 {
			for i := range records {
				f.price(t, fmt.Sprintf("TEA-%d", i), v+2)
			}
		}
		f.deliver(t)
		seen := func() map[any]float64 {
			last := map[any]float64{}
			for _, m := range r.messages() {
				id, version := m.data()["id"], m.data()["version"].(float64)
				require.LessOrEqual(t, version, last[id]+1, "a version before its predecessor")
				last[id] = max(last[id], version)
			}
			return last
		}
		require.Eventually(t, func() bool {
			f.Clock.Advance(time.Minute) // every back-off ends
			last := seen()
			return len(last) == records && !slices.ContainsFunc(slices.Collect(values(last)), func(v float64) bool { return v != versions })
		}, 2*patience, 50*time.Millisecond)
		require.Zero(t, r.overlaps, "two messages about one record at the same time")
		f.awaitState(t, hook, func(hook object) bool { return hook["failures"] == 0.0 })
		f.requirePromises(t)
	})
}

func values[K comparable, V any](m map[K]V) func(yield func(V) bool) {
	return func(yield func(V) bool) {
		for _, v := range m {
			if !yield(v) {
				return
			}
		}
	}
}

// The first process is killed while a request is in flight, and has saved no position.
//
// Proves G5.50.
func TestMessagesAreDeliveredAgainAfterTheDelivererIsKilled(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks, now := lock.NewInProcess(lock.Observer{}), clock.NewFake(world.Opening)
		first := openWith(ctx, t, db, world.Options{Locks: locks, Clock: now}, loopback...)
		second := openWith(ctx, t, db, world.Options{Locks: locks, Clock: now}, loopback...)
		reached, release := make(chan struct{}), make(chan struct{})
		r := receive(t, func(_ http.ResponseWriter, n int) {
			if n == 3 {
				close(reached)
				<-release
			}
		})
		hook := first.hook(t, r, nil)
		kill := first.deliver(t)
		first.item(t, "TEA-1", 1)
		for v := range 3 {
			first.price(t, "TEA-1", v+2)
		}
		<-reached
		kill()
		require.NoError(t, db.Write(ctx).Exec("UPDATE webhook_positions SET position = NULL WHERE tenant_id = ?", first.Tenant()).Error)
		second.deliver(t)
		list := r.await(t, 7)
		close(release)
		var versions []float64
		ids := map[string]bool{}
		for _, m := range list {
			versions = append(versions, m.data()["version"].(float64))
			ids[m.header.Get("webhook-id")] = true
		}
		require.Equal(t, []float64{1, 2, 3, 1, 2, 3, 4}, versions, "all again, in their order")
		require.Len(t, ids, 4, "a repeated message has its id")
		first.awaitState(t, hook, func(hook object) bool { return hook["cursor"] != nil })
		first.requirePromises(t)
	})
}

// Proves G5.51.
func TestSlowAndDeadReceiversDelayNoOtherWebhook(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		release := make(chan struct{})
		good, slow, dead := receive(t, nil), receive(t, func(http.ResponseWriter, int) { <-release }), receive(t, nil)
		defer close(release)
		dead.Close()
		f.hook(t, slow, nil)
		unreachable := f.hook(t, dead, nil)
		f.hook(t, good, nil)
		f.deliver(t)
		for i := range 30 {
			f.item(t, fmt.Sprintf("TEA-%d", i), 1)
		}
		require.Len(t, good.await(t, 30), 30)
		require.LessOrEqual(t, len(slow.messages()), 8, "a bound of requests in flight")
		failing := f.awaitState(t, unreachable, func(hook object) bool { return hook["failures"].(float64) > 0 })
		require.NotNil(t, failing["nextAttemptTime"])
		deliveries := f.Get(t, hookPath(unreachable)+"/deliveries").Items()
		require.Equal(t, []any{false, nil, "items.create"}, world.Members(deliveries[0], "delivered", "status", "type"))
		require.Contains(t, deliveries[0]["error"], "refused")
	})
}

// Proves G7.40.
func TestRedirectsAndPrivateAddressesAreRejected(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		target := receive(t, nil)
		r := receive(t, func(w http.ResponseWriter, _ int) {
			w.Header().Set("Location", target.URL)
			w.WriteHeader(http.StatusTemporaryRedirect)
			_, _ = io.WriteString(w, strings.Repeat("é\x00", 2000))
		})
		hook := f.hook(t, r, nil)
		sent := f.Post(t, 200, hookPath(hook)+"/test", nil)
		require.Equal(t, []any{false, 307.0, nil, "webhooks.test"}, world.Members(sent, "delivered", "status", "error", "type"))
		require.NotContains(t, sent["reply"], "\x00")
		require.Empty(t, target.messages(), "the redirect is not followed")
		require.Equal(t, sent["messageId"], f.Get(t, hookPath(hook)+"/deliveries").Items()[0]["messageId"])
		require.EqualValues(t, 1, f.CountRows(t, "audit_entries", "action = 'webhook.test'"))

		strict := open(ctx, t, db)
		for _, url := range []string{
			"http://example.com/", "ftp://example.com", "https://", "https://user:secret@example.com/", "https://example.com/#a",
			"https://127.0.0.1/", "https://[::1]/", "https://10.1.2.3/", "https://169.254.169.254/latest", "https://[::ffff:192.168.1.1]/",
			"https://0.0.0.0/", "https://224.0.0.1/", "https://100.64.0.1/", "https://[fd00:ec2::254]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
		} {
			a := strict.Send(t, http.MethodPost, "/webhooks", object{"url": url, "topics": []string{"items"}})
			require.Equal(t, []any{422, "/url"}, []any{a.Status, a.Pointer()}, url)
		}
		// A name is checked when it is resolved.
		_, port, _ := strings.Cut(strings.TrimPrefix(r.URL, "http://"), ":")
		named := strict.Post(t, 201, "/webhooks", object{"url": "https://localhost:" + port + "/", "topics": []string{"items"}})
		failed := strict.Post(t, 200, hookPath(named)+"/test", nil)
		require.Contains(t, failed["error"], "is not a public address")
		require.Len(t, r.messages(), 1, "no connection was opened")
		unknown := strict.Post(t, 201, "/webhooks", object{"url": "https://hooks.invalid/", "topics": []string{"items"}})
		failed = strict.Post(t, 200, hookPath(unknown)+"/test", nil)
		require.Regexp(t, "^look up the address of hooks.invalid: [a-z ]+$", failed["error"], "without the address of the resolver")
	})
}

// Proves G5.52.
func TestSubscriptionIsPausedAfterThreeDays(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		var mu sync.Mutex
		healthy := false
		r := receive(t, func(w http.ResponseWriter, n int) {
			mu.Lock()
			defer mu.Unlock()
			if !healthy {
				fail(w, n)
			}
		})
		hook := f.hook(t, r, nil)
		f.deliver(t)
		f.item(t, "TEA-1", 1)
		f.awaitState(t, hook, func(hook object) bool { return hook["failures"] == 1.0 })
		f.Clock.Advance(71 * time.Hour)
		failing := f.awaitState(t, hook, func(hook object) bool { return hook["failures"] == 2.0 })
		require.Equal(t, "active", failing["status"])
		f.Clock.Advance(2 * time.Hour)
		stopped := f.awaitState(t, hook, func(hook object) bool { return hook["status"] == "paused" })
		require.Equal(t, false, stopped["enabled"])
		require.Contains(t, stopped["pauseReason"], "confirmed nothing since 2026-11-21 08:00 UTC")
		require.Equal(t, "pause", f.Get(t, hookPath(hook)+"/history").Items()[0]["action"])
		require.EqualValues(t, 1, f.CountRows(t, "audit_entries", "action = 'webhook.pause'"))

		f.item(t, "TEA-2", 1)
		mu.Lock()
		healthy = true
		mu.Unlock()
		before := len(r.messages())
		resumed := f.edit(t, hook, object{"enabled": true})
		require.Equal(t, []any{"active", nil, 0.0}, world.Members(resumed, "status", "pauseReason", "failures"))
		list := r.await(t, before+2)[before:]
		require.ElementsMatch(t, []any{"TEA-1", "TEA-2"}, []any{list[0].data()["id"], list[1].data()["id"]}, "it resumes at its position")
		f.requirePromises(t)
	})
}

// Proves G5.52.
func TestReply410PausesImmediately(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, func(w http.ResponseWriter, _ int) { w.WriteHeader(http.StatusGone) })
		hook := f.hook(t, r, nil)
		f.deliver(t)
		f.item(t, "TEA-1", 1)
		f.awaitState(t, hook, func(hook object) bool { return hook["status"] == "paused" })
		require.Len(t, r.messages(), 1)
	})
}

// Proves G5.53.
func TestReplayDeliversAgainFromAPosition(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, nil)
		hook := f.hook(t, r, nil)
		f.deliver(t)
		f.item(t, "TEA-1", 1)
		r.await(t, 1)
		f.Clock.Advance(time.Hour)
		between := f.Clock.Now()
		f.item(t, "TEA-2", 1)
		ids := func(list []received) (ids []any) {
			for _, m := range list {
				ids = append(ids, m.data()["id"])
			}
			return ids
		}
		require.Equal(t, []any{"TEA-1", "TEA-2"}, ids(r.await(t, 2)))
		var deliveries []object
		require.Eventually(t, func() bool {
			deliveries = f.Get(t, hookPath(hook)+"/deliveries").Items()
			return len(deliveries) == 2
		}, patience, 20*time.Millisecond)

		f.Post(t, 200, hookPath(hook)+"/replay", object{"after": deliveries[1]["cursor"]})
		require.Equal(t, []any{"TEA-2"}, ids(r.await(t, 3)[2:]))
		f.Post(t, 200, hookPath(hook)+"/replay", object{"after": between.Format(time.RFC3339Nano)})
		require.Equal(t, []any{"TEA-2"}, ids(r.await(t, 4)[3:]))
		require.Equal(t, r.messages()[1].header.Get("webhook-id"), r.messages()[3].header.Get("webhook-id"), "a receiver recognizes the message")

		cursor, _ := deliveries[0]["cursor"].(string)
		history := cursor[:strings.LastIndexByte(cursor, '-')]
		for after, code := range map[string]string{
			"yesterday": "validation_failed", "-1": "validation_failed", "another-1": "gone", history + "-999999": "gone",
		} {
			a := f.Send(t, http.MethodPost, hookPath(hook)+"/replay", object{"after": after})
			require.Equal(t, code, a.Body["code"], after)
			require.Contains(t, []int{410, 422}, a.Status)
		}
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Exec("INSERT INTO log_places (name, last) VALUES (?, 2)", fmt.Sprintf("audit-floor:%d", f.Tenant())).Error)
		for _, after := range []string{history + "-1", world.Opening.Format(time.RFC3339)} {
			require.Equal(t, "gone", f.Post(t, 410, hookPath(hook)+"/replay", object{"after": after})["code"])
		}
		f.requirePromises(t)
	})
}

// Proves G5.49.
func TestBothSecretsSignForADay(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		r := receive(t, nil)
		hook := f.hook(t, r, nil)
		rotated := f.Post(t, 200, hookPath(hook)+"/rotate-secret", nil, "Idempotency-Key", "rotate-1")
		require.NotEqual(t, hook["secret"], rotated["secret"])
		again := f.Post(t, 200, hookPath(hook)+"/rotate-secret", nil, "Idempotency-Key", "rotate-1")
		require.Equal(t, []any{nil, true, rotated["version"]}, world.Members(again, "secret", "secretShownOnce", "version"))
		f.Post(t, 200, hookPath(hook)+"/test", nil)
		f.Clock.Advance(24 * time.Hour)
		f.Post(t, 200, hookPath(hook)+"/test", nil)
		list := r.messages()
		require.NoError(t, verify(t, hook["secret"], list[0]))
		require.NoError(t, verify(t, rotated["secret"], list[0]))
		require.Error(t, verify(t, hook["secret"], list[1]), "the old secret has ended")
		require.NoError(t, verify(t, rotated["secret"], list[1]))
		f.requirePromises(t)
	})
}

// Proves G1.12.
func TestStaleEditOfAWebhookConflicts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db)
		hook := f.Post(t, 201, "/webhooks", object{"url": "https://example.com/a", "topics": []string{"items"}, "enabled": false})
		etag, _ := hook["etag"].(string)
		require.Equal(t, []any{"disabled", "thin", nil}, world.Members(hook, "status", "content", "filter"))
		require.Equal(t, 428, f.Send(t, http.MethodPatch, hookPath(hook), object{"enabled": true}).Status)
		f.edit(t, hook, object{"filter": object{"actions": []string{"create"}}})
		a := f.Send(t, http.MethodPatch, hookPath(hook), object{"filter": nil}, "If-Match", etag)
		require.Equal(t, []any{412, "version_conflict"}, []any{a.Status, a.Body["code"]})
		require.Equal(t, 200, f.Send(t, http.MethodPatch, hookPath(hook)+"?merge=disjoint", object{"url": "https://example.com/b"}, "If-Match", etag).Status)
		for pointer, body := range map[string]object{
			"/topics":           {"url": "https://example.com", "topics": []string{}},
			"/topics/0":         {"url": "https://example.com", "topics": []string{"unknown"}},
			"/content":          {"url": "https://example.com", "topics": []string{"items"}, "content": "half"},
			"/url":              {"url": "", "topics": []string{"items"}},
			"/filter/actions/0": {"url": "https://example.com", "topics": []string{"items"}, "filter": object{"actions": []string{""}}},
		} {
			a := f.Send(t, http.MethodPost, "/webhooks", body)
			require.Equal(t, []any{422, pointer}, []any{a.Status, a.Pointer()}, a.Text)
		}
		now := f.Get(t, hookPath(hook))
		require.Equal(t, 204, f.Send(t, http.MethodDelete, hookPath(hook), nil, "If-Match", now.Header.Get("ETag")).Status)
		require.Zero(t, f.CountRows(t, "webhook_positions", "1 = 1"))
		f.requirePromises(t)
	})
}

func TestOldDeliveriesAreDeleted(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		f := open(ctx, t, db, loopback...)
		hook := f.hook(t, receive(t, nil), nil)
		f.Post(t, 200, hookPath(hook)+"/test", nil)
		f.Clock.Advance(6 * 24 * time.Hour)
		f.Post(t, 200, hookPath(hook)+"/test", nil)
		f.Clock.Advance(2 * 24 * time.Hour)
		require.NoError(t, f.Hooks.Sweep(ctx, 10))
		require.Len(t, f.Get(t, hookPath(hook)+"/deliveries").Items(), 1)
	})
}
