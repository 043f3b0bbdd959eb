package flashsale

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

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
	h := handler{s}
	r = r.Critical()
	byID := httpapi.Numbered("flash sale", s.Sale)
	httpapi.Get(r, "/flash-sales", ReadPermission, h.list)
	httpapi.Mutation(r, http.MethodPost, "/flash-sales", writePermission, h.plan)
	httpapi.GetOf(r, "/flash-sales/:id", ReadPermission, byID, h.get)
	httpapi.MutationOf(r, http.MethodPatch, "/flash-sales/:id", writePermission, byID, h.edit)
	httpapi.MutationOf(r, http.MethodDelete, "/flash-sales/:id", writePermission, byID, h.delete)
	httpapi.GetOf(r, "/flash-sales/:id/history", ReadPermission, byID, h.history)
	for _, action := range Machine.Actions {
		httpapi.Transition(r, "/flash-sales/:id", action.Name, writePermission, byID, h.transition(action.Name))
	}
	httpapi.GetOf(r, "/flash-sales/:id/stats", ReadPermission, byID, h.stats)
	httpapi.GetOf(r, "/flash-sales/:id/samples", ReadPermission, byID, h.samples)
	// These change the gate and the queue; their changes in SQL have separate units.
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/reconcile", writePermission, byID, h.reconcile)
	httpapi.GetOf(r, "/flash-sales/:id/dead", ReadPermission, byID, h.dead)
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/dead/:messageId/retry", writePermission, byID, h.retryDead)
	httpapi.MultiUnitOf(r, http.MethodPost, "/flash-sales/:id/dead/:messageId/discard", writePermission, byID, h.discardDead)
	// For customers, and for tokens that act for a customer.
	httpapi.ActOf(r, http.MethodPost, "/flash-sales/:id/orders", "", h.buyer, h.buy)
	httpapi.GetOf(r, "/flash-sales/:id/tickets/:ticket", "", h.reader, h.ticket)
}

type handler struct{ service *Service }

type listRequest struct {
	Search httpapi.Search     `query:"q"`
	Status status.Param[Sale] `query:"status"`
	SKU    string             `query:"sku"`
	httpapi.Page
}

// Check bounds the length of the search text by the length of a name.
func (r *listRequest) Check() error {
	if utf8.RuneCountInString(string(r.Search)) > maxName {
		return apperr.Malformed("?q", fmt.Sprintf("must have at most %d characters", maxName))
	}
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[saleView], error) {
	listing, err := h.service.Sales(ctx, Filter{Search: string(in.Search), Status: in.Status.State, SKU: in.SKU}, in.Page.Page())
	return httpapi.ListOf(listing, func(sale Sale) saleView { return saleViewOf(ctx, sale) }), err
}

type planRequest struct {
	Body struct {
		Name         string     `json:"name" validate:"required"`
		SKU          string     `json:"sku" validate:"required,max=64"`
		Price        *int64     `json:"price" validate:"required"`
		Quantity     *int64     `json:"quantity" validate:"required"`
		PerUserLimit *int64     `json:"perUserLimit" validate:"required"`
		StartsTime   *time.Time `json:"startsTime" validate:"required"`
		EndsTime     *time.Time `json:"endsTime" validate:"required"`
		QueueCap     *int64     `json:"queueCap"`
		Rate         *int64     `json:"rate"`
		Replicas     *int64     `json:"replicas"`
	}
}

func (h handler) plan(ctx context.Context, u *uow.Unit, in planRequest) (httpapi.Created[saleView], error) {
	b := in.Body
	sale, err := h.service.Plan(ctx, u, Terms{
		Name: b.Name, SKU: b.SKU, Price: *b.Price, Quantity: *b.Quantity, PerUserLimit: *b.PerUserLimit,
		StartsTime: *b.StartsTime, EndsTime: *b.EndsTime, QueueCap: b.QueueCap, Rate: b.Rate, Replicas: b.Replicas,
	})
	if err != nil {
		return httpapi.Created[saleView]{}, err
	}
	return httpapi.Created[saleView]{Location: fmt.Sprintf("/flash-sales/%d", sale.ID), Body: saleViewOf(ctx, *sale)}, nil
}

func (h handler) get(ctx context.Context, sale *Sale, _ httpapi.None) (saleView, error) {
	return saleViewOf(ctx, *sale), nil
}

func (h handler) history(ctx context.Context, sale *Sale, in httpapi.Page) (httpapi.List[revisionView], error) {
	listing, err := h.service.History(ctx, sale, in.Page())
	return httpapi.ListOf(listing, func(r Revision) revisionView { return revisionViewOf(ctx, r) }), err
}

// patchedTerms are the members of a patch: the terms, and the quantity as a difference.
type patchedTerms struct {
	Terms
	QuantityDelta int64 `json:"quantityDelta"`
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
	return editedView{saleView: saleViewOf(ctx, *edited.Row), Merged: edited.Merged}, nil
}

func (h handler) delete(ctx context.Context, u *uow.Unit, sale *Sale, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(ctx, u, sale, in.IfMatch)
}

type transitionRequest struct{ IfMatch *guard.Precondition }

func (h handler) transition(action string) func(context.Context, *uow.Unit, *Sale, transitionRequest) (saleView, error) {
	return func(ctx context.Context, u *uow.Unit, sale *Sale, in transitionRequest) (saleView, error) {
		after, err := h.service.Transition(ctx, u, sale, action, in.IfMatch)
		if err != nil {
			return saleView{}, err
		}
		return saleViewOf(ctx, *after), nil
	}
}

func (h handler) stats(ctx context.Context, sale *Sale, _ httpapi.None) (Stats, error) {
	return h.service.Stats(ctx, sale)
}

// lookback is the time range of samples; a request sends it in minutes.
type lookback time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *lookback) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if most := int(samplesRetention / time.Minute); err != nil || n < 1 || n > most {
		return fmt.Errorf("must be a whole number from 1 to %d", most)
	}
	*l = lookback(time.Duration(n) * time.Minute)
	return nil
}

type samplesRequest struct {
	Lookback lookback `query:"minutes"`
}

// samplesView contains a sale's numbers over time, and the time of the reply, so that
// charts do not depend on the client's clock.
type samplesView struct {
	Time  time.Time `json:"time"`
	Items []Sample  `json:"items"`
}

func (h handler) samples(ctx context.Context, sale *Sale, in samplesRequest) (samplesView, error) {
	back := time.Duration(in.Lookback)
	if back == 0 {
		back = defaultLookback
	}
	samples, err := h.service.Samples(ctx, sale, back)
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
