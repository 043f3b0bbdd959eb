package orders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of orders.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	const read, write = "orders:read", "orders:write"
	r = r.Critical()
	r.Query("/orders", read, h.list)
	r.Mutation(http.MethodPost, "/orders", write, h.place)
	r.Query("/orders/:id", read, h.get)
	r.Query("/orders/:id/history", read, h.history)
	r.Transition("/orders/:id", "pay", write, transition(h, readStep[Payment]))
	r.Transition("/orders/:id", "ship", write, transition(h, readStep[Shipment]))
	r.Transition("/orders/:id", "complete", write, transition(h, readStep[Completion]))
	r.Transition("/orders/:id", "cancel", write, transition(h, readStep[Cancellation]))
	// Each row of a batch is a unit of its own, so the request as a whole is none.
	r.Batch(http.MethodPost, "/order-batches", write, h.batch)
}

type handler struct{ service *Service }

type lineView struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	Price    int64  `json:"price"`
}

type representation struct {
	ID                 int64                `json:"id"`
	OrderNo            string               `json:"orderNo"`
	UserID             principal.CustomerID `json:"userId"`
	Items              []lineView           `json:"items"`
	CouponCode         *string              `json:"couponCode"`
	Discount           int64                `json:"discount"`
	Amount             int64                `json:"amount"`
	Status             string               `json:"status"`
	AllowedTransitions []string             `json:"allowedTransitions"`
	Payment            *Payment             `json:"payment"`
	Shipment           *Shipment            `json:"shipment"`
	CancelReason       *string              `json:"cancelReason"`
	FlashSaleID        *int64               `json:"flashSaleId"`
	Ticket             *string              `json:"ticket"`
	PaymentDue         *time.Time           `json:"paymentDue"`
	guard.Stamp
}

