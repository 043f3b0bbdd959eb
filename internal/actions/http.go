package actions

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const (
	mayRead  = "actions:read"
	mayWrite = "actions:write"
)

// Routes registers the routes of actions.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	r.Query("/actions", mayRead, h.summary)
	r.Mutation(http.MethodPost, "/actions", mayWrite, h.apply)
	r.Open(http.MethodPost, "/graphql", graphHandler{newSchema(s)}.execute)
}

type handler struct{ service *Service }

type applyRequest struct {
	EntityType string `json:"entityType" validate:"required,oneof=item coupon"`
	EntityID   string `json:"entityId" validate:"required,max=64"`
	Action     Kind   `json:"action" validate:"required,oneof=like dislike bookmark"`
	ActionID   int64  `json:"actionId" validate:"min=1"`
	Active     *bool  `json:"active"`
}

type resultView struct {
	Active       bool    `json:"active"`
	LastActionID int64   `json:"lastActionId"`
	Outcome      Outcome `json:"outcome"`
}

func (h handler) apply(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request applyRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	result, err := h.service.Apply(c.Request().Context(), u, Request{
		EntityType: request.EntityType, EntityID: request.EntityID, Kind: request.Action,
		ActionID: request.ActionID, Active: request.Active,
	})
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(resultView(result)), nil
}

type summaryView struct {
	EntityType string     `json:"entityType"`
	EntityID   string     `json:"entityId"`
	Counts     countsView `json:"counts"`
	Own        ownView    `json:"own"`
}

type countsView struct {
	Like     int64 `json:"like"`
	Dislike  int64 `json:"dislike"`
	Bookmark int64 `json:"bookmark"`
}

type ownView struct {
	Like     stateView `json:"like"`
	Dislike  stateView `json:"dislike"`
	Bookmark stateView `json:"bookmark"`
}

// stateView is the caller's own state of one kind; its last action id is 0 when the
// caller never acted.
type stateView struct {
	Active       bool  `json:"active"`
	LastActionID int64 `json:"lastActionId"`
}

func (h handler) summary(c echo.Context) (httpapi.Reply, error) {
	entityType, name := c.QueryParam("entityType"), c.QueryParam("entityId")
	if entityType != Item && entityType != Coupon {
		return httpapi.Reply{}, apperr.Malformed("?entityType", "must be item or coupon")
	}
	if name == "" {
		return httpapi.Reply{}, apperr.Malformed("?entityId", "is required: the sku of an item or the code of a coupon")
	}
	summary, err := h.service.Summary(c.Request().Context(), entityType, name)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(represent(entityType, summary)), nil
}

func represent(entityType string, s Summary) summaryView {
	state := func(kind Kind) stateView {
		return stateView{Active: s.Own[kind].Active, LastActionID: s.Own[kind].LastActionID}
	}
	return summaryView{
		EntityType: entityType, EntityID: s.EntityID, Counts: countsView{s.Counts.Likes, s.Counts.Dislikes, s.Counts.Bookmarks},
		Own: ownView{Like: state(Like), Dislike: state(Dislike), Bookmark: state(Bookmark)},
	}
}
