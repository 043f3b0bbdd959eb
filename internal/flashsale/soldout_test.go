package flashsale_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/test/world"
)

// lookupCounter is a gate that counts queries of buyers.
type lookupCounter struct {
	gate.Gate
	held, buyers int
	// unreadable is the error of reading all buyers, nil for none.
	unreadable error
}

func (g *lookupCounter) Held(ctx context.Context, ref gate.Ref, user string) (gate.Holding, error) {
	g.held++
	return g.Gate.Held(ctx, ref, user)
}

func (g *lookupCounter) Buyers(ctx context.Context, ref gate.Ref, most int) ([]string, error) {
	g.buyers++
	if g.unreadable != nil {
		return nil, g.unreadable
	}
	return g.Gate.Buyers(ctx, ref, most)
}

// exhausted is a shop with one sale that has sold its two units to customers 7 and 8.
type exhausted struct {
	*market
	gate      *lookupCounter
	sale      string
	tickets   map[int64]string
	strangers int64
}

func eachExhausted(t *testing.T, test func(t *testing.T, s *exhausted)) {
	eachMarket(t, func(t *testing.T, s *market) {
		door := &lookupCounter{Gate: s.gate}
		s.selling(door, s.Orders)
		e := &exhausted{market: s, gate: door, sale: s.open(t, object{"quantity": 2, "perUserLimit": 1}), tickets: map[int64]string{}, strangers: 1000}
		e.buys(t, 7)
		e.buys(t, 8)
		test(t, e)
	})
}

// buys makes a successful purchase.
func (e *exhausted) buys(t *testing.T, user int64, headers ...string) {
	t.Helper()
	a := e.buy(t, e.sale, user, 1, headers...)
	require.Equal(t, 202, a.Status, a.Body)
	e.tickets[user] = a.Body["ticket"].(string)
}

// elsewhere makes a successful purchase in another process.
func (e *exhausted) elsewhere(t *testing.T, user int64) {
	t.Helper()
	other := e.with(e.gate.Gate)
	receipt, err := other.Buy(e.Ctx, flashsale.PurchaseRequest{Sale: idOf(e.sale), User: fmt.Sprint(user), Units: 1})
	require.NoError(t, err)
	e.tickets[user] = receipt.Ticket.ID
}

// returns returns the unit of a customer.
func (e *exhausted) returns(t *testing.T, user int64) {
	t.Helper()
	moved, err := e.gate.Move(e.Ctx, gate.Ref{Sale: idOf(e.sale), Epoch: 1}, []gate.Step{{Ticket: e.tickets[user], From: gate.InFlight, To: gate.Rejected}})
	require.NoError(t, err)
	require.True(t, moved[0].Changed)
}

// rejects makes purchases by new customers that the sale rejects. It returns how often the gate was
// queried for the units of one customer, and how often for all buyers.
func (e *exhausted) rejects(t *testing.T, strangers int) (held, buyers int) {
	t.Helper()
	e.gate.held, e.gate.buyers = 0, 0
	for range strangers {
		e.strangers++
		require.Equal(t, "sold_out", e.buy(t, e.sale, e.strangers, 1).Body["code"])
	}
	return e.gate.held, e.gate.buyers
}

// requireTicket requires that a customer's purchase returns the existing ticket.
func (e *exhausted) requireTicket(t *testing.T, user int64) {
	t.Helper()
	a := e.buy(t, e.sale, user, 1)
	require.Equal(t, "limit_reached", a.Body["code"], a.Body)
	require.Equal(t, e.tickets[user], a.Body["ticket"])
}

// expireCache expires the sold-out cache.
func (e *exhausted) expireCache() { e.Clock.Advance(flashsale.SoldOutTTL) }

func TestBuyersOfASoldOutSaleAreReadOnce(t *testing.T) {
	eachExhausted(t, func(t *testing.T, e *exhausted) {
		held, buyers := e.rejects(t, 1)
		require.Zero(t, held+buyers, "the gate itself rejected")
		held, buyers = e.rejects(t, 150)
		require.Equal(t, flashsale.LookUpsBeforeReadingAll-1, held, "at first each is looked up")
		require.Equal(t, 1, buyers)
		e.requireTicket(t, 7)
		e.requireTicket(t, 8)

		e.expireCache()
		held, buyers = e.rejects(t, 150)
		require.Zero(t, held+buyers, "no customer was admitted since")
		e.requireTicket(t, 7)

		e.Clock.Advance(flashsale.BuyersTTL)
		held, buyers = e.rejects(t, 151)
		require.Equal(t, flashsale.LookUpsBeforeReadingAll-1, held, "the store of the gate may have come back older")
		require.Equal(t, 1, buyers)
	})
}

