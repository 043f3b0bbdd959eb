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
	httpapi.Get(r.About(httpapi.Resource{Tag: "Audit", Noun: "audit"}), "/audit-log", ReadPermission, h.list).
		Doc("List audit entries", "The newest first. Each committed mutation has exactly one entry, written in the same transaction; a rejected request has none. "+
			"An entry must match all filters. With `from` or `to` the order is by time, then by id.").
		With(httpapi.Contract{Sorts: sorts, Reply: httpapi.List[Entry]{Items: []Entry{Example}, Total: 1, TotalIsExact: true}})
	httpapi.Get(r, "/audit-log/export", ReadPermission, h.export)
}

type handler struct{ log *Log }

type listRequest struct {
	// A path such as `configs/checkout.tax`, which includes the paths below it, or a prefix that ends in `/`. An act on
	// several records is listed under each of them, for example a batch or an import under each changed config.
	Resource string `query:"resource"`
	// The id or the name of the user or customer who acted.
	Actor string `query:"actor"`
	// `<resource>.<verb>`, such as `config.update`; or several, at most 10, separated by commas.
	Action actions    `query:"action"`
	From   *time.Time `query:"from"`
	To     *time.Time `query:"to"`
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
