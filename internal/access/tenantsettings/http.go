package tenantsettings

import (
	"context"
	"net/http"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type handler struct{ service *Service }

// Routes registers the routes of the tenant's settings.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "settings", Example: settingsView{}})
	httpapi.GetOf(r, "/settings", ReadPermission, h.find, h.settings).
		Doc("Get the tenant's settings", "").With(httpapi.Contract{ID: "getSettings"})
	httpapi.MutationOf(r.SteppedUp(), http.MethodPatch, "/settings", writePermission, h.find, h.editSettings).
		Doc("Update the tenant's settings", "The settings define the number of votes for every other change, so a change of the settings needs votes too: "+
			"202 with the approval, unless `bypass` contains a reason. Pending approvals retain their number of required votes.").
		With(httpapi.Contract{ID: "editSettings", Body: map[string]any{"approvalsRequired": 2}, Proposes: true, Rejections: []httpapi.Rejection{{Code: apperr.LimitReached}}})
	httpapi.Get(r, "/settings/history", ReadPermission, h.settingsHistory).
		Doc("List the versions of the settings", "The newest first.").With(httpapi.Contract{Sorts: change.HistorySorts})
}

// find reads the tenant's only row of settings.
func (h handler) find(ctx context.Context, _ httpapi.Path) (*Settings, error) {
	return h.service.Settings(ctx)
}

type settingsView struct {
	TenantRules
	// It never changes, so it is not a member of a patch.
	Currency string `json:"currency"`
	guard.Stamp
}

// settingsReadView is the settings and the approvals that a change of them needs.
type settingsReadView struct {
	settingsView
	// The requirements of a change of the settings.
	ChangeNeeds settingsNeeds `json:"changeNeeds"`
}

type settingsNeeds struct {
	// The number of votes of other users.
	Approvals int `json:"approvals" validate:"min=1"`
}

func settingsViewOf(ctx context.Context, row *Settings) settingsView {
	return settingsView{TenantRules: row.TenantRules, Currency: principal.CurrencyOf(ctx), Stamp: row.Stamp()}
}

type editedSettingsView struct {
	settingsView
	Merged *change.Merged `json:"merged,omitempty"`
}

type settingsRevisionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action" validate:"oneof=create update"`
	TenantRules
	Currency    string           `json:"currency"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func (h handler) settings(ctx context.Context, row *Settings, _ httpapi.None) (settingsReadView, error) {
	return settingsReadView{settingsViewOf(ctx, row), settingsNeeds{row.ApprovalsRequired}}, nil
}

type editSettingsRequest struct {
	httpapi.Edit[TenantRules]
	Bypass approvals.Bypass `query:"bypass"`
}

func (h handler) editSettings(ctx context.Context, u *uow.Unit, row *Settings, in editSettingsRequest) (editedSettingsView, error) {
	edited, err := h.service.EditSettings(approvals.Bypassing(ctx, string(in.Bypass.Reason)), u, row, in.Change())
	if err != nil {
		return editedSettingsView{}, err
	}
	return editedSettingsView{settingsView: settingsViewOf(ctx, edited.Row), Merged: edited.Merged}, nil
}

func (h handler) settingsHistory(ctx context.Context, in httpapi.Page) (httpapi.List[settingsRevisionView], error) {
	listing, err := h.service.SettingsHistory(ctx, in.Page())
	return httpapi.ListOf(listing, func(v Version) settingsRevisionView {
		return settingsRevisionView{
			Version: v.Version, Action: v.Action, TenantRules: v.TenantRules, Currency: principal.CurrencyOf(ctx), ChangedBy: v.By(), ChangedTime: v.ChangedTime,
		}
	}), err
}
