// Package burst sends a crowd of customers to a flash sale and checks afterwards that
// nothing was lost, doubled or oversold, whichever failures the test caused.
package burst

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 3 * time.Minute

// Sale is an open sale and the crowd that buys from it.
type Sale struct {
	// Callers are tokens that may act for customers, one for each server.
	Callers []*apptest.Caller
	Path    string
	SKU     string
	Units   int
	Buyers  int
	// Crowd is the number of concurrent buyers.
	Crowd int

	mu      sync.Mutex
	tickets map[string]string // by customer
	refused map[string]int
	// unbalanced is the first response whose numbers did not add up.
	unbalanced atomic.Pointer[string]
	looks      atomic.Int64
}

// Open stocks an item with twice the units and opens a sale of the units, one for each
// customer.
func Open(t *testing.T, units, buyers int, callers ...*apptest.Caller) *Sale {
	t.Helper()
	s := &Sale{
		Callers: callers, SKU: "BURST", Units: units, Buyers: buyers, Crowd: 64,
		tickets: make(map[string]string), refused: make(map[string]int),
	}
	s.post(t, 201, "/items", map[string]any{"sku": s.SKU, "name": "Burst", "price": 900})
	s.post(t, 201, "/inventory/"+s.SKU+"/adjustments", map[string]any{"delta": 2 * units, "reason": "opening stock", "reference": "opening"})
	sale := s.post(t, 201, "/flash-sales", map[string]any{
		"name": "Burst", "sku": s.SKU, "price": 500, "quantity": units, "perUserLimit": 1,
		"startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z",
	})
	s.Path = fmt.Sprintf("/flash-sales/%d", int64(sale["id"].(float64)))
	s.post(t, 200, s.Path+"/open", nil)
	return s
}

// customerOf names a customer: a number, a text and an address in turn.
func customerOf(n int) string {
	return fmt.Sprintf([]string{"%d", "user-%d", "shop/li+%d@example.com"}[n%3], 1+n)
}

func (s *Sale) post(t *testing.T, status int, path string, body any) map[string]any {
	t.Helper()
	answer := s.Callers[0].Do(t, http.MethodPost, httpapi.Base+path, body)
	require.Equal(t, status, answer.Status, "POST %s: %s", path, answer.Body)
	return answer.JSON(t)
}

