package catalog

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the catalog's routes.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	bySKU := httpapi.Named("sku", s.Item)
	httpapi.Get(r, "/items", ReadPermission, h.list)
	httpapi.Mutation(r, http.MethodPost, "/items", writePermission, h.create)
	httpapi.GetOf(r, "/items/:sku", ReadPermission, bySKU, h.get)
	httpapi.MutationOf(r, http.MethodPatch, "/items/:sku", writePermission, bySKU, h.edit)
	httpapi.MutationOf(r, http.MethodDelete, "/items/:sku", writePermission, bySKU, h.delete)
	httpapi.GetOf(r, "/items/:sku/history", ReadPermission, bySKU, h.history)
}

type handler struct{ service *Service }

type listRequest struct {
	Search httpapi.Search `query:"q"`
	Status string         `query:"status"`
	httpapi.Page
}

func (r *listRequest) Check() error {
	if r.Status != "" && !slices.Contains(statuses, r.Status) {
		return apperr.Malformed("?status", "must be one of "+strings.Join(statuses, ", "))
	}
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[itemView], error) {
	listing, err := h.service.List(ctx, Filter{Search: string(in.Search), Status: in.Status}, in.Page.Page())
	return httpapi.ListOf(listing, func(item Item) itemView { return viewOf(ctx, item) }), err
}

type createRequest struct {
	Body struct {
		SKU           string                `json:"sku" validate:"required"`
		Name          string                `json:"name" validate:"required"`
		Price         *int64                `json:"price" validate:"required"`
		OwnedByUserID *principal.CustomerID `json:"ownedByUserId"`
		Status        string                `json:"status"`
	}
}

func (h handler) create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[itemView], error) {
	content := Content{Name: in.Body.Name, Price: *in.Body.Price, OwnedByUserID: in.Body.OwnedByUserID, Status: in.Body.Status}
	if content.Status == "" {
		content.Status = Active
	}
	item, err := h.service.Create(ctx, u, in.Body.SKU, content)
	if err != nil {
		return httpapi.Created[itemView]{}, err
	}
	return httpapi.Created[itemView]{Location: "/items/" + item.SKU, Body: viewOf(ctx, *item)}, nil
}

func (h handler) get(ctx context.Context, item *Item, _ httpapi.None) (itemView, error) {
	return viewOf(ctx, *item), nil
}

type editRequest struct{ httpapi.Edit[Content] }

func (h handler) edit(ctx context.Context, u *uow.Unit, item *Item, in editRequest) (editedView, error) {
	edited, err := h.service.Edit(ctx, u, item, in.Change())
	if err != nil {
		return editedView{}, err
	}
	return editedView{itemView: viewOf(ctx, *edited.Row), Merged: edited.Merged}, nil
}

func (h handler) delete(ctx context.Context, u *uow.Unit, item *Item, in httpapi.Guarded) (httpapi.None, error) {
	return httpapi.None{}, h.service.Delete(ctx, u, item, in.IfMatch)
}

func (h handler) history(ctx context.Context, item *Item, in httpapi.Page) (httpapi.List[revisionView], error) {
	listing, err := h.service.History(ctx, item, in.Page())
	return httpapi.ListOf(listing, func(r Revision) revisionView { return revisionViewOf(ctx, r) }), err
}
