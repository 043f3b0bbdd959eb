package flashsale

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const (
	read  = "flash-sales:read"
	write = "flash-sales:write"
)

// Routes registers the routes of flash sales.
func Routes(r *httpapi.Router, s *Service) {
	h := handlers{s}
	r = r.Critical()
	r.Query("/flash-sales", read, h.list)
	r.Mutation(http.MethodPost, "/flash-sales", write, h.plan)
	r.Query("/flash-sales/:id", read, h.get)
	r.Guarded(http.MethodPatch, "/flash-sales/:id", write, h.edit)
	r.Guarded(http.MethodDelete, "/flash-sales/:id", write, h.delete)
	r.Query("/flash-sales/:id/history", read, h.history)
	for _, action := range Machine.Actions {
		r.Transition("/flash-sales/:id", action.Name, write, h.transition(action.Name))
	}
	r.Query("/flash-sales/:id/stats", read, h.stats)
	// These go to the gate and the queue; what they change in SQL has units of its own.
	r.Batch(http.MethodPost, "/flash-sales/:id/reconcile", write, h.reconcile)
	r.Query("/flash-sales/:id/dead", read, h.dead)
	r.Batch(http.MethodPost, "/flash-sales/:id/dead/:messageId/retry", write, h.retryDead)
	r.Batch(http.MethodPost, "/flash-sales/:id/dead/:messageId/discard", write, h.discardDead)
	// For customers, and for tokens that act for one; see customerOf.
	r.Plain(http.MethodPost, "/flash-sales/:id/orders", "", h.buy)
	r.Query("/flash-sales/:id/tickets/:ticket", "", h.ticket)
}

type handlers struct{ service *Service }

type representation struct {
	ID int64 `json:"id"`
	Terms
	ItemName           string   `json:"itemName"`
	Status             string   `json:"status"`
	AllowedTransitions []string `json:"allowedTransitions"`
	guard.Stamp
}

func represent(s Sale) representation {
	state := Machine.Of(s.Status)
	return representation{
		ID: s.ID, Terms: s.Terms, ItemName: s.ItemName, Status: state.Name, AllowedTransitions: Machine.Allowed(state), Stamp: s.Stamp(),
	}
}

