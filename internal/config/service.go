package config

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic announces changes of configs, keyed by key.
const Topic = "configs"

// Deps are the dependencies of a Service.
type Deps struct {
	DB    *storage.DB
	Bus   events.Bus
	Clock clock.Clock
	// Epochs returns the epoch in which a config was read.
	Epochs *epoch.Watch
	// Approvals stores changes of protected configs until they have their votes.
	Approvals *approvals.Service
	// Cipher encrypts the values of secret configs. Without a key no config can be made secret.
	Cipher encryption.Cipher
}

// Service implements the use cases of configs. It is safe for concurrent use.
type Service struct {
	db     *storage.DB
	bus    events.Bus
	clock  clock.Clock
	epochs *epoch.Watch
	feed   *feed
	cache  *cache
	vault  *vault
	// merges serialises concurrent merges into one config.
	merges *change.RowQueues[*Config]

	approvals *approvals.Service
}

// New returns a Service.
func New(d Deps) *Service {
	s := &Service{
		db: d.DB, bus: d.Bus, clock: d.Clock, epochs: d.Epochs, feed: newFeed(d), cache: newCache(), vault: &vault{cipher: d.Cipher}, approvals: d.Approvals,
		merges: new(change.RowQueues[*Config]),
	}
	d.Approvals.Offer(subject{s})
	return s
}

// Get returns the config with this key. Errors: NotFound.
func (s *Service) Get(ctx context.Context, key string) (*Config, error) {
	in := s.epoch(ctx)
	row, err := s.byKey(ctx, key)
	if err == nil {
		s.cache.put(in, row)
	}
	return row, err
}

// epoch returns the epoch under which rows that are read or written from now on are cached; "" if
// the epoch is unknown.
func (s *Service) epoch(ctx context.Context) epoch.Epoch {
	in, ok := s.epochs.Now(ctx)
	if ok {
		s.cache.enter(in)
	}
	return in
}

// List returns one page of the configs that match the filter. Sorts: key,
// updatedTime, version.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Config], error) {
	listing, err := storage.List[Config](s.read(ctx), page, sorts, f.filters()...)
	if err != nil {
		return listing, fmt.Errorf("list configs: %w", err)
	}
	return listing, nil
}

// History returns one page of the versions of all configs that ever had this key,
// newest first.
func (s *Service) History(ctx context.Context, key string, page storage.Page) (storage.Listing[History], error) {
	listing, err := storage.List[History](s.read(ctx), page, newestFirst, storage.OwnedBy("key", key))
	if err != nil {
		return listing, fmt.Errorf("list the history of config %q: %w", key, err)
	}
	return listing, nil
}

// Create inserts a config at version 1. Errors: ValidationFailed; AlreadyExists with the existing
// config.
func (s *Service) Create(ctx context.Context, u *uow.Unit, key string, content Content) (*Config, error) {
	blank := s.blank(ctx)
	row, fields, err := blank.filled(key, content, s.authorOf(ctx))
	if err != nil {
		return nil, err
	}
	if fields = append(checkKey(key), fields...); len(fields) > 0 {
		return nil, apperr.Invalid(fields...)
	}
	if err := s.insert(ctx, u, row, ""); err != nil {
		if storage.IsDuplicate(err, uniqueKey) {
			return nil, uow.Explain(func(ctx context.Context) error { return s.errKeyExists(ctx, key) })
		}
		return nil, err
	}
	u.Audit(uow.Entry{Action: "config.create", Resource: row.path(), Detail: versionDetail{To: 1, Changed: []string{}}})
	return row, s.approvals.MarkStale(ctx, u, row.path())
}

// blank returns an empty config of the caller's tenant.
func (s *Service) blank(ctx context.Context) Config {
	caller, _ := principal.From(ctx)
	c := Config{vault: s.vault, work: newWork(ctx)}
	c.TenantID = caller.TenantID
	return c
}

// filled returns a new config, and the violations of its content. A manager owns the fields that
// are not empty.
func (c Config) filled(key string, content Content, by author) (*Config, []apperr.Field, error) {
	content, fields := checked(content, c.work)
	if len(fields) > 0 {
		return nil, fields, nil
	}
	row := c
	row.Key, row.Content, row.hasNewValue = key, content, true
	if fields := row.store(Stored{}, true); len(fields) > 0 {
		return nil, fields, nil
	}
	return &row, nil, c.setOwners(&row, by, nil)
}

func (s *Service) insert(ctx context.Context, u *uow.Unit, row *Config, note string) error {
	if err := guard.Insert(ctx, u, row); err != nil {
		return fmt.Errorf("create config %q: %w", row.Key, err)
	}
	if row.Secret {
		// An earlier config of this key may have been readable.
		if err := s.encryptHistory(ctx, u, row); err != nil {
			return err
		}
	}
	return s.record(ctx, u, row, Created, note)
}

