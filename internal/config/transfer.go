package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clip"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Bounds of an export and an import. What an export gives, an import takes: it may be
// twice as long, for whoever indents the document on the way.
const (
	MaxTransfer    = storage.Bound
	maxExportBytes = 16 << 20
	maxImportBytes = 2 * maxExportBytes
)

// exportedRow is the most bytes that a row takes in the document beside a secret value: its
// members, names and braces, where a character of the remark may need an escape of six. secretBytes
// are those of a secret value, for a reader who is shown it. The length of one that is withheld is
// not told, by being too much either.
const (
	exportedRow = "OCTET_LENGTH(value) + OCTET_LENGTH(value_schema) + 6 * OCTET_LENGTH(remark) + OCTET_LENGTH(`key`) + 120"
	secretBytes = " + COALESCE(OCTET_LENGTH(sealed_value), 0)"
)

// Exported is one config in an export. It holds what an import takes.
type Exported struct {
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	ValueType Type            `json:"valueType"`
	Remark    string          `json:"remark"`
	Schema    json.RawMessage `json:"schema,omitempty"`
	Protected bool            `json:"protected"`
	Secret    bool            `json:"secret"`
	// Masked is set for a value that its reader may not read. An import refuses it.
	Masked bool `json:"masked,omitempty"`
}

// Export is the document that an export gives and an import takes.
type Export struct {
	ExportedTime time.Time  `json:"exportedTime"`
	Configs      []Exported `json:"configs"`
}

// Export returns all configs whose keys begin with prefix, sorted by key. More than
// MaxTransfer rows, or more than 16 MiB, are a LimitReached error.
func (s *Service) Export(ctx context.Context, prefix string) (Export, error) {
	filter := Filter{Prefix: prefix}
	if err := filter.fits(ctx, s.db.Read(ctx)); err != nil {
		return Export{}, err
	}
	var rows []Config
	if err := filter.apply(s.readableFor(ctx, s.db.Read(ctx))).Order("`key`").Limit(MaxTransfer).Find(&rows).Error; err != nil {
		return Export{}, fmt.Errorf("read the export: %w", err)
	}
	export := Export{ExportedTime: s.clock.Now(), Configs: make([]Exported, len(rows))}
	for i, row := range rows {
		export.Configs[i] = Exported{
			Key: row.Key, ValueType: row.ValueType,
			Remark: row.Remark, Schema: json.RawMessage(row.Schema), Protected: row.Protected, Secret: row.Secret,
		}
		export.Configs[i].Value, export.Configs[i].Masked = shown(ctx, &row)
	}
	return export, nil
}

// fits is LimitReached for more configs than one document holds. It counts them by their keys
// alone, and only as many as fit are read to be measured:
//
//	SELECT SUM(…) FROM (SELECT … FROM configs WHERE tenant_id = ? AND … LIMIT 10000) AS measured
func (f Filter) fits(ctx context.Context, db *gorm.DB) error {
	configs, err := storage.CountUpTo[Config](db, f.filters()...)
	if err != nil {
		return fmt.Errorf("count the configs: %w", err)
	}
	if configs.More {
		return apperr.New(apperr.LimitReached, "There are more than %d configs, which is what one document holds. Ask for them by prefix.", MaxTransfer)
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
		return apperr.New(apperr.LimitReached, "%d configs with %d bytes are more than one document holds (%d configs, %d bytes). Ask for them by prefix.",
			configs.N, bytes, MaxTransfer, maxExportBytes)
	}
	return nil
}

// OnExisting says what an import does with a key that exists with other content.
type OnExisting string

// What an import does with existing keys.
const (
	Skip   OnExisting = "skip"
	Update OnExisting = "update"
	Fail   OnExisting = "fail"
)

// Import is a document to be imported.
type Import struct {
	Rows       []ImportRow
	OnExisting OnExisting
	Note       string
	// DryRun asks for the verdicts and changes nothing.
	DryRun bool
}

// ImportRow is one config of an import.
type ImportRow struct {
	Key     string
	Content Content
	// Protected is nil for a config that stays as protected as it is.
	Protected *bool
	// Secret is nil for a config that stays as secret as it is.
	Secret *bool
	// Masked is set where the document has a null in the place of a value.
	Masked bool
}

// Verdict is the outcome of one row of an import: create, update, unchanged, skip, invalid,
// conflict.
type Verdict struct {
	Index   int            `json:"index"`
	Key     string         `json:"key"`
	Verdict string         `json:"verdict"`
	Detail  string         `json:"detail,omitempty"`
	Fields  []apperr.Field `json:"fields,omitempty"`
}

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
	// Time is the updatedTime of the configs that the import wrote; nil in a dry run.
	Time *time.Time `json:"time,omitempty"`
	// Verdicts has the first rejected rows, at most maxRejected.
	Verdicts []Verdict      `json:"verdicts"`
	Counts   map[string]int `json:"counts"`
	// Rows has the indexes of all rows by verdict, in a dry run.
	Rows map[string][]int `json:"rows,omitempty"`

	rejectedBytes int
}

// add counts the verdict on a row. It lists a rejected row, with texts cut, if there is room.
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