type editedSale struct {
	representation
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	Terms
	Status      string           `json:"status"`
	Note        string           `json:"note"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func representRevision(r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Terms: r.Terms, Status: Machine.Of(r.Status).Name, Note: r.Note,
		ChangedBy: principal.Person{ID: r.ChangedBy, Name: r.ChangedByName}, ChangedTime: r.ChangedTime,
	}
}

func (h handlers) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter := Filter{Search: c.QueryParam("q"), SKU: c.QueryParam("sku")}
	// Engines bound the length of a pattern; nothing longer than a name is found.
	if utf8.RuneCountInString(filter.Search) > longestName {
		return httpapi.Reply{}, apperr.Malformed("?q", fmt.Sprintf("must have at most %d characters", longestName))
	}
	if name := c.QueryParam("status"); name != "" {
		state, known := Machine.Named(name)
		if !known {
			return httpapi.Reply{}, apperr.Malformed("?status", "must be one of "+strings.Join(Machine.Names(), ", "))
		}
		filter.Status = &state
	}
	listing, err := h.service.Sales(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

type planRequest struct {
	Name         string     `json:"name" validate:"required"`
	SKU          string     `json:"sku" validate:"required,max=64"`
	Price        *int64     `json:"price" validate:"required"`
	Quantity     *int64     `json:"quantity" validate:"required"`
	PerUserLimit *int64     `json:"perUserLimit" validate:"required"`
	StartsTime   *time.Time `json:"startsTime" validate:"required"`
	EndsTime     *time.Time `json:"endsTime" validate:"required"`
	QueueCap     *int64     `json:"queueCap"`
	Rate         *int64     `json:"rate"`
}

func (h handlers) plan(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request planRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	sale, err := h.service.Plan(c.Request().Context(), u, Terms{
		Name: request.Name, SKU: request.SKU, Price: *request.Price, Quantity: *request.Quantity, PerUserLimit: *request.PerUserLimit,
		StartsTime: clock.Kept(*request.StartsTime), EndsTime: clock.Kept(*request.EndsTime), QueueCap: request.QueueCap, Rate: request.Rate,
	})
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(fmt.Sprintf("%s/flash-sales/%d", httpapi.Base, sale.ID), represent(*sale)), nil
}

// named returns the sale that the path names.
func (h handlers) named(c echo.Context) (*Sale, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return nil, err
	}
	return h.service.Sale(c.Request().Context(), id)
}

func (h handlers) get(c echo.Context) (httpapi.Reply, error) {
	sale, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*sale)), nil
}

func (h handlers) history(c echo.Context) (httpapi.Reply, error) {
	sale, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.History(c.Request().Context(), sale.ID, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representRevision), nil
}

func (h handlers) edit(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	sale, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	patch, err := patchOf(c, sale)
	if err != nil {
		return httpapi.Reply{}, err
	}
	edit, err := httpapi.EditOf(c, patch)
	if err != nil {
		return httpapi.Reply{}, err
	}
	edited, err := h.service.Edit(c.Request().Context(), u, sale, edit)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(editedSale{representation: represent(*edited.Row), Merged: edited.Merged}), nil
}

// patchOf reads a merge patch of a sale's terms, the types of its members checked. A
// quantityDelta is the quantity that it makes of the sale's. Times are spelled as a sale
// spells them, so that the same instant in another zone is no change.
func patchOf(c echo.Context, sale *Sale) (any, error) {
	var terms Terms
	var delta int64
	members := map[string]any{
		"name": &terms.Name, "sku": &terms.SKU, "price": &terms.Price, "quantity": &terms.Quantity, "perUserLimit": &terms.PerUserLimit,
		"startsTime": &terms.StartsTime, "endsTime": &terms.EndsTime, "queueCap": &terms.QueueCap, "rate": &terms.Rate, "quantityDelta": &delta,
	}
	patch, err := httpapi.BindPatch(c, members)
	if err != nil {
		return nil, err
	}
	changes := map[string]any{}
	for _, name := range patch.Names() {
		if at, ok := members[name].(*time.Time); ok {
			*at = clock.Kept(*at)
		}
		if name != "quantityDelta" {
			changes[name] = members[name]
		}
	}
	if patch.Has("quantityDelta") {
		if patch.Has("quantity") {
			return nil, apperr.Invalid(apperr.Field{Pointer: "/quantityDelta", Code: "excluded", Message: "cannot be had together with quantity"})
		}
		if delta < -mostUnits || delta > mostUnits {
			return nil, apperr.Invalid(apperr.Field{Pointer: "/quantityDelta", Code: "range", Message: fmt.Sprintf("must be from -%d to %d", mostUnits, mostUnits)})
		}
		changes["quantity"] = sale.Quantity + delta
	}
	return merge.Tree(changes)
}

func (h handlers) delete(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	sale, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	ifMatch, err := httpapi.IfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.service.Delete(c.Request().Context(), u, sale, ifMatch); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

func (h handlers) transition(action string) httpapi.MutationFunc {
	return func(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
		sale, err := h.named(c)
		if err != nil {
			return httpapi.Reply{}, err
		}
		if body := httpapi.Body(c); len(body) > 0 {
			if err := strictjson.Decode(body, &struct{}{}); err != nil {
				return httpapi.Reply{}, httpapi.Unreadable(err)
			}
		}
		ifMatch, err := httpapi.OptionalIfMatch(c)
		if err != nil {
			return httpapi.Reply{}, err
		}
		if err := h.service.Demand(sale, ifMatch); err != nil {
			return httpapi.Reply{}, err
		}
		after, err := h.service.Transition(c.Request().Context(), u, sale, action, ifMatch)
		if err != nil {
			return httpapi.Reply{}, err
		}
		return httpapi.OK(represent(*after)), nil
	}
}

func (h handlers) stats(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	stats, err := h.service.Stats(c.Request().Context(), id)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(stats), nil
}

func (h handlers) reconcile(c echo.Context, _ *httpapi.Batch) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	wait, err := httpapi.WaitParam(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	reconciliation, err := h.service.Reconcile(c.Request().Context(), id, wait)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(reconciliation), nil
}

func (h handlers) dead(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "flash sale")
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if page.Sort != "" {
		return httpapi.Reply{}, apperr.Malformed("?sort", "cannot be chosen: the longest dead come first")
	}
	if strings.Trim(page.Cursor, "0123456789") != "" || len(page.Cursor) > 18 {
		return httpapi.Reply{}, apperr.Malformed("?cursor", "must be a nextCursor that this list gave")
	}
	found, next, total, err := h.service.DeadLetters(c.Request().Context(), id, page.Cursor, page.Limit)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(httpapi.List[DeadLetter]{Items: found, NextCursor: textOrNull(next), Total: total}), nil
}
