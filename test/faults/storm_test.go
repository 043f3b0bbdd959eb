package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// storm is two replicas on a separate MariaDB and Redis, with an append-only file that is flushed
// once a second. Everything breaks repeatedly while sales are opened, edited and closed,
// customers buy with and without keys, and clients read their tickets.
type storm struct {
	database *mariadb
	redis    *redistest.Server
	at       [2]settings.Settings
	replicas [2]*process
	callers  [2]*apptest.Caller
	random   func(n int) int

	mu      sync.Mutex
	sales   []*stormSale
	tickets []*stormTicket
	copies  []stormCopy

	// data is locked while the files of Redis are copied or replaced.
	data sync.Mutex

	replies, lostReplies atomic.Int64
}

type stormSale struct {
	path string
	id   int64
	over bool
}

// stormTicket is a ticket that a customer received.
type stormTicket struct {
	sale         *stormSale
	user, ticket string

	mu sync.Mutex
	// ended is the first final status that a client read, or "" before.
	ended string
}

type stormCopy struct {
	folder string
	taken  time.Time
}

const (
	stormUsers = 60
	stormLimit = 2
	stormSKU   = "STORM"
	stormStock = 1_000_000
)

// TestTicketsStayConsistentThroughAStorm runs for two minutes, or for the duration in
// INTERLOCK_STORM.
func TestTicketsStayConsistentThroughAStorm(t *testing.T) {
	tier.Nightly(t)
	lasts := 2 * time.Minute
	if text := os.Getenv("INTERLOCK_STORM"); text != "" {
		var err error
		lasts, err = time.ParseDuration(text)
		require.NoError(t, err, "INTERLOCK_STORM")
	}
	s := brew(t)
	ctx, stop := context.WithTimeout(t.Context(), lasts)
	defer stop()
	var actors sync.WaitGroup
	for range 3 {
		actors.Go(func() { s.sell(ctx, t) })
	}
	for range 24 {
		actors.Go(func() { s.shop(ctx, t) })
	}
	for range 8 {
		actors.Go(func() { s.follow(ctx, t) })
	}
	actors.Go(func() { s.cancel(ctx) })
	actors.Go(func() { s.copyRedis(ctx, t) })
	s.breakThings(ctx, t)
	actors.Wait()
	t.Logf("%d sales, %d tickets, %d replies", len(s.sales), len(s.tickets), s.replies.Load())
	s.settle(t)
	s.verify(t)
	checkPromises(t, s.at[0])
}

func brew(t *testing.T) *storm {
	t.Helper()
	random := racing.Seeded(t)
	s := &storm{database: newMariaDB(t), redis: redistest.NewServer(t, "--appendfsync", "everysec"), random: dice(random.Uint64())}
	base := apptest.Settings(t.TempDir())
	base.DatabaseURL, base.RedisURL, base.FlashSalePaymentTimeout = s.database.url(), s.redis.URL(), 20*time.Second
	admin(t, base, "migrate", "up")
	for i := range s.replicas {
		s.at[i] = base
		s.at[i].Addr = freeAddress(t)
		s.replicas[i] = serve(t, s.at[i])
		s.callers[i] = callerOf(t, s.at[i])
		s.callers[i].HTTP.Timeout = 5 * time.Second
	}
	c := s.callers[0]
	require.Equal(t, 201, c.Do(t, "POST", httpapi.Base+"/items", map[string]any{"sku": stormSKU, "name": "Storm", "price": 900}).Status)
	require.Equal(t, 201, c.Do(t, "POST", httpapi.Base+"/inventory/"+stormSKU+"/adjustments",
		map[string]any{"delta": stormStock, "reason": "opening stock", "reference": "opening"}).Status)
	return s
}

// ticketReply is a response about a ticket.
type ticketReply struct {
	Ticket, Status, Code, Reason string
	OrderID                      int64
	ID                           int64
	Etag                         string
	AllowedTransitions           []string
	Quantity                     int64
}

// ask sends a request to one of the replicas, and returns a status of 0 without a response.
func (s *storm) ask(ctx context.Context, method, path string, body any, headers ...string) (int, ticketReply) {
	answer, err := s.callers[s.random(2)].Try(ctx, method, httpapi.Base+path, body, headers...)
	var t ticketReply
	if err != nil {
		return 0, t
	}
	s.replies.Add(1)
	_ = json.Unmarshal(answer.Body, &t)
	return answer.Status, t
}

