package config

import (
	"context"
	"errors"
	"net/http"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/coding"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of configs.
func Routes(r *httpapi.Router, s *Service) {
	plain := r
	r = r.About(httpapi.Resource{Tag: "Configs", Noun: "config", Example: example})
	h := handler{s}
	byKey := httpapi.Named("key", s.Get)
	httpapi.Get(r, "/configs", ReadPermission, h.list).
		Doc("List configs", "").
		With(httpapi.Contract{Sorts: sorts})
	httpapi.Mutation(r, http.MethodPost, "/configs", writePermission, h.create).
		Doc("Create a config", "409 `already_exists` contains the config with the same key in `current`.\n\n"+
			"422 at `/value` if the value violates its type or its JSON Schema; 422 at `/schema` if the JSON Schema is not usable "+
			"(2020-12 unless `$schema` names an older draft; references only to itself).").
		With(httpapi.Contract{Success: "The new config.", Body: createExample, Responses: map[string]string{"409": "ConfigExists"}})
	httpapi.Get(r, "/configs/export", ReadPermission, h.export).
		Doc("Export configs", "One document with all configs of one moment, sorted by key. `json` is the format of `POST /configs/import`. The other formats contain "+
			"keys and values only, and a comment `# withheld: <key>` for each withheld value. `yaml` is a mapping of whole keys; `properties` is read by "+
			"java.util.Properties; `env` by a POSIX shell; `configmap` is a ConfigMap of Kubernetes with the name `configs`.\n\n"+
			"A name in `env` is the key in capitals, with `_` for each character except letters and digits, and before a leading digit. A name in `configmap` has "+
			"`_` for each of `:`, `/`, `[` and `]`, and before a leading `..`. 422 at `?format` with both keys if two keys have the same name.\n\n"+
			"409 `limit_reached` if they exceed one document (10,000 configs or 16 MiB, 1 MiB for `configmap`): export them by prefix.").
		With(httpapi.Contract{
			ID: "exportConfigs", Success: "The document.", Reply: exportExample, Texts: []string{"application/yaml", "text/plain"},
			Responses: map[string]string{"409": "LimitReached"}, Rejections: []httpapi.Rejection{{Code: apperr.ValidationFailed}},
		})
	httpapi.Mutation(r, http.MethodPost, "/configs/import", writePermission, h.importAll, httpapi.Large(maxImportBytes)).
		Doc("Import configs", "Imports all rows or none, in one transaction. `onExisting` defines the treatment of a key that exists with other content. "+
			"`dryRun=true` changes nothing and returns the outcome that the import would have; review it and repeat the request without the parameter.\n\n"+
			"It accepts any document of `GET /configs/export` without withheld values: a row with `masked` is rejected (422), so that a mask never overwrites a "+
			"secret. The body may have up to 32 MiB. After the first MiB, each 512 KiB must arrive within two seconds, and at most two such "+
			"bodies are read concurrently.\n\n"+
			"`counts` counts all rows by verdict. `verdicts` contains the first 100 rows that are `invalid` or in `conflict`, so that every reply can be stored "+
			"under its idempotency key; 422 and 409 have both members. A dry run also lists all rows by verdict. An import with its `preview` is rejected (409) if the "+
			"configs or the rows changed since then.").
		With(httpapi.Contract{
			ID: "importConfigs", Success: "The number of rows by verdict.", Body: importExample, Reply: importedExample,
			Proposes: true, Responses: map[string]string{"409": "ImportConflict", "422": "ImportInvalid"},
		})
	httpapi.Act(r, http.MethodPost, "/configs/import/read", ReadPermission, h.convert, httpapi.Large(2*maxImportBytes)).
		Doc("Convert a document for an import", "Reads a document of configs or flags of this or another program, and returns the rows for `POST /configs/import`. "+
			"It changes nothing. Review `notes` and `rejected`, and send `configs` as a dry run.\n\n"+
			"- `json`: an export, or an object of keys and values; `yaml`: nested mappings are keys with dots; `properties`; `env`; `configmap`.\n"+
			"- `apollo` and `nacos`: the zip of an export; `consul`: `consul kv export`.\n"+
			"- `launchdarkly`, `unleash`, `flagsmith`, `growthbook`: each flag is the value for a user that no rule selects. The rules are in `notes`. A flag "+
			"with several values by percentage is in `rejected`.\n\n"+
			"A row sets only the value of an existing config, except for a row of an export. Text becomes a value of the type that the config has, or else a string. "+
			"422 at `/text` with the line, or at `/zip`, if the document cannot be read.\n\n"+
			"A document may have up to 32 MiB, and the body up to 64 MiB, because a zip is longer in base64, and a text with escapes. "+
			"`notes` and `rejected` contain the first 1000; `noteCount` and `rejectedCount` count all.").
		With(httpapi.Contract{
			ID: "parseConfigDocument", Success: "The rows.", Body: documentExample, Reply: conversionExample, Rejections: []httpapi.Rejection{{Code: apperr.ValidationFailed}},
		})
	httpapi.Get(r, "/configs/snapshot", ReadPermission, h.snapshot).
		Doc("Get a snapshot of configs", "Returns all configs, sorted by key, with the revision of the snapshot. A client that then watches "+
			"`GET /configs/watch?after=<revision>` misses no change. 409 `limit_reached` if they exceed one document (10,000 configs or 16 MiB): read them by prefix.").
		With(httpapi.Contract{ID: "snapshotConfigs", Success: "The configs.", Responses: map[string]string{"409": "LimitReached"}})
	httpapi.Listen(plain, "/configs/watch", ReadPermission, h.watch)
	evaluationRoutes(plain, h)
	httpapi.GetOf(r, "/configs/:key", ReadPermission, byKey, h.get).
		Doc("Get a config", "With `Accept: text/plain`, the reply is the value alone: a string without quotes, any other value as JSON. "+
			"403 for a withheld value, 503 for one that cannot be decrypted.").
		With(httpapi.Contract{Reply: readView{configView: example}, Texts: []string{"text/plain"}})
	httpapi.Mutation(r, http.MethodPatch, "/configs/:key", writePermission, h.edit, httpapi.Exists(byKey)).
		Doc("Update a config", "A merge patch (RFC 7396): only the members sent are changed; members of an object in `value` are merged one by one; null clears an "+
			"optional member. The key never changes. A patch without effect returns 200, without a new version or history.\n\n"+
			"Of several edits of the same version exactly one succeeds; the others return 412 with the author of the successful edit and the differences.\n\n"+
			"Without `configs:secrets` the value of a secret config can be replaced as a whole, and not read: replies and conflicts have `null` and `masked` "+
			"instead. To prevent disclosure by guessing: a submitted value always creates a new version, even if it equals the current one; two edits of the "+
			"value always conflict; its type and schema change only together with a new value (403); an overwriting edit cannot restore an earlier value (403); "+
			"and `secret` cannot be removed (403).").
		With(httpapi.Contract{ID: "editConfig", Body: map[string]any{"value": 0.21}, Proposes: true, Rejections: changeRejections})
	httpapi.MutationOf(r, http.MethodDelete, "/configs/:key", writePermission, byKey, h.delete).
		Doc("Delete a config", "The history is retained. A config recreated under the key is a different one: old etags do not match it.").
		With(httpapi.Contract{Proposes: true, Rejections: changeRejections})
	httpapi.GetOf(r, "/configs/:key/history", ReadPermission, httpapi.Named("key", s.KeyWithHistory), h.history).
		Doc("List the versions of a config", "The newest first, with the full content of each version, including those of deleted configs with the same key.").
		With(httpapi.Contract{Sorts: newestFirst})
	httpapi.MutationOf(r, http.MethodPost, "/configs/:key/rollback", writePermission, byKey, h.rollback).
		Doc("Roll a config back", "Creates a new version with the content of an old one, validated against the current rules. History is append-only. "+
			"Restoring the value of a secret version into a config that is not secret requires `configs:secrets` (403).").
		With(httpapi.Contract{
			ID: "rollBackConfig", Success: "The updated config.", Body: configRollback{17, "The new rate came too early."},
			Proposes: true, Rejections: changeRejections,
		})
	httpapi.Mutation(r, http.MethodPost, "/config-batches", writePermission, h.batch).
		Doc("Change many configs", "One transaction with all changes or none, and one audit entry. Each update and delete has the `etag` that its author read; "+
			"a create has none.\n\n"+
			"409 `batch_conflict` lists every conflicting member, each with the body that the single request would return. "+
			"422 points into the batch: `/changes/2/patch/value`.").
		With(httpapi.Contract{
			ID: "changeConfigs", Success: "All changes were made.", Body: batchExample, Reply: batchResultExample,
			Proposes: true, Responses: map[string]string{"409": "ConfigBatchConflict", "428": "PreconditionRequired"},
		})
}

// ownedMembers are the members of an error about owned fields.
type ownedMembers struct {
	// The other owners, by field.
	Owner ownersView `json:"owner"`
}

// SchemaName returns the name of the schema in the contract.
func (ownedMembers) SchemaName() string { return "ConfigOwned" }

// changeRejections are the rejections of a change of one config.
var changeRejections = []httpapi.Rejection{
	{Code: apperr.InUse, Cause: "a field has another owner; change the owner's source, or set `takeOver`", Members: ownedMembers{}},
	{Code: apperr.LimitReached, Cause: "the change needs an approval and is too large for one, or you have 200 changes that wait for votes"},
}

type handler struct{ service *Service }

// filterRequest are the parameters of a Filter.
type filterRequest struct {
	// Prefix of the key.
	Prefix string `query:"prefix"`
	// Substring of the key, value or remark, ignoring case.
	Search    httpapi.Search      `query:"q"`
	ValueType httpapi.OneOf[Type] `query:"valueType"`
}

func (f filterRequest) filter() Filter {
	return Filter{Prefix: f.Prefix, Text: string(f.Search), ValueType: f.ValueType.Value}
}

type listRequest struct {
	filterRequest
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[configView], error) {
	listing, err := h.service.List(ctx, in.filter(), in.Page.Page())
	return httpapi.ListOf(listing, func(c Config) configView { return viewOf(ctx, &c) }), err
}

type getRequest struct{ Request *http.Request }

func (h handler) get(ctx context.Context, c *Config, in getRequest) (reply httpapi.FreshOrText[readView], err error) {
	reply.Body = readView{configView: viewOf(ctx, c)}
	// A change of permissions changes the view of a secret config at the same version.
	reply.Changed = c.isConfidential()
	if coding.PrefersText(in.Request) {
		text, err := plainText(ctx, c)
		reply.Text = &text
		return reply, err
	}
	if !c.Protected {
		return reply, nil
	}
	// A change of the tenant's rules changes the view of a protected config at the same version.
	needed, err := h.service.approvals.Needed(ctx)
	reply.Body.ChangeNeeds, reply.Changed = &changeNeeds{Approvals: needed}, true
	return reply, err
}

func (h handler) history(ctx context.Context, key string, in httpapi.Page) (httpapi.List[configRevisionView], error) {
	listing, err := h.service.History(ctx, key, in.Page())
	return httpapi.ListOf(listing, func(h History) configRevisionView { return revisionViewOf(ctx, h) }), err
}

type createRequest struct {
	Body configCreate `validate:"-"`
	ownerParams
}

type configCreate struct {
	Key configKey `json:"key" validate:"required"`
	newContent
}

func (in *createRequest) Check() error {
	if err := in.ownerParams.check(); err != nil {
		return err
	}
	return checkSchemaShape(in.Body.Schema, "/schema")
}

func (h handler) create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[configView], error) {
	c, err := h.service.Create(in.claiming(ctx), u, string(in.Body.Key), in.Body.content())
	if err != nil {
		return httpapi.Created[configView]{}, err
	}
	return httpapi.Created[configView]{Location: "/" + c.path(), Body: viewOf(ctx, c)}, nil
}

