package events

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

// Change is the payload of the events by which domains say that a row changed:
// enough to tell people who did what, and to see whether what they have is older.
// It is a hint like every payload.
type Change struct {
	// Version is the row's version since the change. A deletion counts as one. It is
	// 0 when many rows changed at once.
	Version int64 `json:"version,omitempty"`
	// ETag is the row's entity tag since the change; "" when the row is gone or there
	// are many.
	ETag string `json:"etag,omitempty"`
	// Action is the verb of the change: create, update, ship, delete.
	Action string `json:"action"`
	// By is who made the change and Time when.
	By   principal.Person `json:"changedBy"`
	Time time.Time        `json:"changedTime"`
	// Status is the row's status since the change; "" for rows without one.
	Status string `json:"status,omitempty"`
	// Label is what people call the row where that is not its key.
	Label string `json:"label,omitempty"`
	// Detail is what else there is to tell, such as a sale's numbers; nil for nothing.
	Detail any `json:"detail,omitempty"`
}

// Gone returns the change of a row that was deleted as it stood.
func (c Change) Gone() Change {
	c.Version, c.ETag, c.Status = c.Version+1, "", ""
	return c
}

// Event returns the change as an event of a tenant. An empty key stands for many
// rows of the topic.
func (c Change) Event(tenant int64, topic, key string) (Event, error) {
	payload, err := strictjson.Encode(c)
	if err != nil {
		return Event{}, fmt.Errorf("encode the change of %s %q: %w", topic, key, err)
	}
	return Event{ID: uuid.NewString(), Topic: topic, Tenant: tenant, Key: key, Payload: payload}, nil
}