// insist repeats a request with one key until it has a definite response.
func (s *storm) insist(ctx context.Context, path string, body any) (int, ticketReply) {
	key := fmt.Sprintf("storm-%d", rand.Uint64())
	for ctx.Err() == nil {
		status, t := s.ask(ctx, http.MethodPost, path, body, "X-Idempotency-Key", key)
		if status != 0 && status != 423 && status < 500 && t.Code != "request_in_progress" {
			return status, t
		}
		pause(ctx, 100*time.Millisecond)
	}
	return 0, ticketReply{}
}

// sell opens, edits and closes sales, one after the other.
func (s *storm) sell(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		status, sale := s.insist(ctx, "/flash-sales", map[string]any{
			"name": "Storm", "sku": stormSKU, "price": 500, "quantity": 20 + s.random(60), "perUserLimit": stormLimit,
			"startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z",
		})
		if status != 201 {
			continue
		}
		planned := &stormSale{path: fmt.Sprintf("/flash-sales/%d", sale.ID), id: sale.ID}
		s.mu.Lock()
		s.sales = append(s.sales, planned)
		s.mu.Unlock()
		s.insist(ctx, planned.path+"/open", nil)
		for until := time.Now().Add(time.Duration(5+s.random(15)) * time.Second); ctx.Err() == nil && time.Now().Before(until); {
			pause(ctx, time.Duration(200+s.random(800))*time.Millisecond)
			s.edit(ctx, planned)
		}
		// Some sales stay open until the end.
		if s.random(4) > 0 {
			s.insist(ctx, planned.path+"/close", nil)
			s.mu.Lock()
			planned.over = true
			s.mu.Unlock()
		}
	}
}

func (s *storm) edit(ctx context.Context, sale *stormSale) {
	_, now := s.ask(ctx, http.MethodGet, sale.path, nil)
	switch s.random(4) {
	case 0:
		s.ask(ctx, http.MethodPatch, sale.path, map[string]any{"quantityDelta": s.random(21) - 10}, "If-Match", now.Etag)
	case 1:
		s.ask(ctx, http.MethodPatch, sale.path, map[string]any{"name": fmt.Sprint("Storm ", s.random(1000))}, "If-Match", now.Etag)
	default:
		for _, action := range now.AllowedTransitions {
			if action == "pause" && s.random(3) == 0 || action == "resume" {
				s.ask(ctx, http.MethodPost, sale.path+"/"+action, nil)
			}
		}
	}
}

// some returns a random open sale, or nil if there is none.
func (s *storm) some() *stormSale {
	s.mu.Lock()
	defer s.mu.Unlock()
	var open []*stormSale
	for _, sale := range s.sales {
		if !sale.over {
			open = append(open, sale)
		}
	}
	if len(open) == 0 {
		return nil
	}
	return open[s.random(len(open))]
}

// shop buys as a random customer, with a key in two of three cases.
func (s *storm) shop(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(s.random(40))*time.Millisecond)
		sale := s.some()
		if sale == nil {
			continue
		}
		user := strconv.Itoa(1 + s.random(stormUsers))
		headers := []string{"X-On-Behalf-Of", user}
		attempts := 1
		if s.random(3) > 0 {
			headers, attempts = append(headers, "X-Idempotency-Key", fmt.Sprintf("buy-%d", rand.Uint64())), 20
		}
		body := map[string]any{"quantity": 1 + s.random(stormLimit)}
		first := ""
		for n := 0; n < attempts && ctx.Err() == nil; n++ {
			status, got := s.ask(ctx, http.MethodPost, sale.path+"/orders", body, headers...)
			if got.Ticket != "" && (status == 202 || got.Code == "outcome_unknown") {
				if first != "" && first != got.Ticket {
					t.Errorf("one key of customer %s has the tickets %s and %s", user, first, got.Ticket)
				}
				if first == "" {
					s.note(sale, user, got.Ticket)
				}
				first = got.Ticket
			}
			if status != 0 && status < 500 {
				break
			}
			pause(ctx, 100*time.Millisecond)
		}
	}
}

func (s *storm) note(sale *stormSale, user, ticket string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tickets = append(s.tickets, &stormTicket{sale: sale, user: user, ticket: ticket})
}

// follow reads random tickets, including ended ones.
func (s *storm) follow(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		s.mu.Lock()
		var ticket *stormTicket
		if n := len(s.tickets); n > 0 {
			// The latest tickets change most.
			ticket = s.tickets[n-1-s.random(min(n, 50+s.random(n)))]
		}
		s.mu.Unlock()
		if ticket == nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		s.look(ctx, t, ticket)
	}
}

