// Package aggregates keeps aggregates and the events that made them.
//
// Invariants:
//
//   - Events are only ever added. Each has a version of its aggregate of its own, in the
//     order in which they were written.
//   - The counters of an aggregate are the sums of the deltas of its events; its writers
//     are the highest sequence of each client. Both are written in the transaction of
//     the events, so they never say anything else than the events do.
//   - In one aggregate a client's sequence is had by at most one event, and so is an
//     event id. Neither is ever free again.
//   - Of the events of one request all are written, or none.
//   - An event that was written before is recognised before anything else is asked of its
//     request. An event without names is recognised by its request's idempotency key, for ever.
//
// A name holds within its aggregate, and not for a whole tenant: one business event may
// belong in several aggregates, and writers of different aggregates never meet.
//
// Two locks come before the transaction. The attempt's, named after its first event, is
// not waited for: who does not get it is a second attempt of a write that is running. The
// aggregate's is waited for, so that different writers come one after the other. Both only
// save work. A lock can be lost without its holder noticing; then the row, the guard and
// the unique keys decide:
//
//	SELECT * FROM aggregates WHERE tenant_id = ? AND type = ? AND name = ? FOR UPDATE
//	UPDATE aggregates SET counters = ?, writer_count = ?, version = version + ?
//	 WHERE tenant_id = ? AND id = ? AND version = ?
package aggregates

import (
	"regexp"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

const (
	// ReadPermission is also what the search, the dashboard and the live feed ask.
	ReadPermission  = "ledger:read"
	writePermission = "ledger:write"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See aggregates and their events."},
	{Name: writePermission, Meaning: "Write events to aggregates."},
}

// Bounds of what is kept.
const (
	maxEvents   = 500 // of one request
	maxDeltas   = 50  // of one event
	maxCounters = 200 // of one aggregate
	// maxWriters bounds the clients of one aggregate that use sequences, which are
	// read together.
	maxWriters = 10_000
	// maxPayload is in bytes.
	maxPayload = 64 << 10
	// maxText bounds the names that clients give themselves and their events, in
	// characters.
	maxText = 128
)

// What aggregates and the kinds of things in them can be called. With the longest type
// and id an aggregate still fits the audit log.
var (
	typePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:-]{0,49}$`)
	idPattern   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:@~-]{0,127}$`)
	wordPattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._:-]{0,63}$`)
)

// Name is what callers call an aggregate.
type Name struct{ Type, ID string }

// String is the name as paths have it.
func (n Name) String() string { return n.Type + "/" + n.ID }

// possible reports whether an aggregate can have the name.
func (n Name) possible() bool { return typePattern.MatchString(n.Type) && idPattern.MatchString(n.ID) }

// Counters are sums by name; of one event, what it adds to them.
type Counters map[string]int64

// Aggregate is what its events add up to. One without events has no row.
type Aggregate struct {
	// Row has the version of the last event, or of a later repair.
	guard.Row
	Type string
	// Name is the caller's id.
	Name     string
	Counters Counters `gorm:"serializer:json"`
	// WriterCount is how many clients use sequences.
	WriterCount int
}

func (a *Aggregate) name() Name { return Name{a.Type, a.Name} }

// Event is one event of an aggregate.
type Event struct {
	ID          int64
	TenantID    int64
	AggregateID int64
	// Version is that of the aggregate since the event.
	Version int64
	// BatchVersion is that since the last event of the same request: what the request
	// was answered with.
	BatchVersion int64
	ClientID     string
	ClientSeq    *int64  // nil: the client does not count
	EventID      *string // nil: it has no name; @key/…: named after the idempotency key of its request
	EventType    string
	// EventTime is when it happened, by its writer's clock.
	EventTime time.Time
	Deltas    Counters `gorm:"serializer:json"`
	// Payload is JSON as it was sent, "null" for none.
	Payload string
	// Fingerprint is that of the content; see content.go.
	Fingerprint   []byte
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "aggregate_events" }

// writer is a client of an aggregate that counts its events.
type writer struct {
	TenantID    int64
	AggregateID int64
	ClientID    string
	LastSeq     int64
}

// TableName implements gorm's Tabler.
func (writer) TableName() string { return "aggregate_writers" }
