package config

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic is the topic of the events that say which config changed.
const Topic = "configs"

// Deps are what a Service stands on.
type Deps struct {
	DB    *storage.DB
	Bus   events.Bus
	Clock clock.Clock
	// Epochs tells which epoch configs are remembered for.
	Epochs *epoch.Watch
}

// Service has the use cases of configs. It is safe for concurrent use.
type Service struct {
	db        *storage.DB
	bus       events.Bus
	clock     clock.Clock
	epochs    *epoch.Watch
	feed      *feed
	snapshots *snapshots
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{db: d.DB, bus: d.Bus, clock: d.Clock, epochs: d.Epochs, feed: newFeed(d), snapshots: newSnapshots()}
}

// Get returns the config with this key, or a NotFound error.
func (s *Service) Get(ctx context.Context, key string) (*Config, error) {
	in := s.epoch(ctx)
	row, err := s.byKey(ctx, key)
	if err == nil {
		s.snapshots.keep(in, row)
	}
	return row, err
}

// epoch returns the epoch that what is read or written from now on is remembered for, ""
// when nobody can say.
func (s *Service) epoch(ctx context.Context) epoch.Epoch {
	in, sure := s.epochs.Now(ctx)
	if sure {
		s.snapshots.enter(in)
	}
	return in
}

// List returns one page of the configs that match the filter. Sorts: key,
// updatedTime, version.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Config], error) {
	listing, err := storage.List[Config](f.apply(s.db.Read(ctx)), page, sorts)
	if err != nil {
		return listing, fmt.Errorf("list configs: %w", err)
	}
	return listing, nil
}

// History returns one page of the versions of all configs that ever had this key,
// newest first. A key that never existed is NotFound.
func (s *Service) History(ctx context.Context, key string, page storage.Page) (storage.Listing[History], error) {
	if !isKey(key) {
		return storage.Listing[History]{}, apperr.MissingRow("config", key)
	}
	listing, err := storage.List[History](s.db.Read(ctx).Where("`key` = ?", key), page, newestFirst)
	switch {
	case err != nil:
		return listing, fmt.Errorf("list the history of config %q: %w", key, err)
	case listing.Total == 0:
		return listing, apperr.MissingRow("config", key)
	}
	return listing, nil
}

// Create adds a config at version 1. Errors: ValidationFailed; AlreadyExists with
// the config that is there.
func (s *Service) Create(ctx context.Context, u *uow.Unit, key string, content Content) (*Config, error) {
	content, fields := checked(content)
	if fields = append(checkKey(key), fields...); len(fields) > 0 {
		return nil, apperr.Invalid(fields...)
	}
	row := &Config{Key: key, Content: content}
	if err := s.insert(ctx, u, row, ""); err != nil {
		if storage.IsDuplicate(err, uniqueKey) {
			return nil, uow.Explain(func(ctx context.Context) error { return s.taken(ctx, key) })
		}
		return nil, err
	}
	u.Audit(uow.Entry{Action: "config.create", Resource: row.path(), Detail: versionStep{To: 1, Changed: []string{}}})
	return row, nil
}

func (s *Service) insert(ctx context.Context, u *uow.Unit, row *Config, note string) error {
	if err := guard.Insert(ctx, u, row); err != nil {
		return fmt.Errorf("create config %q: %w", row.Key, err)
	}
	return s.record(ctx, u, row, Created, note)
}

// taken says who has the key. When it has become free meanwhile, the unit is worth
// another run.
func (s *Service) taken(ctx context.Context, key string) error {
	row, err := s.byKey(ctx, key)
	if apperr.Has(err, apperr.NotFound) {
		return uow.Again(apperr.New(apperr.AlreadyExists, "There was a config %q until a moment ago. Try again.", key))
	}
	if err != nil {
		return err
	}
	return alreadyThere(row)
}

func alreadyThere(row *Config) *apperr.Error {
	stamp := row.Stamp()
	return apperr.New(apperr.AlreadyExists, "%s exists already; %s changed it last.", row.label(), stamp.UpdatedBy.Name).
		With("current", row.View()).
		With("currentVersion", stamp.Version).
		With("currentEtag", stamp.ETag).
		With("updatedBy", stamp.UpdatedBy).
		With("updatedTime", stamp.UpdatedTime)
}

// Edit applies a merge patch as change.Editable.Apply does. Members of an object in value
// are merged one by one.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, row *Config, edit change.Edit) (change.Edited[*Config], error) {
	return s.editable().Apply(ctx, u, row, edit)
}

// Overwrite edits the config with this key and, if others changed it since, makes it
// what the author had before him. The reason and what was destroyed are in the audit
// row. Errors: as EditKey, but no VersionConflict while the author's version is in the
// history.
func (s *Service) Overwrite(ctx context.Context, u *uow.Unit, key, reason string, edit change.Edit) (change.Edited[*Config], error) {
	row, err := s.Get(ctx, key)
	if err != nil {
		return change.Edited[*Config]{}, err
	}
	edit.Overwrite = &change.Overwrite{Reason: reason}
	return s.Edit(ctx, u, row, edit)
}

