package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// ConfigChange is a member of a batch; make it with [CreateConfig], [UpdateConfig] or
// [DeleteConfig].
type ConfigChange struct {
	Key   string `json:"key"`
	Op    string `json:"op"`
	ETag  string `json:"etag,omitempty"`
	Patch any    `json:"patch,omitempty"`
}

// CreateConfig creates a config in a batch.
func CreateConfig(c NewConfig) ConfigChange {
	return ConfigChange{Key: c.Key, Op: "create", Patch: c.ConfigContent}
}

// UpdateConfig saves in a batch what was changed in c since it was read.
func UpdateConfig(c Config) (ConfigChange, error) {
	patch, err := changes(&c)
	if err != nil {
		return ConfigChange{}, fmt.Errorf("update %s in a batch: %w", c.Key, err)
	}
	return ConfigChange{Key: c.Key, Op: "update", ETag: c.ETag, Patch: patch}, nil
}

// DeleteConfig deletes in a batch the config as it was read.
func DeleteConfig(c Config) ConfigChange {
	return ConfigChange{Key: c.Key, Op: "delete", ETag: c.ETag}
}

// ConfigChanged is what a member of a batch came to. A deleted config has no ETag.
type ConfigChanged struct {
	Index   int    `json:"index"`
	Key     string `json:"key"`
	Op      string `json:"op"`
	Version int64  `json:"version"`
	ETag    string `json:"etag"`
}

// BatchConflict is a batch of which no change was applied, because these could not be.
type BatchConflict struct {
	*Problem  `json:"-"`
	Conflicts []MemberConflict `json:"conflicts"`
}

// Unwrap returns the problem.
func (b *BatchConflict) Unwrap() error { return b.Problem }

// MemberConflict is why one member of a batch could not be applied. What stands of the
// current state is there when its code is version_conflict or already_exists.
type MemberConflict struct {
	Index           int             `json:"index"`
	Key             string          `json:"key"`
	Code            Code            `json:"code"`
	Detail          string          `json:"detail"`
	ExpectedVersion *int64          `json:"expectedVersion"`
	CurrentVersion  int64           `json:"currentVersion"`
	CurrentETag     string          `json:"currentEtag"`
	UpdatedBy       Person          `json:"updatedBy"`
	UpdatedTime     time.Time       `json:"updatedTime"`
	Base            json.RawMessage `json:"base"`
	Current         json.RawMessage `json:"current"`
	Conflicts       []Difference    `json:"conflicts"`
	TheirsOnly      []string        `json:"theirsOnly"`
	YoursOnly       []string        `json:"yoursOnly"`
	AutoMergeable   bool            `json:"autoMergeable"`
}

// Change applies all of the changes in one transaction, or none and returns a
// [BatchConflict]. Each key may come once; the note is kept in the history of each.
func (s *Configs) Change(ctx context.Context, note string, all []ConfigChange, options ...CallOption) ([]ConfigChanged, error) {
	body := struct {
		Note    string         `json:"note,omitempty"`
		Changes []ConfigChange `json:"changes"`
	}{note, all}
	done, err := call[struct {
		Results []ConfigChanged `json:"results"`
	}](ctx, s.client, request{method: http.MethodPost, path: "/config-batches", body: body}, options)
	return done.Results, err
}

// ConfigExport is a copy of configs that can be imported elsewhere.
type ConfigExport struct {
	ExportedTime time.Time   `json:"exportedTime"`
	Configs      []NewConfig `json:"configs"`
}

// Export copies the configs whose keys begin with prefix; all with "".
func (s *Configs) Export(ctx context.Context, prefix string, options ...CallOption) (ConfigExport, error) {
	r := request{method: http.MethodGet, path: "/configs/export", query: url.Values(parameters{}.text("prefix", prefix))}
	return call[ConfigExport](ctx, s.client, r, options)
}

// ConfigSnapshot is the configs at one moment.
type ConfigSnapshot struct {
	// Revision is that moment in the log of configs: to watch from it is to miss nothing.
	Revision string   `json:"revision"`
	Items    []Config `json:"items"`
}

// Snapshot reads the configs whose keys begin with prefix at one moment; all with "".
func (s *Configs) Snapshot(ctx context.Context, prefix string, options ...CallOption) (ConfigSnapshot, error) {
	r := request{method: http.MethodGet, path: "/configs/snapshot", query: url.Values(parameters{}.text("prefix", prefix))}
	return call[ConfigSnapshot](ctx, s.client, r, options)
}

// OnExisting says what an import does with configs that are there already.
type OnExisting string

// What an import can do with them.
const (
	FailOnExisting OnExisting = "fail"
	SkipExisting   OnExisting = "skip"
	UpdateExisting OnExisting = "update"
)

// ConfigImport is what to import.
type ConfigImport struct {
	// OnExisting is FailOnExisting when it is "".
	OnExisting OnExisting  `json:"onExisting,omitempty"`
	Note       string      `json:"note,omitempty"`
	Configs    []NewConfig `json:"configs"`
}

// ConfigImported is the outcome of an import, or of its dry run.
type ConfigImported struct {
	DryRun bool `json:"dryRun"`
	// Time is the updated time of the configs that the import wrote; nil in a dry run.
	Time *time.Time `json:"time"`
	// Verdicts has the first rows that are invalid or in conflict, at most 100.
	Verdicts []ImportVerdict `json:"verdicts"`
	Counts   ImportCounts    `json:"counts"`
	// Rows has the indexes of all rows by verdict, in a dry run.
	Rows map[string][]int `json:"rows"`
}

// ImportVerdict is why one config was rejected: invalid or conflict.
type ImportVerdict struct {
	Index   int     `json:"index"`
	Key     string  `json:"key"`
	Verdict string  `json:"verdict"`
	Detail  string  `json:"detail"`
	Fields  []Field `json:"fields"`
}

// ImportCounts counts the verdicts.
type ImportCounts struct {
	Create    int `json:"create"`
	Update    int `json:"update"`
	Unchanged int `json:"unchanged"`
	Skip      int `json:"skip"`
	Invalid   int `json:"invalid"`
	Conflict  int `json:"conflict"`
}

// ImportRejected is an import of which nothing was applied.
type ImportRejected struct {
	*Problem `json:"-"`
	Verdicts []ImportVerdict `json:"verdicts"`
	Counts   ImportCounts    `json:"counts"`
}

// Unwrap returns the problem.
func (i *ImportRejected) Unwrap() error { return i.Problem }

// Import imports configs in one transaction, all of them or none and an
// [ImportRejected]. A dry run applies nothing and returns the verdict on each.
func (s *Configs) Import(ctx context.Context, i ConfigImport, dryRun bool, options ...CallOption) (ConfigImported, error) {
	r := request{method: http.MethodPost, path: "/configs/import", body: i}
	if dryRun {
		r.query = url.Values{"dryRun": {strconv.FormatBool(dryRun)}}
	}
	return call[ConfigImported](ctx, s.client, r, options)
}
