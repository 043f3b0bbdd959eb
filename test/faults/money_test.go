package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/test/apptest"
	"interlock/test/racing"
)

// purse is one wallet, or the stock of one item, from which many clients take units. A
// debit without a definite response is repeated with its reference until it is decided.
type purse struct {
	held
	units int

	now        atomic.Int64
	mu         sync.Mutex
	operations []porcupine.Operation
	made       map[string]bool
	refused    map[string]bool
	faults     []string
	// decided is called after each debit that is decided.
	decided func()
}

func newPurse(t *testing.T, c *apptest.Caller, h held, units int) *purse {
	t.Helper()
	h.open(t, c, units)
	return &purse{held: h, units: units, made: map[string]bool{}, refused: map[string]bool{}}
}

// spend makes clients take units, more than there are.
func (p *purse) spend(ctx context.Context, c *apptest.Caller, clients, debits int) {
	var running sync.WaitGroup
	for client := range clients {
		running.Go(func() {
			for n := client; n < debits; n += clients {
				p.debit(ctx, c, client, fmt.Sprintf("debit-%d", n))
			}
		})
	}
	running.Wait()
}

func (p *purse) debit(ctx context.Context, c *apptest.Caller, client int, reference string) {
	call := p.now.Add(1)
	for ctx.Err() == nil {
		answer, err := c.Try(ctx, http.MethodPost, p.path+"?wait=10000", p.entry(1, reference))
		if err == nil && p.book(client, call, reference, answer) {
			return
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// taken is the outcome of a debit: the balance after it, or that the balance was
// insufficient.
type taken struct {
	balance int
	refused bool
}

// book reports whether the response decides the debit.
func (p *purse) book(client int, call int64, reference string, answer apptest.Answer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out taken
	switch {
	case answer.Status == http.StatusCreated, answer.Status == http.StatusOK:
		p.made[reference] = true
	case answer.Code() == p.short:
		p.refused[reference], out.refused = true, true
	case answer.Status == http.StatusServiceUnavailable, answer.Status == http.StatusLocked:
		return false
	default:
		p.faults = append(p.faults, fmt.Sprintf("a debit had status %d %s", answer.Status, answer.Body))
	}
	var body struct{ Balance, Available int }
	if err := json.Unmarshal(answer.Body, &body); err != nil {
		p.faults = append(p.faults, fmt.Sprintf("the reply to %s cannot be read: %v", reference, err))
	}
	out.balance = body.Balance + body.Available
	p.operations = append(p.operations, porcupine.Operation{ClientId: client, Input: reference, Call: call, Output: out, Return: p.now.Add(1)})
	if p.decided != nil {
		p.decided()
	}
	return true
}

// settle compares the clients' responses with each other and with the store.
func (p *purse) settle(t *testing.T, databaseURL string, debits int) {
	t.Helper()
	require.Empty(t, p.faults)
	require.Len(t, p.made, p.units, "as many debits are made as there are units")
	require.Len(t, p.refused, debits-p.units)
	model := porcupine.Model{
		Init: func() any { return p.units },
		Step: func(state, _, output any) (bool, any) {
			balance, out := state.(int), output.(taken)
			if out.refused {
				return balance == 0 && out.balance == 0, balance
			}
			return balance > 0 && out.balance == balance-1, balance - 1
		},
	}
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model, p.operations, time.Minute), "the history is linearizable")

	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	query := db.Read(storage.AcrossTenants(t.Context()))
	var balance int
	require.NoError(t, query.Raw(p.table).Scan(&balance).Error)
	require.Zero(t, balance)
	var entries []struct {
		Reference string
		Amount    int
	}
	require.NoError(t, query.Raw(p.ledger).Scan(&entries).Error)
	require.Len(t, entries, 1+p.units, "each acknowledged debit exists once, and no rejected one")
	sum := 0
	for _, entry := range entries {
		sum += entry.Amount
		require.GreaterOrEqual(t, sum, 0)
		require.True(t, p.made[entry.Reference] || entry.Reference == "opening", entry.Reference)
	}
	require.Zero(t, sum)
	var audited int
	require.NoError(t, query.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource = ?", p.audited).Scan(&audited).Error)
	require.Len(t, entries, audited, "one audit row each")
}

// spendOverBadLinks applies every fate to COMMITs, and delays messages, during debits.
func spendOverBadLinks(t *testing.T, debits int) {
	roll := dice(racing.Seeded(t).Uint64())
	between, direct, _, c := behindProxy(t)
	p := newPurse(t, c, purseOf12, debits/2)
	between.fateOfCommits(func() fate {
		if roll(8) > 0 {
			return passes
		}
		return []fate{loseReply, cutBefore, lateCommit}[roll(3)]
	})
	between.slow(func() time.Duration { return time.Duration(roll(4)) * time.Millisecond })
	p.spend(t.Context(), c, 8, debits)
	between.fateOfCommits(nil)
	between.slow(nil)
	p.settle(t, direct, debits)
}

// spendOverCutAndDelayedLinks cuts all links to Redis, and then those to MariaDB, repeatedly during
// debits. COMMITs are executed, lost, or lose their replies, and the messages of both engines are
// delayed.
func spendOverCutAndDelayedLinks(t *testing.T, h held, debits int) {
	roll := dice(racing.Seeded(t).Uint64())
	s := fresh(t, "mariadb")
	direct := s.DatabaseURL
	var toDatabase, toRedis *proxy
	toDatabase, s.DatabaseURL = newProxy(t, direct)
	toRedis, s.RedisURL = newPlainProxy(t, redistest.NewServer(t).URL())
	_, c := serveHere(t, s)
	p := newPurse(t, c, h, debits/2)

	toDatabase.fateOfCommits(func() fate {
		if roll(16) > 0 {
			return passes
		}
		return []fate{loseReply, cutBefore, lateCommit}[roll(3)]
	})
	slow := func() time.Duration { return time.Duration(roll(3)) * time.Millisecond }
	toDatabase.slow(slow)
	toRedis.slow(slow)
	cutting, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var cuts int
	running.Go(func() {
		for cutting.Err() == nil {
			pause(cutting, time.Duration(50+roll(200))*time.Millisecond)
			between := []*proxy{toRedis, toDatabase}[cuts%2]
			between.cut()
			pause(cutting, time.Duration(roll(30))*time.Millisecond)
			between.restore()
			cuts++
		}
	})
	p.spend(t.Context(), c, 8, debits)
	stop()
	running.Wait()
	for _, between := range []*proxy{toDatabase, toRedis} {
		between.slow(nil)
	}
	toDatabase.fateOfCommits(nil)
	t.Logf("links were cut %d times", cuts)
	require.Greater(t, cuts, 1)
	p.settle(t, direct, debits)
}

// spendWhileKilled kills the program during debits and starts it again.
func spendWhileKilled(t *testing.T, engine string, debits, kills int) {
	random := racing.Seeded(t)
	process, s, c := asProcess(t, engine)
	p := newPurse(t, c, purseOf12, debits/2)
	decided := make(chan struct{}, debits)
	p.decided = func() { decided <- struct{}{} }
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.spend(t.Context(), c, 8, debits)
	}()
	for range kills {
		for range debits / (kills + 2) {
			<-decided
		}
		pause(t.Context(), time.Duration(random.IntN(5000))*time.Microsecond)
		process.kill()
		process = serve(t, s)
	}
	<-done
	p.settle(t, s.URL(), debits)
}