type editRequest struct {
	Key   string `path:"key" of:"config"`
	Body  patchBody
	Merge *httpapi.Disjoint `query:"merge"`
	// The reason for overwriting later changes of others, 1 to 500 characters. Also requires the permission
	// `configs:overwrite`, and excludes `merge`. A stale patch is then applied to the version that `If-Match` names, and the
	// result replaces the newest version, whatever its content. `overwrote` in the reply names the lost members; the audit
	// log contains the reason and the lost values.
	Overwrite *overwriteReason `query:"overwrite" validate:"omitempty,min=1"`
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

// overwriteReason is the query parameter overwrite.
type overwriteReason struct{ approvals.Reason }

// Needs implements httpapi.Needing.
func (overwriteReason) Needs() httpapi.Need { return httpapi.Need{Permission: overwritePermission} }

// gateParams are the parameters of a change that may need votes: the reason of a bypass, the time of
// a scheduled change, and those of its manager.
type gateParams struct {
	Bypass        approvals.Bypass `query:"bypass"`
	EffectiveTime *time.Time       `query:"effectiveTime"`
	ownerParams
}

// permitting returns a context for the change as requested.
func (g gateParams) permitting(ctx context.Context) context.Context {
	return approvals.Scheduling(approvals.Bypassing(g.claiming(ctx), string(g.Bypass.Reason)), g.EffectiveTime)
}

func (g gateParams) checkGate() error {
	if g.Bypass.Reason != "" && g.EffectiveTime != nil {
		return apperr.Malformed("?effectiveTime", "cannot be combined with bypass: a bypassing change is made immediately")
	}
	return g.ownerParams.check()
}

func (h handler) edit(ctx context.Context, u *uow.Unit, in editRequest) (editedConfigView, error) {
	edited, err := h.service.EditKey(in.permitting(ctx), u, in.Key, in.change())
	if err != nil {
		return editedConfigView{}, err
	}
	return editedConfigView{configView: viewOf(ctx, edited.Row), Merged: edited.Merged, Overwrote: edited.Overwrote}, nil
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
	Body configRollback `validate:"-"`
	gateParams
	IfMatch guard.Precondition
}

type configRollback struct {
	ToVersion int64  `json:"toVersion" validate:"min=1"`
	Note      string `json:"note" validate:"max=500"`
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
	// Prefix of the key.
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
