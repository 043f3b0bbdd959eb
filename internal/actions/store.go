package actions

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/apperr"
	"interlock/internal/principal"
	"interlock/internal/storage"
	"interlock/internal/uow"
)

// lockLatest reads the row of the caller's group and holds it until the unit ends, so
// that the actions of one actor on one thing come one after the other:
//
//	SELECT * FROM actions WHERE tenant_id = ? AND entity_type = ? AND entity_id = ?
//	   AND action_group = ? AND actor_kind = ? AND actor_id = ? FOR UPDATE
//
// A group that was never acted in has no row; it is returned with id 0.
func lockLatest(ctx context.Context, u *uow.Unit, r Request, entity int64) (*latest, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	who := actorOf(caller)
	var rows []latest
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("entity_type = ? AND entity_id = ? AND action_group = ? AND actor_kind = ? AND actor_id = ?",
			r.EntityType, entity, r.Kind.group(), who.kind, who.id).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the last action: %w", err)
	}
	if len(rows) == 0 {
		return &latest{EntityType: r.EntityType, EntityID: entity, ActionGroup: r.Kind.group(), ActorKind: who.kind, ActorID: who.id}, nil
	}
	return &rows[0], nil
}

const advanceStatement = `UPDATE actions
	SET last_action_id = ?, last_action = ?, last_active = ?, state = ?, updated_time = ?
	WHERE tenant_id = ? AND entity_type = ? AND entity_id = ? AND action_group = ? AND actor_kind = ? AND actor_id = ?
	AND last_action_id < ?`

// advance writes what a request makes of the row, its id and its state together: by
// advanceStatement, and the first action inserts the row. Of two that are first at once
// the second meets the primary key and is run again, behind the other.
func advance(ctx context.Context, u *uow.Unit, row *latest, r Request) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	first := row.LastActionID == 0
	row.LastActionID, row.LastAction, row.LastActive = r.ActionID, r.Kind, r.Active
	row.State, row.UpdatedTime = after(row.State, r), u.Now()
	if first {
		err := tx.Create(row).Error
		if storage.Is(err, storage.DuplicateKey) {
			return overtaken()
		}
		if err != nil {
			return fmt.Errorf("insert an action: %w", err)
		}
		return nil
	}
	caller, _ := principal.From(ctx)
	result := tx.Exec(advanceStatement, row.LastActionID, row.LastAction, row.LastActive, row.State, row.UpdatedTime,
		caller.TenantID, row.EntityType, row.EntityID, row.ActionGroup, row.ActorKind, row.ActorID, row.LastActionID)
	switch {
	case result.Error != nil:
		return fmt.Errorf("advance an action: %w", result.Error)
	case result.RowsAffected != 1:
		return overtaken()
	}
	return nil
}

// overtaken runs the unit again: another of the same actor was first.
func overtaken() error {
	return uow.Again(apperr.New(apperr.Unavailable, "Other actions on the same thing came in between; nothing was changed. Try again.").After(time.Second))
}

// adjustCounts adds a difference to the actor's shard of a thing's counts:
//
//	INSERT INTO action_counts (…) VALUES (…) ON DUPLICATE KEY UPDATE likes = likes + ?, …
//
// A unit locks its actor's row first and one shard after it, never the other way round,
// so units cannot wait for each other in a circle.
func adjustCounts(ctx context.Context, u *uow.Unit, row *latest, d Counts) error {
	if d == (Counts{}) {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	// The engines check the row to be inserted even if it is there already. One that
	// is not has nothing that could be taken away.
	shard := count{EntityType: row.EntityType, EntityID: row.EntityID, Shard: shardOf(row.ActorID),
		Counts: Counts{Likes: max(d.Likes, 0), Dislikes: max(d.Dislikes, 0), Bookmarks: max(d.Bookmarks, 0)}}
	err = tx.Clauses(clause.OnConflict{
		Columns: []clause.Column{{Name: "tenant_id"}, {Name: "entity_type"}, {Name: "entity_id"}, {Name: "shard"}},
		DoUpdates: clause.Assignments(map[string]any{
			"likes":     gorm.Expr("action_counts.likes + ?", d.Likes),
			"dislikes":  gorm.Expr("action_counts.dislikes + ?", d.Dislikes),
			"bookmarks": gorm.Expr("action_counts.bookmarks + ?", d.Bookmarks),
		}),
	}).Create(&shard).Error
	if err != nil {
		return fmt.Errorf("count an action: %w", err)
	}
	return nil
}

// countsOf adds up the shards of a thing.
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

// ownOf returns the rows of an actor on a thing, one a group.
func ownOf(db *gorm.DB, entityType string, entity int64, who actor) ([]latest, error) {
	var rows []latest
	err := db.Where("entity_type = ? AND entity_id = ? AND action_group IN ? AND actor_kind = ? AND actor_id = ?",
		entityType, entity, []string{Like.group(), Bookmark.group()}, who.kind, who.id).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read own actions: %w", err)
	}
	return rows, nil
}
