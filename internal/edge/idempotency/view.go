package idempotency

import (
	"time"

	"interlock/internal/base/principal"
)

// idempotencyKeyView is a record without its reply, which only its caller may read.
type idempotencyKeyView struct {
	ID        int64           `json:"id"`
	Key       string          `json:"key" validate:"required,max=128"`
	Actor     principal.Actor `json:"actor"`
	ActorKind string          `json:"actorKind" validate:"oneof=admin token customer system"`
	// The customer that an API token acted for, or null.
	OnBehalfOf *principal.CustomerID `json:"onBehalfOf"`
	Method     string                `json:"method" validate:"oneof=POST PUT PATCH"`
	Path       string                `json:"path"`
	// The `X-Request-Id` of the request that took effect.
	RequestID string `json:"requestId"`
	// The reply's status.
	Status int `json:"status" validate:"min=200,max=599"`
	// The duration of the first request, in milliseconds.
	DurationMS float64 `json:"durationMs" validate:"min=0"`
	// False if the reply was too large to store; a repeat then returns 200 with `Location`.
	ReplyStored    bool       `json:"replyKept"`
	Replays        int64      `json:"replays" validate:"min=0"`
	LastReplayTime *time.Time `json:"lastReplayTime"`
	CreatedTime    time.Time  `json:"createdTime"`
	ExpiresTime    time.Time  `json:"expiresTime"`
}

func viewOf(r Record) idempotencyKeyView {
	return idempotencyKeyView{
		ID: r.ID, Key: r.IdempotencyKey, Actor: principal.ActorOf(r.ActorKind, r.ActorID, r.ActorName), ActorKind: r.ActorKind,
		OnBehalfOf: r.OnBehalfOf, Method: r.Method, Path: r.Path, RequestID: r.RequestID, Status: r.Status,
		DurationMS: float64(r.DurationUS) / 1000, ReplyStored: r.Reply != nil, Replays: r.Replays,
		LastReplayTime: r.LastReplayTime, CreatedTime: r.CreatedTime, ExpiresTime: r.ExpiresTime,
	}
}

// example is an idempotency key for the contract.
var example = func() idempotencyKeyView {
	created := time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC)
	replayed := created.Add(time.Second)
	return viewOf(Record{
		ID: 7, IdempotencyKey: "checkout-8812", ActorKind: "token", ActorID: "7", ActorName: "Li", Method: "POST", Path: "/api/v1/orders",
		RequestID: "0190f5c2-8f0a-7b11-8c1d-3f1e2a6b7c88", Status: 201, DurationUS: 4200, Reply: []byte("{}"), Replays: 1,
		LastReplayTime: &replayed, CreatedTime: created, ExpiresTime: created.Add(24 * time.Hour),
	})
}()
