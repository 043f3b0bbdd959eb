package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type batchRequest struct {
	Note    string        `json:"note" validate:"max=500"`
	Changes []batchMember `json:"changes" validate:"min=1,max=500,dive"`
}

type batchMember struct {
	Key   string          `json:"key" validate:"required,max=100"`
	Op    Op              `json:"op" validate:"oneof=create update delete"`
	ETag  string          `json:"etag"`
	Patch json.RawMessage `json:"patch"`
}

func (h handlers) batch(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request batchRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	changes, err := request.changes()
	if err != nil {
		return httpapi.Reply{}, err
	}
	results, err := h.Batch(c.Request().Context(), u, request.Note, changes)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(map[string]any{"results": results}), nil
}

// changes reads the members: first the shape of all, then what each may hold, then
// the preconditions.
func (r batchRequest) changes() ([]Change, error) {
	changes := make([]Change, len(r.Changes))
	for i, member := range r.Changes {
		change, err := member.change(i)
		if err != nil {
			return nil, err
		}
		changes[i] = change
	}
	if fields := r.misplaced(); len(fields) > 0 {
		return nil, apperr.Invalid(fields...)
	}
	for i, member := range r.Changes {
		if member.Op == OpCreate {
			continue
		}
		precondition, err := guard.ParsePrecondition(member.ETag)
		if err != nil {
			return nil, inBatch(err, i, member.Key)
		}
		changes[i].IfMatch = precondition
	}
	return changes, nil
}

func (m batchMember) change(index int) (Change, error) {
	change := Change{Index: index, Key: m.Key, Op: m.Op}
	at := place("changes", index) + "/patch"
	if len(m.Patch) == 0 {
		return change, nil
	}
	var err error
	switch m.Op {
	case OpCreate:
		change.Content, err = readContent(m.Patch, at)
	case OpUpdate:
		change.Patch, err = readPatch(m.Patch, at)
	}
	return change, err
}

// readContent reads the content of a config that a batch creates.
func readContent(body []byte, at string) (Content, error) {
	var request struct {
		Protected bool `json:"protected"`
		contentRequest
	}
	if err := strictjson.Decode(body, &request); err != nil {
		return Content{}, unreadable(err, at)
	}
	if err := checkSchemaShape(request.Schema, at+"/schema"); err != nil {
		return Content{}, err
	}
	if request.Protected {
		return Content{}, apperr.Invalid(under(at, []apperr.Field{protectedFault()})...)
	}
	return request.content(), nil
}

// misplaced lists members that name a key twice, or hold what their operation has no
// use for.
func (r batchRequest) misplaced() []apperr.Field {
	var fields []apperr.Field
	first := make(map[string]int, len(r.Changes))
	for i, member := range r.Changes {
		at := place("changes", i)
		if other, twice := first[member.Key]; twice {
			fields = append(fields, apperr.Field{Pointer: at + "/key", Code: "unique", Message: fmt.Sprintf("is the key of %s too", place("changes", other))})
		} else {
			first[member.Key] = i
		}
		switch {
		case member.Op == OpCreate && member.ETag != "":
			fields = append(fields, apperr.Field{Pointer: at + "/etag", Code: "excluded", Message: "must be left out: what is created has no version yet"})
		case member.Op == OpDelete && len(member.Patch) > 0:
			fields = append(fields, apperr.Field{Pointer: at + "/patch", Code: "excluded", Message: "must be left out of a deletion"})
		case member.Op != OpDelete && len(member.Patch) == 0:
			fields = append(fields, apperr.Field{Pointer: at + "/patch", Code: "required", Message: "is required"})
		}
	}
	return fields
}

// inBatch makes the error of one member's precondition name the member.
func inBatch(err error, index int, key string) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err
	}
	named := apperr.New(e.Code, "Change %d (%q): %s", index, key, e.Detail)
	named.Fields = []apperr.Field{{Pointer: place("changes", index) + "/etag", Code: string(e.Code), Message: "must be the etag that you read"}}
	return named.With("index", index)
}

func (h handlers) export(c echo.Context) (httpapi.Reply, error) {
	document, err := h.Export(c.Request().Context(), c.QueryParam("prefix"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(document).With(echo.HeaderContentDisposition, `attachment; filename="configs.json"`), nil
}

// importRequest is an Export with what is to be done about it.
type importRequest struct {
	ExportedTime *time.Time `json:"exportedTime"`
	OnExisting   OnExisting `json:"onExisting" validate:"omitempty,oneof=skip update fail"`
	Note         string     `json:"note" validate:"max=500"`
	Configs      []struct {
		Key string `json:"key"`
		contentRequest
	} `json:"configs" validate:"max=10000"`
}

func (h handlers) importAll(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	dryRun, err := isDryRun(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var request importRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	if request.Configs == nil {
		return httpapi.Reply{}, apperr.Invalid(apperr.Field{Pointer: "/configs", Code: "required", Message: "is required"})
	}
	in := Import{OnExisting: request.OnExisting, Note: request.Note, DryRun: dryRun, Rows: make([]ImportRow, len(request.Configs))}
	for i, row := range request.Configs {
		if err := checkSchemaShape(row.Schema, place("configs", i)+"/schema"); err != nil {
			return httpapi.Reply{}, err
		}
		in.Rows[i] = ImportRow{Key: row.Key, Content: row.content()}
	}
	report, err := h.Import(c.Request().Context(), u, in)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(report), nil
}

func isDryRun(c echo.Context) (bool, error) {
	switch c.QueryParam("dryRun") {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, apperr.Malformed("?dryRun", "must be true or false")
}
