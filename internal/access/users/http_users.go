package users

import (
	"context"
	"fmt"
	"net/http"

	"interlock/internal/base/apperr"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Reasons to reject a change of users or roles.
var (
	noManager    = httpapi.Rejection{Code: apperr.InUse, Cause: "no enabled user who can sign in would have `access:*`; grant it to another user first"}
	usernameUsed = httpapi.Rejection{Code: apperr.AlreadyExists, Cause: "another user has this username"}
	roleNameUsed = httpapi.Rejection{Code: apperr.AlreadyExists, Cause: "another role has this name"}
)

func (h handler) userRoutes(r *httpapi.Router) {
	r = r.About(httpapi.Resource{Tag: "Access", Noun: "user", Example: UserExample})
	fresh := r.SteppedUp()
	byID := httpapi.Numbered("user", h.service.User)
	httpapi.Get(r, "/users", ReadUsersPermission, h.users).
		Doc("List users", "").With(httpapi.Contract{Sorts: userSorts})
	httpapi.Mutation(fresh, http.MethodPost, "/users", WriteUsersPermission, h.createUser).
		Doc("Create a user", "403 if the roles contain a permission that you lack. The roles must exist. A user without a password is invited to choose one: "+
			"the reply contains an `invitation`, once, which is valid for seven days and one acceptance. A repeat with the same idempotency key returns "+
			"the same user, with `secretShownOnce` instead of the token and path of the invitation; `POST /users/{id}/invite` then creates another invitation.").
		With(httpapi.Contract{
			Body:       map[string]any{"username": "li", "displayName": "Li Wei", "roles": []string{"support"}},
			Rejections: []httpapi.Rejection{{Code: apperr.AlreadyExists}},
		})
	httpapi.GetOf(r, "/users/:id", ReadUsersPermission, byID, h.user).Doc("Get a user", "")
	httpapi.MutationOf(fresh, http.MethodPatch, "/users/:id", WriteUsersPermission, byID, h.editUser).
		Doc("Update a user", "`roles` is a set: an array replaces it, and `{\"add\":[…],\"remove\":[…]}` adds and removes the names listed. "+
			"Edits of one set conflict only if they contain the same name; conflicts and `merged` report it as `/roles/<name>`. "+
			"With `?merge=disjoint` two admins who grant different roles both succeed.\n\n"+
			"403 if a granted role has a permission that you lack, and for a user with a permission that you lack.").
		With(httpapi.Contract{
			Body:       map[string]any{"displayName": "Li", "roles": map[string]any{"add": []string{"approver"}, "remove": []string{}}},
			Rejections: []httpapi.Rejection{noManager, usernameUsed},
		})
	httpapi.GetOf(r, "/users/:id/history", ReadUsersPermission, byID, h.userHistory).
		Doc("List the versions of a user", "The newest first. Every version is retained, without the password.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/disable", WriteUsersPermission, byID, h.disableUser).
		Doc("Disable a user", "The user's sessions, tokens and event streams end within a second, on every server. A user who is already disabled is unchanged.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{noManager}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/enable", WriteUsersPermission, byID, h.enableUser).
		Doc("Enable a user", "403 for a user with a permission that you lack. Tokens that were not revoked become valid again; sessions do not.")
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-password", WriteUsersPermission, byID, h.resetPassword).
		Doc("Reset a user's password", "Ends the user's sessions and lifts a lock-out; with `endTokens` revokes the user's API tokens. "+
			"Ends the credentials added since the previous invitation or reset, like `POST /users/{id}/invite`. 403 for a user with a permission that you lack.").
		With(httpapi.Contract{ID: "resetUserPassword", Body: map[string]any{"password": "nine green bottles standing"}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/invite", WriteUsersPermission, byID, h.inviteUser).
		Doc("Invite a user", "Voids the user's password, all links and any earlier invitation, ends the user's sessions, and creates an invitation, "+
			"which only this reply contains: only the user will know the new password. It is valid for seven days and one acceptance "+
			"(`POST /session/invitation`). It ends the credentials added since the user's previous invitation or reset, because an impostor can have added them: "+
			"API tokens that the user created, and second factors. The reply and the audit log count them. Earlier credentials remain; all of them remain "+
			"if there was no earlier invitation or reset. 403 for a user with a permission that you lack. A repeat with the same idempotency key returns "+
			"`secretShownOnce` instead of the token and path of the invitation; then invite again with another key.").
		With(httpapi.Contract{Rejections: []httpapi.Rejection{noManager}})
	httpapi.MutationOf(fresh, http.MethodPost, "/users/:id/reset-factors", WriteUsersPermission, byID, h.resetFactors).
		Doc("Delete a user's second factors", "For a user who lost the factors. Deletes the recovery codes too, and ends the user's sessions. "+
			"A user without factors is unchanged. 403 for a user with a permission that you lack.").
		With(httpapi.Contract{ID: "resetUserFactors"})
}

type listUsersRequest struct {
	// A part of the username or the display name, in either case.
	Search httpapi.Search `query:"q"`
	// The name of a role of the users.
	Role     string `query:"role"`
	Disabled *bool  `query:"disabled"`
	httpapi.Page
}

func (h handler) users(ctx context.Context, in listUsersRequest) (httpapi.List[UserView], error) {
	filter := UserFilter{Text: string(in.Search), Role: in.Role, Disabled: in.Disabled}
	listing, err := h.service.Users(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, UserViewOf), err
}

type createUserRequest struct{ Body userCreate }

type userCreate struct {
	Username string `json:"username" validate:"required" schema:"Username"`
	// The username if absent.
	DisplayName string `json:"displayName" validate:"max=100"`
	// Absent if the user is invited to choose one.
	Password *httpapi.Secret `json:"password" schema:"NewPassword"`
	Roles    []string        `json:"roles" validate:"max=500,dive,max=100"`
}

func (h handler) createUser(ctx context.Context, u *uow.Unit, in createUserRequest) (made httpapi.Created[invitedUserView], err error) {
	spec := UserSpec{Username: in.Body.Username, DisplayName: in.Body.DisplayName, Roles: in.Body.Roles}
	var user *User
	if in.Body.Password != nil {
		spec.Password = string(*in.Body.Password)
		user, err = h.service.AddUser(ctx, u, spec)
	} else {
		var invitation Invitation
		user, invitation, err = h.service.AddInvited(ctx, u, spec)
		made.Body.Invitation = invitationViewOf(invitation)
	}
	if err != nil {
		return httpapi.Created[invitedUserView]{}, err
	}
	made.Location, made.Body.UserView = fmt.Sprintf("/users/%d", user.ID), UserViewOf(*user)
	return made, nil
}

func (h handler) user(_ context.Context, user *User, _ httpapi.None) (UserView, error) {
	return UserViewOf(*user), nil
}

type editUserRequest struct{ httpapi.Edit[userPatch] }

func (h handler) editUser(ctx context.Context, u *uow.Unit, user *User, in editUserRequest) (editedUserView, error) {
	edited, err := h.service.EditUser(ctx, u, user, in.Change())
	if err != nil {
		return editedUserView{}, err
	}
	return editedUserView{UserView: UserViewOf(*edited.Row), Merged: edited.Merged}, nil
}

func (h handler) userHistory(ctx context.Context, user *User, in httpapi.Page) (httpapi.List[userRevisionView], error) {
	listing, err := h.service.UserHistory(ctx, user, in.Page())
	return httpapi.ListOf(listing, userRevisionViewOf), err
}

type userActRequest struct{ IfMatch *guard.Precondition }

func (h handler) disableUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (UserView, error) {
	return shownUser(h.service.DisableUser(ctx, u, user, in.IfMatch))
}

func (h handler) enableUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (UserView, error) {
	return shownUser(h.service.EnableUser(ctx, u, user, in.IfMatch))
}

type resetPasswordRequest struct {
	Body    passwordResetBody
	IfMatch *guard.Precondition
}

type passwordResetBody struct {
	Password httpapi.Secret `json:"password" validate:"required" schema:"NewPassword"`
	// Revoke the user's API tokens as well.
	EndTokens bool `json:"endTokens"`
}

func (h handler) resetPassword(ctx context.Context, u *uow.Unit, user *User, in resetPasswordRequest) (resetUserView, error) {
	after, err := h.service.ResetPassword(ctx, u, user, PasswordReset{Password: string(in.Body.Password), EndTokens: in.Body.EndTokens, IfMatch: in.IfMatch})
	if err != nil {
		return resetUserView{}, err
	}
	return resetUserView{UserViewOf(*after), after.Ended}, nil
}

// SchemaName returns the name of the type in the contract.
func (passwordResetBody) SchemaName() string { return "PasswordReset" }

func shownUser(user *User, err error) (UserView, error) {
	if err != nil {
		return UserView{}, err
	}
	return UserViewOf(*user), nil
}

func (h handler) resetFactors(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (UserView, error) {
	return shownUser(h.service.ResetFactors(ctx, u, user, in.IfMatch))
}

func (h handler) inviteUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (invitedUserView, error) {
	after, invitation, err := h.service.Invite(ctx, u, user, in.IfMatch)
	if err != nil {
		return invitedUserView{}, err
	}
	return invitedUserView{UserView: UserViewOf(*after), Invitation: invitationViewOf(invitation), Ended: &after.Ended}, nil
}
