package config

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type batchRequest struct {
	Body batchBody
	gateParams
}

func (in *batchRequest) Check() error { return in.checkGate() }

// batchBody is a batch in the form that the service accepts.
type batchBody struct {
	note    string
	changes []Change
}

// Content returns the members of a batch, for the contract.
func (batchBody) Content() any { return configBatch{} }

// ReadBody implements httpapi.BodyReader.
func (b *batchBody) ReadBody(text []byte) error {
	var batch configBatch
	if err := strictjson.Decode(text, &batch); err != nil {
		return err
	}
	if err := httpapi.Validate(&batch); err != nil {
		return err
	}
	changes, err := batch.changes()
	*b = batchBody{note: batch.Note, changes: changes}
	return err
}

// configBatch is a batch in a request.
type configBatch struct {
	// Stored in the history of each config and in the audit log.
	Note string `json:"note" validate:"max=500"`
	// Each key at most once.
	Changes []configChange `json:"changes" validate:"min=1,max=500,dive"`
}

type configChange struct {
	Key string `json:"key" validate:"required,max=200"`
	Op  Op     `json:"op" validate:"oneof=create update delete"`
	// The `etag` that you read; required for update and delete.
	ETag string `json:"etag"`
	// For an update, a merge patch. For a create, the members of a new config without its key.
	Patch json.RawMessage `json:"patch"`
}

// changes reads the members: first the shape of all, then the members that each operation allows,
// then the preconditions.
func (b configBatch) changes() ([]Change, error) {
	changes := make([]Change, len(b.Changes))
	for i, member := range b.Changes {
		change, err := member.change(i)
		if err != nil {
			return nil, err
		}
		changes[i] = change
	}
	if fields := b.misplaced(); len(fields) > 0 {
		return nil, apperr.Invalid(fields...)
	}
	for i, member := range b.Changes {
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

func (c configChange) change(index int) (Change, error) {
	change := Change{Index: index, Key: c.Key, Op: c.Op}
	at := memberPointer("changes", index) + "/patch"
	if len(c.Patch) == 0 {
		return change, nil
	}
	var err error
	switch c.Op {
	case OpCreate:
		change.Content, err = readContent(c.Patch, at)
	case OpUpdate:
		change.Patch, err = readPatch(c.Patch, at)
	}
	return change, err
}

// misplaced lists members that repeat a key, or have a field that their operation does not allow.
func (b configBatch) misplaced() []apperr.Field {
	var fields apperr.Fields
	first := make(map[string]int, len(b.Changes))
	for i, member := range b.Changes {
		at := memberPointer("changes", i)
		other, twice := first[member.Key]
		fields.Check(!twice, at+"/key", "unique", fmt.Sprintf("is also the key of %s", memberPointer("changes", other)))
		if !twice {
			first[member.Key] = i
		}
		fields.Check(member.Op != OpCreate || member.ETag == "", at+"/etag", "excluded", "must be omitted: a new config has no version")
		fields.Check(member.Op != OpDelete || len(member.Patch) == 0, at+"/patch", "excluded", "must be omitted for a deletion")
		fields.Check(member.Op == OpDelete || len(member.Patch) > 0, at+"/patch", "required", "is required")
	}
	return fields
}

// inBatch adds the member's index and key to the error of its precondition.
func inBatch(err error, index int, key string) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err
	}
	named := apperr.New(e.Code, "Change %d (%q): %s", index, key, e.Detail)
	named.Fields = []apperr.Field{{Pointer: memberPointer("changes", index) + "/etag", Code: string(e.Code), Message: "must be the etag that you read"}}
	return named.With("index", index)
}

func (h handler) batch(ctx context.Context, u *uow.Unit, in batchRequest) (batchResultView, error) {
	results, err := h.service.Batch(in.permitting(ctx), u, in.Body.note, in.Body.changes)
	return batchResultView{Results: results}, err
}

type exportRequest struct {
	filterRequest
	Format httpapi.OneOf[exportFormat] `query:"format" default:"json"`
}

func (h handler) export(ctx context.Context, in exportRequest) (httpapi.Either[httpapi.Download[Export], httpapi.File], error) {
	var reply httpapi.Either[httpapi.Download[Export], httpapi.File]
	export, err := h.service.Export(ctx, in.filter())
	if err != nil {
		return reply, err
	}
	format, isText := textFormats[in.Format.Value]
	if !isText {
		reply.First = &httpapi.Download[Export]{Name: "configs.json", Body: export}
		return reply, nil
	}
	text, err := format.document(export)
	reply.Second = &httpapi.File{Name: "configs." + format.extension, MediaType: format.mediaType, Body: text}
	return reply, err
}

