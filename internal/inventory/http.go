package inventory

import (
	"context"
	"net/http"
	"net/url"

	"interlock/internal/base/apperr"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of inventory.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Inventory", Noun: "inventory", Example: example})
	h := handler{s}
	bySKU := httpapi.Named("sku", s.items.Item)
	httpapi.Get(r, "/inventory", ReadPermission, h.list).
		Doc("List stock", "Items without any stock movement are not listed; their numbers are zero. `sort=available` lists the lowest stock first.").
		With(httpapi.Contract{Sorts: inventorySorts})
	httpapi.GetOf(r, "/inventory/:sku", ReadPermission, bySKU, h.get).
		Doc("Get an item's stock", "Zeros, version 0 and no `etag` before the first movement.").
		With(httpapi.Contract{Success: "The stock."})
	httpapi.GetOf(r, "/inventory/:sku/movements", ReadPermission, bySKU, h.movements).
		Doc("List an item's stock movements", "The append-only ledger, newest first. The sums of `onHandDelta`, `reservedDelta` and `delta` of all movements "+
			"are `onHand`, `reserved` and `available`.").
		With(httpapi.Contract{Sorts: movementSorts})
	movements := r.About(httpapi.Resource{Tag: "Inventory", Noun: "inventory", Example: movementViewOf(delivery)})
	httpapi.MutationOf(movements.Critical(), http.MethodPost, "/inventory/:sku/adjustments", adjustPermission, bySKU, h.adjust).
		Doc("Adjust stock", "`delta` adds or removes units. `setTo` with `changeFrom` replaces the number in stock with a counted one; 409 "+
			"`status_changed` if the number is no longer `changeFrom`.\n\n"+
			"`reference` identifies the adjustment among all movements of the item. A repeat with the same content returns "+
			"200 with the first movement and changes nothing; other content returns 409 `payload_mismatch`. Retries are therefore safe.").
		With(httpapi.Contract{
			ID: "adjustInventory", Success: "Applied.", Repeated: "Already applied; the body is the first movement.", Locks: true,
			Body: Adjustment{Delta: new(int64(100)), Reason: "Delivery 4711", Reference: "delivery-4711"},
			Rejections: []httpapi.Rejection{
				{Code: apperr.InsufficientStock, Cause: "fewer units would be in stock than are reserved"},
				{Code: apperr.StatusChanged, Cause: "the number in stock is not `changeFrom`; `current` is the stock, `changedBy` the author of its last movement", Members: changedView{}},
				{Code: apperr.PayloadMismatch, Cause: "the reference belongs to another movement, which is `first`", Members: mismatchView{}},
			},
		})
}

type handler struct{ service *Service }

type listRequest struct {
	// Substring of the sku, ignoring case.
	Search httpapi.Search `query:"q"`
	// The stock of this item.
	SKU string `query:"sku"`
	// Items with at most this number of available units.
	MaxAvailable *int64 `query:"maxAvailable" min:"0"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[inventoryView], error) {
	filter := Filter{Search: string(in.Search), SKU: in.SKU, MaxAvailable: in.MaxAvailable}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, viewOf), err
}

func (h handler) get(ctx context.Context, item *catalog.Item, _ httpapi.None) (inventoryView, error) {
	stock, err := h.service.Inventory(ctx, item.SKU)
	if err != nil {
		return inventoryView{}, err
	}
	return viewOf(*stock), nil
}

type movementsRequest struct {
	Reference string `query:"reference"`
	httpapi.Page
}

func (h handler) movements(ctx context.Context, item *catalog.Item, in movementsRequest) (httpapi.List[movementView], error) {
	listing, err := h.service.Movements(ctx, item.SKU, in.Reference, in.Page.Page())
	return httpapi.ListOf(listing, movementViewOf), err
}

type adjustRequest struct {
	Wait httpapi.Wait `query:"wait"`
	Body Adjustment
}

// Check validates the combination of the numbers.
func (in *adjustRequest) Check() error {
	r := in.Body
	var violations apperr.Fields
	counted := r.SetTo != nil || r.ChangeFrom != nil
	violations.Check(r.Delta != nil || counted, "/delta", "required", "is required, or setTo and changeFrom instead")
	violations.Check(r.Delta == nil || !counted, "/delta", "excluded", "cannot be combined with setTo and changeFrom")
	violations.Check(r.SetTo != nil || !counted, "/setTo", "required", "is required when on hand is set")
	violations.Check(r.ChangeFrom != nil || !counted, "/changeFrom", "required", "is required when on hand is set")
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

func (h handler) adjust(ctx context.Context, u *uow.Unit, item *catalog.Item, in adjustRequest) (httpapi.Created[movementView], error) {
	m, first, err := h.service.Adjust(ctx, u, item.SKU, in.Body, in.Wait.Duration())
	if err != nil {
		return httpapi.Created[movementView]{}, err
	}
	return httpapi.Created[movementView]{
		Location: "/inventory/" + item.SKU + "/movements?reference=" + url.QueryEscape(m.Reference),
		Body:     movementViewOf(*m), Existed: !first,
	}, nil
}
