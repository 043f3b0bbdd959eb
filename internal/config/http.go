package config

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of configs.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	byKey := httpapi.Named("key", s.Get)
	httpapi.Get(r, "/configs", ReadPermission, h.list)
	httpapi.Mutation(r, http.MethodPost, "/configs", writePermission, h.create)
	httpapi.Get(r, "/configs/export", ReadPermission, h.export)
	httpapi.Mutation(r, http.MethodPost, "/configs/import", writePermission, h.importAll, httpapi.Large(maxImportBytes))
	httpapi.Get(r, "/configs/snapshot", ReadPermission, h.snapshot)
	httpapi.Listen(r, "/configs/watch", ReadPermission, h.watch)
	httpapi.GetOf(r, "/configs/:key", ReadPermission, byKey, h.get)
	httpapi.Mutation(r, http.MethodPatch, "/configs/:key", writePermission, h.edit, httpapi.Exists(byKey))
	httpapi.MutationOf(r, http.MethodDelete, "/configs/:key", writePermission, byKey, h.delete)
	httpapi.GetOf(r, "/configs/:key/history", ReadPermission, httpapi.Named("key", s.KeyWithHistory), h.history)
	httpapi.MutationOf(r, http.MethodPost, "/configs/:key/rollback", writePermission, byKey, h.rollback)
	httpapi.Mutation(r, http.MethodPost, "/config-batches", writePermission, h.batch)
}

type handler struct{ service *Service }

type listRequest struct {
	Prefix    string         `query:"prefix"`
	Search    httpapi.Search `query:"q"`
	ValueType Type           `query:"valueType"`
	httpapi.Page
}

func (in *listRequest) Check() error {
	if in.ValueType != "" && !slices.Contains(types, in.ValueType) {
		return apperr.Malformed("?valueType", "must be one of string, number, boolean, json")
	}
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[configView], error) {
	filter := Filter{Prefix: in.Prefix, Text: string(in.Search), ValueType: in.ValueType}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(c Config) configView { return viewOf(ctx, &c) }), err
}

func (h handler) get(ctx context.Context, c *Config, _ httpapi.None) (httpapi.Fresh[readView], error) {
	view := readView{configView: viewOf(ctx, c)}
	if !c.Protected {
		// A change of permissions changes the view of a secret config at the same version.
		return httpapi.Fresh[readView]{Body: view, Changed: c.isConfidential()}, nil
	}
	// A change of the tenant's rules changes the view of a protected config at the same version.
	needed, err := h.service.approvals.Needed(ctx)
	view.ChangeNeeds = &changeNeeds{Approvals: needed}
	return httpapi.Fresh[readView]{Body: view, Changed: true}, err
}

func (h handler) history(ctx context.Context, key string, in httpapi.Page) (httpapi.List[versionView], error) {
	listing, err := h.service.History(ctx, key, in.Page())
	return httpapi.ListOf(listing, func(h History) versionView { return versionViewOf(ctx, h) }), err
}

type createRequest struct {
	Body struct {
		Key string `json:"key"`
		newContent
	}
}

func (in *createRequest) Check() error { return checkSchemaShape(in.Body.Schema, "/schema") }

func (h handler) create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[configView], error) {
	c, err := h.service.Create(ctx, u, in.Body.Key, in.Body.content())
	if err != nil {
		return httpapi.Created[configView]{}, err
	}
	return httpapi.Created[configView]{Location: "/configs/" + c.Key, Body: viewOf(ctx, c)}, nil
}

type editRequest struct {
	Key       string `path:"key" of:"config"`
	Body      patchBody
	Merge     *httpapi.Disjoint `query:"merge"`
	Overwrite *overwriteReason  `query:"overwrite"`
	gateParams
	IfMatch guard.Precondition
}

func (in *editRequest) Check() error {
	if err := in.checkGate(); err != nil {
		return err
	}
	if in.Merge != nil && in.Overwrite != nil {
		return apperr.Malformed("?overwrite", "cannot be combined with merge")
	}
	return nil
}

func (in *editRequest) change() change.Edit {
	edit := change.Edit{IfMatch: in.IfMatch, Patch: in.Body.tree, MergeDisjoint: in.Merge != nil}
	if in.Overwrite != nil {
		edit.Overwrite = &change.Overwrite{Reason: string(in.Overwrite.Reason)}
	}
	return edit
}

