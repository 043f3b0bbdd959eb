package orders

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of orders.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	byID := httpapi.Numbered("order", s.Order)
	r = r.Critical()
	httpapi.Get(r, "/orders", ReadPermission, h.list)
	httpapi.Mutation(r, http.MethodPost, "/orders", writePermission, h.place)
	httpapi.GetOf(r, "/orders/:id", ReadPermission, byID, h.get)
	httpapi.GetOf(r, "/orders/:id/history", ReadPermission, byID, h.history)
	httpapi.Transition(r, "/orders/:id", "pay", writePermission, byID, transition[Payment](s))
	httpapi.Transition(r, "/orders/:id", "ship", writePermission, byID, transition[Shipment](s))
	httpapi.Transition(r, "/orders/:id", "complete", writePermission, byID, transition[Completion](s))
	httpapi.Transition(r, "/orders/:id", "cancel", writePermission, byID, transition[Cancellation](s))
	// Each order of a batch has a separate unit.
	httpapi.MultiUnit(r, http.MethodPost, "/order-batches", writePermission, h.batch)
}

type handler struct{ service *Service }

type listRequest struct {
	NumberPrefix string               `query:"q"`
	Status       status.Param[Order]  `query:"status"`
	UserID       principal.CustomerID `query:"userId"`
	From         *time.Time           `query:"from"`
	To           *time.Time           `query:"to"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[orderView], error) {
	filter := Filter{Status: in.Status.State, UserID: in.UserID, From: in.From, To: in.To, NumberPrefix: in.NumberPrefix}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(order Order) orderView { return viewOf(ctx, order) }), err
}

type placeRequest struct {
	Body struct {
		UserID     principal.CustomerID `json:"userId" validate:"pattern"`
		Items      []LineRequest        `json:"items" validate:"min=1,max=100,dive"`
		CouponCode *string              `json:"couponCode" validate:"omitempty,min=1,max=64"`
	}
}

func (h handler) place(ctx context.Context, u *uow.Unit, in placeRequest) (httpapi.Created[orderView], error) {
	placement := Placement{UserID: in.Body.UserID, Lines: in.Body.Items}
	if in.Body.CouponCode != nil {
		placement.CouponCode = *in.Body.CouponCode
	}
	order, err := h.service.Place(ctx, u, placement)
	if err != nil {
		return httpapi.Created[orderView]{}, err
	}
	return httpapi.Created[orderView]{Location: fmt.Sprintf("/orders/%d", order.ID), Body: viewOf(ctx, *order)}, nil
}

func (h handler) get(ctx context.Context, order *Order, _ httpapi.None) (orderView, error) {
	return viewOf(ctx, *order), nil
}

func (h handler) history(ctx context.Context, order *Order, in httpapi.Page) (httpapi.List[change.MoneyEventView[Order]], error) {
	listing, err := h.service.History(ctx, order, in.Page())
	return httpapi.ListOf(listing, func(e Event) change.MoneyEventView[Order] { return change.MoneyEventViewOf[Order](ctx, e.Event) }), err
}

type transitionRequest[S Step] struct {
	Body    httpapi.StepBody[S]
	IfMatch *guard.Precondition
}

// transition handles POST /orders/{id}/{action}.
func transition[S Step](s *Service) func(context.Context, *uow.Unit, *Order, transitionRequest[S]) (orderView, error) {
	return func(ctx context.Context, u *uow.Unit, order *Order, in transitionRequest[S]) (orderView, error) {
		after, err := s.Transition(ctx, u, order, in.Body.Step, in.IfMatch)
		if err != nil {
			return orderView{}, err
		}
		return viewOf(ctx, *after), nil
	}
}

type batchRequest struct{ Body batchBody }

// batchBody is a step and the ids of its orders. Its other members are those of the step.
type batchBody struct {
	Action string  `json:"action" validate:"required,oneof=pay ship complete cancel"`
	IDs    []int64 `json:"ids" validate:"min=1,max=500,unique,dive,min=1"`
	step   Step
}

// stepReaders decode the members of a step, by action.
var stepReaders = map[string]func(text []byte) (Step, error){
	"pay": readStep[Payment], "ship": readStep[Shipment], "complete": readStep[Completion], "cancel": readStep[Cancellation],
}

func readStep[S Step](text []byte) (Step, error) {
	var step S
	err := strictjson.Decode(text, &step)
	return step, err
}

// ReadBody implements httpapi.BodyReader.
func (b *batchBody) ReadBody(text []byte) error {
	ofStep, ofBatch := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := strictjson.Decode(text, &ofStep); err != nil {
		return err
	}
	for _, name := range []string{"action", "ids"} {
		if value, given := ofStep[name]; given {
			ofBatch[name] = value
			delete(ofStep, name)
		}
	}
	err := decodeMembers(ofBatch, func(text []byte) error { return strictjson.Decode(text, b) })
	if read := stepReaders[b.Action]; err == nil && read != nil {
		err = decodeMembers(ofStep, func(text []byte) (err error) {
			b.step, err = read(text)
			return err
		})
	}
	return err
}

func decodeMembers(members map[string]json.RawMessage, decode func(text []byte) error) error {
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return decode(text)
}

// Check validates the rules that need no order.
func (in *batchRequest) Check() error {
	if err := httpapi.Validate(&in.Body); err != nil {
		return err
	}
	if violations := in.Body.step.check(); len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

type batchView struct {
	Items []Verdict `json:"items"`
}

// batch returns a verdict for each order. A failure during the batch is returned as an error, with
// the verdicts so far as items.
func (h handler) batch(ctx context.Context, b *httpapi.Batch, in batchRequest) (batchView, error) {
	verdicts, err := h.service.TransitionEach(ctx, b, in.Body.IDs, in.Body.step)
	if err != nil {
		return batchView{}, interrupted(err, verdicts)
	}
	return batchView{Items: verdicts}, nil
}

// interrupted returns the failure that ended a batch, with the verdicts before it.
func interrupted(err error, verdicts []Verdict) error {
	var fault *apperr.Error
	if !errors.As(err, &fault) {
		code, wait := apperr.Internal, time.Duration(0)
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			code, wait = apperr.Unavailable, time.Second
		}
		fault = apperr.New(code, "The batch was interrupted by a failure; items lists the outcomes of the orders before it.").After(wait).Because(err)
	}
	return fault.With("items", verdicts)
}
