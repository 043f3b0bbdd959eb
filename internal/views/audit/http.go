package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the audit log.
func Routes(r *httpapi.Router, log *Log) {
	h := handler{log}
	httpapi.Get(r, "/audit-log", ReadPermission, h.list)
	httpapi.Get(r, "/audit-log/export", ReadPermission, h.export)
}

type handler struct{ log *Log }

type listRequest struct {
	Resource string     `query:"resource"`
	Actor    string     `query:"actor"`
	Action   actions    `query:"action"`
	From     *time.Time `query:"from"`
	To       *time.Time `query:"to"`
	httpapi.Page
}

// actions are action names, separated by commas.
type actions []string

const maxActions = 10

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *actions) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	*a = strings.Split(string(text), ",")
	if len(*a) > maxActions {
		return fmt.Errorf("must be at most %d actions", maxActions)
	}
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[Entry], error) {
	filter := Filter{Resource: in.Resource, Actor: in.Actor, Actions: in.Action, From: in.From, To: in.To}
	listing, err := h.log.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(row uow.AuditRow) Entry { return forReader(ctx, entryOf(row)) }), err
}

type exportRequest struct {
	After *Cursor `query:"after"`
}

func (h handler) export(ctx context.Context, in exportRequest) (httpapi.Lines, error) {
	lines, _, err := h.log.Export(ctx, in.After)
	return lines, err
}
