package returns

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/module"
	"interlock/internal/orders"
	"interlock/internal/refunds"
)

// Topic announces changes of returns, keyed by id.
const Topic = "returns"

// lockWait bounds the wait of a receipt for the locks of the stock.
const lockWait = 3 * time.Second

// Deps are the dependencies of a Service.
type Deps struct {
	DB      *storage.DB
	Bus     events.Bus
	Orders  *orders.Service
	Refunds *refunds.Service
	Stock   *inventory.Service
}

// Service implements the use cases of returns. It is safe for concurrent use.
type Service struct {
	flow    module.Flow[Return, *Return, Event]
	orders  *orders.Service
	refunds *refunds.Service
	stock   *inventory.Service
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{orders: d.Orders, refunds: d.Refunds, stock: d.Stock, flow: module.Flow[Return, *Return, Event]{
		DB: d.DB, Bus: d.Bus, Topic: Topic, Kind: "return", Find: find, Owner: "return_id",
		View:  func(_ context.Context, r *Return) any { return viewOf(*r) },
		Event: func(id int64, e change.Event) Event { return Event{ReturnID: id, Event: e} },
	}}
}

// Return returns a return with its lines. Errors: NotFound.
func (s *Service) Return(ctx context.Context, id int64) (*Return, error) { return s.flow.One(ctx, id) }

// CountOf returns the number of returns of an order.
func (s *Service) CountOf(ctx context.Context, order int64) (n int64, err error) {
	if err := s.flow.DB.Read(ctx).Model(&Return{}).Where("order_id = ?", order).Count(&n).Error; err != nil {
		return 0, fmt.Errorf("count the returns of an order: %w", err)
	}
	return n, nil
}

// LineRequest is the number of units of an order's line to return.
type LineRequest struct {
	// The number of the line in its order, from 1.
	LineID   int64 `json:"lineId" validate:"min=1"`
	Quantity int64 `json:"quantity" validate:"min=1"`
}

// Request is a request for a return. Each line is named once.
type Request struct {
	Lines  []LineRequest `json:"lines" validate:"min=1,max=100,dive"`
	Reason string        `json:"reason" validate:"required,max=500"`
}

// Request inserts a return of an order that the caller may read.
//
// Errors: ValidationFailed at /lines/i/lineId for a line that is not in the order or is named twice,
// and at /lines/i/quantity for more units than were shipped and are in no other return or refund;
// lock.ErrNotAcquired.
func (s *Service) Request(ctx context.Context, u *uow.Unit, order *orders.Order, r Request) (*Return, error) {
	ctx, err := s.orders.LockMoney(ctx, u, order.ID)
	if err != nil {
		return nil, err
	}
	seen, err := s.orders.InUnit(ctx, u, order.ID)
	if err != nil {
		return nil, err
	}
	row := &Return{OrderID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Status: requested.Code, Reason: r.Reason}
	if err := s.addLines(ctx, u, row, seen, r.Lines); err != nil {
		return nil, err
	}
	if err := s.flow.Create(ctx, u, row, r); err != nil {
		return nil, err
	}
	if err := insertLines(ctx, u, row); err != nil {
		return nil, err
	}
	moves := row.moves(func(line Line) orders.GoodsMove { return orders.GoodsMove{InReturns: line.Quantity} })
	return row, s.orders.MoveGoods(ctx, u, seen, orders.ReturnRequested, moves, detailOf(row))
}

// addLines adds the requested lines to a return, as the order has them in the unit.
func (s *Service) addLines(ctx context.Context, u *uow.Unit, row *Return, seen *orders.Order, requests []LineRequest) error {
	refunded, err := s.refunds.ReturnedGoods(ctx, u, seen.ID)
	if err != nil {
		return err
	}
	var violations apperr.Fields
	named := map[int64]bool{}
	for i, request := range requests {
		if request.LineID > int64(len(seen.Lines)) || named[request.LineID] {
			violations.Check(false, fmt.Sprintf("/lines/%d/lineId", i), "not_in_order", "names no line of the order, or one that is named before")
			continue
		}
		named[request.LineID] = true
		line := seen.Lines[request.LineID-1]
		left := line.Shipped - line.InReturns - refunded[line.SKU]
		violations.Check(request.Quantity <= left, fmt.Sprintf("/lines/%d/quantity", i), "max",
			fmt.Sprintf("must be at most %d: the other units are not shipped, or in another return or refund", left))
		row.Lines = append(row.Lines, Line{OrderID: seen.ID, LineNo: request.LineID, SKU: line.SKU, Name: line.Name, Quantity: request.Quantity})
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

// detailOf returns the detail of an order's history row for a return.
func detailOf(row *Return) any { return map[string]any{"returnId": row.ID} }

// insertLines inserts the lines of a new return.
func insertLines(ctx context.Context, u *uow.Unit, row *Return) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range row.Lines {
		row.Lines[i].ReturnID = row.ID
	}
	if err := tx.Create(&row.Lines).Error; err != nil {
		return fmt.Errorf("insert return lines: %w", err)
	}
	return nil
}

func find(db *gorm.DB, id int64) (*Return, error) {
	var row Return
	if err := db.Where("id = ?", id).Take(&row).Error; err != nil {
		return nil, err
	}
	return &row, withLines(db, []*Return{&row})
}

// withLines reads the lines of all returns in one query.
func withLines(db *gorm.DB, rows []*Return) error {
	return storage.Attach(db, "return_id", rows, func(r *Return) (int64, *[]Line) { return r.ID, &r.Lines }, func(l Line) int64 { return l.ReturnID })
}
