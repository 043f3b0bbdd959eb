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
	Actor     Person `json:"actor"`
	// ActorKind is admin, token, customer or system.
	ActorKind   string          `json:"actorKind"`
	OnBehalfOf  *int64          `json:"onBehalfOf"`
	Action      string          `json:"action"`
	Resource    string          `json:"resource"`
	Detail      json.RawMessage `json:"detail"`
	Note        string          `json:"note"`
	CreatedTime time.Time       `json:"createdTime"`
}

// AuditFilter narrows the log.
type AuditFilter struct {
	Paging
	// Resource is a path such as configs/checkout.tax, with what is below it.
	Resource string
	// Actor is a user's id or name.
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