// look reads a ticket and compares the response with earlier ones.
func (s *storm) look(ctx context.Context, t *testing.T, ticket *stormTicket) (status int, got ticketReply) {
	ticket.mu.Lock()
	before := ticket.ended
	ticket.mu.Unlock()
	status, got = s.ask(ctx, http.MethodGet, ticket.sale.path+"/tickets/"+ticket.ticket, nil, "X-On-Behalf-Of", ticket.user)
	if status != 200 {
		return status, got
	}
	end := ""
	switch got.Status {
	case "confirmed":
		end = fmt.Sprintf("confirmed, order %d", got.OrderID)
	case "rejected":
		end = "rejected, " + got.Reason
	}
	if before != "" && end != before {
		t.Errorf("ticket %s was reported as %q, and is now %q (%s)", ticket.ticket, before, end, got.Status)
	}
	ticket.mu.Lock()
	defer ticket.mu.Unlock()
	if ticket.ended == "" && end != "" {
		ticket.ended = end
		if got.Reason == "lost" {
			s.lostReplies.Add(1)
		}
	}
	if end != "" && ticket.ended != end {
		t.Errorf("ticket %s was reported as %q and %q", ticket.ticket, ticket.ended, end)
	}
	return status, got
}

// cancel cancels random orders.
func (s *storm) cancel(ctx context.Context) {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(200+s.random(500))*time.Millisecond)
		s.mu.Lock()
		var ticket *stormTicket
		if n := len(s.tickets); n > 0 {
			ticket = s.tickets[s.random(n)]
		}
		s.mu.Unlock()
		if ticket == nil {
			continue
		}
		ticket.mu.Lock()
		end := ticket.ended
		ticket.mu.Unlock()
		var order int64
		if _, err := fmt.Sscanf(end, "confirmed, order %d", &order); err == nil {
			s.ask(ctx, http.MethodPost, fmt.Sprintf("/orders/%d/cancel", order), map[string]any{"reason": "no"})
		}
	}
}

// copyRedis copies Redis's files periodically.
func (s *storm) copyRedis(ctx context.Context, t *testing.T) {
	for ctx.Err() == nil {
		s.data.Lock()
		folder := s.redis.Copy(t)
		s.data.Unlock()
		s.mu.Lock()
		s.copies = append(s.copies, stormCopy{folder, time.Now()})
		// Copies that are a minute old are no longer used.
		if len(s.copies) > 200 {
			_ = os.RemoveAll(s.copies[0].folder)
			s.copies = s.copies[1:]
		}
		s.mu.Unlock()
		pause(ctx, 300*time.Millisecond)
	}
}

// older returns the newest copy that is at least one second old.
func (s *storm) older() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.copies) - 1; i >= 0; i-- {
		if time.Since(s.copies[i].taken) >= time.Second {
			return s.copies[i].folder
		}
	}
	return ""
}

// replaceRedis kills Redis and starts it with a copy of its data, or without data.
func (s *storm) replaceRedis(t *testing.T, folder string) {
	s.data.Lock()
	defer s.data.Unlock()
	s.redis.Kill(t)
	s.redis.StartFrom(t, folder)
}

// breakThings causes one fault after the other until ctx ends.
func (s *storm) breakThings(ctx context.Context, t *testing.T) {
	counts := map[string]int{}
	for ctx.Err() == nil {
		i := s.random(2)
		name := []string{"kill a replica", "stop a replica", "kill MariaDB", "stop MariaDB", "kill Redis", "stop Redis", "an older Redis", "an older Redis", "an empty Redis"}[s.random(9)]
		counts[name]++
		switch name {
		case "kill a replica":
			s.replicas[i].kill()
			s.replicas[i] = serve(t, s.at[i])
		case "stop a replica":
			s.replicas[i].signal(syscall.SIGSTOP)
			pause(ctx, time.Duration(1+s.random(14))*time.Second)
			s.replicas[i].signal(syscall.SIGCONT)
		case "kill MariaDB":
			s.database.kill()
			pause(ctx, 500*time.Millisecond)
			s.database.start(t)
		case "stop MariaDB":
			_ = s.database.command.Process.Signal(syscall.SIGSTOP)
			pause(ctx, time.Duration(1+s.random(5))*time.Second)
			_ = s.database.command.Process.Signal(syscall.SIGCONT)
		case "kill Redis":
			s.redis.Kill(t)
			pause(ctx, 300*time.Millisecond)
			s.redis.Start(t)
		case "stop Redis":
			s.redis.Pause(t)
			pause(ctx, time.Duration(1+s.random(6))*time.Second)
			s.redis.Resume(t)
		case "an older Redis":
			if folder := s.older(); folder != "" {
				s.replaceRedis(t, folder)
			}
		case "an empty Redis":
			if s.random(3) == 0 {
				s.replaceRedis(t, "")
			}
		}
		pause(ctx, time.Duration(500+s.random(2500))*time.Millisecond)
	}
	t.Logf("faults: %v", counts)
}

