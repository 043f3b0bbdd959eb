package aggregates

import (
	"encoding/json"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// rowView is an aggregate in a list.
type rowView struct {
	Type string `json:"type" validate:"required,max=50"`
	ID   string `json:"id" validate:"required,max=128"`
	// The sums of the events' deltas.
	Counters Counters `json:"counters"`
	// The number of entries in `writers`.
	WriterCount int `json:"writerCount" validate:"min=0"`
	guard.Stamp
}

func rowViewOf(a Aggregate) rowView {
	return rowView{Type: a.Type, ID: a.Name, Counters: a.Counters, WriterCount: a.WriterCount, Stamp: a.Stamp()}
}

// aggregateView is an aggregate with its writers.
type aggregateView struct {
	rowView
	// The highest sequence of each `clientId` that has used sequences.
	Writers map[string]int64 `json:"writers" validate:"dive,min=0"`
}

// SchemaName returns the name in the contract, also in the errors of the ledger.
func (aggregateView) SchemaName() string { return "Aggregate" }

func viewOf(s State) aggregateView {
	return aggregateView{rowView: rowViewOf(s.Aggregate), Writers: s.Writers}
}

type eventView struct {
	// The version of the aggregate after the event.
	Version int64 `json:"version"`
	// The version of the aggregate after the last event of the same request.
	BatchVersion int64   `json:"batchVersion" validate:"min=1"`
	ClientID     string  `json:"clientId" validate:"required"`
	ClientSeq    *int64  `json:"clientSeq" validate:"min=0"`
	EventID      *string `json:"eventId" validate:"required"`
	EventType    string  `json:"eventType" validate:"required"`
	// When it happened, by its writer's clock.
	EventTime time.Time `json:"eventTime"`
	Deltas    Counters  `json:"deltas"`
	// As sent; null for none.
	Payload   json.RawMessage  `json:"payload" validate:"json"`
	CreatedBy principal.Person `json:"createdBy"`
	// When it was written.
	CreatedTime time.Time `json:"createdTime"`
}

func eventViewOf(e Event) eventView {
	return eventView{
		Version: e.Version, BatchVersion: e.BatchVersion, ClientID: e.ClientID, ClientSeq: e.ClientSeq, EventID: e.EventID,
		EventType: e.EventType, EventTime: e.EventTime, Deltas: e.Deltas, Payload: json.RawMessage(e.Payload),
		CreatedBy: principal.Person{ID: e.CreatedBy, Name: e.CreatedByName}, CreatedTime: e.CreatedTime,
	}
}

type appendedView struct {
	// The version of the aggregate after the last of the events.
	Version int64 `json:"version"`
	// The number of appended events.
	Applied int `json:"applied" validate:"min=1,max=500"`
}

// rejectedView has the index and the names of the rejected event.
type rejectedView struct {
	// The index in `events`, from 0.
	Index     int     `json:"index" validate:"min=0"`
	ClientID  string  `json:"clientId" validate:"required"`
	ClientSeq *int64  `json:"clientSeq" validate:"min=0"`
	EventID   *string `json:"eventId" validate:"required"`
}

func rejectedViewOf(index int, e *Event) rejectedView {
	return rejectedView{Index: index, ClientID: e.ClientID, ClientSeq: e.ClientSeq, EventID: e.EventID}
}

// landedView has the members of an error for an event that is already recorded.
type landedView struct {
	rejectedView
	Number int `json:"number" validate:"eq=2002"`
	// The version that the first write returned.
	Version int64 `json:"version"`
	// The version of the aggregate after the event.
	EventVersion int64 `json:"eventVersion" validate:"min=1"`
	// The number of events of the request that were already recorded.
	Landed int `json:"landed" validate:"min=1"`
	// The writer's highest sequence.
	HighestSeq     *int64 `json:"highestSeq" validate:"min=0"`
	CurrentVersion int64  `json:"currentVersion" validate:"min=1"`
}

// inFlightView has the members of an error for an event of a concurrent attempt.
type inFlightView struct {
	rejectedView
	Number int `json:"number" validate:"eq=2013"`
}

// mismatchView has the members of an error for an event with the name of another one.
type mismatchView struct {
	rejectedView
	// The version that the write of the first event returned.
	Version      int64 `json:"version"`
	EventVersion int64 `json:"eventVersion" validate:"min=1"`
	// The members that differ from the recorded event.
	Differs []string `json:"differs" validate:"min=1,dive,oneof=eventId eventType eventTime deltas payload"`
}

// supersededView has the members of an error for a sequence that its writer has passed.
type supersededView struct {
	rejectedView
	// The writer's highest sequence.
	HighestSeq     int64 `json:"highestSeq" validate:"min=0"`
	CurrentVersion int64 `json:"currentVersion" validate:"min=1"`
}

// writersFullView has the members of an error for a new writer of a full aggregate.
type writersFullView struct {
	// The maximum number of writers of an aggregate.
	Limit int `json:"limit" validate:"min=1"`
}

// movedOnView has the members of an error for an aggregate at another version. The members for an
// aggregate that does not exist are null.
type movedOnView struct {
	ExpectedVersion int64 `json:"expectedVersion" validate:"min=0"`
	// 0 if the aggregate does not exist.
	CurrentVersion int64             `json:"currentVersion" validate:"min=0"`
	CurrentETag    *string           `json:"currentEtag"`
	UpdatedBy      *principal.Person `json:"updatedBy"`
	UpdatedTime    *time.Time        `json:"updatedTime"`
	Current        *aggregateView    `json:"current"`
}

// example is an aggregate for the contract.
var example = viewOf(State{
	Aggregate: Aggregate{
		Row: guard.Row{
			ID: 9, Version: 49, CreatedTime: time.Date(2025, time.November, 21, 8, 0, 0, 0, time.UTC),
			UpdatedTime: time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC), UpdatedBy: 7, UpdatedByName: "Li",
		},
		Type: "shelf", Name: "A-17", Counters: Counters{"in": 42, "out": 7}, WriterCount: 1,
	},
	Writers: map[string]int64{"scanner-3": 118},
})
