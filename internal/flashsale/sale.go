// Package flashsale sells an allotment of one item to a crowd.
//
// A purchase is let in by the gate, which answers at once with a ticket, and made into an
// order by a consumer, which takes tickets from a queue in batches. The gate knows the
// tickets that are in flight; SQL is where they end, each in an order or in a rejection.
//
// Invariants:
//
//   - No unit is sold twice and no customer gets more than the limit, whatever the gate
//     believes: the units of live orders are counted in flash_sale_stocks, and each unit
//     of work that sells, takes back or rejects bumps the version of that one row, under
//     which the facts that it decides by were read.
//   - An accepted ticket becomes confirmed or rejected, whatever crashes. A ticket that
//     the gate's store has lost is rejected, as lost, when its customer, its message or
//     the reconciler comes upon it.
//   - A ticket that ended stays ended, because its end is in SQL before anybody is told:
//     at most one order (unique by ticket) or one rejection, never both.
//   - SQL is committed before the gate is told. What the gate was not told, because the
//     program or the store ended in between, the reconciler tells it.
//   - Workers supervise a sale until nothing of it is in flight, in the gate, in the queue
//     and in SQL; then it is finished, for good.
//
// The lock of the item's inventory orders batches, rebuilds and changes of the allotment
// one after the other, so that they need not run twice. Safety does not rest on it.
//
// Where to look: plan.go (plans and edits), transition.go and finish.go (from draft to finished),
// buy.go and follow.go (customers), consume.go (tickets into orders), reject.go (tickets
// that end without one), dead.go (dead letters), rebuild.go and reconcile.go (the gate),
// worker.go (what supervises all sales). Package gate is the gate itself.
//
// What it costs with the gate in Redis, to which cost_test.go holds it:
//
//   - A purchase: no statement, and one script, which it shares with all who come while
//     another is under way. Every five seconds a process reads the sale and its units
//     again.
//   - A sold-out answer: nothing, but for one script each half a second.
//   - Reading a ticket: two statements and one script, shared with all who read
//     meanwhile.
//   - A batch of orders, however many they are: four scripts (claim, begin, end,
//     acknowledge), the two of the lock, three reads, and one transaction of five INSERTs
//     of many rows, two guarded UPDATEs and one read.
package flashsale

