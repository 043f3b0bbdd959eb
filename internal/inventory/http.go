package inventory

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// longestSKU is the length of a sku, in characters.
const longestSKU = 64

// Routes registers the routes of inventory.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	const read = "inventory:read"
	r.Query("/inventory", read, h.list)
	r.Query("/inventory/:sku", read, h.get)
	r.Query("/inventory/:sku/movements", read, h.movements)
	r.Critical().Mutation(http.MethodPost, "/inventory/:sku/adjustments", "inventory:adjust", h.adjust)
}

type handler struct{ service *Service }

type representation struct {
	SKU       string `json:"sku"`
	OnHand    int64  `json:"onHand"`
	Reserved  int64  `json:"reserved"`
	Available int64  `json:"available"`
	guard.LateStamp
}

func represent(i Inventory) representation {
	return representation{SKU: i.SKU, OnHand: i.OnHand, Reserved: i.Reserved, Available: i.Free(), LateStamp: i.LateStamp()}
}

type movementView struct {
	ID   int64  `json:"id"`
	SKU  string `json:"sku"`
	Kind string `json:"kind"`
	// Delta is what became of the available pieces.
	Delta         int64            `json:"delta"`
	OnHandDelta   int64            `json:"onHandDelta"`
	ReservedDelta int64            `json:"reservedDelta"`
	OnHand        int64            `json:"onHand"`
	Reserved      int64            `json:"reserved"`
	Available     int64            `json:"available"`
	Version       int64            `json:"version"`
	Holder        *string          `json:"holder"`
	Reason        string           `json:"reason"`
	Reference     string           `json:"reference"`
	CreatedBy     principal.Person `json:"createdBy"`
	CreatedTime   time.Time        `json:"createdTime"`
}

func representMovement(m Movement) movementView {
	v := movementView{
		ID: m.ID, SKU: m.SKU, Kind: m.Kind, Delta: m.delta(), OnHandDelta: m.OnHandDelta, ReservedDelta: m.ReservedDelta,
		OnHand: m.OnHand, Reserved: m.Reserved, Available: m.OnHand - m.Reserved, Version: m.Version,
		Reason: m.Reason, Reference: m.Reference,
		CreatedBy: principal.Person{ID: m.CreatedBy, Name: m.CreatedByName}, CreatedTime: m.CreatedTime,
	}
	if m.Holder != "" {
		v.Holder = &m.Holder
	}
	return v
}

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter, err := filterOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.List(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, represent), nil
}

func filterOf(c echo.Context) (Filter, error) {
	filter := Filter{Search: c.QueryParam("q"), SKU: c.QueryParam("sku")}
	// Engines bound the length of a pattern; nothing longer than a sku is found.
	if utf8.RuneCountInString(filter.Search) > longestSKU {
		return filter, apperr.Malformed("?q", "must have at most "+strconv.Itoa(longestSKU)+" characters")
	}
	if text := c.QueryParam("maxAvailable"); text != "" {
		most, err := strconv.ParseInt(text, 10, 64)
		if err != nil || most < 0 {
			return filter, apperr.Malformed("?maxAvailable", "must be a whole number from 0")
		}
		filter.MaxAvailable = &most
	}
	return filter, nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	stock, err := h.service.Inventory(c.Request().Context(), c.Param("sku"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*stock)), nil
}

func (h handler) movements(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.Movements(c.Request().Context(), c.Param("sku"), c.QueryParam("reference"), page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representMovement), nil
}

type adjustRequest struct {
	Delta      *int64 `json:"delta"`
	SetTo      *int64 `json:"setTo"`
	ChangeFrom *int64 `json:"changeFrom"`
	Reason     string `json:"reason" validate:"required,max=500"`
	Reference  string `json:"reference"`
}

// adjustment checks the request by the rules that need no stock.
func (r adjustRequest) adjustment() (Adjustment, error) {
	var broken apperr.Fields
	counted := r.SetTo != nil || r.ChangeFrom != nil
	broken.Unless(r.Delta != nil || counted, "/delta", "required", "is required, or setTo and changeFrom in its place")
	broken.Unless(r.Delta == nil || !counted, "/delta", "excluded", "cannot be had together with setTo and changeFrom")
	broken.Unless(r.Delta == nil || counted || *r.Delta != 0, "/delta", "nonzero", "must not be 0")
	for _, number := range []struct {
		pointer string
		value   *int64
	}{{"/setTo", r.SetTo}, {"/changeFrom", r.ChangeFrom}} {
		broken.Unless(number.value != nil || !counted, number.pointer, "required", "is required when on hand is set")
		broken.Unless(number.value == nil || *number.value >= 0, number.pointer, "min", "must be at least 0")
	}
	if field := httpapi.CheckReference(r.Reference); field != nil {
		broken = append(broken, *field)
	}
	if len(broken) > 0 {
		return Adjustment{}, apperr.Invalid(broken...)
	}
	return Adjustment(r), nil
}

func (h handler) adjust(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	ctx, sku := c.Request().Context(), c.Param("sku")
	if err := h.service.items.Demand(ctx, sku); err != nil {
		return httpapi.Reply{}, err
	}
	var request adjustRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	wait, err := httpapi.WaitParam(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	adjustment, err := request.adjustment()
	if err != nil {
		return httpapi.Reply{}, err
	}
	if ctx, err = h.service.Lock(ctx, u, wait, sku); err != nil {
		return httpapi.Reply{}, err
	}
	m, first, err := h.service.Adjust(ctx, u, sku, adjustment)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if !first {
		return httpapi.OK(representMovement(*m)), nil
	}
	return httpapi.Created(httpapi.Base+"/inventory/"+sku+"/movements?reference="+url.QueryEscape(m.Reference), representMovement(*m)), nil
}
