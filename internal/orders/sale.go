package orders

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// SaleLot contains the common properties of the orders of one batch of a flash sale.
type SaleLot struct {
	Sale int64
	SKU  string
	Name string
	// Price is the price of one unit, in minor units.
	Price int64
	// PaymentDue is the time at which a pending order is cancelled.
	PaymentDue time.Time
}

// SaleTicket is one accepted purchase. Its amount fits an int64.
type SaleTicket struct {
	Ticket string
	UserID principal.CustomerID
	Units  int64
}

// SaleOrder is the order of a ticket.
type SaleOrder struct {
	SaleTicket
	SaleID  int64
	ID      int64
	OrderNo string
	// Holder is the order's holder name in stock.
	Holder string
	// Live is false after the cancellation.
	Live        bool
	CreatedTime time.Time
}

// rowsPerStatement bounds the rows of one INSERT.
const rowsPerStatement = 200

// PlaceMany places an order for each of the tickets, which have no orders yet, and returns the
// orders in the sequence of the tickets. It reserves no stock: the caller transfers the sale's
// units to the orders' holders and writes the audit entry, in the same unit. If another unit has
// used a ticket or an order number concurrently, this unit is retried.
//
//	INSERT INTO orders (…, ticket) VALUES (…), (…) …
//	INSERT INTO order_lines … ; INSERT INTO order_histories …
func (s *Service) PlaceMany(ctx context.Context, u *uow.Unit, lot SaleLot, tickets []SaleTicket) ([]SaleOrder, error) {
	if len(tickets) == 0 {
		return nil, nil
	}
	rows := make([]Order, len(tickets))
	for i, t := range tickets {
		number, err := orderNumber(u.Now(), s.random)
		if err != nil {
			return nil, err
		}
		due := lot.PaymentDue
		rows[i] = Order{
			OrderNo: number, UserID: t.UserID, Status: pending.Code, Amount: lot.Price * t.Units, UnitsToShip: t.Units,
			SaleID: &lot.Sale, Ticket: &t.Ticket, PaymentDue: &due, PaymentTerms: Prepaid,
			Details: Details{Tags: []string{}, Metadata: map[string]string{}},
		}
	}
	err := guard.InsertMany(ctx, u, rows, rowsPerStatement)
	if storage.IsDuplicate(err, "uq_orders_ticket") || storage.IsDuplicate(err, "uq_orders_no") {
		return nil, uow.Retry(fmt.Errorf("insert orders of sale %d: %w", lot.Sale, err))
	}
	if err != nil {
		return nil, fmt.Errorf("insert orders of sale %d: %w", lot.Sale, err)
	}
	placed, err := s.withIDs(ctx, u, tickets, rows)
	if err != nil {
		return nil, err
	}
	if err := insertLinesAndHistory(ctx, u, lot, placed, rows[0]); err != nil {
		return nil, err
	}
	change.Announce(u, s.bus, Topic, "", events.Change{Action: "create", Status: pending.Name})
	return placed, nil
}

// withIDs reads the ids of inserted orders, in the order of their tickets. They cannot be derived
// from the first id, because some engines increment ids in steps:
//
//	SELECT id, ticket FROM orders WHERE tenant_id = ? AND ticket IN (…)
func (s *Service) withIDs(ctx context.Context, u *uow.Unit, tickets []SaleTicket, rows []Order) ([]SaleOrder, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(tickets))
	for i, t := range tickets {
		texts[i] = t.Ticket
	}
	var found []struct {
		ID     int64
		Ticket string
	}
	if err := tx.Model(&Order{}).Select("id, ticket").Where("ticket IN ?", texts).Find(&found).Error; err != nil {
		return nil, fmt.Errorf("read new orders: %w", err)
	}
	ids := make(map[string]int64, len(found))
	for _, row := range found {
		ids[row.Ticket] = row.ID
	}
	placed := make([]SaleOrder, len(tickets))
	for i, t := range tickets {
		order := rows[i]
		if order.ID = ids[t.Ticket]; order.ID == 0 {
			return nil, fmt.Errorf("order of ticket %s is missing after its insertion", t.Ticket)
		}
		u.AuditUnder(Topic + "/" + strconv.FormatInt(order.ID, 10))
		placed[i] = SaleOrder{SaleTicket: t, SaleID: *order.SaleID, ID: order.ID, OrderNo: order.OrderNo, Holder: order.Holder(), Live: true, CreatedTime: order.CreatedTime}
	}
	return placed, nil
}

// insertLinesAndHistory adds the lines and the first events of new orders.
func insertLinesAndHistory(ctx context.Context, u *uow.Unit, lot SaleLot, placed []SaleOrder, like Order) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	lines, history := make([]Line, len(placed)), make([]Event, len(placed))
	for i, p := range placed {
		lines[i] = Line{OrderID: p.ID, SKU: lot.SKU, Name: lot.Name, Price: lot.Price, Quantity: p.Units, ToShip: p.Units}
		detail, err := json.Marshal(map[string]any{"amount": lot.Price * p.Units, "discount": 0, "flashSaleId": lot.Sale, "ticket": p.Ticket})
		if err != nil {
			return fmt.Errorf("encode order event: %w", err)
		}
		history[i] = Event{OrderID: p.ID, Event: change.EventOf(like.Row, "create", nil, pending.Code, detail)}
	}
	if err := storage.InsertDeferred(tx, lines...); err != nil {
		return fmt.Errorf("insert order lines: %w", err)
	}
	if err := storage.InsertDeferred(tx, history...); err != nil {
		return fmt.Errorf("insert order events: %w", err)
	}
	return nil
}