func TestSoldOutCacheReturnsTicketOfLaterBuyer(t *testing.T) {
	eachExhausted(t, func(t *testing.T, e *exhausted) {
		e.rejects(t, 150)
		e.returns(t, 8)
		require.Equal(t, "sold_out", e.buy(t, e.sale, 8, 1).Body["code"], "a customer that returned units has none again")

		e.buys(t, 9, "X-Idempotency-Key", "of 9")
		e.requireTicket(t, 9)
		_, buyers := e.rejects(t, 150)
		require.Equal(t, 1, buyers, "they are others")
		e.requireTicket(t, 9)

		e.returns(t, 9)
		e.elsewhere(t, 10)
		e.expireCache()
		e.rejects(t, 1)
		e.requireTicket(t, 10)
		_, buyers = e.rejects(t, 150)
		require.Equal(t, 1, buyers, "they are others")
		e.requireTicket(t, 10)
		e.requireTicket(t, 7)
	})
}

func TestUnreadableBuyersAreQueriedIndividually(t *testing.T) {
	eachExhausted(t, func(t *testing.T, e *exhausted) {
		e.rejects(t, 1)
		e.gate.unreadable = context.Canceled
		held, buyers := e.rejects(t, 300)
		require.Equal(t, 300, held)
		require.Equal(t, 3, buyers, "another request tries again")
		e.gate.unreadable = gate.ErrTooMany
		held, buyers = e.rejects(t, 300)
		require.Equal(t, 300, held)
		require.Equal(t, 1, buyers, "they will not be fewer")
		e.requireTicket(t, 7)
	})
}

func TestSoldOutCacheMatchesGate(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 4, "perUserLimit": 3, "endsTime": world.Opening.Add(time.Minute)})
		mine := s.buy(t, sale, 7, 2).Body["ticket"]
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		alsoWithAKey := func(user int64, units int, check func(body object)) {
			check(s.buy(t, sale, user, units).Body)
			check(s.buy(t, sale, user, units, "X-Idempotency-Key", fmt.Sprint(user, "-", units)).Body)
		}
		require.Equal(t, "sold_out", s.buy(t, sale, 9, 2).Body["code"], "the gate rejects, and this process caches it")
		alsoWithAKey(9, 3, func(body object) { require.Equal(t, "sold_out", body["code"]) })
		alsoWithAKey(7, 2, func(body object) {
			require.Equal(t, "limit_reached", body["code"])
			require.Equal(t, mine, body["ticket"])
			require.EqualValues(t, 2, body["held"])
		})
		alsoWithAKey(9, 4, func(body object) {
			require.Equal(t, "limit_reached", body["code"])
			require.Nil(t, body["ticket"])
		})

		s.Clock.Advance(time.Minute - flashsale.SoldOutTTL/2)
		require.Equal(t, "sold_out", s.buy(t, sale, 9, 2).Body["code"])
		s.Clock.Advance(flashsale.SoldOutTTL / 2)
		require.Equal(t, "sale_not_open", s.buy(t, sale, 9, 2).Body["code"], "the memory of it does not outlive the sale")
	})
}

func TestSoldOutCacheReturnsTicketAcceptedByOtherProcess(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 1, "perUserLimit": 1})
		ticket := s.buy(t, sale, 7, 1).Body["ticket"]
		s.consume(t, sale)
		other := s.processes(t, 1)[0].Sales
		reported := func(user string) *apperr.Error {
			_, err := other.Buy(s.Ctx, flashsale.PurchaseRequest{Sale: idOf(sale), User: user, Units: 1})
			var refusal *apperr.Error
			require.ErrorAs(t, err, &refusal)
			return refusal
		}
		for i := range flashsale.LookUpsBeforeReadingAll + 1 {
			require.Equal(t, apperr.SoldOut, reported(fmt.Sprint("stranger ", i)).Code)
		}

		order := int64(s.ticket(t, sale, 7, ticket)["orderId"].(float64))
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", order), object{"reason": "changed my mind"})
		mine := s.buy(t, sale, 9, 1).Body["ticket"].(string)
		// The clock is stopped, so the cache does not expire.
		require.Eventually(t, func() bool { return reported("9").Code == apperr.LimitReached }, 10*time.Second, time.Millisecond)
		require.Equal(t, &mine, reported("9").Members["ticket"])
	})
}
