package flashsale

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/merge"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of flash sales.
func Routes(r *httpapi.Router, s *Service) {
	r = r.Critical().About(httpapi.Resource{Tag: "Flash sales", Noun: "flash sale", Machine: Machine, Example: example})
	h := handler{s}
	byID := httpapi.Numbered("flash sale", s.Sale)
	httpapi.Get(r, "/flash-sales", ReadPermission, h.list).Doc("List flash sales", "").With(httpapi.Contract{Sorts: saleSorts})
	httpapi.Mutation(r, http.MethodPost, "/flash-sales", writePermission, h.plan).
		Doc("Create a flash sale", "Creates a draft. `open` reserves its quantity of the item's stock and admits customers from `startsTime` on.").
		With(httpapi.Contract{ID: "planFlashSale", Success: "Created, as a draft.", Body: planExample})
	httpapi.GetOf(r, "/flash-sales/:id", ReadPermission, byID, h.get).Doc("Get a flash sale", "")
	httpapi.MutationOf(r, http.MethodPatch, "/flash-sales/:id", writePermission, byID, h.edit).
		Doc("Update a flash sale", "A merge patch (RFC 7396). All members of a draft can change; of an opened sale `name`, `endsTime`, `queueCap`, "+
			"`rate`, `replicas` and the quantity. `quantityDelta` increases or decreases the quantity. For an opened sale it "+
			"reserves more of the item's stock, or releases unsold units to stock (409 `sold_out` if fewer remain).\n\n"+
			"With `effectiveTime` the change is applied at that time; conditions on other data, such as the remaining units, are checked then.").
		With(httpapi.Contract{
			Body: map[string]int{"rate": 200, "quantityDelta": 500}, ChecksStatus: true, Proposes: true, Locks: true,
			Rejections: []httpapi.Rejection{
				{Code: apperr.InsufficientStock, Cause: "the item has too few units"},
				{Code: apperr.SoldOut, Cause: "fewer units remain than the decrease"},
				{Code: apperr.LimitReached, Cause: "you already have 200 pending changes"},
			},
		})
	httpapi.MutationOf(r, http.MethodDelete, "/flash-sales/:id", writePermission, byID, h.delete).
		Doc("Delete a flash sale draft", "Only before the sale is opened (409 `in_use` afterwards): close it instead.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.GetOf(r, "/flash-sales/:id/history", ReadPermission, byID, h.history).
		Doc("List a flash sale's versions", "Newest first. Includes the decisions on dead letters, with the message as `note`.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.Transition(r, "/flash-sales/:id", "open", writePermission, byID, h.transition("open")).
		Doc("Open a flash sale", "Reserves the quantity of the item's stock (409 `insufficient_stock`) and creates the gate.").
		With(httpapi.Contract{Locks: true, Rejections: []httpapi.Rejection{{Code: apperr.InsufficientStock, Cause: "the item has fewer units than the sale's quantity"}}})
	httpapi.Transition(r, "/flash-sales/:id", "pause", writePermission, byID, h.transition("pause")).
		Doc("Pause a flash sale", "Stops admitting purchases; accepted tickets are processed.")
	httpapi.Transition(r, "/flash-sales/:id", "resume", writePermission, byID, h.transition("resume")).Doc("Resume a flash sale", "")
	httpapi.Transition(r, "/flash-sales/:id", "close", writePermission, byID, h.transition("close")).
		Doc("Close a flash sale", "Stops admitting purchases; accepted tickets are processed. When the queue is empty, the unsold units return to the item's stock.")
	httpapi.GetOf(r, "/flash-sales/:id/stats", ReadPermission, byID, h.stats).
		Doc("Get a flash sale's counters", "In units. `GET /events?topics=flash-sales` also delivers them, about once a second while they change.").
		With(httpapi.Contract{ID: "flashSaleStats", Success: "The counters, all of one moment except the age."})
	httpapi.GetOf(r, "/flash-sales/:id/samples", ReadPermission, byID, h.samples).
		Doc("Get a flash sale's counter samples", "One sample for each five seconds with a change, and one for ten seconds without, oldest first. Samples are "+
			"retained for an hour during a sale; the last hour of a finished sale is retained.").
		With(httpapi.Contract{ID: "flashSaleSamples", Success: "The samples."})
	// These routes change the gate and the queue; their changes in SQL have separate units.
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/reconcile", writePermission, byID, h.reconcile).
		Doc("Reconcile a flash sale", "Compares the gate with the orders, ticket by ticket, and corrects the gate; rebuilds a gate after the loss of its store. "+
			"The service also does this periodically. Accepted tickets without an order that their store lost are `rejected` with the reason `lost`.").
		With(httpapi.Contract{
			Success: "The differences found and corrected.", Locks: true,
			Rejections: []httpapi.Rejection{{Code: apperr.TransitionNotAllowed, Cause: "the sale is a draft", Members: draftView{}}},
		})
	httpapi.GetOf(r, "/flash-sales/:id/dead", ReadPermission, byID, h.dead).
		Doc("List dead letters", "Tickets of which each attempt failed, the oldest dead letter first. They do not block other tickets, and reserve their units "+
			"until an operator decides.")
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/dead/:messageId/retry", writePermission, byID, h.retryDead).
		Doc("Retry a dead letter", "Appends the ticket to the queue with its attempts reset.").With(httpapi.Contract{ID: "retryFlashSaleDead"})
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/dead/:messageId/discard", writePermission, byID, h.discardDead).
		Doc("Discard a dead letter", "Rejects the ticket, with the reason `discarded`; its units are for sale again.").
		With(httpapi.Contract{ID: "discardFlashSaleDead", Locks: true})
	// For customers, and for tokens that act for a customer.
	httpapi.ActOf(r, http.MethodPost, "/flash-sales/:id/orders", "", h.buyer, h.buy).
		Doc("Buy from a flash sale", "For customers, and for API tokens that act for one. The reply contains a ticket: the purchase is queued and its "+
			"units are reserved. An order that is not paid in time is cancelled, and its units are for sale again.\n\n"+
			"The ticket is derived from the idempotency key, the principal and the customer, and is stored as long as the "+
			"sale. A repeat under the key returns 202 with the first body, `status` `queued`, regardless of the ticket's "+
			"current status: `GET` the ticket to read it. (`ahead` is 0 if the gate was rebuilt in between.) Rejections, 409 "+
			"and 503, are not stored: a repeat may be admitted later.").
		With(httpapi.Contract{
			ID: "buyInFlashSale", Success: "Accepted. Poll the ticket until it is `confirmed` or `rejected`.", Body: purchase{new(int64(1))}, ForCustomers: true,
			Rejections: []httpapi.Rejection{
				{Code: apperr.SoldOut, Cause: "fewer units are left than requested"},
				{Code: apperr.SaleNotOpen, Members: notOpenView{}, Cause: "the sale does not admit customers now, for the `reason`"},
				{Code: apperr.LimitReached, Cause: "the customer has the maximum (`held` of `perUserLimit`), with the latest `ticket`; " +
					"or the customer has some units, and all are sold"},
				{Code: apperr.QueueFull, Members: unansweredView{}, Cause: "the queue has the maximum number of tickets"},
				{Code: apperr.Unavailable, Members: unansweredView{}, Cause: "flash sales are unreachable, or Redis has fewer replicas than the sale " +
					"requires, or the sale's gate is being rebuilt after the loss of its store; nothing was bought"},
				{Code: apperr.OutcomeUnknown, Members: unansweredView{}, Cause: "the purchase was sent without a response, so it may have been accepted, " +
					"or it was accepted and fewer replicas have it than the sale requires: `GET` the `ticket` to read the outcome. " +
					"Repeat after `Retry-After`, with the same idempotency key; without one, read the ticket first"},
			},
		})
	httpapi.GetOf(r, "/flash-sales/:id/tickets/:ticket", "", h.reader, h.ticket).
		Doc("Get a ticket", "For the customer of the ticket, and for callers that may read sales (`flash-sales:read`).").
		With(httpapi.Contract{ID: "getFlashSaleTicket", Success: "The ticket.", ForCustomers: true})
	myRoutes(r, h)
}

var planExample = flashSaleCreate{
	Name: "Noon sale", SKU: "TEA-100", Price: new(int64(990)), Quantity: new(int64(2000)), PerUserLimit: new(int64(2)),
	StartsTime: &example.StartsTime, EndsTime: &example.EndsTime, QueueCap: new(int64(5000)),
}

type handler struct{ service *Service }

type listRequest struct {
	// Substring of the name, ignoring case.
	Search httpapi.Search     `query:"q" validate:"max=100"`
	Status status.Param[Sale] `query:"status"`
	// Sales of this item.
	SKU string `query:"sku"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[flashSaleView], error) {
	listing, err := h.service.Sales(ctx, Filter{Search: string(in.Search), Status: in.Status.State, SKU: in.SKU}, in.Page.Page())
	return httpapi.ListOf(listing, func(sale Sale) flashSaleView { return saleViewOf(ctx, sale) }), err
}

type planRequest struct{ Body flashSaleCreate }

// flashSaleCreate has the Terms. Required members are pointers, so that 0 differs from absent.
type flashSaleCreate struct {
	Name         string     `json:"name" validate:"name=100"`
	SKU          string     `json:"sku" validate:"required,max=64"`
	Price        *int64     `json:"price" validate:"required,min=0"`
	Quantity     *int64     `json:"quantity" validate:"required,range=1 100000000"`
	PerUserLimit *int64     `json:"perUserLimit" validate:"required,range=1 100000000"`
	StartsTime   *time.Time `json:"startsTime" validate:"required"`
	// After `startsTime`.
	EndsTime *time.Time `json:"endsTime" validate:"required"`
	QueueCap *int64     `json:"queueCap,omitempty" validate:"omitempty,range=1 100000000"`
	Rate     *int64     `json:"rate,omitempty" validate:"omitempty,range=1 100000"`
	Replicas *int64     `json:"replicas,omitempty" validate:"omitempty,range=1 10"`
}

func (h handler) plan(ctx context.Context, u *uow.Unit, in planRequest) (httpapi.Created[flashSaleView], error) {
	b := in.Body
	sale, err := h.service.Plan(ctx, u, Terms{
		Name: b.Name, SKU: b.SKU, Price: *b.Price, Quantity: *b.Quantity, PerUserLimit: *b.PerUserLimit,
		StartsTime: *b.StartsTime, EndsTime: *b.EndsTime, QueueCap: b.QueueCap, Rate: b.Rate, Replicas: b.Replicas,
	})
	if err != nil {
		return httpapi.Created[flashSaleView]{}, err
	}
	return httpapi.Created[flashSaleView]{Location: fmt.Sprintf("/flash-sales/%d", sale.ID), Body: saleViewOf(ctx, *sale)}, nil
}

func (h handler) get(ctx context.Context, sale *Sale, _ httpapi.None) (flashSaleView, error) {
	return saleViewOf(ctx, *sale), nil
}

func (h handler) history(ctx context.Context, sale *Sale, in httpapi.Page) (httpapi.List[revisionView], error) {
	listing, err := h.service.History(ctx, sale, in.Page())
	return httpapi.ListOf(listing, func(r Revision) revisionView { return revisionViewOf(ctx, r) }), err
}

// patchedTerms are the members of a patch: the terms, and the quantity as a difference.
type patchedTerms struct {
	Terms
	// Added to the quantity; excludes `quantity`.
	QuantityDelta int64 `json:"quantityDelta" validate:"range=-100000000 100000000"`
}

type editRequest struct {
	httpapi.Edit[patchedTerms]
	EffectiveTime *time.Time `query:"effectiveTime"`
}

// patch returns the merge patch of the terms and, if present, the change of the quantity.
func (r *editRequest) patch() (patch map[string]any, delta *int64) {
	members, _ := r.Change().Patch.(map[string]any)
	patch = maps.Clone(members)
	if number, ok := patch["quantityDelta"].(json.Number); ok {
		n, _ := number.Int64() // it was read into an int64
		delta = &n
	}
	delete(patch, "quantityDelta")
	return patch, delta
}

// Check validates the change of the quantity.
func (r *editRequest) Check() error {
	patch, delta := r.patch()
	if delta == nil {
		return nil
	}
	var broken apperr.Fields
	_, absolute := patch["quantity"]
	broken.Check(!absolute, "/quantityDelta", "excluded", "cannot be combined with quantity")
	broken.Check(*delta >= -maxUnits && *delta <= maxUnits, "/quantityDelta", "range", fmt.Sprintf("must be from -%d to %d", maxUnits, maxUnits))
	if len(broken) > 0 {
		return apperr.Invalid(broken...)
	}
	return nil
}

func (h handler) edit(ctx context.Context, u *uow.Unit, sale *Sale, in editRequest) (editedView, error) {
	edit := in.Change()
	if patch, delta := in.patch(); patch != nil {
		if delta != nil {
			patch["quantity"] = json.Number(strconv.FormatInt(sale.Quantity+*delta, 10))
		}
		edit.Patch = patch
	} else {
		// A JSON Patch. The terms have no nested members, so a merge patch expresses it completely.
		terms, err := merge.Tree(sale.Terms)
		if err != nil {
			return editedView{}, err
		}
		made, err := change.MergePatch(terms, edit.Patch)
		if err != nil {
			return editedView{}, err
		}
		if _, given := made.(map[string]any)["quantityDelta"]; given {
			return editedView{}, apperr.Malformed("/quantityDelta", "is no member of a sale; change quantity, or send a merge patch")
		}
		edit.Patch = made
	}
	edited, err := h.service.Edit(approvals.Scheduling(ctx, in.EffectiveTime), u, sale, edit)
	if err != nil {
		return editedView{}, err
	}
	return editedView{flashSaleView: saleViewOf(ctx, *edited.Row), Merged: edited.Merged}, nil
}

func (h handler) delete(ctx context.Context, u *uow.Unit, sale *Sale, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(ctx, u, sale, in.IfMatch)
}

type transitionRequest struct{ IfMatch *guard.Precondition }

func (h handler) transition(action string) func(context.Context, *uow.Unit, *Sale, transitionRequest) (flashSaleView, error) {
	return func(ctx context.Context, u *uow.Unit, sale *Sale, in transitionRequest) (flashSaleView, error) {
		after, err := h.service.Transition(ctx, u, sale, action, in.IfMatch)
		if err != nil {
			return flashSaleView{}, err
		}
		return saleViewOf(ctx, *after), nil
	}
}

func (h handler) stats(ctx context.Context, sale *Sale, _ httpapi.None) (Stats, error) {
	return h.service.Stats(ctx, sale)
}

type samplesRequest struct {
	// The length of the period, up to now; for a closed sale, up to its newest sample.
	Minutes int64 `query:"minutes" validate:"max=60" default:"5"`
}

// samplesView contains a sale's numbers over time, and the time of the reply, so that
// charts do not depend on the client's clock.
type samplesView struct {
	// When the reply was created.
	Time  time.Time `json:"time"`
	Items []Sample  `json:"items"`
}

func (h handler) samples(ctx context.Context, sale *Sale, in samplesRequest) (samplesView, error) {
	samples, err := h.service.Samples(ctx, sale, time.Duration(cmp.Or(in.Minutes, defaultMinutes))*time.Minute)
	return samplesView{clock.Stored(h.service.clock.Now()), samples}, err
}

type reconcileRequest struct {
	Wait httpapi.Wait `query:"wait"`
}

func (h handler) reconcile(ctx context.Context, _ *httpapi.Batch, sale *Sale, in reconcileRequest) (Reconciliation, error) {
	return h.service.Reconcile(ctx, sale.ID, in.Wait.Duration())
}

type deadRequest struct{ httpapi.Page }

// Check rejects a sort, because the queue defines the order.
func (r *deadRequest) Check() error {
	if r.Sort != "" {
		return apperr.Malformed("?sort", "cannot be chosen: the order is by dead time")
	}
	return nil
}

func (h handler) dead(ctx context.Context, sale *Sale, in deadRequest) (httpapi.List[DeadLetter], error) {
	page := in.Page.Page()
	found, next, total, err := h.service.DeadLetters(ctx, sale, page.Cursor, page.Limit)
	return httpapi.List[DeadLetter]{Items: found, NextCursor: httpapi.OrNull(next), Total: total, TotalIsExact: true}, err
}

type retryRequest struct {
	MessageID string `path:"messageId" of:"dead letter"`
}

func (h handler) retryDead(ctx context.Context, b *httpapi.Batch, sale *Sale, in retryRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.RetryDead(ctx, b, sale, in.MessageID)
}

type discardRequest struct {
	MessageID string       `path:"messageId" of:"dead letter"`
	Wait      httpapi.Wait `query:"wait"`
}

func (h handler) discardDead(ctx context.Context, b *httpapi.Batch, sale *Sale, in discardRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.DiscardDead(ctx, b, sale, in.MessageID, in.Wait.Duration())
}
