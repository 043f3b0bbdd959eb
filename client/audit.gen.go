// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"encoding/json"
	"time"
)

// Audit calls the operations on audit.
//
// Author, time, request and content of every change. Each mutation writes one entry in its
// transaction.
type Audit struct{ client *Client }

// AuditEntry is a row of [Audit.List].
type AuditEntry struct {
	ID int64 `json:"id"`
	// Identifies the unit of work.
	UnitID string `json:"unitId"`
	// The `X-Request-Id` of the request; empty for work of the service itself.
	RequestID string `json:"requestId"`
	// The idempotency key of the request; empty without one.
	IdempotencyKey string              `json:"idempotencyKey"`
	Actor          Actor               `json:"actor"`
	ActorKind      AuditEntryActorKind `json:"actorKind"`
	// The API token of the request, or null.
	Token *TokenRef `json:"token"`
	// The customer that an API token acted for (`X-On-Behalf-Of`), or null.
	OnBehalfOf *string `json:"onBehalfOf"`
	Action     string  `json:"action"`
	// The path of the changed resource: `configs/checkout.tax`.
	Resource string `json:"resource"`
	// Versions, changed members, lost values. For a caller that may not read the resource only
	// `withheld`, with the required permission; the note is empty then.
	Detail json.RawMessage `json:"detail"`
	// The reason that the actor gave.
	Note        string    `json:"note"`
	CreatedTime time.Time `json:"createdTime"`
}

// AuditEntryActorKind is part of [AuditEntry].
type AuditEntryActorKind string

// The values of AuditEntryActorKind.
const (
	AuditEntryActorKindAdmin    AuditEntryActorKind = "admin"
	AuditEntryActorKindToken    AuditEntryActorKind = "token"
	AuditEntryActorKindCustomer AuditEntryActorKind = "customer"
	AuditEntryActorKindSystem   AuditEntryActorKind = "system"
)

// AuditEntryFilter selects rows of [Audit.List].
type AuditEntryFilter struct {
	Paging
	// A path such as `configs/checkout.tax`, which includes the paths below it, or a prefix that
	// ends in `/`. An act on several records is listed under each of them, for example a batch or
	// an import under each changed config.
	Resource string
	// The id or the name of the user or customer who acted.
	Actor string
	// `<resource>.<verb>`, such as `config.update`; or several, at most 10, separated by commas.
	Action string
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
}

// List lists audit entries.
//
// The newest first. Each committed mutation has exactly one entry, written in the same transaction;
// a rejected request has none. An entry must match all filters. With `from` or `to` the order is by
// time, then by id.
func (s *Audit) List(f AuditEntryFilter) List[AuditEntry] {
	return List[AuditEntry]{s.client, "/audit-log", f.parameters().set("resource", f.Resource).set("actor", f.Actor).set("action", f.Action).set("from", f.From).set("to", f.To)}
}