func represent(o Order) representation {
	state := Machine.Of(o.Status)
	v := representation{
		ID: o.ID, OrderNo: o.OrderNo, UserID: o.UserID, Items: make([]lineView, len(o.Lines)),
		CouponCode: textOrNull(o.CouponCode), Discount: o.Discount, Amount: o.Amount,
		Status: state.Name, AllowedTransitions: allowed(&o),
		CancelReason: textOrNull(o.CancelReason), FlashSaleID: o.SaleID, Ticket: o.Ticket, PaymentDue: o.PaymentDue, Stamp: o.Stamp(),
	}
	for i, line := range o.Lines {
		v.Items[i] = lineView{SKU: line.SKU, Name: line.Name, Quantity: line.Quantity, Price: line.Price}
	}
	if o.PaymentMethod != "" {
		v.Payment = &Payment{Method: o.PaymentMethod, Reference: o.PaymentReference}
	}
	if o.Carrier != "" {
		v.Shipment = &Shipment{Carrier: o.Carrier, TrackingNo: o.TrackingNo}
	}
	return v
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

type eventView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action"`
	From        *string          `json:"from"`
	To          string           `json:"to"`
	Detail      json.RawMessage  `json:"detail"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func representEvent(e Event) eventView {
	v := eventView{
		Version: e.Version, Action: e.Action, To: Machine.Of(e.ToStatus).Name, Detail: e.Detail,
		ChangedBy: principal.Person{ID: e.ChangedBy, Name: e.ChangedByName}, ChangedTime: e.ChangedTime,
	}
	if e.FromStatus != nil {
		v.From = textOrNull(Machine.Of(*e.FromStatus).Name)
	}
	return v
}

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter, err := filterOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.List(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

func filterOf(c echo.Context) (filter Filter, err error) {
	filter.NumberPrefix = c.QueryParam("q")
	if name := c.QueryParam("status"); name != "" {
		state, known := Machine.Named(name)
		if !known {
			return filter, apperr.Malformed("?status", "must be one of "+strings.Join(Machine.Names(), ", "))
		}
		filter.Status = &state
	}
	if filter.UserID, err = httpapi.CustomerParam(c, "userId"); err != nil {
		return filter, err
	}
	if filter.From, err = httpapi.TimeParam(c, "from"); err != nil {
		return filter, err
	}
	filter.To, err = httpapi.TimeParam(c, "to")
	return filter, err
}

type placeRequest struct {
	UserID     principal.CustomerID `json:"userId" validate:"pattern"`
	Items      []Wanted             `json:"items" validate:"min=1,max=100,dive"`
	CouponCode *string              `json:"couponCode" validate:"omitempty,min=1,max=64"`
}

func (h handler) place(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request placeRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	placement := Placement{UserID: request.UserID, Wanted: request.Items}
	if request.CouponCode != nil {
		placement.CouponCode = *request.CouponCode
	}
	order, err := h.service.Place(c.Request().Context(), u, placement)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(fmt.Sprintf("%s/orders/%d", httpapi.Base, order.ID), represent(*order)), nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	order, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*order)), nil
}

// named returns the order that the path names.
func (h handler) named(c echo.Context) (*Order, error) {
	id, err := httpapi.PathID(c, "id", "order")
	if err != nil {
		return nil, err
	}
	return h.service.Order(c.Request().Context(), id)
}

func (h handler) history(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "order")
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.History(c.Request().Context(), id, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representEvent), nil
}

// stepReader reads the members of a step from a JSON object.
type stepReader func(body []byte) (Step, error)

func readStep[S Step](body []byte) (Step, error) {
	var step S
	if err := strictjson.Decode(body, &step); err != nil {
		return nil, httpapi.Unreadable(err)
	}
	return step, nil
}

var stepReaders = map[string]stepReader{
	"pay":      readStep[Payment],
	"ship":     readStep[Shipment],
	"complete": readStep[Completion],
	"cancel":   readStep[Cancellation],
}

// transition answers POST /orders/{id}/{action}. A step that brings nothing needs
// no body.
func transition(h handler, read stepReader) httpapi.MutationFunc {
	return func(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
		order, err := h.named(c)
		if err != nil {
			return httpapi.Reply{}, err
		}
		body := httpapi.Body(c)
		if len(body) == 0 {
			body = []byte("{}")
		}
		step, err := read(body)
		if err != nil {
			return httpapi.Reply{}, err
		}
		ifMatch, err := httpapi.OptionalIfMatch(c)
		if err != nil {
			return httpapi.Reply{}, err
		}
		if err := h.service.Demand(order, ifMatch); err != nil {
			return httpapi.Reply{}, err
		}
		if err := httpapi.Validate(step); err != nil {
			return httpapi.Reply{}, err
		}
		after, err := h.service.Transition(c.Request().Context(), u, order, step, ifMatch)
		if err != nil {
			return httpapi.Reply{}, err
		}
		return httpapi.OK(represent(*after)), nil
	}
}

type batchRequest struct {
	Action string  `json:"action" validate:"required,oneof=pay ship complete cancel"`
	IDs    []int64 `json:"ids" validate:"min=1,max=500,unique,dive,min=1"`
}

type batchReply struct {
	Items []Verdict `json:"items"`
}

// batch answers with a verdict for each order. A fault in the middle is answered
// as such, with the verdicts so far as items.
func (h handler) batch(c echo.Context, b *httpapi.Batch) (httpapi.Reply, error) {
	ids, step, err := batchOf(httpapi.Body(c))
	if err != nil {
		return httpapi.Reply{}, err
	}
	verdicts, err := h.service.TakeEach(c.Request().Context(), b, ids, step)
	if err != nil {
		return httpapi.Reply{}, broken(err, verdicts)
	}
	return httpapi.OK(batchReply{Items: verdicts}), nil
}

// broken is the fault that ended a batch, with what was done before it.
func broken(err error, verdicts []Verdict) error {
	var fault *apperr.Error
	if !errors.As(err, &fault) {
		code, wait := apperr.Internal, time.Duration(0)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			code, wait = apperr.Unavailable, time.Second
		}
		fault = apperr.New(code, "The batch was ended by a fault; items lists what became of the orders before it.").After(wait).Because(err)
	}
	return fault.With("items", verdicts)
}

// batchOf reads the action and the ids, and all other members as the action's own.
func batchOf(body []byte) ([]int64, Step, error) {
	members := map[string]json.RawMessage{}
	if err := strictjson.Decode(body, &members); err != nil {
		return nil, nil, httpapi.Unreadable(err)
	}
	own, head := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for name, value := range members {
		if name == "action" || name == "ids" {
			head[name] = value
		} else {
			own[name] = value
		}
	}
	var request batchRequest
	if err := decodeMembers(head, &request); err != nil {
		return nil, nil, err
	}
	if err := httpapi.Validate(&request); err != nil {
		return nil, nil, err
	}
	text, err := json.Marshal(own)
	if err != nil {
		return nil, nil, err
	}
	step, err := stepReaders[request.Action](text)
	if err != nil {
		return nil, nil, err
	}
	return request.IDs, step, httpapi.Validate(step)
}

func decodeMembers(members map[string]json.RawMessage, into any) error {
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return httpapi.Unreadable(strictjson.Decode(text, into))
}
