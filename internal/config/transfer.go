package config

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/uow"
)

// Limits of an export and an import. An import accepts every export, also if it was indented to
// twice the length.
const (
	MaxTransfer    = storage.Bound
	maxExportBytes = 16 << 20
	maxImportBytes = 2 * maxExportBytes
)

// exportedRow is the SQL for the upper bound of a row's bytes in the document, without a secret
// value: its members, names and braces, where a character of the remark may need an escape of six
// bytes. secretBytes is the upper bound for a secret value, for callers who may read it. For others
// the length is not counted, so that the limit does not disclose it.
const (
	exportedRow = "OCTET_LENGTH(value) + OCTET_LENGTH(value_schema) + 6 * OCTET_LENGTH(remark) + OCTET_LENGTH(`key`) + 120"
	secretBytes = " + COALESCE(OCTET_LENGTH(sealed_value), 0)"
)

// ExportedConfig is one config in an export, in the format of an import.
type ExportedConfig struct {
	Key configKey `json:"key"`
	// Any JSON of the type `valueType`.
	Value     json.RawMessage `json:"value" validate:"json"`
	ValueType Type            `json:"valueType"`
	Remark    string          `json:"remark" validate:"max=500"`
	Schema    json.RawMessage `json:"schema,omitempty" types:"object boolean"`
	Protected bool            `json:"protected"`
	// Whether the value is encrypted at rest, and returned only to callers with `configs:secrets`.
	Secret bool `json:"secret"`
	// Set if the value is withheld, with `null` instead. An import rejects it.
	Masked bool `json:"masked,omitempty"`
}

// Export is the document of an export and an import.
type Export struct {
	ExportedTime time.Time        `json:"exportedTime"`
	Configs      []ExportedConfig `json:"configs" validate:"max=10000"`
}

// Export returns the configs that match the filter at one moment, sorted by key. Errors:
// LimitReached for more than MaxTransfer rows or 16 MiB.
func (s *Service) Export(ctx context.Context, filter Filter) (Export, error) {
	var rows []Config
	err := s.db.Snapshot(ctx, func(tx *gorm.DB) error {
		if err := filter.fits(ctx, tx); err != nil {
			return err
		}
		return filter.apply(s.readableFor(ctx, tx)).Order("`key`").Limit(MaxTransfer).Find(&rows).Error
	})
	if err != nil {
		return Export{}, fmt.Errorf("read the export: %w", err)
	}
	export := Export{ExportedTime: s.clock.Now(), Configs: make([]ExportedConfig, len(rows))}
	for i, row := range rows {
		export.Configs[i] = ExportedConfig{
			Key: configKey(row.Key), ValueType: row.ValueType,
			Remark: row.Remark, Schema: json.RawMessage(row.Schema), Protected: row.Protected, Secret: row.Secret,
		}
		export.Configs[i].Value, export.Configs[i].Masked = shown(ctx, &row)
	}
	return export, nil
}

// fits checks that the configs fit into one document. It counts them by key, and measures at most
// as many as the limit. Errors: LimitReached.
//
//	SELECT SUM(…) FROM (SELECT … FROM configs WHERE tenant_id = ? AND … LIMIT 10000) AS measured
func (f Filter) fits(ctx context.Context, db *gorm.DB) error {
	configs, err := storage.CountUpTo[Config](db, f.filters()...)
	if err != nil {
		return fmt.Errorf("count the configs: %w", err)
	}
	if configs.More {
		return apperr.New(apperr.LimitReached, "There are more than %d configs, the limit of one document. Request them by prefix.", MaxTransfer)
	}
	var bytes int64
	row := exportedRow
	if mayReadSecrets(ctx) {
		row += secretBytes
	}
	measured := f.apply(db.Model(&Config{})).Select(row + " AS bytes").Limit(MaxTransfer)
	fresh := db.Session(&gorm.Session{NewDB: true})
	if err := fresh.Raw("SELECT COALESCE(SUM(bytes), 0) FROM (?) AS measured", measured).Scan(&bytes).Error; err != nil {
		return fmt.Errorf("measure the configs: %w", err)
	}
	if bytes > maxExportBytes {
		return apperr.New(apperr.LimitReached, "%d configs with %d bytes exceed the limit of one document (%d configs, %d bytes). Request them by prefix.",
			configs.N, bytes, MaxTransfer, maxExportBytes)
	}
	return nil
}

