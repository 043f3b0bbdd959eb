// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// Idempotency calls the operations on idempotency.
//
// Idempotency keys of past requests, and their outcomes.
type Idempotency struct{ client *Client }

// IdempotencyKey is a row of [Idempotency.List].
type IdempotencyKey struct {
	ID        int64                   `json:"id"`
	Key       string                  `json:"key"`
	Actor     Actor                   `json:"actor"`
	ActorKind IdempotencyKeyActorKind `json:"actorKind"`
	// The customer that an API token acted for, or null.
	OnBehalfOf *string              `json:"onBehalfOf"`
	Method     IdempotencyKeyMethod `json:"method"`
	Path       string               `json:"path"`
	// The `X-Request-Id` of the request that took effect.
	RequestID string `json:"requestId"`
	// The reply's status.
	Status int64 `json:"status"`
	// The duration of the first request, in milliseconds.
	DurationMs float64 `json:"durationMs"`
	// False if the reply was too large to store; a repeat then returns 200 with `Location`.
	ReplyKept      bool       `json:"replyKept"`
	Replays        int64      `json:"replays"`
	LastReplayTime *time.Time `json:"lastReplayTime"`
	CreatedTime    time.Time  `json:"createdTime"`
	ExpiresTime    time.Time  `json:"expiresTime"`
}

// IdempotencyKeyActorKind is part of [IdempotencyKey].
type IdempotencyKeyActorKind string

// The values of IdempotencyKeyActorKind.
const (
	IdempotencyKeyActorKindAdmin    IdempotencyKeyActorKind = "admin"
	IdempotencyKeyActorKindToken    IdempotencyKeyActorKind = "token"
	IdempotencyKeyActorKindCustomer IdempotencyKeyActorKind = "customer"
	IdempotencyKeyActorKindSystem   IdempotencyKeyActorKind = "system"
)

// IdempotencyKeyMethod is part of [IdempotencyKey].
type IdempotencyKeyMethod string

// The values of IdempotencyKeyMethod.
const (
	IdempotencyKeyMethodPOST  IdempotencyKeyMethod = "POST"
	IdempotencyKeyMethodPUT   IdempotencyKeyMethod = "PUT"
	IdempotencyKeyMethodPATCH IdempotencyKeyMethod = "PATCH"
)

// IdempotencyKeyFilter selects rows of [Idempotency.List].
type IdempotencyKeyFilter struct {
	Paging
	// Exactly this key, of any caller.
	Key string
	// Only replies with this HTTP status.
	Status int64
}

// List lists idempotency keys.
//
// The newest first. A reply itself is returned only to its caller, on a repeat of the request.
func (s *Idempotency) List(f IdempotencyKeyFilter) List[IdempotencyKey] {
	return List[IdempotencyKey]{s.client, "/idempotency-keys", f.parameters().set("key", f.Key).set("status", f.Status)}
}

// Get returns an idempotency key.
func (s *Idempotency) Get(ctx context.Context, id int64, options ...CallOption) (IdempotencyKey, error) {
	return call[IdempotencyKey](ctx, s.client, request{method: http.MethodGet, path: "/idempotency-keys/" + segment(id)}, options)
}
