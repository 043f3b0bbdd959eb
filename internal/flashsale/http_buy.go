package flashsale

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale/gate"
)

func (h handlers) retryDead(c echo.Context, b *httpapi.Batch) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.service.RetryDead(c.Request().Context(), b, id, c.Param("messageId")); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

func (h handlers) discardDead(c echo.Context, b *httpapi.Batch) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	wait, err := httpapi.WaitParam(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.service.DiscardDead(c.Request().Context(), b, id, c.Param("messageId"), wait); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

type buyRequest struct {
	Quantity *int64 `json:"quantity" validate:"required,min=1"`
}

// ticketView is a ticket as its customer sees it.
type ticketView struct {
	Ticket string `json:"ticket"`
	Status string `json:"status"`
	// Ahead is there in the reply to a purchase only.
	Ahead    *int64 `json:"ahead,omitempty"`
	Quantity int64  `json:"quantity,omitempty"`
	OrderID  int64  `json:"orderId,omitempty"`
	OrderNo  string `json:"orderNo,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

func representTicket(t gate.Ticket) ticketView {
	v := ticketView{Ticket: t.ID, Status: "queued", Quantity: t.Units, OrderID: t.OrderID, OrderNo: t.OrderNo, Reason: t.Reason}
	switch t.State {
	case gate.Confirmed:
		v.Status = "confirmed"
	case gate.Cancelled:
		// The purchase was confirmed; what became of the order is the order's to say.
		v.Status, v.Reason = "confirmed", "order_cancelled"
	case gate.Rejected:
		v.Status = "rejected"
	}
	return v
}

func (h handlers) buy(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	ctx := c.Request().Context()
	if _, err := h.service.snapshotOf(ctx, id); err != nil {
		return httpapi.Reply{}, err
	}
	p, _ := principal.From(ctx)
	customer, ok := p.Customer()
	if !ok {
		return httpapi.Reply{}, apperr.New(apperr.Forbidden, "Only customers buy: sign in as one, or act for one with an API token that may, with X-On-Behalf-Of.")
	}
	key, err := httpapi.IdempotencyKey(c.Request())
	if err != nil {
		return httpapi.Reply{}, err
	}
	if key != "" {
		key = fmt.Sprintf("%s:%s:%s", p.Kind, p.ActorID(), key)
	}
	var request buyRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	receipt, err := h.service.Buy(ctx, Wish{Sale: id, User: string(customer), Units: *request.Quantity, Key: key, Trace: traceOf(ctx)})
	if err != nil {
		return httpapi.Reply{}, err
	}
	view := representTicket(receipt.Ticket)
	view.Ahead = &receipt.Ticket.Ahead
	reply := httpapi.Reply{Status: http.StatusAccepted, Body: view}
	if receipt.Replayed {
		reply = reply.With(httpapi.HeaderReplay, "true")
	}
	return reply.With(echo.HeaderLocation, httpapi.Base+"/flash-sales/"+strconv.FormatInt(id, 10)+"/tickets/"+view.Ticket), nil
}

// traceOf is the request's trace context for who handles its ticket, nil without one.
func traceOf(ctx context.Context) map[string]string {
	carrier := propagation.MapCarrier{}
	otel.GetTextMapPropagator().Inject(ctx, carrier)
	if len(carrier) == 0 {
		return nil
	}
	return carrier
}

// ticket answers a customer about its own tickets, and who may read sales about any.
func (h handlers) ticket(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	ctx := c.Request().Context()
	p, _ := principal.From(ctx)
	customer, ok := p.Customer()
	if !ok && !p.May(read) {
		return httpapi.Reply{}, apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have, or a customer.", read)
	}
	found, err := h.service.Follow(ctx, id, string(customer), c.Param("ticket"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(representTicket(*found)), nil
}
