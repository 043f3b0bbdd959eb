package coupons

import (
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type campaignHandler struct{ service *Service }

type campaignView struct {
	ID int64 `json:"id"`
	Terms
	Issued int64 `json:"issued"`
	guard.Stamp
}

func representCampaign(c Campaign) campaignView {
	return campaignView{ID: c.ID, Terms: c.Terms, Issued: c.Issued, Stamp: c.Stamp()}
}

type editedCampaign struct {
	campaignView
	Merged *change.Merged `json:"merged,omitempty"`
}

type campaignRevisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	Terms
	Issued      int64            `json:"issued"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func representCampaignRevision(r CampaignRevision) campaignRevisionView {
	return campaignRevisionView{
		Version: r.Version, Action: r.Action, Terms: r.Terms, Issued: r.Issued,
		ChangedBy: principal.Person{ID: r.ChangedBy, Name: r.ChangedByName}, ChangedTime: r.ChangedTime,
	}
}

func (h campaignHandler) list(c echo.Context) (httpapi.Reply, error) {
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	search := c.QueryParam("q")
	// Engines bound the length of a pattern; nothing longer than a name is found.
	if utf8.RuneCountInString(search) > longestName {
		return httpapi.Reply{}, apperr.Malformed("?q", fmt.Sprintf("must have at most %d characters", longestName))
	}
	listing, err := h.service.Campaigns(c.Request().Context(), search, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representCampaign), nil
}

type startRequest struct {
	Name          string     `json:"name" validate:"required"`
	Kind          string     `json:"kind" validate:"required"`
	Value         *int64     `json:"value" validate:"required"`
	MinimumAmount int64      `json:"minimumAmount"`
	Total         *int64     `json:"total" validate:"required"`
	PerUser       *int64     `json:"perUser" validate:"required"`
	ValidFrom     *time.Time `json:"validFrom" validate:"required"`
	ValidTo       *time.Time `json:"validTo" validate:"required"`
}

func (h campaignHandler) start(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request startRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	campaign, err := h.service.Start(c.Request().Context(), u, Terms{
		Name: request.Name, Kind: request.Kind, Value: *request.Value, MinimumAmount: request.MinimumAmount,
		Total: *request.Total, PerUser: *request.PerUser, ValidFrom: clock.Kept(*request.ValidFrom), ValidTo: clock.Kept(*request.ValidTo),
	})
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(fmt.Sprintf("%s/coupon-campaigns/%d", httpapi.Base, campaign.ID), representCampaign(*campaign)), nil
}

// named returns the campaign that the path names.
func (h campaignHandler) named(c echo.Context) (*Campaign, error) {
	id, err := httpapi.PathID(c, "id", "coupon campaign")
	if err != nil {
		return nil, err
	}
	return h.service.Campaign(c.Request().Context(), id)
}

func (h campaignHandler) get(c echo.Context) (httpapi.Reply, error) {
	campaign, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(representCampaign(*campaign)), nil
}

func (h campaignHandler) edit(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	campaign, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	edit, err := editOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	edited, err := h.service.Edit(c.Request().Context(), u, campaign, edit)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.OK(editedCampaign{campaignView: representCampaign(*edited.Row), Merged: edited.Merged}), nil
}

// editOf reads the merge patch and what it is conditional on.
func editOf(c echo.Context) (change.Edit, error) {
	patch, err := termsPatch(c)
	if err != nil {
		return change.Edit{}, err
	}
	return httpapi.EditOf(c, patch)
}

// termsPatch reads a merge patch of terms, the types of its members checked. Times
// are spelled as a campaign spells them, so that the same instant in another zone is
// no change.
func termsPatch(c echo.Context) (any, error) {
	var terms Terms
	members := map[string]any{
		"name": &terms.Name, "kind": &terms.Kind, "value": &terms.Value, "minimumAmount": &terms.MinimumAmount,
		"total": &terms.Total, "perUser": &terms.PerUser, "validFrom": &terms.ValidFrom, "validTo": &terms.ValidTo,
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
		changes[name] = members[name]
	}
	return merge.Tree(changes)
}

func (h campaignHandler) delete(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	campaign, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	ifMatch, err := httpapi.IfMatch(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	if err := h.service.Delete(c.Request().Context(), u, campaign, ifMatch); err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.NoContent(), nil
}

func (h campaignHandler) history(c echo.Context) (httpapi.Reply, error) {
	id, err := httpapi.PathID(c, "id", "coupon campaign")
	if err != nil {
		return httpapi.Reply{}, err
	}
	page, err := httpapi.PageOf(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	listing, err := h.service.CampaignHistory(c.Request().Context(), id, page)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Listed(listing, representCampaignRevision), nil
}

type issueRequest struct {
	UserIDs []principal.CustomerID `json:"userIds" validate:"max=1000,unique,dive,pattern"`
	Count   *int                   `json:"count" validate:"omitempty,min=1,max=1000"`
}

type issueReply struct {
	Codes []string `json:"codes"`
}

func (h campaignHandler) issue(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	campaign, err := h.named(c)
	if err != nil {
		return httpapi.Reply{}, err
	}
	var request issueRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	if (len(request.UserIDs) > 0) == (request.Count != nil) {
		return httpapi.Reply{}, apperr.Invalid(apperr.Field{Code: "exactly_one", Message: "must have exactly one of userIds and count"})
	}
	var count int
	if request.Count != nil {
		count = *request.Count
	}
	codes, err := h.service.Issue(c.Request().Context(), u, campaign, request.UserIDs, count)
	if err != nil {
		return httpapi.Reply{}, err
	}
	return httpapi.Created(fmt.Sprintf("%s/coupons?campaignId=%d", httpapi.Base, campaign.ID), issueReply{Codes: codes}), nil
}
