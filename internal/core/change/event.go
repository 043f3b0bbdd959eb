package change

import (
	"encoding/json"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
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
func EventOf(row guard.Row, action string, from *int, to int, detail json.RawMessage) Event {
	return Event{Revision: RevisionOf(row, action), FromStatus: from, ToStatus: to, Detail: detail}
}

// EncodeEvent is EventOf with a detail that it encodes.
func EncodeEvent(row guard.Row, action string, from *int, to int, detail any) (Event, error) {
	text, err := strictjson.Encode(detail)
	if err != nil {
		return Event{}, fmt.Errorf("encode event detail of %q: %w", action, err)
	}
	return EventOf(row, action, from, to, text), nil
}

// EventView is the API representation of an event.
type EventView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action"`
	From        *string          `json:"from"`
	To          string           `json:"to"`
	Detail      json.RawMessage  `json:"detail"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

// View returns the representation of the event, with status names.
func (e Event) View(machine *status.Machine) EventView {
	v := EventView{
		Version: e.Version, Action: e.Action, To: machine.Of(e.ToStatus).Name, Detail: e.Detail,
		ChangedBy: e.By(), ChangedTime: e.ChangedTime,
	}
	if e.FromStatus != nil {
		from := machine.Of(*e.FromStatus).Name
		v.From = &from
	}
	return v
}
