package idempotency

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
)

const read = "idempotency-keys:read"

// Permissions are what this package's routes ask for.
var Permissions = []principal.Grant{
	{Name: read, Meaning: "See who used which idempotency key, when and for what; not the replies."},
}

// Routes registers the routes that show what is kept.
func Routes(r *httpapi.Router, k *Keeper) {
	r.Query("/idempotency-keys", read, k.list)
	r.Query("/idempotency-keys/:id", read, k.show)
}

// representation is a record without its reply, which its own caller may see only.
type representation struct {
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
	ReplyKept      bool                  `json:"replyKept"`
	Replays        int64                 `json:"replays"`
	LastReplayTime *time.Time            `json:"lastReplayTime"`
	CreatedTime    time.Time             `json:"createdTime"`
	ExpiresTime    time.Time             `json:"expiresTime"`
}

func represent(r Record) representation {
	return representation{
		ID: r.ID, Key: r.IdempotencyKey, Actor: principal.ActorOf(r.ActorKind, r.ActorID, r.ActorName), ActorKind: r.ActorKind,
		OnBehalfOf: r.OnBehalfOf, Method: r.Method, Path: r.Path, RequestID: r.RequestID, Status: r.Status,
		DurationMS: float64(r.DurationUS) / 1000, ReplyKept: r.Reply != nil, Replays: r.Replays,
		LastReplayTime: r.LastReplayTime, CreatedTime: r.CreatedTime, ExpiresTime: r.ExpiresTime,
	}
}

var sorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

func (k *Keeper) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	ctx := c.Request().Context()
	k.replays.flush(ctx)
	query := k.store.db.Read(ctx).Where("expires_time > ? AND "+withoutParts, k.clock.Now())
	if key := c.QueryParam("key"); key != "" {
		query = query.Where("idempotency_key = ?", key)
	}
	if text := c.QueryParam("status"); text != "" {
		status, err := strconv.Atoi(text)
		if err != nil || status < 100 || status > 599 {
			return httpapi.Reply{}, apperr.Malformed("?status", "must be the HTTP status of a reply, such as 201")
		}
		query = query.Where("status = ?", status)
	}
	listing, err := storage.List[Record](query, page, sorts)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

func (k *Keeper) show(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "idempotency key")
	if err != nil {
		return httpapi.Reply{}, err
	}
	record, err := k.find(c.Request().Context(), id)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(record)), nil
}

func (k *Keeper) find(ctx context.Context, id int64) (Record, error) {
	k.replays.flush(ctx)
	var record Record
	err := k.store.db.Read(ctx).Where("id = ? AND expires_time > ? AND "+withoutParts, id, k.clock.Now()).Take(&record).Error
	switch {
	case storage.IsNotFound(err):
		return Record{}, apperr.MissingRow("idempotency key", strconv.FormatInt(id, 10))
	case err != nil:
		return Record{}, fmt.Errorf("read the idempotency key: %w", err)
	}
	return record, nil
}

// ByKey returns at most limit records, none of them expired, whose key begins with a
// text as it is written.
func (k *Keeper) ByKey(ctx context.Context, text string, limit int) ([]Record, error) {
	query := k.store.db.Read(ctx).Where("expires_time > ? AND "+withoutParts, k.clock.Now())
	records, err := storage.ByPrefix[Record](query, "idempotency_key", []string{text}, limit)
	if err != nil {
		return nil, fmt.Errorf("find idempotency keys: %w", err)
	}
	return records, nil
}