// OnExisting is the action of an import for an existing key with other content.
type OnExisting string

// The actions for existing keys.
const (
	Skip   OnExisting = "skip"
	Update OnExisting = "update"
	Fail   OnExisting = "fail"
)

// Import is a document to import, with options.
type Import struct {
	Rows       []ImportRow
	OnExisting OnExisting
	Note       string
	// DryRun returns the verdicts without a change.
	DryRun bool
	// Preview is that of a dry run; "" for none.
	Preview string
}

// ImportRow is one config of an import.
type ImportRow struct {
	Key     string
	Content Content
	// Protected is nil to leave the flag unchanged.
	Protected *bool
	// Secret is nil to leave the flag unchanged.
	Secret *bool
	// Masked is set if the document withholds the value.
	Masked bool
	// ValueOnly leaves the type, remark and schema of an existing config unchanged.
	ValueOnly bool
}

// Verdict is the outcome of one row of an import: create, update, unchanged, skip, invalid,
// conflict.
type Verdict struct {
	Index   int            `json:"index" validate:"min=0"`
	Key     string         `json:"key"`
	Verdict string         `json:"verdict" validate:"oneof=invalid conflict"`
	Detail  string         `json:"detail,omitempty"`
	Fields  []apperr.Field `json:"fields,omitempty" validate:"max=5"`
}

// SchemaName returns the name of the schema in the contract.
func (Verdict) SchemaName() string { return "ImportVerdict" }

// The verdicts.
const (
	verdictCreate    = "create"
	verdictUpdate    = "update"
	verdictUnchanged = "unchanged"
	verdictSkip      = "skip"
	verdictInvalid   = "invalid"
	verdictConflict  = "conflict"
)

// Bounds of the rejected rows that a reply lists, so that a reply to any import can be stored
// under its idempotency key.
const (
	maxRejected       = 100
	maxRejectedBytes  = 128 << 10
	maxRejectedFields = 5
	maxRejectedText   = 300
)

// Imported is the outcome of an import, or of its dry run.
type Imported struct {
	DryRun bool `json:"dryRun"`
	// The `updatedTime` of the configs that the import wrote. Absent for a dry run.
	Time *time.Time `json:"time,omitempty"`
	// The first rejected rows.
	Verdicts []Verdict    `json:"verdicts" validate:"max=100"`
	Counts   ImportCounts `json:"counts"`
	// In a dry run, the value of `preview` for an import that does exactly this.
	Preview string `json:"preview,omitempty"`
	// In a dry run, the indexes of all rows by verdict.
	Rows map[string][]int `json:"rows,omitempty" validate:"dive,dive,min=0"`

	rejectedBytes int
}

// ImportCounts are numbers of rows by verdict; api/base.yaml lists the verdicts.
type ImportCounts map[string]int

// SchemaName returns the name of the schema in the contract.
func (ImportCounts) SchemaName() string { return "ImportCounts" }

// add counts the verdict of a row. It lists a rejected row, with clipped texts, if there is room.
func (r *Imported) add(v Verdict) {
	r.Counts[v.Verdict]++
	if r.DryRun {
		r.Rows[v.Verdict] = append(r.Rows[v.Verdict], v.Index)
	}
	if (v.Verdict != verdictInvalid && v.Verdict != verdictConflict) || len(r.Verdicts) == maxRejected {
		return
	}
	v.Key, v.Detail = clip.Text(v.Key, maxRejectedText), clip.Text(v.Detail, maxRejectedText)
	v.Fields = slices.Clone(v.Fields[:min(len(v.Fields), maxRejectedFields)])
	for i, field := range v.Fields {
		v.Fields[i].Pointer, v.Fields[i].Message = clip.Text(field.Pointer, maxRejectedText), clip.Text(field.Message, maxRejectedText)
	}
	text, _ := json.Marshal(v) //nolint:errchkjson // texts and numbers
	if r.rejectedBytes += len(text); r.rejectedBytes <= maxRejectedBytes {
		r.Verdicts = append(r.Verdicts, v)
	}
}

