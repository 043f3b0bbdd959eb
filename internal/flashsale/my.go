package flashsale

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale/gate"
)

// myRoutes registers the routes of customers, who read their tickets.
func myRoutes(r *httpapi.Router, h handler) {
	mine := r.About(httpapi.Resource{Tag: "Customers", Noun: "my ticket", Example: myTicketExample})
	httpapi.GetOf(mine, "/my/tickets", "", httpapi.Myself, h.listMine).
		Doc("List my tickets", "The tickets of the calling customer, or of the customer that an API token acts for, in all flash sales. "+
			"First those that wait, of which a sale has at most the latest; then the others, the latest first.").
		With(httpapi.Contract{ID: "listMyTickets", ForCustomers: true, Rejections: []httpapi.Rejection{
			{Code: apperr.Unavailable, Cause: "the waiting tickets cannot be read now"},
		}})
}

// myTicketView is a ticket in the list of its customer.
type myTicketView struct {
	ticketView
	FlashSaleID int64 `json:"flashSaleId"`
	// When the gate accepted a waiting ticket, when the order of a confirmed ticket was created, or when a ticket was rejected.
	CreatedTime time.Time `json:"createdTime"`
}

var myTicketExample = myTicketView{
	ticketView: ticketView{Ticket: "0G40R40M30E209185GR38E1W8124GK2G", Status: "confirmed", Quantity: 1, OrderID: 41, OrderNo: "20260131-7KQ2M9XZTV"}, FlashSaleID: 9,
	CreatedTime: time.Date(2026, time.March, 1, 12, 0, 1, 0, time.UTC),
}

type myTicketsRequest struct{ httpapi.Page }

// Check rejects a sort, because the list has one order.
func (r *myTicketsRequest) Check() error {
	if r.Sort != "" {
		return apperr.Malformed("?sort", "cannot be chosen: the latest ticket is first")
	}
	return nil
}

func (h handler) listMine(ctx context.Context, me principal.CustomerID, in myTicketsRequest) (httpapi.List[myTicketView], error) {
	listing, err := h.service.TicketsOf(ctx, me, in.Page.Page())
	return httpapi.ListOf(listing, func(t ticketOfSale) myTicketView {
		return myTicketView{ticketView: ticketViewOf(t.Ticket), FlashSaleID: t.sale, CreatedTime: t.AcceptedTime}
	}), err
}

// ticketOfSale is a ticket with its sale.
type ticketOfSale struct {
	gate.Ticket
	sale int64
}

// ticketCursor is the position in a customer's tickets. Each field is the position in one source.
type ticketCursor struct {
	// Waiting is the number of waiting tickets before the position.
	Waiting int `json:"w"`
	// Order is the id of the last order.
	Order int64 `json:"o"`
	// Time and Ticket are of the last rejection.
	Time   time.Time `json:"t"`
	Ticket string    `json:"k"`
}

// newest is the position before all tickets.
func newest() ticketCursor {
	return ticketCursor{Order: math.MaxInt64, Time: time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)}
}

func cursorOf(text string) (ticketCursor, error) {
	at := newest()
	if text == "" {
		return at, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(raw, &at)
	}
	again, _ := json.Marshal(at)
	if year := at.Time.Year(); err != nil || string(again) != string(raw) || at.Waiting < 0 || year < 1 || year > 9999 {
		return at, apperr.Malformed("?cursor", "is not a cursor of this list; send nextCursor unchanged")
	}
	return at, nil
}

