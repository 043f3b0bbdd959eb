package faults_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// A server is backed up during a flash sale, continues to sell, and is restored: SQL
// returns to the earlier state and Redis does not. Customers who have bought since the
// backup are notified that their tickets were lost.
// Proves R3.
func TestRestoreDuringASaleLosesNoTicketSilently(t *testing.T) {
	onEachEngine(t, func(t *testing.T, engine string) { restoreUnderASale(t, engine, syscall.SIGKILL) })
}

func TestRestoreAfterAShutdownLosesNoTicketSilently(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) { restoreUnderASale(t, engine, syscall.SIGTERM) })
}

func restoreUnderASale(t *testing.T, engine string, stop syscall.Signal) {
	s := fresh(t, engine)
	s.RedisURL = redistest.NewServer(t).URL()
	s.Addr = freeAddress(t)
	if engine == "mariadb" {
		admin(t, s, "migrate", "up")
	}
	p := serve(t, s)
	c := callerOf(t, s)
	sale := openSmallSale(t, c, 10)
	before := []string{buyOne(t, c, sale, "a"), buyOne(t, c, sale, "b")}
	for i, ticket := range before {
		awaitTicket(t, c, sale, ticket, string(rune('a'+i)), "confirmed")
	}
	file := filepath.Join(t.TempDir(), "backup")
	require.Contains(t, admin(t, s, "backup", file), "contains the whole database")
	since := []string{buyOne(t, c, sale, "c"), buyOne(t, c, sale, "d")}
	for i, ticket := range since {
		awaitTicket(t, c, sale, ticket, string(rune('c'+i)), "confirmed")
	}

	p.signal(stop)
	<-p.ended
	if engine == "mariadb" {
		s.DatabaseURL = storagetest.NewMariaDBURL(t)
	}
	said := admin(t, s, "restore", file)
	require.Contains(t, said, "The database is restored, up to the change at ")
	serve(t, s)
	c = callerOf(t, s)

	for i, ticket := range before {
		awaitTicket(t, c, sale, ticket, string(rune('a'+i)), "confirmed")
	}
	for i, ticket := range since {
		ticketState := awaitTicket(t, c, sale, ticket, string(rune('c'+i)), "rejected")
		require.Equal(t, "lost", ticketState["reason"])
	}
	// All units that were unsold at the backup are for sale.
	for i := range 8 {
		user := fmt.Sprint("later-", i)
		awaitTicket(t, c, sale, buyOne(t, c, sale, user), user, "confirmed")
	}
	answer := c.Do(t, http.MethodPost, httpapi.Base+sale+"/orders", map[string]any{"quantity": 1}, "X-On-Behalf-Of", "too-late")
	require.Equal(t, "sold_out", answer.Code(), "%s", answer.Body)
	checkPromises(t, s)
}

// openSmallSale opens a sale of that many units.
func openSmallSale(t *testing.T, c *apptest.Caller, units int) (path string) {
	t.Helper()
	post := func(path string, body any) map[string]any {
		answer := c.Do(t, http.MethodPost, httpapi.Base+path, body)
		require.Less(t, answer.Status, 300, "POST %s: %s", path, answer.Body)
		return answer.JSON(t)
	}
	post("/items", map[string]any{"sku": "SMALL", "name": "Small", "price": 900})
	post("/inventory/SMALL/adjustments", map[string]any{"delta": units, "reason": "opening stock", "reference": "opening"})
	sale := post("/flash-sales", map[string]any{
		"name": "Small", "sku": "SMALL", "price": 500, "quantity": units, "perUserLimit": 1,
		"startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z",
	})
	path = fmt.Sprintf("/flash-sales/%d", int64(sale["id"].(float64)))
	post(path+"/open", nil)
	return path
}

// buyOne buys a unit for a customer and returns the ticket; it retries while the gate is
// being rebuilt.
func buyOne(t *testing.T, c *apptest.Caller, sale, user string) (ticket string) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer := c.Do(t, http.MethodPost, httpapi.Base+sale+"/orders", map[string]any{"quantity": 1}, "X-On-Behalf-Of", user)
		if answer.Status == http.StatusServiceUnavailable {
			return false
		}
		require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
		ticket = answer.JSON(t)["ticket"].(string)
		return true
	}, patience, 20*time.Millisecond, "the sale accepts no customer")
	return ticket
}

// awaitTicket waits until a customer's ticket has ended, with the status end.
func awaitTicket(t *testing.T, c *apptest.Caller, sale, ticket, user, end string) map[string]any {
	t.Helper()
	var ticketState map[string]any
	require.Eventually(t, func() bool {
		answer := c.Do(t, http.MethodGet, httpapi.Base+sale+"/tickets/"+ticket, nil, "X-On-Behalf-Of", user)
		if answer.Status != http.StatusOK {
			return false
		}
		ticketState = answer.JSON(t)
		return ticketState["status"] != "queued"
	}, patience, 20*time.Millisecond, "the ticket has no end")
	require.Equal(t, end, ticketState["status"], "of %s: %v", user, ticketState)
	return ticketState
}