import (
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

const (
	// ReadPermission is also what the search, the dashboard and the live feed ask.
	ReadPermission  = "flash-sales:read"
	writePermission = "flash-sales:write"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See flash sales, their numbers, tickets and dead letters."},
	{Name: writePermission, Meaning: "Plan, open, pause, change and close flash sales, and handle their dead letters."},
}

const (
	longestName = 100
	mostUnits   = 100_000_000
	mostRate    = 100_000
	// mostReplicas is more than anybody runs.
	mostReplicas = 10
)

// Terms are the part of a sale that an edit may change; after it was opened only
// name, endsTime, queueCap, rate, replicas and quantity.
type Terms struct {
	Name string `json:"name"`
	SKU  string `json:"sku"`
	// Price is that of one unit, in minor units.
	Price int64 `json:"price"`
	// Quantity is how many units are for sale.
	Quantity int64 `json:"quantity"`
	// PerUserLimit is how many units one customer may hold, in all tickets together.
	PerUserLimit int64 `json:"perUserLimit"`
	// The sale takes orders from StartsTime on and until just before EndsTime, while it
	// is open.
	StartsTime time.Time `json:"startsTime"`
	EndsTime   time.Time `json:"endsTime"`
	// QueueCap is how many tickets may wait at once; nil means any number.
	QueueCap *int64 `json:"queueCap"`
	// Rate is how many tickets a second each consumer handles at most; nil means as
	// many as it can.
	Rate *int64 `json:"rate"`
	// Replicas is how many replicas of Redis must have a purchase before it is accepted; nil
	// means none. A gate in SQL is as durable as SQL and does not look at it.
	Replicas *int64 `json:"replicas"`
}

// check returns the places that break a rule.
func (t Terms) check() []apperr.Field {
	var broken apperr.Fields
	broken.Check(t.Name != "", "/name", "required", "is required")
	broken.Check(utf8.RuneCountInString(t.Name) <= longestName, "/name", "max", fmt.Sprintf("must have at most %d characters", longestName))
	broken.Check(t.SKU != "", "/sku", "required", "is required")
	broken.Check(t.Price >= 0, "/price", "min", "must be at least 0")
	broken.Check(t.Quantity >= 1 && t.Quantity <= mostUnits, "/quantity", "range", fmt.Sprintf("must be from 1 to %d", mostUnits))
	broken.Check(t.PerUserLimit >= 1 && t.PerUserLimit <= mostUnits, "/perUserLimit", "range", fmt.Sprintf("must be from 1 to %d", mostUnits))
	broken.Check(t.Price <= 0 || t.PerUserLimit <= math.MaxInt64/t.Price, "/price", "overflow", "makes an order's amount exceed the largest possible amount")
	broken.Check(t.StartsTime.Before(t.EndsTime), "/endsTime", "gtfield", "must be after startsTime")
	broken.Check(t.QueueCap == nil || (*t.QueueCap >= 1 && *t.QueueCap <= mostUnits), "/queueCap", "range", fmt.Sprintf("must be from 1 to %d, or null for no cap", mostUnits))
	broken.Check(t.Rate == nil || (*t.Rate >= 1 && *t.Rate <= mostRate), "/rate", "range", fmt.Sprintf("must be from 1 to %d, or null for no limit", mostRate))
	broken.Check(t.Replicas == nil || (*t.Replicas >= 1 && *t.Replicas <= mostReplicas), "/replicas", "range", fmt.Sprintf("must be from 1 to %d, or null for none", mostReplicas))
	return broken
}

// replicas is how many replicas must have a purchase, 0 for none.
func (t Terms) replicas() int64 {
	if t.Replicas == nil {
		return 0
	}
	return *t.Replicas
}

// fixed returns the places that an edit changed and that customers rely on once the
// sale was opened.
func (t Terms) fixed(after Terms) []apperr.Field {
	const code, message = "fixed", "cannot be changed once the sale was opened"
	var broken apperr.Fields
	broken.Check(t.SKU == after.SKU, "/sku", code, message)
	broken.Check(t.Price == after.Price, "/price", code, message)
	broken.Check(t.PerUserLimit == after.PerUserLimit, "/perUserLimit", code, message)
	broken.Check(t.StartsTime.Equal(after.StartsTime), "/startsTime", code, message)
	return broken
}

// Sale is a flash sale.
type Sale struct {
	guard.Row
	Terms
	// ItemName is the item's name when the sale was opened; "" before.
	ItemName string
	Status   int
	// Secret makes the tickets of this sale; hexadecimal.
	Secret string
}

// TableName implements gorm's Tabler.
func (Sale) TableName() string { return "flash_sales" }

// Proposable implements guard.Proposable: changes of a sale can wait for their time.
func (Sale) Proposable() {}

func (s *Sale) path() string { return fmt.Sprintf("%s/%d", Topic, s.ID) }

// Label names the sale for people.
func (s *Sale) Label() string { return fmt.Sprintf("flash sale %q", s.Name) }

// holder is the name under which inventory keeps the sale's unsold units.
func (s *Sale) holder() string { return fmt.Sprintf("flash-sale:%d", s.ID) }

// Stock is what SQL knows of a sale's units. It is there once the sale was opened.
type Stock struct {
	guard.Row
	SaleID int64
	// Allotted units belong to the sale; Sold of them are in live orders.
	Allotted int64
	Sold     int64
	// Epoch counts how often the gate was built.
	Epoch int64
	// Rejected is how many tickets were rejected, see Rejection.
	Rejected int64
	// Finished is whether the sale is closed and nothing of it is in flight any more.
	Finished bool
}

// TableName implements gorm's Tabler.
func (Stock) TableName() string { return "flash_sale_stocks" }

// Revision is one version of a sale.
type Revision struct {
	ID       int64
	TenantID int64
	SaleID   int64
	// Its Action is create, update, a transition, or retry_dead or discard_dead.
	change.Revision
	Terms
	ItemName string
	Status   int
	Note     string
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "flash_sale_histories" }

// restore returns the sale as it was at the revision.
func (r Revision) restore(sale *Sale) *Sale {
	then := *sale
	then.Terms, then.Status, then.ItemName = r.Terms, r.Status, r.ItemName
	r.Restore(&then.Row)
	return &then
}
