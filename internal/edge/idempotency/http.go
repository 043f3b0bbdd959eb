package idempotency

import (
	"context"
	"errors"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// ReadPermission is required to read the records.
const ReadPermission = "idempotency-keys:read"

// Permissions are the permissions of this package.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See the idempotency keys with their callers, times and requests; not the replies."},
}

// Routes registers the routes that show the records.
func Routes(r *httpapi.Router, k *ReplyStore) {
	h := handler{k}
	httpapi.Get(r, "/idempotency-keys", ReadPermission, h.list)
	httpapi.GetOf(r, "/idempotency-keys/:id", ReadPermission, httpapi.Numbered("idempotency key", k.Record), h.get)
}

type handler struct{ replies *ReplyStore }

type listRequest struct {
	Key    string `query:"key"`
	Status status `query:"status"`
	httpapi.Page
}

// status is the query parameter for the HTTP status of a reply.
type status int

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *status) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 100 || n > 599 {
		return errors.New("must be the HTTP status of a reply, such as 201")
	}
	*s = status(n)
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[keyView], error) {
	listing, err := h.replies.List(ctx, Filter{Key: in.Key, Status: int(in.Status)}, in.Page.Page())
	return httpapi.ListOf(listing, viewOf), err
}

func (h handler) get(_ context.Context, record Record, _ httpapi.None) (keyView, error) {
	return viewOf(record), nil
}
