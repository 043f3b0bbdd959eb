package audit

import (
	"encoding/json"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Entry is the representation of one mutation.
type Entry struct {
	ID        int64  `json:"id"`
	UnitID    string `json:"unitId"`
	RequestID string `json:"requestId"`
	// IdempotencyKey is the key of the request, "" without one.
	IdempotencyKey string          `json:"idempotencyKey"`
	Actor          principal.Actor `json:"actor"`
	ActorKind      string          `json:"actorKind"`
	// Token is the API token that it was done with, null for none.
	Token *principal.TokenRef `json:"token"`
	// OnBehalfOf is the customer that a token acted for, or nil.
	OnBehalfOf  *principal.CustomerID `json:"onBehalfOf"`
	Action      string                `json:"action"`
	Resource    string                `json:"resource"`
	Detail      json.RawMessage       `json:"detail"`
	Note        string                `json:"note"`
	CreatedTime time.Time             `json:"createdTime"`
}

func entryOf(row uow.AuditRow) Entry {
	return Entry{
		ID: row.ID, UnitID: row.UnitID, RequestID: row.RequestID, IdempotencyKey: row.IdempotencyKey,
		Actor: principal.ActorOf(row.ActorKind, row.ActorID, row.ActorName), ActorKind: row.ActorKind, Token: row.Ref(), OnBehalfOf: row.OnBehalfOf,
		Action: row.Action, Resource: row.Resource, Detail: row.Detail, Note: row.Note, CreatedTime: row.CreatedTime,
	}
}
