package audit

import (
	"context"
	"time"

	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the audit log.
func Routes(r *httpapi.Router, log *Log) {
	httpapi.Get(r, "/audit-log", ReadPermission, handler{log}.list)
}

type handler struct{ log *Log }

type listRequest struct {
	Resource string    `query:"resource"`
	Actor    string    `query:"actor"`
	Action   string    `query:"action"`
	From     time.Time `query:"from"`
	To       time.Time `query:"to"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[Entry], error) {
	filter := Filter{Resource: in.Resource, Actor: in.Actor, Action: in.Action, From: in.From, To: in.To}
	listing, err := h.log.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(row uow.AuditRow) Entry { return forReader(ctx, entryOf(row)) }), err
}
