// Package flashsale sells an allotment of one item to a crowd.
//
// A purchase is accepted by the gate, which answers at once with a ticket, and made
// into an order by a consumer, which takes tickets from a queue in batches.
//
// Invariants:
//
//   - No unit is sold twice. The units of live orders are counted in
//     flash_sale_stocks, whose guarded UPDATE (sold + n <= allotted) decides last,
//     whatever the gate believes.
//   - An accepted ticket becomes confirmed or rejected, whatever crashes, as long as
//     the queue's store keeps what it was given. A ticket is made into at most one
//     order: orders are unique by ticket.
//   - Each allotted unit is at any time in exactly one place:
//     allotted = remaining + queued + processing + dead + confirmed. Each step of a
//     ticket moves its units from place to place in one script or transaction.
//   - A ticket that ended stays ended. What a discarded ticket or a cancelled order
//     gives back, it gives back once, because the step is taken from one state only.
//   - A gate that does not know its sale, because its store was emptied, admits
//     nobody until it was built anew from SQL. Its epoch tells it from the gate before.
//   - SQL is committed before the gate is told. What the gate was not told, because
//     the program or the store ended in between, the reconciler tells it.
//
// The lock of the item's inventory orders batches, rebuilds and changes of the
// allotment one after the other. Safety does not rest on it, see the first invariant.
//
// What it costs with the gate in Redis, to which cost_test.go holds it:
//
//   - A purchase: no statement, and one script, which it shares with all who come while
//     another is under way (see crowd). Every five seconds a process reads the sale and
//     its units anew.
//   - A sold-out answer: nothing, but for one script each half a second.
//   - A batch of orders, however many they are: four scripts (claim, begin, end,
//     acknowledge), the two of the lock, two reads, and one transaction of five INSERTs
//     of many rows, two guarded UPDATEs and one read.
package flashsale

import (
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"interlock/internal/apperr"
	"interlock/internal/guard"
	"interlock/internal/principal"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: "flash-sales:read", Meaning: "See flash sales, their numbers, tickets and dead letters."},
	{Name: "flash-sales:write", Meaning: "Plan, open, pause, change and close flash sales, and handle their dead letters."},
}

const (
	longestName = 100
	mostUnits   = 100_000_000
	mostRate    = 100_000
)

// Terms are the part of a sale that an edit may change; after it was opened only
// name, endsTime, queueCap, rate and quantity.
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
}

// check returns the places that break a rule.
func (t Terms) check() []apperr.Field {
	var broken []apperr.Field
	demand := func(holds bool, pointer, code, message string) {
		if !holds {
			broken = append(broken, apperr.Field{Pointer: pointer, Code: code, Message: message})
		}
	}
	demand(t.Name != "", "/name", "required", "is required")
	demand(utf8.RuneCountInString(t.Name) <= longestName, "/name", "max", fmt.Sprintf("must have at most %d characters", longestName))
	demand(t.SKU != "", "/sku", "required", "is required")
	demand(t.Price >= 0, "/price", "min", "must be at least 0")
	demand(t.Quantity >= 1 && t.Quantity <= mostUnits, "/quantity", "range", fmt.Sprintf("must be from 1 to %d", mostUnits))
	demand(t.PerUserLimit >= 1 && t.PerUserLimit <= mostUnits, "/perUserLimit", "range", fmt.Sprintf("must be from 1 to %d", mostUnits))
	demand(t.Price <= 0 || t.PerUserLimit <= math.MaxInt64/t.Price, "/price", "overflow", "makes an order's amount larger than can be counted")
	demand(storable(t.StartsTime), "/startsTime", "range", "must be in the years 2000 to 9999")
	demand(storable(t.EndsTime), "/endsTime", "range", "must be in the years 2000 to 9999")
	demand(t.StartsTime.Before(t.EndsTime), "/endsTime", "gtfield", "must be after startsTime")
	demand(t.QueueCap == nil || (*t.QueueCap >= 1 && *t.QueueCap <= mostUnits), "/queueCap", "range", fmt.Sprintf("must be from 1 to %d, or null for no cap", mostUnits))
	demand(t.Rate == nil || (*t.Rate >= 1 && *t.Rate <= mostRate), "/rate", "range", fmt.Sprintf("must be from 1 to %d, or null for no limit", mostRate))
	return broken
}

// fixed returns the places that an edit changed and that customers rely on once the
// sale was opened.
func (t Terms) fixed(after Terms) []apperr.Field {
	var broken []apperr.Field
	for _, place := range []struct {
		pointer string
		changed bool
	}{
		{"/sku", t.SKU != after.SKU}, {"/price", t.Price != after.Price},
		{"/perUserLimit", t.PerUserLimit != after.PerUserLimit}, {"/startsTime", !t.StartsTime.Equal(after.StartsTime)},
	} {
		if place.changed {
			broken = append(broken, apperr.Field{Pointer: place.pointer, Code: "fixed", Message: "cannot be changed once the sale was opened"})
		}
	}
	return broken
}

func storable(at time.Time) bool { return at.Year() >= 2000 && at.Year() <= 9999 }

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
}

// TableName implements gorm's Tabler.
func (Stock) TableName() string { return "flash_sale_stocks" }

// Revision is one version of a sale.
type Revision struct {
	ID       int64
	TenantID int64
	SaleID   int64
	Version  int64
	// Action is create, update, a transition, or retry_dead or discard_dead.
	Action string
	Terms
	ItemName      string
	Status        int
	Note          string
	ChangedBy     int64
	ChangedByName string
	ChangedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "flash_sale_histories" }

// restore returns the sale as it was at the revision.
func (r Revision) restore(sale *Sale) *Sale {
	then := *sale
	then.Version, then.Terms, then.Status, then.ItemName = r.Version, r.Terms, r.Status, r.ItemName
	then.UpdatedTime, then.UpdatedBy, then.UpdatedByName = r.ChangedTime, r.ChangedBy, r.ChangedByName
	return &then
}
