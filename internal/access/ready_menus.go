package access

import (
	"context"
	"fmt"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// readyMenus are the menus of a new tenant: the pages of the admin in their groups. A page has no
// title, so that the admin displays the page's name in the reader's language; the admin translates
// the titles of these groups. A release that adds a page needs a migration that adds it to the menus
// of existing tenants.
var readyMenus = []struct {
	group string
	pages []readyPage
}{
	{"Operate", []readyPage{
		{"/", ""}, {"/orders", "orders:read"}, {"/refunds", "refunds:read"}, {"/work-orders", "work-orders:read"}, {"/approvals", "approvals:read"},
	}},
	{"Sell", []readyPage{
		{"/items", "items:read"}, {"/inventory", "inventory:read"}, {"/coupons", "coupons:read"}, {"/coupon-campaigns", "coupons:read"},
		{"/flash-sales", "flash-sales:read"}, {"/wallets", "wallets:read"},
	}},
	{"Govern", []readyPage{
		{"/configs", "configs:read"}, {"/users", "users:read"}, {"/roles", "access:read"}, {"/menus", "menus:read"}, {"/tokens", "tokens:read"},
		{"/settings", "settings:read"}, {"/audit-log", "audit:read"},
	}},
	{"Inspect", []readyPage{{"/idempotency-keys", "idempotency-keys:read"}, {"/aggregates", "ledger:read"}, {"/system", "queues:read"}, {"/promises", "promises:read"}}},
}

// readyPage is a page and the permission that it requires.
type readyPage struct{ path, permission string }

// insertMenus adds the ready-made menus to a new tenant.
func insertMenus(ctx context.Context, u *uow.Unit) error {
	var groups, pages []Menu
	for i, ready := range readyMenus {
		groups = append(groups, Menu{SortKey: int64(i+1) * sortGap, MenuTerms: MenuTerms{Title: ready.group}})
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
		for j, page := range readyMenus[i].pages {
			pages = append(pages, Menu{ParentID: group.ID, SortKey: int64(j+1) * sortGap, MenuTerms: MenuTerms{Path: page.path, Permission: page.permission}})
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
