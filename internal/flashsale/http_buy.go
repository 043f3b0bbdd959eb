package flashsale

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

// visit is the caller and the sale of a request.
type visit struct {
	sale     int64
	customer principal.CustomerID
}

// buyer returns the buying customer and the sale, without SQL while the sale is cached.
// Errors: Forbidden, which is checked first; NotFound.
func (h handler) buyer(ctx context.Context, path httpapi.Path) (visit, error) {
	p, _ := principal.From(ctx)
	customer, ok := p.Customer()
	if !ok {
		return visit{}, apperr.New(apperr.Forbidden, "Only customers can buy. Sign in as one, or send X-On-Behalf-Of with an API token that may act for customers.")
	}
	id, err := path.ID("id", "flash sale")
	if err != nil {
		return visit{}, err
	}
	_, err = h.service.snapshotOf(ctx, id)
	return visit{id, customer}, err
}

type buyRequest struct {
	Key  httpapi.Key
	Body purchase
}

type purchase struct {
	Quantity *int64 `json:"quantity" validate:"required,min=1"`
}

func (h handler) buy(ctx context.Context, by visit, in buyRequest) (httpapi.Accepted[acceptedView], error) {
	wish := PurchaseRequest{Sale: by.sale, User: string(by.customer), Units: *in.Body.Quantity, Trace: traceOf(ctx)}
	if in.Key != "" {
		p, _ := principal.From(ctx)
		wish.Key = fmt.Sprintf("%s:%s:%s", p.Kind, p.ActorID(), in.Key)
	}
	receipt, err := h.service.Buy(ctx, wish)
	if err != nil {
		return httpapi.Accepted[acceptedView]{}, err
	}
	view := acceptedView{ticketViewOf(receipt.Ticket), receipt.Ticket.Ahead}
	return httpapi.Accepted[acceptedView]{
		Location: fmt.Sprintf("/flash-sales/%d/tickets/%s", by.sale, view.Ticket), Body: view, Replayed: receipt.Replayed,
	}, nil
}

// traceOf returns the request's trace context for the consumer of its ticket, nil without
// one.
func traceOf(ctx context.Context) map[string]string {
	carrier := propagation.MapCarrier{}
	otel.GetTextMapPropagator().Inject(ctx, carrier)
	if len(carrier) == 0 {
		return nil
	}
	return carrier
}

// reader returns the visit of a customer, who may read the customer's tickets, or of a user with
// ReadPermission, who may read all tickets. For a user, the field customer is "".
func (h handler) reader(ctx context.Context, path httpapi.Path) (visit, error) {
	p, _ := principal.From(ctx)
	customer, ok := p.Customer()
	if !ok && !p.May(ReadPermission) {
		return visit{}, apperr.New(apperr.Forbidden, "This needs the permission %s, which you do not have, or to be a customer.", ReadPermission)
	}
	id, err := path.ID("id", "flash sale")
	return visit{id, customer}, err
}

type ticketRequest struct {
	Ticket string `path:"ticket" of:"ticket"`
}

func (h handler) ticket(ctx context.Context, by visit, in ticketRequest) (ticketView, error) {
	found, err := h.service.Follow(ctx, by.sale, string(by.customer), in.Ticket)
	if err != nil {
		return ticketView{}, err
	}
	return ticketViewOf(*found), nil
}
