package access

import (
	"context"

	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// meRoutes registers the routes of the caller's account and sessions. They need a session
// instead of a permission: a leaked API token must not change its user's credentials.
func (h handler) meRoutes(r *httpapi.Router) {
	httpapi.GetOf(r, "/me", "", h.service.Users.Me, h.me).
		Doc("Get your account", "Returns the caller's user and its current permissions; for an API token those that both its scopes and its user's roles allow. 403 for a customer.").
		With(httpapi.Contract{ID: "getMe", Success: "The account.", Responses: forUsers})
	httpapi.MutationOf(r, "PATCH", "/me", "", h.service.Users.Me, h.editMe).
		Doc("Update your name", "Requires a session; 403 for an API token.").
		With(httpapi.Contract{
			ID: "editMe", Success: "The updated account.", Body: mePatch{"Li Wei"}, Responses: map[string]string{"412": "UserConflict"},
		})
	httpapi.ActOf(r, "POST", "/me/password", "", h.service.Users.Me, h.changePassword).
		Doc("Change your password", "Requires a session and the current password; a wrong one returns 422 at `/currentPassword`, and counts as a failed sign-in. "+
			"Ends all other sessions of the user, and with `endTokens` revokes the user's API tokens. No reply is stored under an idempotency key, "+
			"because a stored reply would confirm guesses of the password. A repeat returns 422 at `/currentPassword`.").
		With(httpapi.Contract{
			ID: "changeMyPassword", Success: "The updated account.", Responses: map[string]string{"429": "TooManyAttempts"},
			Body: map[string]any{"currentPassword": "correct horse battery staple", "newPassword": "a blue bicycle in the rain"},
		})
	httpapi.Get(r, "/sessions", "", h.openSessions).
		Doc("List open sessions", "The newest first. A session lists the caller's sessions; `users:write` allows those of another user. 403 for an API token without it.").
		With(httpapi.Contract{Success: "One page.", Sorts: sessionSorts, Responses: forUsers})
	httpapi.Mutation(r, "DELETE", "/sessions", "", h.endOtherSessions).
		Doc("End all other sessions", "Ends all sessions of the caller except this one, with their event streams, within a second on every server. Requires a session.").
		With(httpapi.Contract{ID: "endOtherSessions"})
	httpapi.MutationOf(r, "DELETE", "/sessions/:id", "", h.findSession, h.endSession).
		Doc("End a session", "The session and its event streams end within a second on every server. A session of another user requires `users:write`.").
		With(httpapi.Contract{ID: "endSession"})
}

// forUsers is the error response of routes for users to a caller that is not a user, such as a
// customer.
var forUsers = map[string]string{"403": "Forbidden"}

func (h handler) me(ctx context.Context, user *users.User, _ httpapi.None) (meView, error) {
	return meViewOf(ctx, user), nil
}

type editMeRequest struct{ httpapi.Edit[mePatch] }

// mePatch is the part of the caller's account that the caller may edit.
type mePatch struct {
	DisplayName string `json:"displayName" schema:"DisplayName"`
}

func (h handler) editMe(ctx context.Context, u *uow.Unit, user *users.User, in editMeRequest) (editedMeView, error) {
	if caller, _ := principal.From(ctx); caller.Kind != principal.Admin {
		return editedMeView{}, apperr.New(apperr.Forbidden, "Sign in to change your account; an API token cannot.")
	}
	edited, err := h.service.Users.EditUser(ctx, u, user, in.Change())
	if err != nil {
		return editedMeView{}, err
	}
	return editedMeView{meView: meViewOf(ctx, edited.Row), Merged: edited.Merged}, nil
}

type changePasswordRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    passwordChangeBody
}

type passwordChangeBody struct {
	CurrentPassword string `json:"currentPassword" validate:"required,max=1024"`
	NewPassword     string `json:"newPassword" validate:"required" schema:"NewPassword"`
	// Revoke your API tokens as well.
	EndTokens bool `json:"endTokens"`
}

func (h handler) changePassword(ctx context.Context, user *users.User, in changePasswordRequest) (meView, error) {
	after, err := h.service.Users.ChangePassword(ctx, user, users.PasswordChange{
		Current: in.Body.CurrentPassword, New: in.Body.NewPassword, Session: in.token(), Address: string(in.Address), EndTokens: in.Body.EndTokens,
	})
	if err != nil {
		return meView{}, err
	}
	return meViewOf(ctx, after), nil
}

type openSessionsRequest struct {
	sessionCredential
	// The user of the sessions; the caller if absent.
	UserID *int64 `query:"userId"`
	httpapi.Page
}

func (h handler) openSessions(ctx context.Context, in openSessionsRequest) (sessionListView, error) {
	var userID int64
	if in.UserID != nil {
		userID = *in.UserID
	}
	listing, err := h.service.OpenSessions(ctx, userID, in.Page.Page())
	return sessionListView{httpapi.ListOf(listing, func(row sessions.Session) openSessionView { return openSessionViewOf(row, in.token()) })}, err
}

func (h handler) endOtherSessions(ctx context.Context, u *uow.Unit, in sessionRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.EndOtherSessions(ctx, u, in.token())
}

// findSession reads the session in the path. It checks the permission first, so that a caller
// without it does not learn whether the session exists.
func (h handler) findSession(ctx context.Context, path httpapi.Path) (*sessions.Session, error) {
	if caller, _ := principal.From(ctx); !seesSessionsOf(caller, caller.UserID) {
		return nil, errForeignSessions()
	}
	id, err := path.ID("id", "session")
	if err != nil {
		return nil, err
	}
	return h.service.OpenSession(ctx, id)
}

func (h handler) endSession(ctx context.Context, u *uow.Unit, row *sessions.Session, _ httpapi.None) (httpapi.None, error) {
	return httpapi.None{}, h.service.EndSession(ctx, u, row)
}
