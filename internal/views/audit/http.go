package audit

import (
	"context"
	"strconv"
	"time"

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
	filter := Filter{Resource: in.Resource, Action: in.Action, From: in.From, To: in.To}
	// An actor is asked for by its id or by its name; names never are numbers only.
	if id, err := strconv.ParseInt(in.Actor, 10, 64); err == nil {
		filter.ActorID = &id
	} else {
		filter.Actor = in.Actor
	}
	listing, err := h.log.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, entryOf), err
}