// TicketsOf returns one page of a customer's tickets. A settled ticket is read from SQL, whichever store
// the gate has; only a waiting one is read from the gate. Errors: MalformedRequest for the cursor;
// Unavailable if the gate cannot be reached.
func (s *purchases) TicketsOf(ctx context.Context, user principal.CustomerID, page storage.Page) (listing storage.Listing[ticketOfSale], err error) {
	at, err := cursorOf(page.Cursor)
	if err != nil {
		return listing, err
	}
	// The gate is read first: a ticket that is settled in between is then in SQL.
	waiting, err := s.waitingOf(ctx, user)
	if err != nil {
		return listing, err
	}
	placed, err := s.orders.SaleOrdersOf(ctx, user, at.Order, page.Limit+1)
	if err != nil {
		return listing, err
	}
	rejected, err := rejectedOf(s.db.Read(ctx), user, at, page.Limit+1)
	if err != nil {
		return listing, err
	}
	settled := map[string]bool{}
	for _, order := range placed {
		settled[order.Ticket] = true
	}
	for _, r := range rejected {
		settled[r.Ticket] = true
	}
	for _, t := range waiting[min(at.Waiting, len(waiting)):] {
		if len(listing.Rows) == page.Limit {
			break
		}
		at.Waiting++
		if !settled[t.ID] {
			listing.Rows = append(listing.Rows, t)
		}
	}
	for len(listing.Rows) < page.Limit && len(placed)+len(rejected) > 0 {
		if len(rejected) == 0 || len(placed) > 0 && placed[0].CreatedTime.After(rejected[0].CreatedTime) {
			listing.Rows, at.Order = append(listing.Rows, ticketOfSale{ticketOf(placed[0]), placed[0].SaleID}), placed[0].ID
			placed = placed[1:]
			continue
		}
		listing.Rows, at.Time, at.Ticket = append(listing.Rows, ticketOfSale{rejected[0].ticket(), rejected[0].SaleID}), rejected[0].CreatedTime, rejected[0].Ticket
		rejected = rejected[1:]
	}
	if at.Waiting < len(waiting) || len(placed)+len(rejected) > 0 {
		text, err := json.Marshal(at)
		if err != nil {
			return listing, fmt.Errorf("encode a cursor: %w", err)
		}
		next := base64.RawURLEncoding.EncodeToString(text)
		listing.Next = &next
	}
	listing.Total, listing.TotalIsExact, err = s.countTicketsOf(ctx, user, int64(len(waiting)))
	return listing, err
}

// waitingOf returns a customer's waiting tickets, the latest of each sale, in the latest sales that are
// not finished, at most searchedGates:
//
//	SELECT * FROM flash_sale_stocks WHERE tenant_id = ? AND finished = 0 ORDER BY sale_id DESC LIMIT 20
func (s *purchases) waitingOf(ctx context.Context, user principal.CustomerID) (waiting []ticketOfSale, err error) {
	var stocks []Stock
	if err := s.db.Read(ctx).Where("finished = ?", false).Order("sale_id DESC").Limit(searchedGates).Find(&stocks).Error; err != nil {
		return nil, fmt.Errorf("find the sales with waiting tickets: %w", err)
	}
	for _, stock := range stocks {
		held, err := s.gate.Held(ctx, stock.ref(), string(user))
		var found *gate.Ticket
		if err == nil && held.Ticket != "" {
			found, err = s.gate.Ticket(ctx, stock.ref(), held.Ticket)
		}
		if err != nil && !errors.Is(err, gate.ErrNoGate) {
			return nil, lookupError(err)
		}
		if found != nil && !found.State.HasEnded() {
			waiting = append(waiting, ticketOfSale{*found, stock.SaleID})
		}
	}
	slices.SortFunc(waiting, func(a, b ticketOfSale) int {
		return cmp.Or(b.AcceptedTime.Compare(a.AcceptedTime), cmp.Compare(b.sale, a.sale))
	})
	return waiting, nil
}

// rejectedOf returns a customer's rejections after a position, the latest first:
//
//	SELECT * FROM flash_sale_rejections WHERE tenant_id = ? AND user_id = ? AND (created_time < ? OR created_time = ? AND ticket < ?)
//	 ORDER BY created_time DESC, ticket DESC LIMIT ?
func rejectedOf(db *gorm.DB, user principal.CustomerID, at ticketCursor, limit int) (rows []Rejection, err error) {
	err = db.Where("user_id = ? AND (created_time < ? OR created_time = ? AND ticket < ?)", user, at.Time, at.Time, at.Ticket).
		Order("created_time DESC, ticket DESC").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the rejected tickets of a customer: %w", err)
	}
	return rows, nil
}

func (s *purchases) countTicketsOf(ctx context.Context, user principal.CustomerID, waiting int64) (total int64, exact bool, err error) {
	placed, err := s.orders.CountSaleOrdersOf(ctx, user)
	if err != nil {
		return 0, false, err
	}
	rejected, err := storage.CountUpTo[Rejection](s.db.Read(ctx).Where("user_id = ?", user))
	if err != nil {
		return 0, false, fmt.Errorf("count the rejected tickets of a customer: %w", err)
	}
	return waiting + placed.N + rejected.N, !placed.More && !rejected.More, nil
}
