package access

import (
	"context"
	"net/http"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// settingsRoutes registers the routes of the tenant's settings.
func (h handler) settingsRoutes(r *httpapi.Router) {
	httpapi.GetOf(r, "/settings", readSettingsPermission, h.find, h.settings)
	httpapi.MutationOf(r.SteppedUp(), http.MethodPatch, "/settings", writeSettingsPermission, h.find, h.editSettings)
	httpapi.Get(r, "/settings/history", readSettingsPermission, h.settingsHistory)
}

// find reads the tenant's only row of settings.
func (h handler) find(ctx context.Context, _ httpapi.Path) (*TenantSettings, error) {
	return h.service.Settings(ctx)
}

type settingsView struct {
	TenantRules
	// Currency never changes and is not a member of a patch.
	Currency string `json:"currency"`
	guard.Stamp
}

// readSettingsView is the settings and the approvals that a change of them needs.
type readSettingsView struct {
	settingsView
	ChangeNeeds settingsNeeds `json:"changeNeeds"`
}

type settingsNeeds struct {
	Approvals int `json:"approvals"`
}

func settingsViewOf(ctx context.Context, row *TenantSettings) settingsView {
	return settingsView{TenantRules: row.TenantRules, Currency: principal.CurrencyOf(ctx), Stamp: row.Stamp()}
}

type editedSettingsView struct {
	settingsView
	Merged *change.Merged `json:"merged,omitempty"`
}

type settingsVersionView struct {
	Version int64  `json:"version"`
	Action  string `json:"action"`
	TenantRules
	Currency    string           `json:"currency"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func (h handler) settings(ctx context.Context, row *TenantSettings, _ httpapi.None) (readSettingsView, error) {
	return readSettingsView{settingsViewOf(ctx, row), settingsNeeds{row.ApprovalsRequired}}, nil
}

type editSettingsRequest struct {
	httpapi.Edit[TenantRules]
	Bypass approvals.Bypass `query:"bypass"`
}

func (h handler) editSettings(ctx context.Context, u *uow.Unit, row *TenantSettings, in editSettingsRequest) (editedSettingsView, error) {
	edited, err := h.service.EditSettings(approvals.Bypassing(ctx, string(in.Bypass.Reason)), u, row, in.Change())
	if err != nil {
		return editedSettingsView{}, err
	}
	return editedSettingsView{settingsView: settingsViewOf(ctx, edited.Row), Merged: edited.Merged}, nil
}

func (h handler) settingsHistory(ctx context.Context, in httpapi.Page) (httpapi.List[settingsVersionView], error) {
	listing, err := h.service.SettingsHistory(ctx, in.Page())
	return httpapi.ListOf(listing, func(v TenantSettingsVersion) settingsVersionView {
		return settingsVersionView{
			Version: v.Version, Action: v.Action, TenantRules: v.TenantRules, Currency: principal.CurrencyOf(ctx), ChangedBy: v.By(), ChangedTime: v.ChangedTime,
		}
	}), err
}
