// Package flashsale sells an allotment of one item to a crowd.
//
// The gate accepts a purchase and immediately returns a ticket; a consumer claims tickets
// from a queue in batches and turns them into orders. The gate stores the tickets in
// flight; SQL stores their results, an order or a rejection each.
//
// Invariants:
//
//   - No unit is sold twice and no customer gets more than the limit, whatever the gate
//     contains: flash_sale_stocks counts the units of live orders, and each unit of work
//     that sells, returns or rejects increments the version of that row, under which its
//     facts were read.
//   - An accepted ticket becomes confirmed or rejected, whatever crashes. A ticket that the
//     gate's store has lost is rejected, as lost, when its customer, its message or the
//     reconciler refers to it.
//   - A settled ticket stays settled, because its result is in SQL before it is reported:
//     at most one order (unique by ticket) or one rejection, never both.
//   - SQL is committed before the gate is updated. The reconciler repeats gate updates that
//     were lost because the program or the store ended in between.
//   - Workers supervise a sale until nothing of it is in flight, in the gate, in the queue
//     and in SQL; then it is finished, permanently.
//
// The inventory lock of the item serializes batches, rebuilds and changes of the allotment, so that
// their units need no retry. Safety does not depend on it.
//
// Files: plan.go (plans and edits), transition.go and finish.go (from draft to finished),
// buy.go and follow.go (customers), consume.go (tickets into orders), reject.go (tickets
// that end without one), dead.go (dead letters), rebuild.go and reconcile.go (the gate),
// worker.go (supervision of all sales). Package gate is the gate itself.
//
// Costs with the gate in Redis, as cost_test.go checks:
//
//   - A purchase: no statement, and one script, shared by all purchases that arrive during
//     another one. Every five seconds a process reads the sale and its units again.
//   - A sold-out response: nothing, except one script per half second.
//   - Reading a ticket: two statements and one script, shared by concurrent readers.
//   - A batch of orders of any size: four scripts (claim, begin, end, acknowledge), the two
//     of the lock, three reads, and one transaction of five multi-row INSERTs, two guarded
//     UPDATEs and one read.
package flashsale

import (
	"fmt"
	"math"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

const (
	// ReadPermission is also required by the search, the dashboard and the live feed.
	ReadPermission  = "flash-sales:read"
	writePermission = "flash-sales:write"
)

// maxUnits is the maximum change of a quantity.
const maxUnits = 100_000_000

// Terms are the editable part of a sale; after the opening only name, endsTime, queueCap,
// rate, replicas and quantity.
type Terms struct {
	Name string `json:"name" validate:"name=100"`
	SKU  string `json:"sku" validate:"required,max=64"`
	// The price of one unit, in minor units.
	Price int64 `json:"price" validate:"min=0"`
	// The number of units for sale.
	Quantity int64 `json:"quantity" validate:"range=1 100000000"`
	// The maximum number of units for one customer, in all tickets together.
	PerUserLimit int64 `json:"perUserLimit" validate:"range=1 100000000"`
	// Customers are admitted from this time on.
	StartsTime time.Time `json:"startsTime"`
	// Customers are admitted until just before this time; then the sale closes. After `startsTime`.
	EndsTime time.Time `json:"endsTime"`
	// The maximum number of waiting tickets; null for no limit.
	QueueCap *int64 `json:"queueCap" validate:"omitempty,range=1 100000000"`
	// The maximum number of tickets of the sale that become orders in a second, regardless of the
	// number of workers; null for no limit.
	Rate *int64 `json:"rate" validate:"omitempty,range=1 100000"`
	// The number of Redis replicas that must have a purchase before it is accepted, so that a
	// failover does not lose it; null for none. While fewer replicas are available, purchases
	// return 503. Has no effect without Redis.
	Replicas *int64 `json:"replicas" validate:"omitempty,range=1 10"`
}

// check validates the terms. Errors: ValidationFailed.
func (t Terms) check() error {
	if err := httpapi.Validate(t); err != nil {
		return err
	}
	var broken apperr.Fields
	broken.Check(t.Price == 0 || t.PerUserLimit <= math.MaxInt64/t.Price, "/price", "overflow", "makes an order's amount exceed the largest possible amount")
	broken.Check(t.StartsTime.Before(t.EndsTime), "/endsTime", "gtfield", "must be after startsTime")
	if len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

// replicas returns the number of replicas that must store a purchase, 0 for none.
func (t Terms) replicas() int64 {
	if t.Replicas == nil {
		return 0
	}
	return *t.Replicas
}

// fixed returns violations for changed terms on which customers rely after the opening.
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
	// ItemName is the item's name at the opening; "" before.
	ItemName string
	Status   int
	// Secret authenticates the tickets of this sale; hexadecimal.
	Secret string
}

// TableName implements gorm's Tabler.
func (Sale) TableName() string { return "flash_sales" }

// Proposable implements guard.Proposable: changes of a sale can be scheduled.
func (Sale) Proposable() {}

func (s *Sale) path() string { return fmt.Sprintf("%s/%d", Topic, s.ID) }

// Label identifies the sale in messages.
func (s *Sale) Label() string { return fmt.Sprintf("flash sale %q", s.Name) }

// holder is the inventory holder of the sale's unsold units.
func (s *Sale) holder() string { return fmt.Sprintf("flash-sale:%d", s.ID) }

// Stock is the state of a sale's units in SQL. It exists from the opening on.
type Stock struct {
	guard.Row
	SaleID int64
	// Allotted is the number of units that belong to the sale; Sold is the number of these units
	// that are in live orders.
	Allotted int64
	Sold     int64
	// Epoch counts the builds of the gate.
	Epoch int64
	// Rejected is the number of rejected tickets, see Rejection.
	Rejected int64
	// Finished reports whether the sale is closed and nothing of it is in flight.
	Finished bool
}

// TableName implements gorm's Tabler.
func (Stock) TableName() string { return "flash_sale_stocks" }

// Revision is one version of a sale.
type Revision struct {
	ID       int64
	TenantID int64
	SaleID   int64
	// Revision's Action is create, update, the action of a transition, retry_dead or discard_dead.
	change.Revision
	Terms
	ItemName string
	Status   int
	Note     string
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "flash_sale_histories" }

// restore returns the sale at the revision.
func (r Revision) restore(sale *Sale) *Sale {
	then := *sale
	then.Terms, then.Status, then.ItemName = r.Terms, r.Status, r.ItemName
	r.Restore(&then.Row)
	return &then
}
