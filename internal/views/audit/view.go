package audit

import (
	"encoding/json"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Entry is the representation of one mutation.
type Entry struct {
	ID int64 `json:"id"`
	// Identifies the unit of work.
	UnitID string `json:"unitId"`
	// The `X-Request-Id` of the request; empty for work of the service itself.
	RequestID string `json:"requestId"`
	// The idempotency key of the request; empty without one.
	IdempotencyKey string          `json:"idempotencyKey" validate:"max=128"`
	Actor          principal.Actor `json:"actor"`
	ActorKind      string          `json:"actorKind" validate:"oneof=admin token customer system"`
	// The API token of the request, or null.
	Token *principal.TokenRef `json:"token"`
	// The customer that an API token acted for (`X-On-Behalf-Of`), or null.
	OnBehalfOf *principal.CustomerID `json:"onBehalfOf"`
	Action     string                `json:"action" pattern:"^[a-z_-]+\\.[a-z_-]+$"`
	// The path of the changed resource: `configs/checkout.tax`.
	Resource string `json:"resource"`
	// Versions, changed members, lost values. For a caller that may not read the resource only `withheld`, with the
	// required permission; the note is empty then.
	Detail json.RawMessage `json:"detail" validate:"json"`
	// The reason that the actor gave.
	Note        string    `json:"note"`
	CreatedTime time.Time `json:"createdTime"`
}

// SchemaName returns the name of the type in the contract.
func (Entry) SchemaName() string { return "AuditEntry" }

func entryOf(row uow.AuditRow) Entry {
	return Entry{
		ID: row.ID, UnitID: row.UnitID, RequestID: row.RequestID, IdempotencyKey: row.IdempotencyKey,
		Actor: principal.ActorOf(row.ActorKind, row.ActorID, row.ActorName), ActorKind: row.ActorKind, Token: row.Ref(), OnBehalfOf: row.OnBehalfOf,
		Action: row.Action, Resource: row.Resource, Detail: row.Detail, Note: row.Note, CreatedTime: row.CreatedTime,
	}
}

// Example is an entry for the contract.
var Example = entryOf(uow.AuditRow{
	ID: 812, UnitID: "0190f5c2-8f0e-7c3a-9a57-0d8f6b8f3a11", RequestID: "0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88", IdempotencyKey: "save-8812",
	ActorKind: "admin", ActorID: "7", ActorName: "Li", Action: "config.update", Resource: "configs/checkout.tax",
	Detail: json.RawMessage(`{"fromVersion":18,"toVersion":19}`), CreatedTime: time.Date(2026, time.January, 31, 9, 30, 0, 123456000, time.UTC),
})
