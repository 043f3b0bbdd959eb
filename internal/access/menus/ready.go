package menus

import (
	"context"
	"fmt"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/module"
)

// menuGroups are the groups of the navigation, in their order.
var menuGroups = []module.Group{module.Operate, module.Sell, module.Govern, module.Inspect}

// dashboardPage is the first page; it belongs to no domain.
var dashboardPage = module.Page{Group: module.Operate, Path: "/"}

// pagesOf returns the declared pages of a group. They have no title in a new tenant, so that the
// admin displays a page's name in the reader's language. A release that adds a page needs a
// migration that adds it to the menus of existing tenants.
func (s *Service) pagesOf(group module.Group) (pages []module.Page) {
	for _, page := range s.pages {
		if page.Group == group {
			pages = append(pages, page)
		}
	}
	return pages
}

// InsertReady adds the ready-made menus to a new tenant.
func (s *Service) InsertReady(ctx context.Context, u *uow.Unit) error {
	var groups, pages []Menu
	for i, group := range menuGroups {
		groups = append(groups, Menu{SortKey: int64(i+1) * sortGap, MenuTerms: MenuTerms{Title: string(group)}})
	}
	if err := guard.InsertMany(ctx, u, groups, len(groups)); err != nil {
		return fmt.Errorf("insert the tenant's groups of menus: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	// The ids are read, because some databases increment by more than one.
	tree, err := readMenus(tx)
	if err != nil {
		return err
	}
	for i, group := range tree.below[0] {
		for j, page := range s.pagesOf(menuGroups[i]) {
			pages = append(pages, Menu{ParentID: group.ID, SortKey: int64(j+1) * sortGap, MenuTerms: MenuTerms{Path: page.Path, Permission: page.Permission}})
		}
	}
	if err := guard.InsertMany(ctx, u, pages, len(pages)); err != nil {
		return fmt.Errorf("insert the tenant's menus: %w", err)
	}
	if tree, err = readMenus(tx); err != nil {
		return err
	}
	versions := make([]*MenuVersion, len(tree.drawn))
	for i, m := range tree.drawn {
		versions[i] = menuVersionOf(m, "create")
	}
	if err := tx.Create(versions).Error; err != nil {
		return fmt.Errorf("insert the versions of the tenant's menus: %w", err)
	}
	return nil
}