// OfTickets returns the orders of the tickets of a sale, by ticket.
func (s *Service) OfTickets(ctx context.Context, sale int64, tickets []string) (map[string]SaleOrder, error) {
	made := make(map[string]SaleOrder, len(tickets))
	for part := range slices.Chunk(tickets, 500) {
		var rows []saleRow
		if err := s.saleRows(ctx, sale).Where("orders.ticket IN ?", part).Scan(&rows).Error; err != nil {
			return nil, fmt.Errorf("read orders of tickets: %w", err)
		}
		for _, row := range rows {
			made[row.Ticket] = row.order()
		}
	}
	return made, nil
}

// OfCustomers returns the orders of the customers in a sale, including cancelled orders:
//
//	SELECT … WHERE orders.tenant_id = ? AND orders.sale_id = ? AND orders.user_id IN (…)
func (s *Service) OfCustomers(ctx context.Context, sale int64, users []principal.CustomerID) ([]SaleOrder, error) {
	var found []SaleOrder
	for part := range slices.Chunk(users, 500) {
		var rows []saleRow
		if err := s.saleRows(ctx, sale).Where("orders.user_id IN ?", part).Scan(&rows).Error; err != nil {
			return nil, fmt.Errorf("read orders of customers: %w", err)
		}
		for _, row := range rows {
			found = append(found, row.order())
		}
	}
	return found, nil
}

// EachOfSale calls fn with all orders of a sale, 2000 at a time, until fn fails.
func (s *Service) EachOfSale(ctx context.Context, sale int64, fn func(part []SaleOrder) error) error {
	const perPage = 2000
	for last, more := int64(0), true; more; {
		var rows []saleRow
		err := s.saleRows(ctx, sale).Where("orders.id > ?", last).Order("orders.id").Limit(perPage).Scan(&rows).Error
		if err != nil {
			return fmt.Errorf("read orders of sale %d: %w", sale, err)
		}
		part := make([]SaleOrder, len(rows))
		for i, row := range rows {
			part[i], last = row.order(), row.ID
		}
		more = len(rows) == perPage
		if len(part) > 0 {
			if err := fn(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// SaleOrdersOf returns a customer's orders of flash sales with an id below before, the latest first, at
// most limit. Its index has sale_id, so that it reads no row of another order:
//
//	SELECT … FROM orders JOIN order_lines ON …
//	 WHERE orders.tenant_id = ? AND orders.user_id = ? AND orders.sale_id IS NOT NULL AND orders.id < ? ORDER BY orders.id DESC LIMIT ?
func (s *Service) SaleOrdersOf(ctx context.Context, user principal.CustomerID, before int64, limit int) ([]SaleOrder, error) {
	var rows []saleRow
	err := s.ofSales(ctx).Where("orders.user_id = ? AND orders.sale_id IS NOT NULL AND orders.id < ?", user, before).
		Order("orders.id DESC").Limit(limit).Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the flash-sale orders of a customer: %w", err)
	}
	found := make([]SaleOrder, len(rows))
	for i, row := range rows {
		found[i] = row.order()
	}
	return found, nil
}

// CountSaleOrdersOf counts a customer's orders of flash sales; see storage.Count.
func (s *Service) CountSaleOrdersOf(ctx context.Context, user principal.CustomerID) (storage.Count, error) {
	count, err := storage.CountUpTo[Order](s.db.Read(ctx).Where("user_id = ? AND sale_id IS NOT NULL", user))
	if err != nil {
		return count, fmt.Errorf("count the flash-sale orders of a customer: %w", err)
	}
	return count, nil
}

// saleRows reads the orders of a sale with the units of their only line:
//
//	SELECT … FROM orders JOIN order_lines ON … WHERE orders.tenant_id = ? AND orders.sale_id = ?
func (s *Service) saleRows(ctx context.Context, sale int64) *gorm.DB {
	return s.ofSales(ctx).Where("orders.sale_id = ?", sale)
}

func (s *Service) ofSales(ctx context.Context) *gorm.DB {
	return s.db.Read(ctx).Model(&Order{}).
		Select("orders.id, orders.order_no, orders.user_id, orders.status, orders.sale_id, orders.ticket, orders.created_time, order_lines.quantity").
		Joins("JOIN order_lines ON order_lines.tenant_id = orders.tenant_id AND order_lines.order_id = orders.id")
}

type saleRow struct {
	ID          int64
	SaleID      int64
	OrderNo     string
	UserID      principal.CustomerID
	Status      int
	Ticket      string
	CreatedTime time.Time
	Quantity    int64
}

func (r saleRow) order() SaleOrder {
	order := Order{}
	order.ID = r.ID
	return SaleOrder{
		SaleTicket: SaleTicket{Ticket: r.Ticket, UserID: r.UserID, Units: r.Quantity}, SaleID: r.SaleID, ID: r.ID, OrderNo: r.OrderNo,
		Holder: order.Holder(), Live: r.Status != cancelled.Code, CreatedTime: r.CreatedTime,
	}
}