// Rush makes every customer buy one unit. Each customer repeats the request with one
// idempotency key until it gets a definite response, as the contract requires. The numbers
// of the sale are checked all the time.
func (s *Sale) Rush(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var watching, buying sync.WaitGroup
	watching.Go(func() { s.watch(ctx) })
	customers := make(chan string)
	for i := range s.Crowd {
		caller := s.Callers[i%len(s.Callers)]
		buying.Go(func() {
			for customer := range customers {
				if err := s.buy(ctx, caller, customer); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for customer := range s.Buyers {
		customers <- customerOf(customer)
	}
	close(customers)
	buying.Wait()
	stop()
	watching.Wait()
	t.Logf("%d tickets; rejected: %v; %d reads of the numbers", len(s.tickets), s.refused, s.looks.Load())
}

// Await waits until that number of customers have a ticket, for at most patience, or until ctx ends.
// A test that causes a failure during the rush must do so before the rush ends, also on a fast
// machine.
func (s *Sale) Await(t *testing.T, ctx context.Context, tickets int) {
	t.Helper()
	waiting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	for waiting.Err() == nil && s.Accepted() < tickets {
		wait(waiting, time.Millisecond)
	}
	if accepted := s.Accepted(); accepted < tickets && ctx.Err() == nil {
		t.Errorf("%d customers have a ticket after %s, and not the %d that were waited for", accepted, patience, tickets)
	}
}

// Accepted counts the tickets that customers have so far.
func (s *Sale) Accepted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tickets)
}

func (s *Sale) buy(ctx context.Context, caller *apptest.Caller, customer string) error {
	deadline := time.Now().Add(patience)
	for {
		answer, err := caller.Try(ctx, http.MethodPost, httpapi.Base+s.Path+"/orders", map[string]any{"quantity": 1},
			"X-On-Behalf-Of", customer, "X-Idempotency-Key", "burst-"+customer)
		var body struct{ Ticket, Code string }
		_ = json.Unmarshal(answer.Body, &body)
		switch {
		case err == nil && answer.Status == http.StatusAccepted:
			s.mu.Lock()
			defer s.mu.Unlock()
			s.tickets[customer] = body.Ticket
			return nil
		case err == nil && answer.Status == http.StatusConflict && body.Code == "sold_out":
			s.mu.Lock()
			defer s.mu.Unlock()
			s.refused[body.Code]++
			return nil
		case err == nil && answer.Status != http.StatusServiceUnavailable:
			return fmt.Errorf("customer %s: %d %s", customer, answer.Status, answer.Body)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("customer %s had no answer: %w %s", customer, err, answer.Body)
		}
		wait(ctx, 50*time.Millisecond)
	}
}

// watch checks the numbers of the sale until ctx ends.
func (s *Sale) watch(ctx context.Context) {
	for ctx.Err() == nil {
		s.look(ctx)
		wait(ctx, 20*time.Millisecond)
	}
}

// look records numbers that do not add up. It ignores a server that does not respond.
func (s *Sale) look(ctx context.Context) {
	answer, err := s.Callers[0].Try(ctx, http.MethodGet, httpapi.Base+s.Path+"/stats", nil)
	if err != nil || answer.Status != http.StatusOK {
		return
	}
	s.looks.Add(1)
	var stats struct{ Balanced bool }
	if json.Unmarshal(answer.Body, &stats) != nil || !stats.Balanced {
		text := string(answer.Body)
		s.unbalanced.Store(&text)
	}
}

// Verify waits until the queue has drained and compares the visible state with the
// acknowledged purchases: each ticket has ended; exactly Units units are sold, to different
// customers, in one order per ticket; the numbers added up all the time; and the item's
// stock is correct.
func (s *Sale) Verify(t *testing.T) {
	t.Helper()
	s.drain(t)
	s.addedUp(t)
	require.Len(t, s.tickets, s.Units, "as many tickets as units")
	s.eachTicket(t, func(customer string, body map[string]any) {
		require.Equal(t, "confirmed", body["status"], "customer %s: %v", customer, body)
	})
	buyers := map[string]bool{}
	for _, order := range s.orders(t) {
		customer := order["userId"].(string)
		require.False(t, buyers[customer], "customer %s has two orders", customer)
		buyers[customer] = true
		require.Equal(t, s.tickets[customer], order["ticket"])
	}
	require.Len(t, buyers, s.Units)
	reconciled := s.post(t, 200, s.Path+"/reconcile", nil)
	require.Equal(t, true, reconciled["consistent"], "%v", reconciled)
	s.hold(t)
	s.close(t)
}

// addedUp fails unless the numbers added up at each check, of which there was at least one.
func (s *Sale) addedUp(t *testing.T) {
	t.Helper()
	s.look(t.Context()) // a small rush can be over before the first
	if found := s.unbalanced.Load(); found != nil {
		t.Errorf("the numbers did not add up: %s", *found)
	}
	require.Positive(t, s.looks.Load())
}

// hold compares the item's stock with the units that were sold.
func (s *Sale) hold(t *testing.T) {
	t.Helper()
	stock := s.Callers[0].Do(t, http.MethodGet, httpapi.Base+"/inventory/"+s.SKU, nil).JSON(t)
	require.EqualValues(t, s.Units, stock["available"])
	require.EqualValues(t, s.Units, stock["reserved"])
}

// close closes the sale and checks that earlier responses are still true: each ticket has
// the same outcome, no customer has more than one unit, and sold units stay reserved.
func (s *Sale) close(t *testing.T) {
	t.Helper()
	s.post(t, 200, s.Path+"/close", nil)
	s.drain(t)
	s.eachTicket(t, func(customer string, body map[string]any) {
		require.Contains(t, []any{"confirmed", "rejected"}, body["status"], "customer %s: %v", customer, body)
	})
	held := map[any]float64{}
	for _, order := range s.orders(t) {
		held[order["userId"]]++
		require.LessOrEqual(t, held[order["userId"]], 1.0, "customer %v", order["userId"])
	}
	reconciled := s.post(t, 200, s.Path+"/reconcile", nil)
	require.Equal(t, true, reconciled["consistent"], "%v", reconciled)
	s.hold(t)
}

// eachTicket reads the ticket of each customer.
func (s *Sale) eachTicket(t *testing.T, look func(customer string, body map[string]any)) {
	t.Helper()
	for customer, ticket := range s.tickets {
		answer := s.Callers[0].Do(t, http.MethodGet, httpapi.Base+s.Path+"/tickets/"+ticket, nil, "X-On-Behalf-Of", customer)
		require.Equal(t, http.StatusOK, answer.Status, "customer %s: %s", customer, answer.Body)
		look(customer, answer.JSON(t))
	}
}

// VerifyAfterLoss is Verify for a queue whose store was emptied during the rush. Tickets
// may be lost, and their customers are notified; no unit is sold twice and no customer
// waits. It returns the number of lost tickets.
func (s *Sale) VerifyAfterLoss(t *testing.T) (lost int) {
	t.Helper()
	s.drain(t)
	s.addedUp(t)
	confirmed := 0
	s.eachTicket(t, func(customer string, body map[string]any) {
		switch {
		case body["status"] == "confirmed":
			confirmed++
		case body["status"] == "rejected" && body["reason"] == "lost":
			lost++
		default:
			t.Errorf("customer %s: %v", customer, body)
		}
	})
	require.Equal(t, s.Units, confirmed, "lost units were sold again")
	require.Len(t, s.orders(t), confirmed)
	reconciled := s.post(t, 200, s.Path+"/reconcile", nil)
	require.Equal(t, true, reconciled["consistent"], "%v", reconciled)
	require.EqualValues(t, lost, reconciled["stats"].(map[string]any)["lost"], "every reply is counted")
	s.close(t)
	t.Logf("%d confirmed, %d lost", confirmed, lost)
	return lost
}

// drain waits until no ticket is waiting.
func (s *Sale) drain(t *testing.T) {
	t.Helper()
	var last []byte
	require.Eventually(t, func() bool {
		answer, err := s.Callers[0].Try(t.Context(), http.MethodGet, httpapi.Base+s.Path+"/stats", nil)
		var stats struct{ Queued, Processing, Confirmed int }
		last = answer.Body
		return err == nil && json.Unmarshal(answer.Body, &stats) == nil && answer.Status == http.StatusOK &&
			stats.Queued == 0 && stats.Processing == 0 && stats.Confirmed == s.Units
	}, patience, 50*time.Millisecond, "the queue did not drain: %s", lazy{&last})
}

// lazy formats the current text when it is printed.
type lazy struct{ text *[]byte }

func (l lazy) String() string { return string(*l.text) }

func (s *Sale) orders(t *testing.T) []map[string]any {
	t.Helper()
	var all []map[string]any
	for cursor := ""; ; {
		answer := s.Callers[0].Do(t, http.MethodGet, httpapi.Base+"/orders?limit=200&sort=id&cursor="+cursor, nil)
		require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
		var page struct {
			Items      []map[string]any
			NextCursor *string
		}
		require.NoError(t, json.Unmarshal(answer.Body, &page))
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		cursor = *page.NextCursor
	}
}

func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
