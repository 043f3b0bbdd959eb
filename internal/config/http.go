package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// maxSearch is how long a text that is looked for can be, in characters.
const maxSearch = 200

// maxReason is how long the reason of an overwriting edit can be, in characters.
const maxReason = 500

type handlers struct{ *Service }

// Routes registers the routes of configs.
func Routes(r *httpapi.Router, s *Service) {
	h := handlers{s}
	r.Query("/configs", readPermission, h.list)
	r.Mutation(http.MethodPost, "/configs", writePermission, h.create)
	r.Query("/configs/export", readPermission, h.export)
	r.LargeMutation(http.MethodPost, "/configs/import", writePermission, maxImportBytes, h.importAll)
	r.Stream("/configs/watch", readPermission, h.watch)
	r.Query("/configs/:key", readPermission, h.get)
	r.Guarded(http.MethodPatch, "/configs/:key", writePermission, h.edit)
	r.Guarded(http.MethodDelete, "/configs/:key", writePermission, h.delete)
	r.Query("/configs/:key/history", readPermission, h.history)
	r.Guarded(http.MethodPost, "/configs/:key/rollback", writePermission, h.rollback)
	r.Mutation(http.MethodPost, "/config-batches", writePermission, h.batch)
}

func (h handlers) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter := Filter{Prefix: c.QueryParam("prefix"), Text: c.QueryParam("q"), ValueType: Type(c.QueryParam("valueType"))}
	// Engines bound the length of a pattern.
	if utf8.RuneCountInString(filter.Text) > maxSearch {
		return httpapi.Reply{}, apperr.Malformed("?q", fmt.Sprintf("must have at most %d characters", maxSearch))
	}
	switch filter.ValueType {
	case "", String, Number, Boolean, JSON:
	default:
		return httpapi.Reply{}, apperr.Malformed("?valueType", "must be one of string, number, boolean, json")
	}
	listing, err := h.List(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, func(row Config) View { return row.View() }), nil
}