// errKeyExists returns AlreadyExists with the config that has the key. If that config was deleted
// concurrently, the unit is retried.
func (s *Service) errKeyExists(ctx context.Context, key string) error {
	row, err := s.byKey(ctx, key)
	if apperr.Has(err, apperr.NotFound) {
		return uow.Retry(apperr.New(apperr.AlreadyExists, "Config %q was created and deleted by others at the same time; nothing was changed. Try again.", key))
	}
	if err != nil {
		return err
	}
	return alreadyExists(ctx, row)
}

func alreadyExists(ctx context.Context, row *Config) *apperr.Error {
	stamp := row.Stamp()
	return apperr.New(apperr.AlreadyExists, "%s exists already; %s changed it last.", row.label(), stamp.UpdatedBy.Name).
		With("current", viewOf(ctx, row)).
		With("currentVersion", stamp.Version).
		With("currentEtag", stamp.ETag).
		With("updatedBy", stamp.UpdatedBy).
		With("updatedTime", stamp.UpdatedTime)
}

// Edit applies a merge patch as change.Editable.Apply does. Members of an object in value
// are merged one by one.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, row *Config, edit change.Edit) (change.Edited[*Config], error) {
	return s.editable(ctx).Apply(ctx, u, row, edit)
}

// EditKey edits the config with this key, as Edit does, and reads the row only if necessary. With
// Overwrite, the author's version replaces later changes of others; the reason and the destroyed
// members are in the audit row. Errors: those of Edit and NotFound.
func (s *Service) EditKey(ctx context.Context, u *uow.Unit, key string, edit change.Edit) (change.Edited[*Config], error) {
	edited, done, err := s.editCached(ctx, u, key, edit)
	if done {
		return edited, err
	}
	row, err := s.Get(ctx, key)
	if err != nil {
		return change.Edited[*Config]{}, err
	}
	return s.Edit(ctx, u, row, edit)
}

// editCached applies an edit to the cached version that its author read, without reading the row.
// It returns false without a change if the row has to be read: that version is not cached, the edit
// would change nothing, the edit violates a rule of content or owners that may be outdated, or the row was
// deleted and its key may belong to another one. An edit that merges reads the current row itself
// and only needs a cached config.
func (s *Service) editCached(ctx context.Context, u *uow.Unit, key string, edit change.Edit) (change.Edited[*Config], bool, error) {
	caller, _ := principal.From(ctx)
	seen := s.cache.get(s.epoch(ctx), caller.TenantID, key)
	if seen == nil {
		return change.Edited[*Config]{}, false, nil
	}
	isNewest := edit.IfMatch.Matches(seen.Ref())
	if !isNewest && !merges(edit, seen) {
		return change.Edited[*Config]{}, false, nil
	}
	edited, err := s.Edit(ctx, u, seen, edit)
	switch {
	case apperr.Has(err, apperr.ValidationFailed), apperr.Has(err, apperr.InUse):
		return edited, false, nil
	case err != nil:
		s.cache.delete(caller.TenantID, key)
		return edited, !apperr.Has(err, apperr.NotFound), err
	}
	return edited, !isNewest || edited.Row.Version != seen.Version || u.Proposed() != nil, nil
}

// merges reports whether an edit is merged into a newer version of the config.
func merges(edit change.Edit, seen *Config) bool {
	return edit.MergeDisjoint && edit.Overwrite == nil && edit.IfMatch.Ref.ID == seen.ID && edit.IfMatch.Ref.Version < seen.Version
}

// Delete deletes a config as change.Editable.Delete does. Its history remains.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, row *Config, ifMatch guard.Precondition) error {
	return s.editable(ctx).Delete(ctx, u, row, ifMatch, func() error {
		w := plannedWrite{Change: Change{Key: row.Key, Op: OpDelete, IfMatch: ifMatch}, before: row}
		if err := w.permitDeletion(s.authorOf(ctx)); err != nil {
			return err
		}
		if now, err := s.proposeIfRequired(ctx, u, kindDelete, w.takeOver, w); err != nil || !now {
			return err
		}
		deleted, named, err := s.remove(ctx, u, row, w.takeOver)
		if err != nil {
			return err
		}
		u.Audit(uow.Entry{
			Action: "config.delete", Resource: row.path(), Note: w.takeOver,
			Detail: versionDetail{From: row.Version, To: deleted.Version, Changed: []string{}, Approval: u.Approval()},
		})
		return s.markApprovalsStale(ctx, u, named, row)
	})
}

// remove deletes the row. It returns the last version, which exists only in the history, and
// whether open approvals may name the config.
func (s *Service) remove(ctx context.Context, u *uow.Unit, row *Config, note string) (*Config, bool, error) {
	named := u.Approval() != 0
	err := guard.Delete[Config](ctx, guard.Deferred(u), row.Ref())
	if errors.Is(err, guard.ErrProposed) {
		named, err = true, guard.DeleteProposed[Config](ctx, u, row.Ref())
	}
	if err != nil {
		return nil, false, err
	}
	deleted := *row
	deleted.Stored = deleted.vault.renew(deleted.TenantID, deleted.Key, deleted.Stored)
	if err := guard.Advance(ctx, u, &deleted); err != nil {
		return nil, false, err
	}
	return &deleted, named, s.record(ctx, u, &deleted, Deleted, note)
}

