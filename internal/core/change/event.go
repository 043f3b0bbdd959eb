package change

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/strictjson"
)

// Event is a history row of a resource with a status.
type Event struct {
	Revision
	// FromStatus is nil for the event that created the resource.
	FromStatus *int
	ToStatus   int
	Detail     json.RawMessage `gorm:"type:json;serializer:json"`
}

// EventOf returns the history event for the current version of a row.
func EventOf(row Stamped, action string, from *int, to int, detail json.RawMessage) Event {
	return Event{Revision: RevisionOf(row, action), FromStatus: from, ToStatus: to, Detail: detail}
}

// EncodeEvent is EventOf with a detail that it encodes.
func EncodeEvent(row Stamped, action string, from *int, to int, detail any) (Event, error) {
	text, err := strictjson.Encode(detail)
	if err != nil {
		return Event{}, fmt.Errorf("encode event detail of %q: %w", action, err)
	}
	return EventOf(row, action, from, to, text), nil
}

// Recorded returns the event. History rows embed Event, and implement module.Event by it.
func (e Event) Recorded() Event { return e }

// EventView is the API representation of an event in the history of M.
type EventView[M status.Stateful] struct {
	Version int64               `json:"version"`
	Action  status.EventName[M] `json:"action"`
	// Null for the event that created the resource.
	From *status.Name[M] `json:"from"`
	To   status.Name[M]  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage  `json:"detail"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

// EventViewOf returns the representation of an event, with status names.
func EventViewOf[M status.Stateful](e Event) EventView[M] {
	v := EventView[M]{
		Version: e.Version, Action: status.EventName[M](e.Action), To: status.NameOf[M](e.ToStatus), Detail: e.Detail,
		ChangedBy: e.By(), ChangedTime: e.ChangedTime,
	}
	if e.FromStatus != nil {
		from := status.NameOf[M](*e.FromStatus)
		v.From = &from
	}
	return v
}

// MoneyEventView is an EventView for details with amounts.
type MoneyEventView[M status.Stateful] struct {
	EventView[M]
	Currency string `json:"currency"`
}

// MoneyEventViewOf is EventViewOf with the currency of the context's tenant.
func MoneyEventViewOf[M status.Stateful](ctx context.Context, e Event) MoneyEventView[M] {
	return MoneyEventView[M]{EventView: EventViewOf[M](e), Currency: principal.CurrencyOf(ctx)}
}