// Import applies a document in one unit, or nothing of it: rows that break a rule
// are ValidationFailed, and existing keys under Fail are BatchConflict, both with
// the verdicts on rejected rows. A dry run returns these instead.
func (s *Service) Import(ctx context.Context, u *uow.Unit, in Import) (Imported, error) {
	keys := make([]string, len(in.Rows))
	for i, row := range in.Rows {
		keys[i] = row.Key
	}
	rows, err := byKeys(s.read(ctx), keys)
	if err != nil {
		return Imported{}, err
	}
	report, writes := plan(in, rows, s.blank(ctx), authorOf(ctx).may)
	if in.DryRun {
		return report, nil
	}
	if err := report.refusal(len(in.Rows)); err != nil {
		return Imported{}, err
	}
	now, err := s.proposeIfRequired(ctx, u, kindImport, in.Note, writes...)
	if err == nil && !now {
		return report, nil
	}
	if err == nil {
		err = s.applyAll(ctx, u, writes, in.Note, func(plannedWrite, Result) {})
	}
	switch {
	case isConflict(err):
		return Imported{}, uow.Retry(apperr.New(apperr.BatchConflict, "Others kept changing the configs of this import; nothing was imported. Try again.").Because(err))
	case err != nil:
		return Imported{}, err
	}
	u.Audit(uow.Entry{Action: kindImport, Resource: "configs", Note: in.Note, Detail: map[string]any{"counts": report.Counts}})
	report.Time = new(u.Now())
	return report, nil
}

// plan gives each row its verdict, and returns the writes of those that change
// something.
func plan(in Import, rows map[string]*Config, blank Config, may permit) (Imported, []plannedWrite) {
	report := Imported{DryRun: in.DryRun, Verdicts: []Verdict{}, Rows: map[string][]int{}, Counts: map[string]int{
		verdictCreate: 0, verdictUpdate: 0, verdictUnchanged: 0, verdictSkip: 0, verdictInvalid: 0, verdictConflict: 0,
	}}
	var writes []plannedWrite
	first := make(map[string]int, len(in.Rows))
	for i, row := range in.Rows {
		if existing := rows[row.Key]; existing != nil {
			existing.work = blank.work
		}
		verdict, write := planRow(in.OnExisting, i, row, rows[row.Key], blank, may)
		if at, twice := first[row.Key]; twice {
			verdict.Verdict, verdict.Detail = verdictInvalid, ""
			verdict.Fields = append(verdict.Fields, apperr.Field{
				Pointer: memberPointer("configs", i) + "/key", Code: "unique", Message: fmt.Sprintf("is the key of %s too", memberPointer("configs", at)),
			})
		} else {
			first[row.Key] = i
		}
		report.add(verdict)
		if verdict.Verdict == verdictCreate || verdict.Verdict == verdictUpdate {
			writes = append(writes, write)
		}
	}
	return report, writes
}

func planRow(onExisting OnExisting, index int, row ImportRow, existing *Config, blank Config, may permit) (Verdict, plannedWrite) {
	verdict := Verdict{Index: index, Key: row.Key, Verdict: verdictCreate}
	write := plannedWrite{Change: Change{Index: index, Key: row.Key, Op: OpCreate}, before: existing}
	fields := checkKey(row.Key)
	if row.Masked {
		fields = append(fields, apperr.Field{Pointer: "/masked", Code: "masked",
			Message: "says that the value is withheld and not here; leave the config out, or give it a value and leave masked out"})
	} else {
		fields = append(fields, write.fill(row.contentOn(existing), blank, may)...)
	}
	switch {
	case len(fields) > 0:
		verdict.Verdict, verdict.Fields = verdictInvalid, under(memberPointer("configs", index), fields)
		return verdict, plannedWrite{}
	case existing == nil:
	// Whether it has this secret value already is not said.
	case write.after.sameAs(existing.Content) && !existing.isConfidential():
		verdict.Verdict = verdictUnchanged
	case onExisting == Skip:
		verdict.Verdict, verdict.Detail = verdictSkip, "It exists with other content, which stays."
	case onExisting == Update:
		write.Op, verdict.Verdict = OpReplace, verdictUpdate
	default:
		verdict.Verdict, verdict.Detail = verdictConflict, fmt.Sprintf("It exists with other content; %s changed it last.", existing.UpdatedByName)
	}
	return verdict, write
}

// contentOn is the content that a row of an import gives to what is there, nil for nothing.
func (row ImportRow) contentOn(existing *Config) Content {
	content := row.Content
	if existing != nil {
		content.Protected, content.Secret = existing.Protected, existing.Secret
	}
	if row.Protected != nil {
		content.Protected = *row.Protected
	}
	if row.Secret != nil {
		content.Secret = *row.Secret
	}
	return content
}

// fill makes the write one that gives its config a content, or returns what is wrong with that.
func (w *plannedWrite) fill(content Content, blank Config, may permit) (fields []apperr.Field) {
	if w.before == nil {
		w.after, fields = blank.filled(w.Key, content)
		return fields
	}
	var err error
	w.after, w.set, fields, err = w.before.with(content, valueGiven, may)
	var refusal *apperr.Error
	if errors.As(err, &refusal) {
		fields = []apperr.Field{{Pointer: "/secret", Code: string(refusal.Code), Message: "must stay: making the config readable requires the permission " + SecretsPermission}}
	}
	return fields
}

// refusal is why the import as a whole is not applied, nil if it can be.
func (r Imported) refusal(rows int) error {
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
