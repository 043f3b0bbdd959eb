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
	h := handler{s}
	bySKU := httpapi.Named("sku", s.items.Item)
	httpapi.Get(r, "/inventory", ReadPermission, h.list)
	httpapi.GetOf(r, "/inventory/:sku", ReadPermission, bySKU, h.get)
	httpapi.GetOf(r, "/inventory/:sku/movements", ReadPermission, bySKU, h.movements)
	httpapi.MutationOf(r.Critical(), http.MethodPost, "/inventory/:sku/adjustments", adjustPermission, bySKU, h.adjust)
}

type handler struct{ service *Service }

type listRequest struct {
	Search       httpapi.Search `query:"q"`
	SKU          string         `query:"sku"`
	MaxAvailable *int64         `query:"maxAvailable" min:"0"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[stockView], error) {
	filter := Filter{Search: string(in.Search), SKU: in.SKU, MaxAvailable: in.MaxAvailable}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, viewOf), err
}

func (h handler) get(ctx context.Context, item *catalog.Item, _ httpapi.None) (stockView, error) {
	stock, err := h.service.Inventory(ctx, item.SKU)
	if err != nil {
		return stockView{}, err
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
	Body adjustBody
}

type adjustBody struct {
	Delta      *int64 `json:"delta"`
	SetTo      *int64 `json:"setTo"`
	ChangeFrom *int64 `json:"changeFrom"`
	Reason     string `json:"reason" validate:"required,max=500"`
	Reference  string `json:"reference"`
}

// Check validates the rules that need no stock.
func (in *adjustRequest) Check() error {
	r := in.Body
	var violations apperr.Fields
	counted := r.SetTo != nil || r.ChangeFrom != nil
	violations.Check(r.Delta != nil || counted, "/delta", "required", "is required, or setTo and changeFrom instead")
	violations.Check(r.Delta == nil || !counted, "/delta", "excluded", "cannot be combined with setTo and changeFrom")
	violations.Check(r.Delta == nil || counted || *r.Delta != 0, "/delta", "nonzero", "must not be 0")
	for _, number := range []struct {
		pointer string
		value   *int64
	}{{"/setTo", r.SetTo}, {"/changeFrom", r.ChangeFrom}} {
		violations.Check(number.value != nil || !counted, number.pointer, "required", "is required when on hand is set")
		violations.Check(number.value == nil || *number.value >= 0, number.pointer, "min", "must be at least 0")
	}
	if field := httpapi.CheckReference(r.Reference); field != nil {
		violations = append(violations, *field)
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

func (h handler) adjust(ctx context.Context, u *uow.Unit, item *catalog.Item, in adjustRequest) (httpapi.Created[movementView], error) {
	m, first, err := h.service.Adjust(ctx, u, item.SKU, Adjustment(in.Body), in.Wait.Duration())
	if err != nil {
		return httpapi.Created[movementView]{}, err
	}
	return httpapi.Created[movementView]{
		Location: "/inventory/" + item.SKU + "/movements?reference=" + url.QueryEscape(m.Reference),
		Body:     movementViewOf(*m), Existed: !first,
	}, nil
}
