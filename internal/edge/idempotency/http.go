package idempotency

import (
	"context"

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
	r = r.About(httpapi.Resource{Tag: "Idempotency", Noun: "idempotency key", Example: example})
	h := handler{k}
	httpapi.Get(r, "/idempotency-keys", ReadPermission, h.list).
		Doc("List idempotency keys", "The newest first. A reply itself is returned only to its caller, on a repeat of the request.").
		With(httpapi.Contract{Sorts: sorts})
	httpapi.GetOf(r, "/idempotency-keys/:id", ReadPermission, httpapi.Numbered("idempotency key", k.Record), h.get).
		Doc("Get an idempotency key", "").
		With(httpapi.Contract{Success: "The caller, time and request of the key."})
}

type handler struct{ replies *ReplyStore }

type listRequest struct {
	// Exactly this key, of any caller.
	Key string `query:"key"`
	// Only replies with this HTTP status.
	Status int `query:"status" validate:"omitempty,min=100,max=599"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[idempotencyKeyView], error) {
	listing, err := h.replies.List(ctx, Filter{Key: in.Key, Status: in.Status}, in.Page.Page())
	return httpapi.ListOf(listing, viewOf), err
}

func (h handler) get(_ context.Context, record Record, _ httpapi.None) (idempotencyKeyView, error) {
	return viewOf(record), nil
}
