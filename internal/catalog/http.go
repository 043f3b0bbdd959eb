package catalog

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the catalog's routes.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	const read, write = "items:read", "items:write"
	r.Query("/items", read, h.list)
	r.Mutation(http.MethodPost, "/items", write, h.create)
	r.Query("/items/:sku", read, h.get)
	r.Guarded(http.MethodPatch, "/items/:sku", write, h.edit)
	r.Guarded(http.MethodDelete, "/items/:sku", write, h.delete)
	r.Query("/items/:sku/history", read, h.history)
}

type handler struct{ service *Service }

type representation struct {
	SKU           string `json:"sku"`
	Name          string `json:"name"`
	Price         int64  `json:"price"`
	OwnedByUserID *int64 `json:"ownedByUserId"`
	Status        string `json:"status"`
	guard.Stamp
}

func represent(item Item) representation {
	return representation{
		SKU: item.SKU, Name: item.Name, Price: item.Price, OwnedByUserID: item.OwnedByUserID,
		Status: item.Status, Stamp: item.Stamp(),
	}
}

type editedItem struct {
	representation
	Merged *change.Merged `json:"merged,omitempty"`
}

type revisionView struct {
	Version       int64            `json:"version"`
	Action        string           `json:"action"`
	Name          string           `json:"name"`
	Price         int64            `json:"price"`
	OwnedByUserID *int64           `json:"ownedByUserId"`
	Status        string           `json:"status"`
	ChangedBy     principal.Person `json:"changedBy"`
	ChangedTime   time.Time        `json:"changedTime"`
}

func representRevision(r Revision) revisionView {
	return revisionView{
		Version: r.Version, Action: r.Action, Name: r.Name, Price: r.Price, OwnedByUserID: r.OwnedByUserID,
		Status: r.Status, ChangedBy: principal.Person{ID: r.ChangedBy, Name: r.ChangedByName}, ChangedTime: r.ChangedTime,
	}
}

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter := Filter{Search: c.QueryParam("q"), Status: c.QueryParam("status")}
	// Engines bound the length of a pattern; nothing longer than a name is found.
	if utf8.RuneCountInString(filter.Search) > longestName {
		return httpapi.Reply{}, apperr.Malformed("?q", fmt.Sprintf("must have at most %d characters", longestName))
	}
	if filter.Status != "" && !slices.Contains(statuses, filter.Status) {
		return httpapi.Reply{}, apperr.Malformed("?status", "must be one of "+strings.Join(statuses, ", "))
	}
	listing, err := h.service.List(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

type createRequest struct {
	SKU           string `json:"sku" validate:"required"`
	Name          string `json:"name" validate:"required"`
	Price         *int64 `json:"price" validate:"required"`
	OwnedByUserID *int64 `json:"ownedByUserId"`
	Status        string `json:"status"`
}

func (h handler) create(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request createRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	content := Content{Name: request.Name, Price: *request.Price, OwnedByUserID: request.OwnedByUserID, Status: request.Status}
	if content.Status == "" {
		content.Status = Active
	}
	item, err := h.service.Create(c.Request().Context(), u, request.SKU, content)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(httpapi.Base+"/items/"+item.SKU, represent(*item)), nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	item, err := h.service.Item(c.Request().Context(), c.Param("sku"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*item)), nil
}

func (h handler) edit(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx := c.Request().Context()
	item, err := h.service.Item(ctx, c.Param("sku"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	edit, err := editOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	edited, err := h.service.Edit(ctx, u, item, edit)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(editedItem{representation: represent(*edited.Row), Merged: edited.Merged}), nil
}

// editOf reads the merge patch, the types of its members checked, and what it is
// conditional on.
func editOf(c echo.Context) (change.Edit, error) {
	var content Content
	patch, err := httpapi.BindPatch(c, map[string]any{
		"name": &content.Name, "price": &content.Price, "ownedByUserId": &content.OwnedByUserID, "status": &content.Status,
	})
	if err != nil {
		return change.Edit{}, err
	}
	tree, err := merge.Parse(patch.Text())
	if err != nil {
		return change.Edit{}, err
	}
	return httpapi.EditOf(c, tree)
}

func (h handler) delete(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx := c.Request().Context()
	item, err := h.service.Item(ctx, c.Param("sku"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	ifMatch, err := httpapi.IfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.service.Delete(ctx, u, item, ifMatch); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

func (h handler) history(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.History(c.Request().Context(), c.Param("sku"), page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representRevision), nil
}
