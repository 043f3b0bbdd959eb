package customers

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
)

// Customer sums up the orders of a customer. Amounts are in minor units.
type Customer struct {
	UserID principal.CustomerID
	// Email is that of the latest order, "" for none.
	Email string
	// Orders is the number of orders, including cancelled ones. More is set if there are more than that,
	// which is then storage.Bound.
	Orders int64
	More   bool
	// Spent is the sum of the payments without the settled refunds; undefined with More.
	Spent         int64
	LastOrderTime time.Time
	// Balance is the balance of the wallet, 0 without one.
	Balance int64
}

// sorts are the orders of the list of customers. The latest order has the highest id.
var sorts = storage.Sorts{
	Columns: map[string]string{"lastOrderTime": "id", byUser: "user_id"},
	Default: "-lastOrderTime",
}

const byUser = "userId"

// orderRow is the part of an order that the list reads.
type orderRow struct {
	ID          int64
	TenantID    int64
	UserID      principal.CustomerID
	Email       string
	CreatedTime time.Time
}

// TableName implements gorm's Tabler.
func (orderRow) TableName() string { return "orders" }

// isLatest selects the latest order of each user. The ORDER BY makes both engines read only the last
// entry of the user in the index.
const isLatest = `orders.id = (SELECT l.id FROM orders l WHERE l.tenant_id = orders.tenant_id AND l.user_id = orders.user_id
	ORDER BY l.tenant_id DESC, l.user_id DESC, l.id DESC LIMIT 1)`

// List returns one page of the customers that have orders, with ids that start with prefix. It reads
// one snapshot.
func (s *Service) List(ctx context.Context, prefix string, page storage.Page) (listing storage.Listing[Customer], err error) {
	var within storage.Filter
	switch {
	case strings.ContainsFunc(prefix, func(r rune) bool { return r > unicode.MaxASCII }):
		return storage.Listing[Customer]{TotalIsExact: true}, nil
	case prefix != "":
		// No character of an id is greater than the last one of ASCII, the only character set of the column.
		within = storage.Between("user_id", prefix, prefix+string(unicode.MaxASCII)).CountedBy("ix_orders_user")
	}
	err = s.db.Snapshot(ctx, func(db *gorm.DB) error {
		latest, err := listLatest(db, page, within)
		if err != nil {
			return fmt.Errorf("list customers: %w", err)
		}
		listing = storage.Listing[Customer]{Next: latest.Next, Total: latest.Total, TotalIsExact: latest.TotalIsExact}
		for _, row := range latest.Rows {
			listing.Rows = append(listing.Rows, Customer{UserID: row.UserID})
		}
		return sumUp(ctx, db, listing.Rows)
	})
	return listing, err
}

// listLatest returns one page with one order for each user.
func listLatest(db *gorm.DB, page storage.Page, within storage.Filter) (latest storage.Listing[orderRow], err error) {
	exact := page.Exact
	page.Exact = false
	if strings.TrimPrefix(page.Sort, "-") == byUser {
		latest, err = storage.ListDistinct[orderRow](db, page, sorts, within)
	} else {
		latest, err = storage.List[orderRow](db, page, sorts, within, storage.Examined(isLatest))
	}
	if err == nil && exact {
		latest.TotalIsExact = true
		err = storage.Apply(db.Model(&orderRow{}), within).Distinct("user_id").Count(&latest.Total).Error
	}
	return latest, err
}

// sumUp reads the sums of customers, the facts of their latest orders, and their balances:
//
//	SELECT COUNT(*), SUM(paid - refunded), (SELECT MAX(id) FROM orders WHERE tenant_id = ? AND user_id = ?)
//	  FROM (SELECT paid, refunded FROM orders WHERE tenant_id = ? AND user_id = ? LIMIT 10001) AS o
//	UNION ALL …
//	SELECT … FROM orders WHERE tenant_id = ? AND id IN (…)
//	SELECT user_id, balance FROM wallets WHERE tenant_id = ? AND user_id IN (…)
func sumUp(ctx context.Context, db *gorm.DB, customers []Customer) error {
	if len(customers) == 0 {
		return nil
	}
	tenant, _ := principal.From(ctx)
	users, rows := make([]principal.CustomerID, len(customers)), make(map[principal.CustomerID]*Customer, len(customers))
	selects, values := make([]string, len(customers)), []any{}
	for i := range customers {
		user := customers[i].UserID
		users[i], rows[user] = user, &customers[i]
		selects[i] = fmt.Sprintf(`SELECT %d AS row_no, COUNT(*) AS orders, SUM(paid - refunded) AS spent, (SELECT MAX(id) FROM orders WHERE tenant_id = ? AND user_id = ?) AS latest
			FROM (SELECT paid, refunded FROM orders WHERE tenant_id = ? AND user_id = ? LIMIT ?) AS o`, i)
		values = append(values, tenant.TenantID, user, tenant.TenantID, user, storage.Bound+1)
	}
	var sums []struct{ RowNo, Orders, Spent, Latest int64 }
	if err := db.Raw(strings.Join(selects, " UNION ALL "), values...).Scan(&sums).Error; err != nil {
		return fmt.Errorf("sum up the orders of customers: %w", err)
	}
	latest := make([]int64, len(sums))
	for i, sum := range sums {
		c := &customers[sum.RowNo]
		c.Orders, c.More, c.Spent, latest[i] = min(sum.Orders, storage.Bound), sum.Orders > storage.Bound, sum.Spent, sum.Latest
	}
	var orders []orderRow
	if err := db.Where("id IN ?", latest).Find(&orders).Error; err != nil {
		return fmt.Errorf("read the latest orders of customers: %w", err)
	}
	for _, order := range orders {
		rows[order.UserID].Email, rows[order.UserID].LastOrderTime = order.Email, order.CreatedTime
	}
	var balances []struct {
		UserID  principal.CustomerID
		Balance int64
	}
	if err := db.Raw("SELECT user_id, balance FROM wallets WHERE tenant_id = ? AND user_id IN ?", tenant.TenantID, users).Scan(&balances).Error; err != nil {
		return fmt.Errorf("read the balances of customers: %w", err)
	}
	for _, wallet := range balances {
		rows[wallet.UserID].Balance = wallet.Balance
	}
	return nil
}
