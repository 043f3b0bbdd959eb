package events

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

// Change is the payload of events that announce a changed row: enough to show the author
// and the action, and to detect that a copy is outdated. Like every payload it is a hint.
type Change struct {
	// Version is the row's version after the change. A deletion counts as one. It is 0 when
	// several rows changed.
	Version int64 `json:"version,omitempty"`
	// ETag is the row's entity tag after the change; "" for a deleted row or several rows.
	ETag string `json:"etag,omitempty"`
	// Action is the verb of the change: create, update, ship, delete.
	Action string `json:"action"`
	// By is the author of the change.
	By principal.Person `json:"changedBy"`
	// Time is the time of the change.
	Time time.Time `json:"changedTime"`
	// Status is the row's status after the change; "" for rows without one.
	Status string `json:"status,omitempty"`
	// Label is the display name of the row if that is not its key.
	Label string `json:"label,omitempty"`
	// Detail contains further data, such as the numbers of a sale; nil for none.
	Detail any `json:"detail,omitempty"`
}

// Deletion returns the change as a deletion of the row, with the next version and without an entity tag
// and a status.
func (c Change) Deletion() Change {
	c.Version, c.ETag, c.Status = c.Version+1, "", ""
	return c
}

// Event returns the change as an event of a tenant. An empty key means several rows of the
// topic.
func (c Change) Event(tenant int64, topic, key string) (Event, error) {
	payload, err := strictjson.Encode(c)
	if err != nil {
		return Event{}, fmt.Errorf("encode the change of %s %q: %w", topic, key, err)
	}
	return Event{ID: uuid.NewString(), Topic: topic, Tenant: tenant, Key: key, Payload: payload}, nil
}