// Import applies a document in one unit, completely or not at all. Errors: ValidationFailed for
// invalid rows, BatchConflict for existing keys under Fail or for another outcome than that of the
// preview, all with the verdicts of the rejected rows. A dry run returns these verdicts instead.
func (s *Service) Import(ctx context.Context, u *uow.Unit, in Import) (Imported, error) {
	keys := make([]string, len(in.Rows))
	for i, row := range in.Rows {
		keys[i] = row.Key
	}
	rows, err := byKeys(s.read(ctx), keys)
	if err != nil {
		return Imported{}, err
	}
	report, writes := plan(in, rows, s.blank(ctx), s.authorOf(ctx))
	if in.DryRun {
		return report, nil
	}
	if err := report.rejection(len(in.Rows)); err != nil {
		return Imported{}, err
	}
	if in.Preview != "" && in.Preview != report.Preview {
		err := apperr.New(apperr.BatchConflict, "The configs or the rows changed after the preview; nothing was imported. Preview the import again.")
		return Imported{}, err.With("verdicts", report.Verdicts).With("counts", report.Counts)
	}
	report.Preview = ""
	in.Note = noteOf(in.Note, writes)
	now, err := s.proposeIfRequired(ctx, u, kindImport, in.Note, writes...)
	if err == nil && !now {
		return report, nil
	}
	if err == nil {
		err = s.applyAll(ctx, u, writes, in.Note, func(plannedWrite, Result) {})
	}
	switch {
	case isConflict(err):
		return Imported{}, uow.Retry(apperr.New(apperr.BatchConflict, "The configs of this import changed during every attempt; nothing was imported. Try again.").Because(err))
	case err != nil:
		return Imported{}, err
	}
	u.Audit(uow.Entry{Action: kindImport, Resource: "configs", Note: in.Note, Detail: map[string]any{"counts": report.Counts}})
	report.Time = new(u.Now())
	return report, nil
}

// plan returns the verdicts of all rows, and the writes of the rows that change a config.
func plan(in Import, rows map[string]*Config, blank Config, by author) (Imported, []plannedWrite) {
	report := Imported{DryRun: in.DryRun, Verdicts: []Verdict{}, Rows: map[string][]int{}, Counts: ImportCounts{
		verdictCreate: 0, verdictUpdate: 0, verdictUnchanged: 0, verdictSkip: 0, verdictInvalid: 0, verdictConflict: 0,
	}}
	var writes []plannedWrite
	first := make(map[string]int, len(in.Rows))
	hasPreview, digest := in.DryRun || in.Preview != "", sha256.New()
	if hasPreview {
		_ = json.NewEncoder(digest).Encode(by.claim) //nolint:errchkjson // texts
	}
	for i, row := range in.Rows {
		if existing := rows[row.Key]; existing != nil {
			existing.work = blank.work
		}
		verdict, write := planRow(in.OnExisting, i, row, rows[row.Key], blank, by)
		if at, twice := first[row.Key]; twice {
			verdict.Verdict, verdict.Detail = verdictInvalid, ""
			verdict.Fields = append(verdict.Fields, apperr.Field{
				Pointer: memberPointer("configs", i) + "/key", Code: "unique", Message: fmt.Sprintf("is also the key of %s", memberPointer("configs", at)),
			})
		} else {
			first[row.Key] = i
		}
		report.add(verdict)
		if hasPreview {
			row.addTo(digest, verdict.Verdict, rows[row.Key])
		}
		if verdict.Verdict == verdictCreate || verdict.Verdict == verdictUpdate {
			writes = append(writes, write)
		}
	}
	if hasPreview {
		report.Preview = base64.RawURLEncoding.EncodeToString(digest.Sum(nil))
	}
	return report, writes
}

// addTo adds a row to the digest of an import: its content, its verdict, and the version on which the
// verdict depends.
func (row ImportRow) addTo(digest io.Writer, verdict string, existing *Config) {
	var etag string
	if existing != nil {
		etag = existing.Ref().ETag()
	}
	_ = json.NewEncoder(digest).Encode([]any{row, verdict, etag}) //nolint:errchkjson // texts and flags
}

