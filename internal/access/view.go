package access

import (
	"context"
	"time"

	"interlock/internal/access/callers"
	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/currency"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type identityView struct {
	ID          int64  `json:"id"`
	Username    string `json:"username" validate:"required"`
	DisplayName string `json:"displayName" validate:"required"`
	// The names of the user's roles.
	Roles []string `json:"roles"`
	// The caller's permissions: names, `<resource>:*` or `*`.
	Permissions []string `json:"permissions"`
	// True for a user with a second factor, which some operations require again.
	SecondFactor bool `json:"secondFactor"`
}

type sessionView struct {
	User identityView `json:"user"`
	// The name of the user's tenant.
	Tenant   string `json:"tenant" validate:"required"`
	Currency string `json:"currency"`
	// The decimals of the currency by ISO 4217. Browsers use other decimals for some currencies.
	MinorDigits int    `json:"minorDigits" validate:"min=0,max=4"`
	CSRFToken   string `json:"csrfToken"`
}

func sessionViewOf(session Session) sessionView {
	digits, _ := currency.MinorDigits(session.Currency)
	return sessionView{
		User: identityViewOf(session.User), Tenant: session.Tenant, Currency: session.Currency, MinorDigits: digits, CSRFToken: session.CSRFToken,
	}
}

func identityViewOf(i callers.Identity) identityView {
	return identityView{
		ID: i.ID, Username: i.Username, DisplayName: i.DisplayName, Roles: i.Roles, Permissions: i.Permissions, SecondFactor: i.SecondFactor,
	}
}

type userView struct {
	ID          int64  `json:"id"`
	Username    string `json:"username" schema:"Username"`
	DisplayName string `json:"displayName" schema:"DisplayName"`
	// The names of the roles that this service assigned, sorted.
	Roles []string `json:"roles"`
	// The names of the roles that a single sign-on provider assigned by its groups at the last sign-in. They are as
	// effective as the others, and an edit cannot change them.
	GroupRoles []string `json:"groupRoles"`
	Disabled   bool     `json:"disabled"`
	// True if sign-in requires a second factor.
	SecondFactor bool `json:"secondFactor"`
	// False for a user who was invited and has chosen no password, or signs in only with a provider.
	HasPassword bool `json:"hasPassword"`
	// When the user's invitation expires or expired; null if it was accepted or does not exist.
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
	// Returned once, like `path`.
	Token httpapi.Secret `json:"token" validate:"required"`
	// The path of the web admin's page that accepts it; prepend the address of the service. The token is in the
	// fragment, which browsers do not send and servers do not log.
	Path        httpapi.Secret `json:"path"`
	ExpiresTime time.Time      `json:"expiresTime"`
}

// SchemaName returns the name of the type in the contract.
func (invitationView) SchemaName() string { return "Invitation" }

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
	// The caller's permissions.
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
	ID       int64  `json:"id"`
	UserID   int64  `json:"userId"`
	Username string `json:"username" schema:"Username"`
	// The address that opened the session; empty for sessions that precede this member.
	Address string `json:"address"`
	// The browser's User-Agent header.
	UserAgent string `json:"userAgent" validate:"max=255"`
	// True for the session of the request.
	Current bool `json:"current"`
	// Accurate to a minute; null before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
	// The latest time at which the session ends.
	ExpiresTime time.Time `json:"expiresTime"`
	CreatedTime time.Time `json:"createdTime"`
}

type sessionListView struct {
	httpapi.List[openSessionView]
}

func openSessionViewOf(row sessions.Session, token string) openSessionView {
	return openSessionView{
		ID: row.ID, UserID: row.UserID, Username: row.Username, Address: row.Address, UserAgent: row.UserAgent,
		Current:      token != "" && row.TokenHash == secrets.DigestOf(token).String(),
		LastUsedTime: row.LastUsedTime, ExpiresTime: row.ExpiresTime, CreatedTime: row.CreatedTime,
	}
}

type userRevisionView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action" validate:"oneof=create update disable enable password add-factor remove-factor recovery-codes reset-factors invite accept link unlink groups"`
	Username    string           `json:"username" schema:"Username"`
	DisplayName string           `json:"displayName"`
	Roles       []string         `json:"roles"`
	Disabled    bool             `json:"disabled"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func userRevisionViewOf(v UserVersion) userRevisionView {
	return userRevisionView{
		Version: v.Version, Action: v.Action, Username: v.Username, DisplayName: v.DisplayName, Roles: input.Distinct(v.Roles),
		Disabled: v.Disabled, ChangedBy: v.By(), ChangedTime: v.ChangedTime,
	}
}

type roleView struct {
	ID   int64  `json:"id"`
	Name string `json:"name" schema:"RoleName"`
	// Names of permissions, `<resource>:*` or `*`, sorted.
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

type roleRevisionView struct {
	Version     int64            `json:"version"`
	Action      string           `json:"action" validate:"oneof=create update"`
	Name        string           `json:"name" schema:"RoleName"`
	Permissions []string         `json:"permissions"`
	ChangedBy   principal.Person `json:"changedBy"`
	ChangedTime time.Time        `json:"changedTime"`
}

func roleRevisionViewOf(v RoleVersion) roleRevisionView {
	return roleRevisionView{
		Version: v.Version, Action: v.Action, Name: v.Name, Permissions: input.Distinct(v.Permissions),
		ChangedBy: v.By(), ChangedTime: v.ChangedTime,
	}
}

type tokenView struct {
	ID   int64  `json:"id"`
	Name string `json:"name" schema:"TokenName"`
	// The user that the token acts as.
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// Names of permissions, `<resource>:*` or `*`, sorted; null for a token with all permissions of its user.
	Scopes *[]string `json:"scopes" validate:"min=1"`
	// The user who created the token; where two users have to agree, this user counts too. Id 0 for the command line.
	CreatedBy principal.Person `json:"createdBy"`
	// Null for a token that does not expire.
	ExpiresTime *time.Time `json:"expiresTime"`
	// Accurate to a minute; null before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
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
	// The secret, for `Authorization: Bearer`. It is never returned again.
	Token httpapi.Secret `json:"token" pattern:"^ilk_"`
}

// Representations for the contract.
var (
	exampleRow = guard.Row{
		ID: 7, Version: 1, CreatedTime: time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC),
		UpdatedTime: time.Date(2026, time.January, 31, 9, 30, 0, 0, time.UTC), UpdatedBy: 1, UpdatedByName: "Admin",
	}
	userExample    = userViewOf(User{Row: exampleRow, Username: "li", DisplayName: "Li Wei", PasswordHash: "…", Roles: []string{"support"}})
	roleExample    = roleViewOf(Role{Row: exampleRow, Name: "support", Permissions: []string{"coupons:read", "orders:*"}})
	tokenExample   = tokenViewOf(Token{Row: exampleRow, UserID: 7, Username: "li", Name: "till", Scopes: []string{"orders:*"}, CreatedBy: 7, CreatedByName: "Li Wei"})
	sessionExample = sessionViewOf(Session{
		User:   callers.Identity{ID: 1, Username: "admin", DisplayName: "Admin", Roles: []string{"administrator"}, Permissions: []string{"*"}},
		Tenant: "default", Currency: "CNY", CSRFToken: "6tY0Xb1o2Yp3m0u4Qk5cZw",
	})
)
