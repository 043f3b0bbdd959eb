package menus

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// menuRevision counts the changes of a tenant's tree of menus. A version guards one row, but the
// rules of the tree concern several: no cycle, no menu below a deleted one, the number of levels
// and of menus. Every unit that adds, moves or deletes a menu therefore increments this row first;
// of two concurrent units the second waits or is retried.
//
// It is separate from access_revisions, because incrementing that row makes every process read
// all its callers again, and menus do not change permissions.
type menuRevision struct {
	TenantID int64 `gorm:"primaryKey;autoIncrement:false"`
	Version  int64
}

// TableName implements gorm's Tabler.
func (menuRevision) TableName() string { return "menu_revisions" }

// bumpMenus increments the revision of the tenant's menus and then reads them:
//
//	INSERT INTO menu_revisions (tenant_id, version) VALUES (?, 1)
//	  ON DUPLICATE KEY UPDATE version = menu_revisions.version + 1
//
// Until the unit ends, no other unit can change the tree. All units lock the revision before the
// menu's row; edits, which move nothing, lock only the menu. The first change in a tenant inserts
// the row, because a tenant from a release without menus has none.
func bumpMenus(ctx context.Context, u *uow.Unit) (*menuTree, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	err = tx.Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "tenant_id"}},
		DoUpdates: clause.Assignments(map[string]any{"version": gorm.Expr("menu_revisions.version + 1")}),
	}).Create(&menuRevision{TenantID: caller.TenantID, Version: 1}).Error
	if err != nil {
		return nil, fmt.Errorf("raise the revision of the tenant's menus: %w", err)
	}
	return readMenus(tx)
}

// readMenus reads all menus of the tenant of db's context; they are at most maxMenus.
func readMenus(db *gorm.DB) (*menuTree, error) {
	var rows []Menu
	if err := db.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the menus: %w", err)
	}
	return newMenuTree(rows), nil
}

// findMenu reads a menu by its id and computes its position. Errors: gorm.ErrRecordNotFound.
func findMenu(db *gorm.DB, id int64) (*Menu, error) {
	var m Menu
	if err := db.Where("id = ?", id).Take(&m).Error; err != nil {
		return nil, err
	}
	// The caller's query may lock the menu; its siblings must not be locked.
	before := db.Session(&gorm.Session{NewDB: true}).Model(&Menu{}).
		Where("parent_id = ? AND (sort_key < ? OR sort_key = ? AND id < ?)", m.ParentID, m.SortKey, m.SortKey, m.ID)
	var count int64
	if err := before.Count(&count).Error; err != nil {
		return nil, fmt.Errorf("count the menus before one: %w", err)
	}
	m.Position = int(count)
	return &m, nil
}

// place sets a menu's sort key for its position below its parent, in a unit that has incremented
// the revision. If no key is free between its siblings, it renumbers them:
//
//	UPDATE menus SET sort_key = ? WHERE tenant_id = ? AND id = ?
//	UPDATE menu_histories SET sort_key = ? WHERE tenant_id = ? AND menu_id = ? AND parent_id = ? AND sort_key = ?
//
// Neither the order nor any visible member changes, so the versions do not change either. Past
// versions with the same parent and key receive the new key too.
func (t *menuTree) place(ctx context.Context, u *uow.Unit, m *Menu) error {
	key, room := t.keyAt(m, m.ParentID, m.Position)
	if room {
		m.SortKey = key
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i, sibling := range t.below[m.ParentID] {
		had := sibling.SortKey
		sibling.SortKey = int64(i+1) * sortGap
		const row = "UPDATE menus SET sort_key = ? WHERE tenant_id = ? AND id = ?"
		const versions = "UPDATE menu_histories SET sort_key = ? WHERE tenant_id = ? AND menu_id = ? AND parent_id = ? AND sort_key = ?"
		err := tx.Exec(row, sibling.SortKey, sibling.TenantID, sibling.ID).Error
		if err == nil {
			err = tx.Exec(versions, sibling.SortKey, sibling.TenantID, sibling.ID, sibling.ParentID, had).Error
		}
		if err != nil {
			return fmt.Errorf("number the menus below one again: %w", err)
		}
	}
	m.SortKey, _ = t.keyAt(m, m.ParentID, m.Position)
	return nil
}

// insertMenu adds a menu and its first version.
func insertMenu(ctx context.Context, u *uow.Unit, m *Menu) error {
	if err := guard.Insert(ctx, u, m); err != nil {
		return fmt.Errorf("insert the menu: %w", err)
	}
	return insertMenuVersion(ctx, u, m, "create")
}

// insertMenuVersion inserts the history row of the menu's current version.
func insertMenuVersion(ctx context.Context, u *uow.Unit, m *Menu, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := tx.Create(menuVersionOf(m, action)).Error; err != nil {
		return fmt.Errorf("insert the version of a menu: %w", err)
	}
	return nil
}
