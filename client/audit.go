package client

import (
	"encoding/json"
	"time"
)

// Audit is the audit log: one entry for each thing that was done.
type Audit struct{ client *Client }

// AuditEntry is who did what to which resource.
type AuditEntry struct {
	ID        int64  `json:"id"`
	UnitID    string `json:"unitId"`
	RequestID string `json:"requestId"`
	// IdempotencyKey is that of the request, "" without one.
	IdempotencyKey string `json:"idempotencyKey"`
	Actor          Actor  `json:"actor"`
	// ActorKind is admin, token, customer or system.
	ActorKind   string          `json:"actorKind"`
	OnBehalfOf  *string         `json:"onBehalfOf"`
	Action      string          `json:"action"`
	Resource    string          `json:"resource"`
	Detail      json.RawMessage `json:"detail"`
	Note        string          `json:"note"`
	CreatedTime time.Time       `json:"createdTime"`
}

// Actor is who did something, customers too.
type Actor struct {
	// ID is the integer of a user in decimal digits, or what the shop calls a customer.
	ID   string
	Name string
}

// UnmarshalJSON reads an id that is an integer or a string.
func (a *Actor) UnmarshalJSON(text []byte) error {
	var members struct {
		ID   json.RawMessage `json:"id"`
		Name string          `json:"name"`
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	a.ID, a.Name = string(members.ID), members.Name
	if len(members.ID) > 0 && members.ID[0] == '"' {
		return json.Unmarshal(members.ID, &a.ID)
	}
	return nil
}

// MarshalJSON writes the id as a string, which UnmarshalJSON reads.
func (a Actor) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"id": a.ID, "name": a.Name})
}

// AuditFilter narrows the log.
type AuditFilter struct {
	Paging
	// Resource is a path such as configs/checkout.tax, with what is below it.
	Resource string
	// Actor is a user's or a customer's id or name.
	Actor  string
	Action string
	// From and To bound the time: from From on, before To.
	From, To time.Time
}

// List lists the log, newest first.
func (s *Audit) List(f AuditFilter) List[AuditEntry] {
	return List[AuditEntry]{s.client, "/audit-log", f.parameters().text("resource", f.Resource).
		text("actor", f.Actor).text("action", f.Action).time("from", f.From).time("to", f.To)}
}