type importRequest struct {
	// `true`: report the outcome and change nothing.
	DryRun bool `query:"dryRun" default:"false"`
	Body   configImport
	gateParams
}

// configImport is an Export with the options of its import.
type configImport struct {
	// The time of the export; accepted and ignored.
	ExportedTime *time.Time `json:"exportedTime"`
	// The treatment of a key that exists with other content.
	OnExisting OnExisting `json:"onExisting" validate:"omitempty,oneof=skip update fail" default:"fail"`
	Note       string     `json:"note" validate:"max=500"`
	// The `preview` of a dry run. The import is rejected (409) if its outcome or its rows differ from those of the dry run.
	Preview string           `json:"preview" validate:"max=100"`
	Configs []importedConfig `json:"configs" validate:"required,max=10000"`
}

type importedConfig struct {
	Key string `json:"key" validate:"required"`
	// Null or absent: unchanged, and false for a new config.
	Protected *bool `json:"protected"`
	// Null or absent: unchanged, and false for a new config.
	Secret *bool `json:"secret"`
	// Set by an export in place of a value. Such a row is rejected (422): it has no value to import.
	Masked bool `json:"masked"`
	// Whether the type, remark and schema of an existing config remain unchanged.
	ValueOnly bool `json:"valueOnly" default:"false"`
	contentText
}

func (in *importRequest) Check() error {
	if err := in.checkGate(); err != nil {
		return err
	}
	for i, row := range in.Body.Configs {
		if err := checkSchemaShape(row.Schema, memberPointer("configs", i)+"/schema"); err != nil {
			return err
		}
	}
	return nil
}

func (h handler) importAll(ctx context.Context, u *uow.Unit, in importRequest) (Imported, error) {
	rows := make([]ImportRow, len(in.Body.Configs))
	for i, row := range in.Body.Configs {
		rows[i] = ImportRow{Key: row.Key, Content: row.content(), Protected: row.Protected, Secret: row.Secret, Masked: row.Masked, ValueOnly: row.ValueOnly}
	}
	body := in.Body
	return h.service.Import(in.permitting(ctx), u, Import{Rows: rows, OnExisting: body.OnExisting, Note: body.Note, DryRun: in.DryRun, Preview: body.Preview})
}

type convertRequest struct{ Body configDocument }

// configDocument is a document of configs: a text or a zip.
type configDocument struct {
	// The name of the file. Its extension identifies `yaml`, `properties` and `env`.
	File string `json:"file" validate:"max=500"`
	// Detected by the name and the content if absent.
	Format DocumentFormat `json:"format" validate:"omitempty,enum"`
	// The environment, or the profile of Spring, with the values to read. Without it, a document with several environments
	// has no rows, and YAML only the values without a profile.
	Environment string `json:"environment" validate:"max=200"`
	// The content of a text file.
	Text string `json:"text"`
	// The content of a zip file in base64, instead of `text`.
	Zip string `json:"zip"`
}

func (in *convertRequest) Check() error {
	if (in.Body.Text == "") == (in.Body.Zip == "") {
		return apperr.Invalid(apperr.Field{Pointer: "/text", Code: "required", Message: "or zip is required, and not both"})
	}
	return nil
}

func (h handler) convert(ctx context.Context, in convertRequest) (Conversion, error) {
	source := Source{Name: cmp.Or(in.Body.File, "document"), Format: in.Body.Format, Environment: in.Body.Environment, Text: []byte(in.Body.Text)}
	pointer := "/text"
	if in.Body.Zip != "" {
		var err error
		pointer = "/zip"
		if source.Text, err = base64.StdEncoding.DecodeString(in.Body.Zip); err != nil {
			return Conversion{}, apperr.Invalid(apperr.Field{Pointer: pointer, Code: "base64", Message: "must be base64"})
		}
	}
	conversion, err := h.service.Convert(ctx, source)
	var unreadable unreadableError
	if errors.As(err, &unreadable) {
		return conversion, apperr.Invalid(apperr.Field{Pointer: pointer, Code: "unreadable", Message: unreadable.Error()})
	}
	return conversion, err
}

// memberPointer returns the JSON pointer of a list element in a request.
func memberPointer(list string, index int) string { return fmt.Sprintf("/%s/%d", list, index) }