// settle closes every sale and waits until each ticket has ended.
func (s *storm) settle(t *testing.T) {
	t.Helper()
	ctx, end := context.WithTimeout(t.Context(), 60*time.Second)
	defer end()
	for _, sale := range s.sales {
		s.insist(ctx, sale.path+"/close", nil)
	}
	waiting := s.tickets
	for ctx.Err() == nil && len(waiting) > 0 {
		var still []*stormTicket
		for _, ticket := range waiting {
			if s.look(ctx, t, ticket); ticket.ended == "" {
				still = append(still, ticket)
			}
		}
		waiting = still
		pause(ctx, 200*time.Millisecond)
	}
	for _, ticket := range waiting {
		status, got := s.look(t.Context(), t, ticket)
		if ticket.ended == "" {
			t.Errorf("ticket %s of sale %d has not ended 60 s after the storm: %d %+v", ticket.ticket, ticket.sale.id, status, got)
		}
	}
}

func (s *storm) verify(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer := s.callers[0].Do(t, "GET", httpapi.Base+"/inventory/"+stormSKU, nil).JSON(t)
		return answer["available"].(float64)+answer["reserved"].(float64) == answer["onHand"].(float64)
	}, patience, 100*time.Millisecond)
	var lost int64
	for _, sale := range s.sales {
		// A sale that never opened, because no server was reachable, is a draft.
		if got := s.callers[0].Do(t, "GET", httpapi.Base+sale.path, nil).JSON(t); got["status"] == "draft" {
			continue
		}
		answer := s.callers[0].Do(t, "POST", httpapi.Base+sale.path+"/reconcile", nil)
		found := answer.JSON(t)
		require.Equal(t, 200, answer.Status, "sale %d: %s", sale.id, answer.Body)
		require.Equal(t, true, found["consistent"], "sale %d: %s", sale.id, answer.Body)
		stats := found["stats"].(map[string]any)
		require.Zero(t, stats["queued"].(float64)+stats["processing"].(float64)+stats["dead"].(float64), "sale %d: %s", sale.id, answer.Body)
		lost += int64(stats["lost"].(float64))
	}
	require.GreaterOrEqual(t, lost, s.lostReplies.Load(), "every reported loss is counted")
	t.Logf("%d tickets were lost, %d losses were reported", lost, s.lostReplies.Load())
	pool := s.database.connect(t)
	for what, query := range map[string]string{
		"customers with more of a sale than their limit": `SELECT COUNT(*) FROM (SELECT o.sale_id FROM interlock.orders o JOIN interlock.order_lines l ON l.order_id = o.id
			WHERE o.sale_id IS NOT NULL AND o.status <> 4 GROUP BY o.sale_id, o.user_id HAVING SUM(l.quantity) > ` + strconv.Itoa(stormLimit) + `) x`,
		"tickets that are an order and a rejection": `SELECT COUNT(*) FROM interlock.orders o JOIN interlock.flash_sale_rejections r ON r.tenant_id = o.tenant_id AND r.ticket = o.ticket`,
		"sales that sold other than their live orders have": `SELECT COUNT(*) FROM interlock.flash_sale_stocks k WHERE sold <> (SELECT COALESCE(SUM(l.quantity), 0)
			FROM interlock.orders o JOIN interlock.order_lines l ON l.order_id = o.id WHERE o.sale_id = k.sale_id AND o.status <> 4)`,
		"sales that are closed and not finished": `SELECT COUNT(*) FROM interlock.flash_sale_stocks WHERE NOT finished`,
		"sales with wrong counts of rejections":  `SELECT COUNT(*) FROM interlock.flash_sale_stocks k WHERE rejected <> (SELECT COUNT(*) FROM interlock.flash_sale_rejections r WHERE r.sale_id = k.sale_id)`,
		"units reserved without a holder":        `SELECT COUNT(*) FROM interlock.inventories i WHERE reserved <> (SELECT COALESCE(SUM(quantity), 0) FROM interlock.inventory_holds h WHERE h.sku = i.sku)`,
	} {
		var n int
		require.Eventually(t, func() bool { return pool.QueryRow(query).Scan(&n) == nil && n == 0 }, patience, 500*time.Millisecond, "%s: %d", what, n)
	}
	for _, ticket := range s.tickets {
		status, got := s.look(t.Context(), t, ticket)
		require.Equal(t, 200, status, "ticket %s: %+v", ticket.ticket, got)
	}
}
