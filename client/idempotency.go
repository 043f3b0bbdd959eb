package client

import (
	"context"
	"strconv"
	"time"
)

// IdempotencyKeys accesses the replies that the service stores.
type IdempotencyKeys struct{ client *Client }

// IdempotencyKey is a stored reply without its body, which only its caller can read, by repeating
// the operation.
type IdempotencyKey struct {
	ID         int64   `json:"id"`
	Key        string  `json:"key"`
	Actor      Actor   `json:"actor"`
	ActorKind  string  `json:"actorKind"`
	OnBehalfOf *string `json:"onBehalfOf"`
	Method     string  `json:"method"`
	Path       string  `json:"path"`
	RequestID  string  `json:"requestId"`
	Status     int     `json:"status"`
	// DurationMs is the duration of the first request in milliseconds.
	DurationMs float64 `json:"durationMs"`
	// ReplyKept is false if the reply was too large; see [ReplyNotStored].
	ReplyKept      bool       `json:"replyKept"`
	Replays        int64      `json:"replays"`
	LastReplayTime *time.Time `json:"lastReplayTime"`
	CreatedTime    time.Time  `json:"createdTime"`
	ExpiresTime    time.Time  `json:"expiresTime"`
}

// IdempotencyKeyFilter filters a list of keys.
type IdempotencyKeyFilter struct {
	Paging
	// Key selects one key, of any caller.
	Key string
	// Status is the HTTP status of the reply.
	Status int
}

// List lists keys, newest first.
func (s *IdempotencyKeys) List(f IdempotencyKeyFilter) List[IdempotencyKey] {
	return List[IdempotencyKey]{s.client, "/idempotency-keys", f.parameters().text("key", f.Key).number("status", int64(f.Status))}
}

// Get reads a key by its id.
func (s *IdempotencyKeys) Get(ctx context.Context, id int64, options ...CallOption) (IdempotencyKey, error) {
	return get[IdempotencyKey](ctx, s.client, "/idempotency-keys/"+strconv.FormatInt(id, 10), options)
}
