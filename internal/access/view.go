package access

import (
	"context"
	"time"

	"interlock/internal/base/currency"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type identityView struct {
	ID          int64    `json:"id"`
	Username    string   `json:"username"`
	DisplayName string   `json:"displayName"`
	Roles       []string `json:"roles"`
	Permissions []string `json:"permissions"`
	// SecondFactor is true for a user with a second factor.
	SecondFactor bool `json:"secondFactor"`
}

type sessionView struct {
	User     identityView `json:"user"`
	Tenant   string       `json:"tenant"`
	Currency string       `json:"currency"`
	// MinorDigits is the number of decimals of the currency.
	MinorDigits int    `json:"minorDigits"`
	CSRFToken   string `json:"csrfToken"`
}

func sessionViewOf(session Session) sessionView {
	digits, _ := currency.MinorDigits(session.Currency)
	return sessionView{
		User: identityViewOf(session.User), Tenant: session.Tenant, Currency: session.Currency, MinorDigits: digits, CSRFToken: session.CSRFToken,
	}
}

func identityViewOf(i Identity) identityView {
	return identityView{
		ID: i.ID, Username: i.Username, DisplayName: i.DisplayName, Roles: i.Roles, Permissions: i.Permissions, SecondFactor: i.SecondFactor,
	}
}

type userView struct {
	ID          int64    `json:"id"`
	Username    string   `json:"username"`
	DisplayName string   `json:"displayName"`
	Roles       []string `json:"roles"`
	// GroupRoles are the roles that a provider's groups grant; an edit cannot change them.
	GroupRoles []string `json:"groupRoles"`
	Disabled   bool     `json:"disabled"`
	// SecondFactor is true for a user with a second factor.
	SecondFactor bool `json:"secondFactor"`
	// HasPassword is false for an invited user, or one who signs in only by a provider.
	HasPassword bool `json:"hasPassword"`
	// InvitationExpiresTime is null without an open invitation.
	InvitationExpiresTime *time.Time `json:"invitationExpiresTime"`
	guard.Stamp
}

func userViewOf(u User) userView {
	return userView{
		ID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Roles: u.Roles, GroupRoles: append([]string{}, u.GroupRoles...), Disabled: u.Disabled,
		SecondFactor: u.SecondFactor, HasPassword: u.PasswordHash != "", InvitationExpiresTime: u.InvitationExpiresTime, Stamp: u.Stamp(),
	}
}

// invitationView is an invitation with its secret, which is returned only once.
type invitationView struct {
	Token httpapi.Secret `json:"token"`
	// Path is the path of the page that accepts the invitation. The token is in the fragment, which
	// browsers do not send and servers do not log.
	Path        httpapi.Secret `json:"path"`
	ExpiresTime time.Time      `json:"expiresTime"`
}

func invitationViewOf(i Invitation) *invitationView {
	return &invitationView{Token: httpapi.Secret(i.Token), Path: httpapi.Secret(i.Path()), ExpiresTime: i.ExpiresTime}
}

// invitedUserView is a user and its new invitation, if one was made.
type invitedUserView struct {
	userView
	Invitation *invitationView `json:"invitation,omitempty"`
	// Ended is nil for a new user.
	*Ended
}

// resetUserView is a user with the counts of the credentials that the reset ended.
type resetUserView struct {
	userView
	Ended
}

// editedUserView is a user and the changes with which an edit was merged.
type editedUserView struct {
	userView
	Merged *change.Merged `json:"merged,omitempty"`
}

// meView is the caller's account and permissions; for an API token, limited to its scopes.
type meView struct {
	userView
	Permissions []string `json:"permissions"`
}

func meViewOf(ctx context.Context, u *User) meView {
	caller, _ := principal.From(ctx)
	return meView{userView: userViewOf(*u), Permissions: caller.Permissions}
}

// editedMeView is the caller's account and the changes with which an edit was merged.
type editedMeView struct {
	meView
	Merged *change.Merged `json:"merged,omitempty"`
}

type openSessionView struct {
	ID        int64  `json:"id"`
	UserID    int64  `json:"userId"`
	Username  string `json:"username"`
	Address   string `json:"address"`
	UserAgent string `json:"userAgent"`
	// Current is true for the session of the request.
	Current      bool       `json:"current"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	ExpiresTime  time.Time  `json:"expiresTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

func openSessionViewOf(row OpenSession, token string) openSessionView {
	return openSessionView{
		ID: row.ID, UserID: row.UserID, Username: row.Username, Address: row.Address, UserAgent: row.UserAgent,
		Current:      token != "" && row.TokenHash == digestOf(token).String(),
		LastUsedTime: row.LastUsedTime, ExpiresTime: row.ExpiresTime, CreatedTime: row.CreatedTime,
	}
}

type userVersionView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action"`
	Username    string           `json:"username"`
	DisplayName string           `json:"displayName"`
	Roles       []string         `json:"roles"`
	Disabled    bool             `json:"disabled"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func userVersionViewOf(v UserVersion) userVersionView {
	return userVersionView{
		Version: v.Version, Action: v.Action, Username: v.Username, DisplayName: v.DisplayName, Roles: distinct(v.Roles),
		Disabled: v.Disabled, ChangedBy: v.By(), ChangedTime: v.ChangedTime,
	}
}

type roleView struct {
	ID          int64    `json:"id"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	guard.Stamp
}

func roleViewOf(r Role) roleView {
	return roleView{ID: r.ID, Name: r.Name, Permissions: r.Permissions, Stamp: r.Stamp()}
}

// editedRoleView is a role and the changes with which an edit was merged.
type editedRoleView struct {
	roleView
	Merged *change.Merged `json:"merged,omitempty"`
}

type roleVersionView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action"`
	Name        string           `json:"name"`
	Permissions []string         `json:"permissions"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func roleVersionViewOf(v RoleVersion) roleVersionView {
	return roleVersionView{
		Version: v.Version, Action: v.Action, Name: v.Name, Permissions: distinct(v.Permissions),
		ChangedBy: v.By(), ChangedTime: v.ChangedTime,
	}
}

type tokenView struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// Scopes is null for a token with all permissions of its user.
	Scopes *[]string `json:"scopes"`
	// CreatedBy is the user who created the token; 0 for the command line.
	CreatedBy    principal.Person `json:"createdBy"`
	ExpiresTime  *time.Time       `json:"expiresTime"`
	LastUsedTime *time.Time       `json:"lastUsedTime"`
	guard.Stamp
}

func tokenViewOf(t Token) tokenView {
	view := tokenView{
		ID: t.ID, Name: t.Name, UserID: t.UserID, Username: t.Username, CreatedBy: principal.Person{ID: t.CreatedBy, Name: t.CreatedByName},
		ExpiresTime: t.ExpiresTime, LastUsedTime: t.LastUsedTime, Stamp: t.Stamp(),
	}
	if len(t.Scopes) > 0 {
		view.Scopes = &t.Scopes
	}
	return view
}

// createdTokenView is a token with its secret, which is returned only once.
type createdTokenView struct {
	tokenView
	Token httpapi.Secret `json:"token"`
}
