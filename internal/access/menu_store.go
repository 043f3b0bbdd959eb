package access

import (
	"context"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// menuRevision counts the changes of a tenant's tree of menus. A version guards one row, and
// the rules of a tree look at several: that it has no circle, that nothing is below a menu
// that is deleted, how deep and how many. So every unit that adds, moves or deletes a menu
// raises this row first, and of two the second waits, or is run again.
//
// It is no part of access_revisions: raising that makes every process ask anew what all of
// its callers may do, which no menu changes.
type menuRevision struct {
	TenantID int64 `gorm:"primaryKey;autoIncrement:false"`
	Version  int64
}

// TableName implements gorm's Tabler.
func (menuRevision) TableName() string { return "menu_revisions" }

// raiseMenus raises the revision of the tenant's menus and then reads them:
//
//	INSERT INTO menu_revisions (tenant_id, version) VALUES (?, 1)
//	  ON DUPLICATE KEY UPDATE version = menu_revisions.version + 1
//
// Where they stand nobody else changes before the unit has ended. It comes before the
// guarded write of a menu, so that all units take the two in one order; edits, which move
// nothing, take the menu alone. The first change in a tenant makes the row: a tenant that
// was created by a release without menus has none.
func raiseMenus(ctx context.Context, u *uow.Unit) (*menuTree, error) {
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

// readMenus reads all menus of the tenant of db's context; there are few.
func readMenus(db *gorm.DB) (*menuTree, error) {
	var rows []Menu
	if err := db.Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the menus: %w", err)
	}
	return newMenuTree(rows), nil
}

// findMenu reads the menu with an id, and counts where it stands. Errors:
// gorm.ErrRecordNotFound.
func findMenu(db *gorm.DB, id int64) (*Menu, error) {
	var m Menu
	if err := db.Where("id = ?", id).Take(&m).Error; err != nil {
		return nil, err
	}
	// The chain that found the menu may lock it, and its siblings are not to be locked.
	before := db.Session(&gorm.Session{NewDB: true}).Model(&Menu{}).
		Where("parent_id = ? AND (sort_key < ? OR sort_key = ? AND id < ?)", m.ParentID, m.SortKey, m.SortKey, m.ID)
	var count int64
	if err := before.Count(&count).Error; err != nil {
		return nil, fmt.Errorf("count the menus before one: %w", err)
	}
	m.Position = int(count)
	return &m, nil
}

// place gives a menu the key of its position below its parent, in a unit that has raised the
// revision. Where no number is left between its siblings there, they are numbered again:
//
//	UPDATE menus SET sort_key = ? WHERE tenant_id = ? AND id = ?
//	UPDATE menu_histories SET sort_key = ? WHERE tenant_id = ? AND menu_id = ? AND parent_id = ? AND sort_key = ?
//
// Their order stays, and with it all that can be read of them, so their versions do too; and
// those versions in which they stood where they stand now go on standing there.
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

// insertMenuVersion writes the history row of the version that the menu has now.
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
