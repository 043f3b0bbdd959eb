package actions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

const selectLatest = `SELECT last_action_id, last_action, last_active, state FROM actions
	WHERE tenant_id = ? AND entity_type = ? AND entity_id = ? AND action_group = ? AND actor_kind = ? AND actor_id = ?`

// lockLatest reads the row of the caller's group. On a database server it adds FOR UPDATE, which
// locks the row until the unit ends and so serializes the actions of one actor on one resource.
// If the group is new, it has no row, and lockLatest returns it with last action id 0. Actions
// arrive in bursts, so their SQL is written by hand: building it with GORM costs more.
func (s *Service) lockLatest(ctx context.Context, u *uow.Unit, r Request, entity int64) (*latest, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	who := actorOf(caller)
	l := &latest{
		TenantID: caller.TenantID, EntityType: r.EntityType, EntityID: entity, ActionGroup: r.Kind.group(), ActorKind: who.kind, ActorID: who.id,
	}
	statement := selectLatest
	if s.db.Dialect == storage.MySQL {
		statement += " FOR UPDATE"
	}
	err = tx.Raw(statement, l.TenantID, l.EntityType, l.EntityID, l.ActionGroup, l.ActorKind, l.ActorID).Row().
		Scan(&l.LastActionID, &l.LastAction, &l.LastActive, &l.State)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("read the last action: %w", s.db.Classify(err))
	}
	return l, nil
}

const insertStatement = `INSERT INTO actions (tenant_id, entity_type, entity_id, action_group, actor_kind, actor_id,
	last_action_id, last_action, last_active, state, updated_time) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

const advanceStatement = `UPDATE actions
	SET last_action_id = ?, last_action = ?, last_active = ?, state = ?, updated_time = ?
	WHERE tenant_id = ? AND entity_type = ? AND entity_id = ? AND action_group = ? AND actor_kind = ? AND actor_id = ?
	AND last_action_id = ?`

// advance writes the id and the state of a request: with advanceStatement, or insertStatement for
// the first action. Both fail if another action of the actor has changed or inserted the row since
// it was read, even if an engine has dropped the lock: the UPDATE compares the last action id, and
// the INSERT violates the primary key. The unit is then retried.
func advance(ctx context.Context, u *uow.Unit, row *latest, r Request) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	read := row.LastActionID
	row.LastActionID, row.LastAction, row.LastActive = r.ActionID, r.Kind, r.Active
	row.State, row.UpdatedTime = after(row.State, r), u.Now()
	if read == 0 {
		err := storage.ExecDeferred(tx, insertStatement, row.TenantID, row.EntityType, row.EntityID, row.ActionGroup, row.ActorKind, row.ActorID,
			row.LastActionID, row.LastAction, row.LastActive, row.State, row.UpdatedTime)
		if storage.Is(err, storage.DuplicateKey) {
			return overtaken()
		}
		if err != nil {
			return fmt.Errorf("insert an action: %w", err)
		}
		return nil
	}
	changed, err := storage.ExecDeferredOneRow(tx, advanceStatement, row.LastActionID, row.LastAction, row.LastActive, row.State, row.UpdatedTime,
		row.TenantID, row.EntityType, row.EntityID, row.ActionGroup, row.ActorKind, row.ActorID, read)
	switch {
	case err != nil:
		return fmt.Errorf("advance an action: %w", err)
	case changed != 1:
		return overtaken()
	}
	return nil
}

// overtaken returns the error that retries the unit, because another action of the same actor was
// written first.
func overtaken() error {
	return uow.Retry(apperr.New(apperr.Unavailable, "Other actions on the same thing came in between; nothing was changed. Try again.").After(time.Second))
}

const (
	insertCounts = `INSERT INTO action_counts (tenant_id, entity_type, entity_id, shard, likes, dislikes, bookmarks)
	VALUES (?, ?, ?, ?, ?, ?, ?) `
	addCountsMySQL = insertCounts + `ON DUPLICATE KEY UPDATE
	likes = likes + ?, dislikes = dislikes + ?, bookmarks = bookmarks + ?`
	addCountsSQLite = insertCounts + `ON CONFLICT (tenant_id, entity_type, entity_id, shard) DO UPDATE SET
	likes = likes + ?, dislikes = dislikes + ?, bookmarks = bookmarks + ?`
)

// adjustCounts adds a difference to the actor's shard of a resource's counts:
//
//	INSERT INTO action_counts (…) VALUES (…) ON DUPLICATE KEY UPDATE likes = likes + ?, …
//
// Each unit locks its actor's row before one shard, so units cannot deadlock.
func (s *Service) adjustCounts(ctx context.Context, u *uow.Unit, row *latest, d Counts) error {
	if d == (Counts{}) {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	statement := addCountsMySQL
	if s.db.Dialect == storage.SQLite {
		statement = addCountsSQLite
	}
	// The engines check the constraints of the inserted values even if the row already exists, so
	// negative differences are inserted as 0. Counts without a row are 0 and are never decreased.
	err = storage.ExecDeferred(tx, statement, row.TenantID, row.EntityType, row.EntityID, shardOf(row.ActorID),
		max(d.Likes, 0), max(d.Dislikes, 0), max(d.Bookmarks, 0), d.Likes, d.Dislikes, d.Bookmarks)
	if err != nil {
		return fmt.Errorf("count an action: %w", err)
	}
	return nil
}

// countsOf returns the sums of a resource's shards.
func countsOf(db *gorm.DB, entityType string, entity int64) (Counts, error) {
	var sum Counts
	err := db.Model(&count{}).
		Select("COALESCE(SUM(likes), 0) AS likes, COALESCE(SUM(dislikes), 0) AS dislikes, COALESCE(SUM(bookmarks), 0) AS bookmarks").
		Where("entity_type = ? AND entity_id = ?", entityType, entity).Scan(&sum).Error
	if err != nil {
		return Counts{}, fmt.Errorf("count actions: %w", err)
	}
	return sum, nil
}

// ownOf returns an actor's rows for a resource, at most one per group.
func ownOf(db *gorm.DB, entityType string, entity int64, who actor) ([]latest, error) {
	var rows []latest
	err := db.Where("entity_type = ? AND entity_id = ? AND action_group IN ? AND actor_kind = ? AND actor_id = ?",
		entityType, entity, []string{Like.group(), Bookmark.group()}, who.kind, who.id).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read own actions: %w", err)
	}
	return rows, nil
}
