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
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/payments"
)

// Routes registers the routes of orders.
func Routes(r *httpapi.Router, s *Service) {
	r = r.Critical().About(httpapi.Resource{Tag: "Orders", Noun: "order", Machine: Machine, Example: example, Refusal: refusalView{}})
	h := handler{s}
	byID := httpapi.Numbered("order", s.Order)
	httpapi.Get(r, "/orders", ReadPermission, h.list).
		Doc("List orders", "Newest first by default. Each order contains its lines. With `from` or `to`, the sort by `id` becomes a sort by `createdTime`.").
		With(httpapi.Contract{Sorts: orderSorts})
	httpapi.Export(r, "/orders/export", ReadPermission, "orders", h.export).
		Doc("Export orders", "All orders that match the filters, oldest first, as CSV or as JSON lines. "+httpapi.ExportDoc).
		With(httpapi.Contract{ID: "exportOrders"})
	httpapi.Mutation(r, http.MethodPost, "/orders", writePermission, h.place).
		Doc("Create an order", "The lines copy name and price from the catalog at this moment. One transaction creates the order, reserves the units and redeems the coupon. "+
			"With an `externalId` that an order has: 200 with that order if the request has the same content, and nothing changes. "+
			"422 at `/items/<i>/sku` for an item that is not for sale or is listed twice, and at `/couponCode` for a coupon that cannot be used.").
		With(httpapi.Contract{ID: "placeOrder", Body: placeExample, Locks: true, Repeated: "The order that has the external id and the same content.", Rejections: []httpapi.Rejection{
			{Code: apperr.TotalChanged, Cause: "the `total` is not the `expectedTotal`; no order was created", Members: totalChanged{}},
			{Code: apperr.PayloadMismatch, Cause: "the order with this `externalId`, which is `first`, has other content", Members: placementMismatch{}},
			{Code: apperr.InsufficientStock, Cause: "`lines` lists the items with fewer available units than ordered. Nothing was reserved"},
			{Code: apperr.ValidationFailed, Cause: "the order violates a rule; no order was created and the coupon is unchanged", Members: invalid{}},
		}})
	httpapi.GetOf(r, "/orders/:id", ReadPermission, byID, h.get).Doc("Get an order", "")
	httpapi.MutationOf(r, http.MethodPatch, "/orders/:id", writePermission, byID, h.edit).
		Doc("Update an order", "Changes facts that affect no amount and no stock. The addresses change only before the first shipment (422 `shipped`). "+
			"In a conflict, `base` has the earlier values of these members; its other members are current.").
		With(httpapi.Contract{ID: "editOrder", Body: map[string]any{"note": "Leave it at the door.", "tags": []string{"gift"}}})
	httpapi.GetOf(r, "/orders/:id/history", ReadPermission, byID, h.history).
		Doc("List the history of an order", "Newest first: one event for each version. `payment`: a payment that left an amount due. `shipment`: a partial shipment. They do not change the status, nor do the actions of refunds, except that a `settle-refund` that returns the last units makes a partly shipped order `shipped`.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	myRoutes(r, h)
	httpapi.Transition(r, "/orders/:id", "pay", writePermission, byID, transition[Payment](s)).
		Doc("Pay an order", "Records a payment of all that is due. `wallet` debits the wallet of the order's user in the same transaction. `external`: the money was received outside, and `reference`, which is required, "+
			"identifies the payment there. Of concurrent requests one succeeds; the others return 409 with the author of the successful one.\n\n"+
			"A reference is unique per tenant and provider. Repeating the same payment of the same order returns 200 with the order and changes nothing, "+
			"so that a provider may repeat its callback. This action rejects money that the order cannot take; `POST /orders/{id}/payments` records it.").
		With(httpapi.Contract{Body: Payment{Method: payments.External, Reference: "PSP-90211"}, Locks: true, Rejections: []httpapi.Rejection{
			{Code: apperr.InsufficientBalance, Cause: "the user's wallet has less than the due amount"},
			{Code: apperr.PayloadMismatch, Cause: "the reference belongs to another payment, which is `payment`. `first` is the order that it paid", Members: paymentMismatch{}},
		}})
	httpapi.Transition(r, "/orders/:id", "ship", writePermission, byID, transition[Shipment](s)).
		Doc("Ship an order", "Sends all units in `toShip` as one shipment and removes them from stock. An order with the terms `prepaid` is shipped from `paid`. "+
			"While an open refund contains units, the order is only partly shipped and its status is unchanged: the refund returns the units to stock, which makes the order `shipped`, or to `toShip`. "+
			"`nothing_to_ship`: open refunds contain all units, or the whole payment was refunded and `shipRefunded` is not set.").
		With(httpapi.Contract{Body: Shipment{Carrier: "DHL", TrackingNo: "JD014600006838"}, Locks: true})
	httpapi.GetOf(r, "/orders/:id/shipments", ReadPermission, byID, h.shipments).
		Doc("List the shipments of an order", "Newest first by default.").
		With(httpapi.Contract{ID: "listShipments", Sorts: parcelSorts})
	httpapi.MutationOf(r, http.MethodPost, "/orders/:id/shipments", writePermission, byID, h.ship).
		Doc("Create a shipment", "Sends units of an order and removes them from stock; without `lines`, all units in `toShip`. An order can have several shipments. "+
			"The shipment that leaves no unit to ship or in an open refund makes the order `shipped`; before that, the status is unchanged and `fulfilmentStatus` is `partly_shipped`. "+
			"The status conditions and `nothing_to_ship` are those of `ship`. 422 at `/lines/<i>/quantity` for more units than `toShip`.").
		With(httpapi.Contract{
			ID: "createShipment", Success: "The shipment.", Body: shipmentExample, Reply: parcelExample, ChecksStatus: true, Locks: true,
		})
	httpapi.Transition(r, "/orders/:id", "complete", writePermission, byID, transition[Completion](s)).
		Doc("Complete an order", "`transition_not_allowed` while an amount is `due`.")
	httpapi.Transition(r, "/orders/:id", "cancel", writePermission, byID, transition[Cancellation](s)).
		Doc("Cancel an order", "Not while the customer has shipped units, and not after a shipment of a flash sale's units: `transition_not_allowed`. One transaction releases the units, returns the coupon to `unused`, and refunds the rest of each payment (`refundable`). "+
			"A `wallet` payment is credited to the wallet; for an `external` payment a refund is `requested`, which another user approves.").
		With(httpapi.Contract{Body: Cancellation{"The customer changed their mind."}, Locks: true})
	paymentRoutes(r, s)
	// Each order of a batch has a separate unit.
	httpapi.MultiUnit(r, http.MethodPost, "/order-batches", writePermission, h.batch).
		Doc("Transition many orders", "Applies one transition to each order, in the order of `ids`, each in a separate transaction: the rejection of one order does not affect the others. "+
			"The members of the transition (`reason`, `carrier`…) are siblings of `action` and `ids`, and apply to all orders. "+
			"If the database fails during the batch, completed orders stay changed.").
		With(httpapi.Contract{ID: "moveOrders", Success: "A verdict for each order.", Body: batchExample, Reply: batchResultExample, Rejections: []httpapi.Rejection{
			{Code: apperr.Internal, Cause: "a fault of the service ended the batch. `items` contains the verdicts so far. Report the `requestId`", Members: batchBroken{}},
			{Code: apperr.Unavailable, Cause: "the batch was not completed. `items` contains the verdicts so far. Repeat the request with the remaining orders", Members: batchBroken{}},
			{Code: apperr.OutcomeUnknown, Cause: "likewise, and the next order may or may not have changed", Members: batchBroken{}},
		}})
}

type handler struct{ service *Service }

// filterParams are the parameters that filter orders.
type filterParams struct {
	// Prefix of the order number, ignoring case.
	NumberPrefix string              `query:"q"`
	Status       status.Param[Order] `query:"status"`
	// Orders of this user.
	UserID principal.CustomerID `query:"userId"`
	From   *time.Time           `query:"from"`
	To     *time.Time           `query:"to"`
	// The order with this id in the storefront.
	ExternalID string `query:"externalId"`
	Email      string `query:"email"`
	TrackingNo string `query:"trackingNo"`
	// Orders with a payment of this reference.
	Reference string `query:"reference"`
	// Orders with a line of this item.
	SKU string `query:"sku"`
	// Orders with this tag.
	Tag              string                          `query:"tag"`
	CouponCode       string                          `query:"couponCode"`
	FlashSaleID      int64                           `query:"flashSaleId"`
	PaymentStatus    httpapi.OneOf[PaymentStatus]    `query:"paymentStatus"`
	FulfilmentStatus httpapi.OneOf[FulfilmentStatus] `query:"fulfilmentStatus"`
	// `true`: orders with units to ship that are paid, or have other terms than `prepaid`. `false`: the others.
	ToShip *bool `query:"toShip"`
	// Orders that were paid in full at this time or later.
	PaidFrom *time.Time `query:"paidFrom"`
	PaidTo   *time.Time `query:"paidTo"`
	// Orders of which the last units were shipped at this time or later.
	ShippedFrom *time.Time `query:"shippedFrom"`
	ShippedTo   *time.Time `query:"shippedTo"`
}

func (p filterParams) filter() Filter {
	return Filter{
		Status: p.Status.State, UserID: p.UserID, From: p.From, To: p.To, NumberPrefix: p.NumberPrefix,
		ExternalID: p.ExternalID, Email: p.Email, TrackingNo: p.TrackingNo, Reference: p.Reference, SKU: p.SKU, Tag: p.Tag, CouponCode: p.CouponCode, SaleID: p.FlashSaleID,
		PaymentStatus: p.PaymentStatus.Value, FulfilmentStatus: p.FulfilmentStatus.Value, ToShip: p.ToShip,
		PaidFrom: p.PaidFrom, PaidTo: p.PaidTo, ShippedFrom: p.ShippedFrom, ShippedTo: p.ShippedTo,
	}
}

type listRequest struct {
	filterParams
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[orderView], error) {
	listing, err := h.service.List(ctx, in.filter(), in.Page.Page())
	return httpapi.ListOf(listing, func(order Order) orderView { return viewOf(ctx, order) }), err
}

type exportRequest struct {
	filterParams
	httpapi.ExportRequest
}

func (h handler) export(ctx context.Context, in exportRequest, write func(orderView) error) error {
	return h.service.Export(ctx, in.filter(), func(order Order) error { return write(viewOf(ctx, order)) })
}

type placeRequest struct{ Body Placement }

var placeExample = Placement{UserID: "user-12", Lines: []LineRequest{{"TEA-100", 2}}, ExternalID: new("shop-1041"), ExpectedTotal: new(int64(4480)), Shipping: 500}

// totalChanged has the members of TotalChanged.
type totalChanged struct {
	ExpectedTotal int64 `json:"expectedTotal"`
	Total         int64 `json:"total"`
}

// invalid has the members of ValidationFailed for a coupon that cannot be used.
type invalid struct {
	CurrentStatus status.Name[coupons.Coupon] `json:"currentStatus,omitempty"`
	ChangedTime   *time.Time                  `json:"changedTime,omitempty"`
}

// placementMismatch has the members of PayloadMismatch for an external id.
type placementMismatch struct {
	First orderView `json:"first"`
}

// paymentMismatch has the members of PayloadMismatch for a payment's reference.
type paymentMismatch struct {
	First *orderView `json:"first,omitempty"`
	// Only for callers with `payments:read`.
	Payment *payments.View `json:"payment,omitempty"`
}

func (h handler) place(ctx context.Context, u *uow.Unit, in placeRequest) (httpapi.Created[orderView], error) {
	order, existed, err := h.service.Place(ctx, u, in.Body)
	if err != nil {
		return httpapi.Created[orderView]{}, err
	}
	return httpapi.Created[orderView]{Location: fmt.Sprintf("/orders/%d", order.ID), Body: viewOf(ctx, *order), Existed: existed}, nil
}

type editRequest struct{ httpapi.Edit[orderContent] }

func (h handler) edit(ctx context.Context, u *uow.Unit, order *Order, in editRequest) (editedView, error) {
	edited, err := h.service.Edit(ctx, u, order, in.Change())
	if err != nil {
		return editedView{}, err
	}
	return editedView{orderView: viewOf(ctx, *edited.Row), Merged: edited.Merged}, nil
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

type shipmentCreate struct {
	// Default: all units in `toShip`. Each line at most once.
	Lines      []ShipmentLine `json:"lines,omitempty" validate:"omitempty,min=1,max=100,dive"`
	Carrier    string         `json:"carrier" validate:"required,max=100"`
	TrackingNo string         `json:"trackingNo" validate:"required,max=100"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool `json:"shipRefunded,omitempty"`
}

// SchemaName returns the name in the contract.
func (shipmentCreate) SchemaName() string { return "ShipmentCreate" }

var shipmentExample = shipmentCreate{Lines: []ShipmentLine{{LineID: 1, Quantity: 1}}, Carrier: "DHL", TrackingNo: "JD014600006838"}

type shipRequest struct {
	Body    shipmentCreate
	IfMatch *guard.Precondition
}

func (h handler) ship(ctx context.Context, u *uow.Unit, order *Order, in shipRequest) (httpapi.Created[parcelView], error) {
	shipment := Shipment{Carrier: in.Body.Carrier, TrackingNo: in.Body.TrackingNo, ShipRefunded: in.Body.ShipRefunded}.Of(in.Body.Lines...)
	after, err := h.service.Transition(ctx, u, order, shipment, in.IfMatch)
	if err != nil {
		return httpapi.Created[parcelView]{}, err
	}
	return httpapi.Created[parcelView]{Location: fmt.Sprintf("/orders/%d/shipments", order.ID), Body: parcelViewOf(*after.parcel)}, nil
}

func (h handler) shipments(ctx context.Context, order *Order, in httpapi.Page) (httpapi.List[parcelView], error) {
	listing, err := h.service.Parcels(ctx, order, in.Page())
	return httpapi.ListOf(listing, parcelViewOf), err
}

type batchRequest struct{ Body batchBody }

// batchBody is a step and the ids of its orders. Its other members are the members of the step.
type batchBody struct {
	Action status.ActionName[Order] `json:"action" validate:"required,enum"`
	IDs    []int64                  `json:"ids" validate:"min=1,max=500,unique,dive,min=1"`
	step   Step
}

// batch lists the members of a batch of any action, for the contract. A request contains only the
// members of its action.
type batch struct {
	batchBody
	*Payment
	*Shipment
	*Cancellation
}

// Content returns a value of the type with the members in the contract.
func (batchBody) Content() any { return batch{} }

var batchExample = map[string]any{"action": "cancel", "ids": []int64{41, 42}, "reason": "The item was recalled."}

// stepReaders maps each action to the function that decodes its step.
var stepReaders = map[status.ActionName[Order]]func(text []byte) (Step, error){
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
	return httpapi.Validate(in.Body.step)
}

type batchResult struct {
	Items []Verdict `json:"items"`
}

var batchResultExample = batchResult{[]Verdict{
	{ID: 41, Verdict: Done, Status: "cancelled"},
	{ID: 42, Verdict: Conflict, Code: apperr.TransitionNotAllowed, Detail: `Order "20260131-7KQ2M9XZTV" cannot be cancelled: it is shipped; Li changed it last, on 2026-01-31 at 10:41 UTC. Shipped units that were not returned: 2. Receive their return, or refund them instead.`, Status: "shipped"},
}}

// batchBroken has the members of an error that ended a batch.
type batchBroken struct {
	Items []Verdict `json:"items,omitempty"`
}

// batch returns a verdict for each order. A failure during the batch is returned as an error, with
// the verdicts so far as items.
func (h handler) batch(ctx context.Context, b *httpapi.Batch, in batchRequest) (batchResult, error) {
	verdicts, err := h.service.TransitionEach(ctx, b, in.Body.IDs, in.Body.step)
	if err != nil {
		return batchResult{}, interrupted(err, verdicts)
	}
	return batchResult{Items: verdicts}, nil
}

// interrupted returns the failure that ended a batch, with the verdicts before the failure.
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
