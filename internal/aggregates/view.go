package aggregates

import (
	"encoding/json"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// rowView is an aggregate in a list.
type rowView struct {
	Type        string   `json:"type"`
	ID          string   `json:"id"`
	Counters    Counters `json:"counters"`
	WriterCount int      `json:"writerCount"`
	guard.Stamp
}

func rowViewOf(a Aggregate) rowView {
	return rowView{Type: a.Type, ID: a.Name, Counters: a.Counters, WriterCount: a.WriterCount, Stamp: a.Stamp()}
}

// stateView is an aggregate with its writers.
type stateView struct {
	rowView
	Writers map[string]int64 `json:"writers"`
}

func stateViewOf(s State) stateView {
	return stateView{rowView: rowViewOf(s.Aggregate), Writers: s.Writers}
}

type eventView struct {
	Version      int64            `json:"version"`
	BatchVersion int64            `json:"batchVersion"`
	ClientID     string           `json:"clientId"`
	ClientSeq    *int64           `json:"clientSeq"`
	EventID      *string          `json:"eventId"`
	EventType    string           `json:"eventType"`
	EventTime    time.Time        `json:"eventTime"`
	Deltas       Counters         `json:"deltas"`
	Payload      json.RawMessage  `json:"payload"`
	CreatedBy    principal.Person `json:"createdBy"`
	CreatedTime  time.Time        `json:"createdTime"`
}

func eventViewOf(e Event) eventView {
	return eventView{
		Version: e.Version, BatchVersion: e.BatchVersion, ClientID: e.ClientID, ClientSeq: e.ClientSeq, EventID: e.EventID,
		EventType: e.EventType, EventTime: e.EventTime, Deltas: e.Deltas, Payload: json.RawMessage(e.Payload),
		CreatedBy: principal.Person{ID: e.CreatedBy, Name: e.CreatedByName}, CreatedTime: e.CreatedTime,
	}
}

type writtenView struct {
	Version int64 `json:"version"`
	Applied int   `json:"applied"`
}
