package access

import (
	"context"
	"fmt"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

type listUsersRequest struct {
	// A part of the username or the display name, in either case.
	Search httpapi.Search `query:"q"`
	// The name of a role of the users.
	Role     string `query:"role"`
	Disabled *bool  `query:"disabled"`
	httpapi.Page
}

func (h handler) users(ctx context.Context, in listUsersRequest) (httpapi.List[userView], error) {
	filter := UserFilter{Text: string(in.Search), Role: in.Role, Disabled: in.Disabled}
	listing, err := h.service.Users(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, userViewOf), err
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
	made.Location, made.Body.userView = fmt.Sprintf("/users/%d", user.ID), userViewOf(*user)
	return made, nil
}

func (h handler) user(_ context.Context, user *User, _ httpapi.None) (userView, error) {
	return userViewOf(*user), nil
}

type editUserRequest struct{ httpapi.Edit[userPatch] }

func (h handler) editUser(ctx context.Context, u *uow.Unit, user *User, in editUserRequest) (editedUserView, error) {
	edited, err := h.service.EditUser(ctx, u, user, in.Change())
	if err != nil {
		return editedUserView{}, err
	}
	return editedUserView{userView: userViewOf(*edited.Row), Merged: edited.Merged}, nil
}

func (h handler) userHistory(ctx context.Context, user *User, in httpapi.Page) (httpapi.List[userRevisionView], error) {
	listing, err := h.service.UserHistory(ctx, user, in.Page())
	return httpapi.ListOf(listing, userRevisionViewOf), err
}

type userActRequest struct{ IfMatch *guard.Precondition }

func (h handler) disableUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (userView, error) {
	return shownUser(h.service.DisableUser(ctx, u, user, in.IfMatch))
}

func (h handler) enableUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (userView, error) {
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
	return resetUserView{userViewOf(*after), after.Ended}, nil
}

// SchemaName returns the name of its schema in the contract.
func (passwordResetBody) SchemaName() string { return "PasswordReset" }

func shownUser(user *User, err error) (userView, error) {
	if err != nil {
		return userView{}, err
	}
	return userViewOf(*user), nil
}

func (h handler) resetFactors(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (userView, error) {
	return shownUser(h.service.ResetFactors(ctx, u, user, in.IfMatch))
}

func (h handler) inviteUser(ctx context.Context, u *uow.Unit, user *User, in userActRequest) (invitedUserView, error) {
	after, invitation, err := h.service.Invite(ctx, u, user, in.IfMatch)
	if err != nil {
		return invitedUserView{}, err
	}
	return invitedUserView{userView: userViewOf(*after), Invitation: invitationViewOf(invitation), Ended: &after.Ended}, nil
}