// overwriteReason is ?overwrite.
type overwriteReason struct{ approvals.Reason }

// Needs implements httpapi.Needing.
func (overwriteReason) Needs() httpapi.Need { return httpapi.Need{Permission: overwritePermission} }

// gateParams are the parameters of a change that may need votes: to bypass them for a reason, or to
// schedule the change.
type gateParams struct {
	Bypass        approvals.Bypass `query:"bypass"`
	EffectiveTime *time.Time       `query:"effectiveTime"`
}

// permitting returns a context that bypasses the votes or schedules the change, as requested.
func (g gateParams) permitting(ctx context.Context) context.Context {
	return approvals.Scheduling(approvals.Bypassing(ctx, string(g.Bypass.Reason)), g.EffectiveTime)
}

func (g gateParams) checkGate() error {
	if g.Bypass.Reason != "" && g.EffectiveTime != nil {
		return apperr.Malformed("?effectiveTime", "cannot be combined with bypass: a bypassing change is made immediately")
	}
	return nil
}

func (h handler) edit(ctx context.Context, u *uow.Unit, in editRequest) (editedView, error) {
	edited, err := h.service.EditKey(in.permitting(ctx), u, in.Key, in.change())
	if err != nil {
		return editedView{}, err
	}
	return editedView{configView: viewOf(ctx, edited.Row), Merged: edited.Merged, Overwrote: edited.Overwrote}, nil
}

type deleteRequest struct {
	gateParams
	httpapi.Guarded
}

func (in *deleteRequest) Check() error { return in.checkGate() }

func (h handler) delete(ctx context.Context, u *uow.Unit, c *Config, in deleteRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(in.permitting(ctx), u, c, in.IfMatch)
}

type rollbackRequest struct {
	Body struct {
		ToVersion int64  `json:"toVersion"`
		Note      string `json:"note"`
	}
	gateParams
	IfMatch guard.Precondition
}

func (in *rollbackRequest) Check() error { return in.checkGate() }

func (h handler) rollback(ctx context.Context, u *uow.Unit, c *Config, in rollbackRequest) (configView, error) {
	after, err := h.service.Rollback(in.permitting(ctx), u, c, Rollback{IfMatch: in.IfMatch, ToVersion: in.Body.ToVersion, Note: in.Body.Note})
	if err != nil {
		return configView{}, err
	}
	return viewOf(ctx, after), nil
}

type snapshotRequest struct {
	Prefix string `query:"prefix"`
}

func (h handler) snapshot(ctx context.Context, in snapshotRequest) (snapshotView, error) {
	snapshot, err := h.service.Snapshot(ctx, in.Prefix)
	if err != nil {
		return snapshotView{}, err
	}
	view := snapshotView{Revision: snapshot.Revision, Items: make([]configView, len(snapshot.Configs))}
	for i := range snapshot.Configs {
		view.Items[i] = viewOf(ctx, &snapshot.Configs[i])
	}
	return view, nil
}

type watchRequest struct {
	// LastEventID is the last event id of the caller's previous connection (WHATWG HTML, 9.2.4).
	LastEventID *Revision `header:"Last-Event-ID"`
	After       *Revision `query:"after"`
}

// lastSeen returns the revision to resume after; nil for none.
func (in watchRequest) lastSeen() *Revision {
	if in.LastEventID != nil {
		return in.LastEventID
	}
	return in.After
}

// watch streams the changes of the caller's tenant: the event ready, then a change event each; or
// the event gone if the stream cannot resume after the requested revision.
func (h handler) watch(ctx context.Context, in watchRequest, stream *httpapi.Stream) error {
	w, err := h.service.Watch(ctx, in.lastSeen())
	var gone *Gone
	if errors.As(err, &gone) {
		return stream.Send(gone.Revision.String(), "gone", revisionView{gone.Revision})
	}
	if err != nil {
		return err
	}
	defer w.Close()
	if err := stream.Send(w.Revision().String(), "ready", revisionView{w.Newest()}); err != nil {
		return err
	}
	return sendChanges(ctx, w, stream)
}
