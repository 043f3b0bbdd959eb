// Package demo loads realistic data into a tenant: configs, proposed and scheduled changes, items
// with stock, wallets, orders in every status, payments, refunds, returns, work orders, campaigns and coupons, an open
// flash sale, and shelves with scanned events.
//
// Each record is created by its domain in a separate unit of work, with history and audit entries.
// A second or interrupted load is safe: existing records remain and missing ones are added. Records
// are identified by their names; orders by their buyers, with ids that only the demo uses.
package demo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"interlock/internal/aggregates"
	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/config"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/flashsale"
	"interlock/internal/inventory"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/internal/wallets"
	"interlock/internal/workorders"
)

// Size is the number of records. Coupons are issued per campaign; the first buyers have the
// wallets.
type Size struct{ Configs, Items, Wallets, Orders, Coupons, Shelves int }

// Full is the size of `admin demo`: at most 200 configs and 50 items have names.
var Full = Size{Configs: 200, Items: 50, Wallets: 100, Orders: 5000, Coupons: 60, Shelves: 12}

// firstBuyer is the number of the first order's customer; the others follow.
const firstBuyer = 880_000_000

// buyer returns the customer of a demo order. Shops identify customers differently, so the ids are
// numbers, texts and addresses in turn.
func buyer(i int) principal.CustomerID {
	number := strconv.Itoa(firstBuyer + i)
	switch i % 3 {
	case 1:
		number = "user-" + number
	case 2:
		number = "buyer+" + number + "@example.com"
	}
	return principal.CustomerID(number)
}

// Progress receives the total of each part, and a step for each record.
type Progress interface {
	Begin(part string, total int)
	Step()
}

// Loader loads the demo data of one tenant. The contexts that its methods receive act in that
// tenant.
type Loader struct {
	Size       Size
	Runner     *uow.Runner
	Clock      clock.Clock
	Configs    *config.Service
	Catalog    *catalog.Service
	Inventory  *inventory.Service
	Wallets    *wallets.Service
	Ledger     *aggregates.Service
	Orders     *orders.Service
	Refunds    *refunds.Service
	Returns    *returns.Service
	WorkOrders *workorders.Service
	Coupons    *coupons.Service
	Sales      *flashsale.Service
	Approvals  *approvals.Service
	Progress   Progress
	// Planner is the user that schedules changes; without one nothing is scheduled.
	Planner principal.Person
	// date is the clock of the Runner during a load; nil before.
	date *date
}

// FirstUsed returns the first of the demo's tables with a row of the tenant; "" if the tenant is
// empty.
func FirstUsed(ctx context.Context, db *storage.DB) (string, error) {
	for _, model := range []any{
		&orders.Order{}, &config.Config{}, &catalog.Item{}, &wallets.Wallet{}, &coupons.Campaign{}, &workorders.WorkOrder{}, &flashsale.Sale{}, &aggregates.Aggregate{},
	} {
		var found []int64
		query := db.Read(ctx).Model(model).Limit(1).Pluck("tenant_id", &found)
		if query.Error != nil {
			return "", fmt.Errorf("find rows of the tenant: %w", query.Error)
		}
		if len(found) > 0 {
			return query.Statement.Table, nil
		}
	}
	return "", nil
}