// Rollback is a change to the content of an earlier version.
type Rollback struct {
	IfMatch   guard.Precondition
	ToVersion int64
	Note      string
}

// Rollback writes the content of an earlier version as a new version, validated by the current
// rules; protected and secret are unchanged. It writes nothing if the content is equal, unless that
// would disclose that two secret values are equal. Errors: VersionConflict; ValidationFailed;
// Forbidden if the rollback would show a secret value to callers who may not read it.
func (s *Service) Rollback(ctx context.Context, u *uow.Unit, row *Config, to Rollback) (*Config, error) {
	if !to.IfMatch.Matches(row.Ref()) {
		return nil, s.stale(row, to.IfMatch)
	}
	if utf8.RuneCountInString(to.Note) > MaxNote {
		return nil, apperr.Invalid(apperr.Field{Pointer: "/note", Code: "max", Message: fmt.Sprintf("must have at most %d characters", MaxNote)})
	}
	old, err := s.at(ctx, row, to.ToVersion)
	switch {
	case storage.IsNotFound(err):
		return nil, apperr.Invalid(apperr.Field{Pointer: "/toVersion", Code: "unknown", Message: unknownVersion(to.ToVersion, row.Version)})
	case err != nil:
		return nil, fmt.Errorf("read version %d of config %q: %w", to.ToVersion, row.Key, err)
	}
	if err := permitRollback(ctx, row, old); err != nil {
		return nil, err
	}
	old.Protected, old.Secret = row.Protected, row.Secret
	if old.sameAs(row.Content) && (!row.isConfidential() || to.ToVersion == row.Version) {
		return row, nil
	}
	copied := *row
	copied.work = newWork(ctx)
	by := s.authorOf(ctx)
	by.may = nil // permitRollback has checked it
	after, set, fields, err := copied.with(old.Content, valueNew, by, nil)
	if err == nil && len(fields) > 0 {
		err = apperr.Invalid(fields...)
	}
	if err != nil {
		return nil, err
	}
	w := plannedWrite{
		Change: Change{Key: row.Key, Op: OpReplace, IfMatch: to.IfMatch, origin: origin{Action: RolledBack, ContentOf: to.ToVersion}},
		before: row, after: after,
	}
	now, err := s.proposeIfRequired(ctx, u, kindRollback, to.Note, w)
	if err == nil && !now {
		return row, nil
	}
	if err == nil {
		err = s.write(ctx, u, row, set)
	}
	switch {
	case errors.Is(err, guard.ErrStale), errors.Is(err, guard.ErrDeleted):
		return nil, s.stale(row, to.IfMatch)
	case err != nil:
		return nil, fmt.Errorf("roll config %q back: %w", row.Key, err)
	}
	if err := guard.Advance(ctx, u, after); err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{
		Action: "config.rollback", Resource: row.path(), Note: withReason(to.Note, after.takeOver),
		Detail: rollbackDetail{versionDetail{From: row.Version, To: after.Version, Changed: row.differences(after), Approval: u.Approval()}, to.ToVersion},
	})
	return after, s.record(ctx, u, after, RolledBack, to.Note)
}

// unknownVersion returns the reason why a config has no such version: it never existed, or
// retention deleted it.
func unknownVersion(to, newest int64) string {
	if to >= 1 && to < newest {
		return fmt.Sprintf("is version %d, which retention has deleted; choose one from the history", to)
	}
	return fmt.Sprintf("must be a version of this config, from 1 to %d", newest)
}

type rollbackDetail struct {
	versionDetail
	ContentOf int64 `json:"contentOfVersion"`
}

// record inserts the history row of a version; after commit it publishes and caches the version.
func (s *Service) record(ctx context.Context, u *uow.Unit, c *Config, action Action, note string) error {
	if err := insertHistory(ctx, u, c, action, withReason(note, c.takeOver)); err != nil {
		return err
	}
	u.AuditUnder(c.path())
	event := events.Change{Version: c.Version, ETag: c.Ref().ETag(), Action: string(action)}
	if action == Deleted {
		// The row is already at the version of its deletion.
		event.ETag = ""
	}
	change.Announce(u, s.bus, Topic, c.Key, event)
	in := s.epoch(ctx)
	u.AfterCommit(func(context.Context) {
		if action == Deleted {
			s.cache.delete(c.TenantID, c.Key)
			return
		}
		cached := *c
		// The next edit of the cached row sets no value yet.
		cached.hasNewValue, cached.work, cached.claim, cached.takeOver = false, nil, nil, ""
		s.cache.put(in, &cached)
	})
	return nil
}
