package catalog

import (
	"cmp"
	"context"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the catalog's routes.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Items", Noun: "item", Example: example})
	h := handler{s}
	bySKU := httpapi.Named("sku", s.Item)
	httpapi.Get(r, "/items", ReadPermission, h.list).Doc("List items", "").With(httpapi.Contract{Sorts: itemSorts})
	httpapi.Mutation(r, http.MethodPost, "/items", writePermission, h.create).
		Doc("Create an item", "").
		With(httpapi.Contract{Success: "The new item.", Body: createExample, Rejections: []httpapi.Rejection{{Code: apperr.AlreadyExists}}})
	httpapi.GetOf(r, "/items/:sku", ReadPermission, bySKU, h.get).Doc("Get an item", "")
	httpapi.MutationOf(r, http.MethodPatch, "/items/:sku", writePermission, bySKU, h.edit).
		Doc("Update an item", "A merge patch (RFC 7396): only the members sent are changed, and null clears an optional member. "+
			"Placed orders retain their name and price. A patch without effect returns 200 with the same version.").
		With(httpapi.Contract{ID: "editItem", Body: map[string]int{"price": 2190}})
	httpapi.MutationOf(r, http.MethodDelete, "/items/:sku", writePermission, bySKU, h.delete).
		Doc("Delete an item", "An item that an order references cannot be deleted (409 `in_use`); archive it instead.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{{Code: apperr.InUse}}})
	httpapi.GetOf(r, "/items/:sku/history", ReadPermission, bySKU, h.history).
		Doc("List the versions of an item", "Newest first. Every version is retained.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
}

type handler struct{ service *Service }

type listRequest struct {
	// Substring of the sku or name, ignoring case.
	Search httpapi.Search        `query:"q"`
	Status httpapi.OneOf[Status] `query:"status"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[itemView], error) {
	listing, err := h.service.List(ctx, Filter{Search: string(in.Search), Status: in.Status.Value}, in.Page.Page())
	return httpapi.ListOf(listing, func(item Item) itemView { return viewOf(ctx, item) }), err
}

type createRequest struct{ Body itemCreate }

type itemCreate struct {
	// The permanent name of the item.
	SKU  SKU    `json:"sku" validate:"required,pattern"`
	Name string `json:"name" validate:"name=200"`
	// In minor units.
	Price         *int64                `json:"price" validate:"required,min=0"`
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId,omitempty" validate:"omitempty,pattern"`
	Status        Status                `json:"status,omitempty" validate:"omitempty,enum" default:"active"`
}

var createExample = itemCreate{SKU: "TEA-100", Name: "Green tea 100 g", Price: new(int64(1990))}

// Check rejects the skus "." and "..", because clients remove these segments from a path.
func (r *createRequest) Check() error {
	if r.Body.SKU == "." || r.Body.SKU == ".." {
		return apperr.Invalid(apperr.Field{Pointer: "/sku", Code: "reserved", Message: "cannot be a sku: clients remove it from addresses"})
	}
	return nil
}

func (h handler) create(ctx context.Context, u *uow.Unit, in createRequest) (httpapi.Created[itemView], error) {
	content := Content{Name: in.Body.Name, Price: *in.Body.Price, OwnedByUserID: in.Body.OwnedByUserID, Status: cmp.Or(in.Body.Status, Active)}
	item, err := h.service.Create(ctx, u, string(in.Body.SKU), content)
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