// Load creates the missing demo data of the tenant. The shop opened a fortnight ago: its items,
// stock and wallets are from then, and its orders from the days since.
func (l *Loader) Load(ctx context.Context) error {
	shop := *l
	shop.date = &date{Clock: l.Clock}
	shop.Runner = l.Runner.WithClock(shop.date)
	for _, part := range []struct {
		ago  time.Duration
		load func(context.Context) error
	}{
		{0, shop.loadConfigs}, {0, shop.loadProposals},
		{fortnight, shop.loadItems}, {fortnight, shop.loadStock}, {fortnight, shop.loadWallets},
		{0, shop.loadCampaigns}, {fortnight, shop.loadOrders}, {0, shop.loadPayments}, {0, shop.loadRefunds}, {0, shop.loadReturns}, {0, shop.loadWorkOrders},
		{0, shop.loadSale}, {0, shop.loadScheduled}, {0, shop.loadShelves},
	} {
		shop.date.ago = part.ago
		if err := part.load(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *Loader) loadConfigs(ctx context.Context) error {
	l.Progress.Begin("configs", l.Size.Configs)
	for i := range l.Size.Configs {
		key, content := configNumber(i)
		err := l.unlessThere(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := l.Configs.Create(ctx, u, key, content)
			return err
		})
		if err != nil {
			return fmt.Errorf("load config %q: %w", key, err)
		}
	}
	return nil
}

// loadProposals proposes changes of the protected configs, unless they were changed since. A
// waiting proposal is not repeated.
func (l *Loader) loadProposals(ctx context.Context) error {
	l.Progress.Begin("proposals", len(proposals))
	for _, i := range slices.Sorted(maps.Keys(proposals)) {
		key, _ := configNumber(i)
		patch, err := merge.Parse([]byte(proposals[i]))
		if err != nil {
			return err
		}
		err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			row, err := l.Configs.Get(ctx, key)
			if err != nil || row.Version != 1 {
				return err
			}
			_, err = l.Configs.Edit(ctx, u, row, change.Edit{IfMatch: guard.Precondition{Ref: row.Ref()}, Patch: patch})
			return err
		})
		if err != nil && !apperr.Has(err, apperr.NotFound) {
			return fmt.Errorf("propose a change of config %q: %w", key, err)
		}
		l.Progress.Step()
	}
	return nil
}

func (l *Loader) loadItems(ctx context.Context) error {
	l.Progress.Begin("items", l.Size.Items)
	for i := range l.Size.Items {
		sku, content := itemNumber(i)
		err := l.unlessThere(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := l.Catalog.Create(ctx, u, sku, content)
			return err
		})
		if err != nil {
			return fmt.Errorf("load item %q: %w", sku, err)
		}
	}
	return nil
}

// opening is the reference of the first entry of each item and wallet.
const opening = "demo-opening"

// loadStock adds more stock than the demo's orders need.
func (l *Loader) loadStock(ctx context.Context) error {
	l.Progress.Begin("stock", l.Size.Items)
	for i := range l.Size.Items {
		sku, _ := itemNumber(i)
		units := int64(2000 + 37*i)
		err := l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			_, _, err := l.Inventory.Adjust(ctx, u, sku, inventory.Adjustment{Delta: &units, Reason: "Opening stock", Reference: opening}, lockTimeout)
			return err
		})
		if err != nil {
			return fmt.Errorf("load stock of %q: %w", sku, err)
		}
		l.Progress.Step()
	}
	return nil
}

// lockTimeout is the wait for a lock of a running server.
const lockTimeout = 10 * time.Second

// loadWallets adds money to the wallets of the first buyers.
func (l *Loader) loadWallets(ctx context.Context) error {
	l.Progress.Begin("wallets", l.Size.Wallets)
	for i := range l.Size.Wallets {
		user := buyer(i)
		err := l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			topUp := wallets.Posting{UserID: user, Amount: int64(200_000 + 2_500*i), Kind: "topup", Reference: opening}
			_, _, err := l.Wallets.Enter(ctx, u, topUp, lockTimeout)
			return err
		})
		if err != nil {
			return fmt.Errorf("load the wallet of user %s: %w", user, err)
		}
		l.Progress.Step()
	}
	return nil
}

// loadShelves appends scanned events to the shelves of a warehouse. The sequences of a scanner are
// the same in each run, so a second run finds them recorded.
func (l *Loader) loadShelves(ctx context.Context) error {
	l.Progress.Begin("shelves", l.Size.Shelves)
	for i := range l.Size.Shelves {
		for _, write := range shelfNumber(i) {
			err := l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := l.Ledger.Append(ctx, u, write, lockTimeout)
				return err
			})
			if err != nil && !apperr.Has(err, apperr.IdempotencyViolation) {
				return fmt.Errorf("load the shelf %s: %w", write.Name, err)
			}
		}
		l.Progress.Step()
	}
	return nil
}

// unlessThere runs a creation in a unit of work and ignores that the record already exists.
func (l *Loader) unlessThere(ctx context.Context, create uow.Func) error {
	err := l.Runner.Do(ctx, create)
	if err != nil && !apperr.Has(err, apperr.AlreadyExists) {
		return err
	}
	l.Progress.Step()
	return nil
}