// EditKey edits the config with this key, as Edit does. Errors: NotFound as well.
func (s *Service) EditKey(ctx context.Context, u *uow.Unit, key string, edit change.Edit) (change.Edited[*Config], error) {
	edited, done, err := s.editSeen(ctx, u, key, edit)
	if done || err != nil {
		return edited, err
	}
	row, err := s.Get(ctx, key)
	if err != nil {
		return change.Edited[*Config]{}, err
	}
	return s.Edit(ctx, u, row, edit)
}

// editSeen applies an edit to the version that its author saw without reading it,
// when this process remembers it. It reports false, and has changed nothing, when
// the row has to be read: it is not remembered at that version, the edit would
// change nothing of it, or it breaks a rule of what may not be the newest content.
func (s *Service) editSeen(ctx context.Context, u *uow.Unit, key string, edit change.Edit) (change.Edited[*Config], bool, error) {
	caller, _ := principal.From(ctx)
	seen := s.snapshots.recall(s.epoch(ctx), caller.TenantID, key)
	if seen == nil || !edit.IfMatch.Holds(seen.Ref()) {
		return change.Edited[*Config]{}, false, nil
	}
	edited, err := s.Edit(ctx, u, seen, edit)
	switch {
	case apperr.Has(err, apperr.ValidationFailed):
		return edited, false, nil
	case err != nil:
		s.snapshots.forget(caller.TenantID, key)
		return edited, true, err
	}
	return edited, edited.Row.Version != seen.Version, nil
}

// Delete removes a config as change.Editable.Delete does. Its history stays.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, row *Config, ifMatch guard.Precondition) error {
	return s.editable().Delete(ctx, u, row, ifMatch, func() error {
		gone, err := s.remove(ctx, u, row, "")
		if err != nil {
			return err
		}
		u.Audit(uow.Entry{
			Action: "config.delete", Resource: row.path(),
			Detail: versionStep{From: row.Version, To: gone.Version, Changed: []string{}},
		})
		return nil
	})
}

// remove deletes the row and returns it at its last version, which exists only in
// the history.
func (s *Service) remove(ctx context.Context, u *uow.Unit, row *Config, note string) (*Config, error) {
	if err := guard.Delete[Config](ctx, u, row.Ref()); err != nil {
		return nil, err
	}
	gone := *row
	if err := guard.Advance(ctx, u, &gone); err != nil {
		return nil, err
	}
	return &gone, s.record(ctx, u, &gone, Deleted, note)
}

// Rollback is a change back to an earlier version's content.
type Rollback struct {
	IfMatch   guard.Precondition
	ToVersion int64
	Note      string
}

// Rollback gives the config the content of an earlier version, as a new version and
// by today's rules. Content that it has already is left alone. Errors:
// VersionConflict; ValidationFailed.
func (s *Service) Rollback(ctx context.Context, u *uow.Unit, row *Config, to Rollback) (*Config, error) {
	if !to.IfMatch.Holds(row.Ref()) {
		return nil, s.stale(row, to.IfMatch)
	}
	if utf8.RuneCountInString(to.Note) > MaxNote {
		return nil, apperr.Invalid(apperr.Field{Pointer: "/note", Code: "max", Message: fmt.Sprintf("must have at most %d characters", MaxNote)})
	}
	old, err := s.at(ctx, row, to.ToVersion)
	switch {
	case storage.IsNotFound(err):
		return nil, apperr.Invalid(apperr.Field{Pointer: "/toVersion", Code: "unknown", Message: fmt.Sprintf("must be a version of this config, from 1 to %d", row.Version)})
	case err != nil:
		return nil, fmt.Errorf("read version %d of config %q: %w", to.ToVersion, row.Key, err)
	case old.Content == row.Content:
		return row, nil
	}
	content, fields := checked(old.Content)
	if len(fields) > 0 {
		return nil, apperr.Invalid(fields...)
	}
	after := *row
	after.Content = content
	err = guard.Update[Config](ctx, u, row.Ref(), row.columns(content))
	switch {
	case errors.Is(err, guard.ErrStale), errors.Is(err, guard.ErrGone):
		return nil, s.stale(row, to.IfMatch)
	case err != nil:
		return nil, fmt.Errorf("roll config %q back: %w", row.Key, err)
	}
	if err := guard.Advance(ctx, u, &after); err != nil {
		return nil, err
	}
	u.Audit(uow.Entry{
		Action: "config.rollback", Resource: row.path(), Note: to.Note,
		Detail: rollbackStep{versionStep{From: row.Version, To: after.Version, Changed: row.differences(content)}, to.ToVersion},
	})
	return &after, s.record(ctx, u, &after, RolledBack, to.Note)
}

type rollbackStep struct {
	versionStep
	ContentOf int64 `json:"contentOfVersion"`
}

// record leaves the traces of a version in history and events.
func (s *Service) record(ctx context.Context, u *uow.Unit, c *Config, action Action, note string) error {
	if err := remember(ctx, u, c, action, note); err != nil {
		return err
	}
	what := events.Change{Version: c.Version, ETag: c.Ref().ETag(), Action: string(action)}
	if action == Deleted {
		// The row given is at the version of its deletion already.
		what.ETag = ""
	}
	change.Announce(u, s.bus, Topic, c.Key, what)
	in := s.epoch(ctx)
	u.AfterCommit(func(context.Context) {
		if action == Deleted {
			s.snapshots.forget(c.TenantID, c.Key)
			return
		}
		s.snapshots.keep(in, c)
	})
	return nil
}
