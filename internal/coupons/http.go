package coupons

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of coupons and their campaigns.
func Routes(r *httpapi.Router, s *Service) {
	const read, write = "coupons:read", "coupons:write"
	campaigns := campaignHandler{s}
	r.Query("/coupon-campaigns", read, campaigns.list)
	r.Mutation(http.MethodPost, "/coupon-campaigns", write, campaigns.start)
	r.Query("/coupon-campaigns/:id", read, campaigns.get)
	r.Guarded(http.MethodPatch, "/coupon-campaigns/:id", write, campaigns.edit)
	r.Guarded(http.MethodDelete, "/coupon-campaigns/:id", write, campaigns.delete)
	r.Query("/coupon-campaigns/:id/history", read, campaigns.history)
	r.Mutation(http.MethodPost, "/coupon-campaigns/:id/coupons", write, campaigns.issue)

	h := handler{s}
	r.Query("/coupons", read, h.list)
	r.Query("/coupons/:code", read, h.get)
	r.Query("/coupons/:code/history", read, h.history)
	r.Critical().Transition("/coupons/:code", "redeem", write, h.redeem)
	r.Transition("/coupons/:code", "void", write, h.void)
}

type handler struct{ service *Service }

type representation struct {
	Code       string `json:"code"`
	CampaignID int64  `json:"campaignId"`
	// The terms of the campaign as they are now.
	Kind          string    `json:"kind"`
	Value         int64     `json:"value"`
	MinimumAmount int64     `json:"minimumAmount"`
	ValidFrom     time.Time `json:"validFrom"`
	ValidTo       time.Time `json:"validTo"`

	UserID             *principal.CustomerID `json:"userId"`
	Status             string                `json:"status"`
	AllowedTransitions []string              `json:"allowedTransitions"`
	RedeemedBy         *principal.CustomerID `json:"redeemedByUserId"`
	OrderID            *int64                `json:"orderId"`
	VoidReason         *string               `json:"voidReason"`
	guard.Stamp
}

// represent shows the coupon as it is at a time.
func represent(c Coupon, now time.Time) representation {
	state := c.state(now)
	v := representation{
		Code: c.Code, CampaignID: c.CampaignID,
		Kind: c.Campaign.Kind, Value: c.Campaign.Value, MinimumAmount: c.Campaign.MinimumAmount,
		ValidFrom: c.Campaign.ValidFrom, ValidTo: c.Campaign.ValidTo,
		UserID: c.UserID, Status: state.Name, AllowedTransitions: Machine.Allowed(state),
		RedeemedBy: c.RedeemedBy, OrderID: c.OrderID, Stamp: c.Stamp(),
	}
	if c.VoidReason != "" {
		v.VoidReason = &c.VoidReason
	}
	return v
}

type eventView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action"`
	From        *string          `json:"from"`
	To          string           `json:"to"`
	Detail      json.RawMessage  `json:"detail"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func representEvent(e Event) eventView {
	v := eventView{
		Version: e.Version, Action: e.Action, To: Machine.Of(e.ToStatus).Name, Detail: e.Detail,
		ChangedBy: principal.Person{ID: e.ChangedBy, Name: e.ChangedByName}, ChangedTime: e.ChangedTime,
	}
	if e.FromStatus != nil {
		from := Machine.Of(*e.FromStatus).Name
		v.From = &from
	}
	return v
}

func (h handler) now() time.Time { return h.service.clock.Now() }

func (h handler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	filter, err := filterOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.Coupons(c.Request().Context(), filter, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	now := h.now()
	return httpapi.Listed(listing, func(coupon Coupon) representation { return represent(coupon, now) }), nil
}

func filterOf(c echo.Context) (filter Filter, err error) {
	if filter.CampaignID, err = idParam(c, "campaignId"); err != nil {
		return filter, err
	}
	if filter.UserID, err = httpapi.CustomerParam(c, "userId"); err != nil {
		return filter, err
	}
	if name := c.QueryParam("status"); name != "" {
		state, known := Machine.Named(name)
		if !known {
			return filter, apperr.Malformed("?status", "must be one of "+strings.Join(Machine.Names(), ", "))
		}
		filter.Status = &state
	}
	return filter, nil
}

func idParam(c echo.Context, name string) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, apperr.Malformed("?"+name, "must be a whole number from 1")
	}
	return id, nil
}

func (h handler) get(c echo.Context) (httpapi.Reply, error) {
	coupon, err := h.service.Coupon(c.Request().Context(), c.Param("code"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	reply := httpapi.OK(represent(*coupon, h.now()))
	if coupon.changedAround(h.now()) {
		reply = reply.Full()
	}
	return reply, nil
}

func (h handler) history(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.History(c.Request().Context(), c.Param("code"), page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representEvent), nil
}

func (h handler) redeem(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	return transition(c, u, h.service, h.service.Redeem)
}

func (h handler) void(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	return transition(c, u, h.service, h.service.Void)
}

// takeFunc is Redeem or Void.
type takeFunc[S any] func(ctx context.Context, u *uow.Unit, coupon *Coupon, step S, ifMatch *guard.Precondition) (*Coupon, error)

// transition answers POST /coupons/{code}/{action}. No body is an empty object.
func transition[S any](c echo.Context, u *uow.Unit, s *Service, take takeFunc[S]) (httpapi.Reply, error) {
	ctx := c.Request().Context()
	coupon, err := s.Coupon(ctx, c.Param("code"))
	if err != nil {
		return httpapi.Reply{}, err
	}
	body := httpapi.Body(c)
	if len(body) == 0 {
		body = []byte("{}")
	}
	var step S
	if err := strictjson.Decode(body, &step); err != nil {
		return httpapi.Reply{}, httpapi.Unreadable(err)
	}
	ifMatch, err := httpapi.OptionalIfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := s.Demand(u, coupon, ifMatch); err != nil {
		return httpapi.Reply{}, err
	}
	if err := httpapi.Validate(&step); err != nil {
		return httpapi.Reply{}, err
	}
	after, err := take(ctx, u, coupon, step, ifMatch)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(*after, u.Now())), nil
}