func (l *Loader) loadCampaigns(ctx context.Context) error {
	terms := campaigns(l.Clock.Now())
	l.Progress.Begin("campaigns", len(terms))
	for _, t := range terms {
		campaign, err := l.campaignNamed(ctx, t.Name)
		if err != nil {
			return err
		}
		err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			if campaign != nil {
				return nil
			}
			_, err := l.Coupons.Start(ctx, u, t)
			return err
		})
		if err != nil {
			return fmt.Errorf("load campaign %q: %w", t.Name, err)
		}
		if campaign, err = l.campaignNamed(ctx, t.Name); err != nil {
			return err
		}
		if err := l.issue(ctx, campaign); err != nil {
			return fmt.Errorf("issue coupons of %q: %w", t.Name, err)
		}
		l.Progress.Step()
	}
	return nil
}

func (l *Loader) campaignNamed(ctx context.Context, name string) (*coupons.Campaign, error) {
	listing, err := l.Coupons.Campaigns(ctx, name, storage.Page{Limit: storage.MaxLimit})
	if err != nil {
		return nil, fmt.Errorf("find campaign %q: %w", name, err)
	}
	for i := range listing.Rows {
		if listing.Rows[i].Name == name {
			return &listing.Rows[i], nil
		}
	}
	return nil, nil
}

func (l *Loader) issue(ctx context.Context, campaign *coupons.Campaign) error {
	missing := l.Size.Coupons - int(campaign.Issued)
	if missing <= 0 {
		return nil
	}
	return l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, err := l.Coupons.Issue(ctx, u, campaign, nil, missing)
		return err
	})
}

// loadSale plans a flash sale and opens it. A closed sale remains closed.
func (l *Loader) loadSale(ctx context.Context) error {
	l.Progress.Begin("flash sale", 1)
	terms := saleTerms(l.Clock.Now())
	sale, err := l.saleNamed(ctx, terms.Name)
	if err != nil {
		return err
	}
	if sale == nil {
		err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			sale, err = l.Sales.Plan(ctx, u, terms)
			return err
		})
		if err != nil {
			return fmt.Errorf("plan flash sale %q: %w", terms.Name, err)
		}
	}
	err = l.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, err := l.Sales.Transition(ctx, u, sale, "open", nil)
		return err
	})
	if err != nil && !apperr.Has(err, apperr.TransitionNotAllowed) {
		return fmt.Errorf("open flash sale %q: %w", terms.Name, err)
	}
	l.Progress.Step()
	return nil
}

func (l *Loader) saleNamed(ctx context.Context, name string) (*flashsale.Sale, error) {
	listing, err := l.Sales.Sales(ctx, flashsale.Filter{Search: name}, storage.Page{Limit: storage.MaxLimit})
	if err != nil {
		return nil, fmt.Errorf("find flash sale %q: %w", name, err)
	}
	for i := range listing.Rows {
		if listing.Rows[i].Name == name {
			return &listing.Rows[i], nil
		}
	}
	return nil, nil
}

// saleTerms returns the terms of a sale of the first item, for a week at half its price.
func saleTerms(now time.Time) flashsale.Terms {
	sku, item := itemNumber(0)
	return flashsale.Terms{
		Name: "Half-price harvest", SKU: sku, Price: item.Price / 2, Quantity: 500, PerUserLimit: 2,
		StartsTime: now.Truncate(time.Hour), EndsTime: now.Truncate(time.Hour).Add(7 * 24 * time.Hour),
	}
}

func campaigns(now time.Time) []coupons.Terms {
	day := 24 * time.Hour
	from := now.Truncate(day)
	return []coupons.Terms{
		{Name: "Welcome", Kind: coupons.FixedAmount, Value: 500, MinimumAmount: 3000, Total: 5000, PerUser: 1, ValidFrom: from.Add(-30 * day), ValidTo: from.Add(335 * day)},
		{Name: "11.11 tea week", Kind: coupons.Percent, Value: 15, MinimumAmount: 5000, Total: 2000, PerUser: 2, ValidFrom: from.Add(-10 * day), ValidTo: from.Add(20 * day)},
		{Name: "Winter porcelain", Kind: coupons.Percent, Value: 10, Total: 1000, PerUser: 1, ValidFrom: from.Add(10 * day), ValidTo: from.Add(70 * day)},
		{Name: "Last hours of autumn", Kind: coupons.FixedAmount, Value: 1000, MinimumAmount: 8000, Total: 500, PerUser: 1, ValidFrom: from.Add(-60 * day), ValidTo: now.Truncate(time.Hour).Add(3 * time.Hour)},
	}
}
