package idempotency

import (
	"time"

	"interlock/internal/base/principal"
)

// keyView is a record without its reply, which only its caller may read.
type keyView struct {
	ID             int64                 `json:"id"`
	Key            string                `json:"key"`
	Actor          principal.Actor       `json:"actor"`
	ActorKind      string                `json:"actorKind"`
	OnBehalfOf     *principal.CustomerID `json:"onBehalfOf"`
	Method         string                `json:"method"`
	Path           string                `json:"path"`
	RequestID      string                `json:"requestId"`
	Status         int                   `json:"status"`
	DurationMS     float64               `json:"durationMs"`
	ReplyStored    bool                  `json:"replyKept"`
	Replays        int64                 `json:"replays"`
	LastReplayTime *time.Time            `json:"lastReplayTime"`
	CreatedTime    time.Time             `json:"createdTime"`
	ExpiresTime    time.Time             `json:"expiresTime"`
}

func viewOf(r Record) keyView {
	return keyView{
		ID: r.ID, Key: r.IdempotencyKey, Actor: principal.ActorOf(r.ActorKind, r.ActorID, r.ActorName), ActorKind: r.ActorKind,
		OnBehalfOf: r.OnBehalfOf, Method: r.Method, Path: r.Path, RequestID: r.RequestID, Status: r.Status,
		DurationMS: float64(r.DurationUS) / 1000, ReplyStored: r.Reply != nil, Replays: r.Replays,
		LastReplayTime: r.LastReplayTime, CreatedTime: r.CreatedTime, ExpiresTime: r.ExpiresTime,
	}
}