func planRow(onExisting OnExisting, index int, row ImportRow, existing *Config, blank Config, by author) (Verdict, plannedWrite) {
	verdict := Verdict{Index: index, Key: row.Key, Verdict: verdictCreate}
	write := plannedWrite{Change: Change{Index: index, Key: row.Key, Op: OpCreate}, before: existing}
	fields := checkKey(row.Key)
	var rejection *apperr.Error
	if row.Masked {
		fields = append(fields, apperr.Field{Pointer: "/masked", Code: "masked",
			Message: "marks a withheld value; omit the config, or set its value and omit masked"})
	} else {
		var more []apperr.Field
		more, rejection = write.fill(row.contentOn(existing), blank, by)
		fields = append(fields, more...)
	}
	switch {
	case len(fields) > 0:
		verdict.Verdict, verdict.Fields = verdictInvalid, under(memberPointer("configs", index), fields)
		return verdict, plannedWrite{}
	case rejection != nil:
		verdict.Verdict, verdict.Detail = verdictConflict, rejection.Detail
		return verdict, plannedWrite{}
	case existing == nil:
	// An equal secret value is not reported as unchanged, which would confirm a guess.
	case write.after.sameAs(existing.Content) && write.after.Owners == existing.Owners && !existing.isConfidential():
		verdict.Verdict = verdictUnchanged
	case onExisting == Skip:
		verdict.Verdict, verdict.Detail = verdictSkip, "It exists with other content, which is unchanged."
	case onExisting == Update:
		write.Op, verdict.Verdict = OpReplace, verdictUpdate
	default:
		verdict.Verdict, verdict.Detail = verdictConflict, fmt.Sprintf("It exists with other content; %s changed it last.", existing.UpdatedByName)
	}
	return verdict, write
}

// contentOn returns the content of a row of an import for an existing config, nil for none.
func (row ImportRow) contentOn(existing *Config) Content {
	content := row.Content
	if existing != nil {
		content.Protected, content.Secret = existing.Protected, existing.Secret
	}
	if existing != nil && row.ValueOnly {
		content.ValueType, content.Remark, content.Schema = existing.ValueType, existing.Remark, existing.Schema
		// A JSON string with the text of the value is the same value.
		if content.ValueType != String && strictjson.Same(ValueText(json.RawMessage(existing.Value)), ValueText(json.RawMessage(content.Value))) {
			content.Value = existing.Value
		}
	}
	if row.Protected != nil {
		content.Protected = *row.Protected
	}
	if row.Secret != nil {
		content.Secret = *row.Secret
	}
	return content
}

// fill sets the new content of the write, and returns its violations, or InUse.
func (w *plannedWrite) fill(content Content, blank Config, by author) (fields []apperr.Field, rejection *apperr.Error) {
	var err error
	if w.before == nil {
		w.after, fields, err = blank.filled(w.Key, content, by)
	} else {
		w.after, w.set, fields, err = w.before.with(content, valueNew, by, by.confirms(content))
	}
	if errors.As(err, &rejection) && rejection.Code != apperr.InUse {
		message := "must be unchanged: making the config readable requires the permission " + SecretsPermission
		return []apperr.Field{{Pointer: "/secret", Code: string(rejection.Code), Message: message}}, nil
	}
	return fields, rejection
}

// rejection returns the error of an import that cannot be applied, nil if it can.
func (r Imported) rejection(rows int) error {
	var e *apperr.Error
	switch {
	case r.Counts[verdictInvalid] > 0:
		var fields []apperr.Field
		for _, v := range r.Verdicts {
			fields = append(fields, v.Fields...)
		}
		e = apperr.Invalid(fields...)
	case r.Counts[verdictConflict] > 0:
		e = apperr.New(apperr.BatchConflict, "%d of %d configs exist with other content; nothing was imported.", r.Counts[verdictConflict], rows)
	default:
		return nil
	}
	return e.With("verdicts", r.Verdicts).With("counts", r.Counts)
}
