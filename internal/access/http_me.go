package access

import (
	"context"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// meRoutes registers the routes of the caller's account and sessions. They need a session
// instead of a permission: a leaked API token must not change its user's credentials.
func (h handler) meRoutes(r *httpapi.Router) {
	httpapi.GetOf(r, "/me", "", h.findMe, h.me)
	httpapi.MutationOf(r, "PATCH", "/me", "", h.findMe, h.editMe)
	httpapi.ActOf(r, "POST", "/me/password", "", h.findMe, h.changePassword)
	httpapi.Get(r, "/sessions", "", h.openSessions)
	httpapi.Mutation(r, "DELETE", "/sessions", "", h.endOtherSessions)
	httpapi.MutationOf(r, "DELETE", "/sessions/:id", "", h.findSession, h.endSession)
}

// findMe reads the caller's user. Errors: Forbidden for a customer.
func (h handler) findMe(ctx context.Context, _ httpapi.Path) (*User, error) {
	caller, _ := principal.From(ctx)
	if caller.Kind == principal.Customer {
		return nil, apperr.New(apperr.Forbidden, "A customer has no account here.")
	}
	return h.service.User(ctx, caller.UserID)
}

func (h handler) me(ctx context.Context, user *User, _ httpapi.None) (meView, error) {
	return meViewOf(ctx, user), nil
}

type editMeRequest struct{ httpapi.Edit[mePatch] }

// mePatch is the part of the caller's account that the caller may edit.
type mePatch struct {
	DisplayName string `json:"displayName"`
}

func (h handler) editMe(ctx context.Context, u *uow.Unit, user *User, in editMeRequest) (editedMeView, error) {
	if caller, _ := principal.From(ctx); caller.Kind != principal.Admin {
		return editedMeView{}, apperr.New(apperr.Forbidden, "Sign in to change your account; an API token cannot.")
	}
	edited, err := h.service.EditUser(ctx, u, user, in.Change())
	if err != nil {
		return editedMeView{}, err
	}
	return editedMeView{meView: meViewOf(ctx, edited.Row), Merged: edited.Merged}, nil
}

type changePasswordRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    struct {
		CurrentPassword string `json:"currentPassword" validate:"required,max=1024"`
		NewPassword     string `json:"newPassword" validate:"required"`
		// EndTokens also revokes the caller's API tokens.
		EndTokens bool `json:"endTokens"`
	}
}

func (h handler) changePassword(ctx context.Context, user *User, in changePasswordRequest) (meView, error) {
	after, err := h.service.ChangePassword(ctx, user, PasswordChange{
		Current: in.Body.CurrentPassword, New: in.Body.NewPassword, Session: in.token(), Address: string(in.Address), EndTokens: in.Body.EndTokens,
	})
	if err != nil {
		return meView{}, err
	}
	return meViewOf(ctx, after), nil
}

type openSessionsRequest struct {
	sessionCredential
	UserID *int64 `query:"userId"`
	httpapi.Page
}

func (h handler) openSessions(ctx context.Context, in openSessionsRequest) (httpapi.List[openSessionView], error) {
	var userID int64
	if in.UserID != nil {
		userID = *in.UserID
	}
	listing, err := h.service.OpenSessions(ctx, userID, in.Page.Page())
	return httpapi.ListOf(listing, func(row OpenSession) openSessionView { return openSessionViewOf(row, in.token()) }), err
}

func (h handler) endOtherSessions(ctx context.Context, u *uow.Unit, in sessionRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.EndOtherSessions(ctx, u, in.token())
}

// findSession reads the session in the path. It checks the permission first, so that a caller
// without it does not learn whether the session exists.
func (h handler) findSession(ctx context.Context, path httpapi.Path) (*OpenSession, error) {
	if caller, _ := principal.From(ctx); !seesSessionsOf(caller, caller.UserID) {
		return nil, errForeignSessions()
	}
	id, err := path.ID("id", "session")
	if err != nil {
		return nil, err
	}
	return h.service.OpenSession(ctx, id)
}

func (h handler) endSession(ctx context.Context, u *uow.Unit, row *OpenSession, _ httpapi.None) (httpapi.None, error) {
	return httpapi.None{}, h.service.EndSession(ctx, u, row)
}