func (h handlers) get(c echo.Context) (httpapi.Reply, error) {
	row, err := h.Get(c.Request().Context(), c.Param("key"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(row.View()), nil
}

func (h handlers) history(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.History(c.Request().Context(), c.Param("key"), page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, History.View), nil
}

// contentRequest is the content of a config that is to be created.
type contentRequest struct {
	Value     json.RawMessage `json:"value"`
	ValueType Type            `json:"valueType"`
	Remark    string          `json:"remark"`
	Schema    json.RawMessage `json:"schema"`
}

func (r contentRequest) content() Content {
	content := Content{Value: string(r.Value), ValueType: r.ValueType, Remark: r.Remark, Schema: string(r.Schema)}
	if content.Schema == "null" {
		content.Schema = ""
	}
	return content
}

type createRequest struct {
	Key       string `json:"key"`
	Protected bool   `json:"protected"`
	contentRequest
}

func (h handlers) create(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request createRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	if err := checkSchemaShape(request.Schema, "/schema"); err != nil {
		return httpapi.Reply{}, err
	}
	if request.Protected {
		return httpapi.Reply{}, apperr.Invalid(protectedFault())
	}
	row, err := h.Create(c.Request().Context(), u, request.Key, request.content())
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(httpapi.Base+"/configs/"+row.Key, row.View()), nil
}

// editedView is a representation that says what an edit was merged with or what it
// overwrote.
type editedView struct {
	View
	Merged *change.Merged `json:"merged,omitempty"`
	// Overwrote names the members in which others' changes were destroyed.
	Overwrote []string `json:"overwrote,omitempty"`
}

func (h handlers) edit(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx, key := c.Request().Context(), c.Param("key")
	edit, fault := readEdit(c)
	if fault != nil {
		// That there is no such config is said before what is wrong with the request.
		if _, err := h.Get(ctx, key); err != nil {
			return httpapi.Reply{}, err
		}
		return httpapi.Reply{}, fault
	}
	edited, err := h.applyEdit(c, u, key, edit)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(editedView{View: edited.Row.View(), Merged: edited.Merged, Overwrote: edited.Overwrote}), nil
}

// applyEdit edits, or overwrites when the request gives a reason for that.
func (h handlers) applyEdit(c echo.Context, u *uow.Unit, key string, edit change.Edit) (change.Edited[*Config], error) {
	ctx := c.Request().Context()
	if !c.QueryParams().Has("overwrite") {
		return h.EditKey(ctx, u, key, edit)
	}
	return h.Overwrite(ctx, u, key, strings.TrimSpace(c.QueryParam("overwrite")), edit)
}

// checkOverwrite refuses an overwriting edit without the permission, a reason or a
// sound combination with merging.
func checkOverwrite(c echo.Context, merges bool) error {
	if !c.QueryParams().Has("overwrite") {
		return nil
	}
	if caller, _ := principal.From(c.Request().Context()); !caller.May(overwritePermission) {
		return apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have.", overwritePermission)
	}
	reason := strings.TrimSpace(c.QueryParam("overwrite"))
	switch {
	case merges:
		return apperr.Malformed("?overwrite", "cannot be given together with merge")
	case reason == "" || utf8.RuneCountInString(reason) > maxReason || strings.ContainsFunc(reason, unicode.IsControl):
		return apperr.Malformed("?overwrite", fmt.Sprintf("must say why, in 1 to %d characters", maxReason))
	}
	return nil
}

// readEdit reads the patch and then the precondition; its error is the first fault.
func readEdit(c echo.Context) (edit change.Edit, err error) {
	if edit.Patch, err = readPatch(httpapi.Body(c), ""); err != nil {
		return edit, err
	}
	if edit.MergeDisjoint, err = httpapi.MergesDisjoint(c); err != nil {
		return edit, err
	}
	if err = checkOverwrite(c, edit.MergeDisjoint); err != nil {
		return edit, err
	}
	edit.IfMatch, err = httpapi.IfMatch(c)
	return edit, err
}

// readPatch reads a merge patch of a config and checks its shape. Pointers of errors
// are below prefix.
func readPatch(body []byte, prefix string) (any, error) {
	patch, err := strictjson.DecodePatch(body, "value", "valueType", "remark", "schema", "protected")
	if err != nil {
		return nil, unreadable(err, prefix)
	}
	var valueType string
	var remark *string
	var protected bool
	for _, member := range []struct {
		name string
		into any
	}{{"valueType", &valueType}, {"remark", &remark}, {"protected", &protected}} {
		if _, err := patch.Decode(member.name, member.into); err != nil {
			return nil, unreadable(err, prefix)
		}
	}
	if err := checkSchemaShape(patch.Raw("schema"), prefix+"/schema"); err != nil {
		return nil, err
	}
	tree, err := merge.Parse(patch.Text())
	if err != nil {
		return nil, err
	}
	members, _ := tree.(map[string]any)
	if patch.Clears("remark") {
		members["remark"] = ""
	}
	if !protected {
		// Nothing is protected yet, so this changes nothing.
		delete(members, "protected")
	}
	return tree, nil
}

// checkSchemaShape refuses what no JSON Schema can be: anything but an object, true
// and false.
func checkSchemaShape(schema json.RawMessage, pointer string) error {
	switch jsontext.Value(schema).Kind() {
	case '{', 't', 'f', 'n':
		return nil
	}
	if len(schema) == 0 {
		return nil
	}
	return apperr.Malformed(pointer, "must be a JSON Schema: an object, true or false")
}

func unreadable(err error, prefix string) error {
	var malformed *apperr.Error
	if err = httpapi.Unreadable(err); !errors.As(err, &malformed) {
		return err
	}
	return apperr.Malformed(prefix+malformed.Fields[0].Pointer, malformed.Fields[0].Message)
}

func (h handlers) delete(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx := c.Request().Context()
	row, err := h.Get(ctx, c.Param("key"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	ifMatch, err := httpapi.IfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.Delete(ctx, u, row, ifMatch); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

type rollbackRequest struct {
	ToVersion int64  `json:"toVersion"`
	Note      string `json:"note"`
}

func (h handlers) rollback(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx := c.Request().Context()
	row, err := h.Get(ctx, c.Param("key"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	var request rollbackRequest
	if err := strictjson.Decode(httpapi.Body(c), &request); err != nil {
		return httpapi.Reply{}, httpapi.Unreadable(err)
	}
	ifMatch, err := httpapi.IfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	after, err := h.Rollback(ctx, u, row, Rollback{IfMatch: ifMatch, ToVersion: request.ToVersion, Note: request.Note})
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(after.View()), nil
}

// place names a member of a list in a request.
func place(list string, index int) string { return fmt.Sprintf("/%s/%d", list, index) }
