package users

import (
	"time"

	"interlock/internal/access/input"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

// UserView is the representation of a user.
type UserView struct {
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

// UserViewOf returns the representation of a user.
func UserViewOf(u User) UserView {
	return UserView{
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
	UserView
	Invitation *invitationView `json:"invitation,omitempty"`
	// Ended is nil for a new user.
	*Ended
}

// resetUserView is a user with the counts of the credentials that the reset ended.
type resetUserView struct {
	UserView
	Ended
}

// editedUserView is a user and the changes with which an edit was merged.
type editedUserView struct {
	UserView
	Merged *change.Merged `json:"merged,omitempty"`
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
	UserExample  = UserViewOf(User{Row: exampleRow, Username: "li", DisplayName: "Li Wei", PasswordHash: "…", Roles: []string{"support"}})
	roleExample  = roleViewOf(Role{Row: exampleRow, Name: "support", Permissions: []string{"coupons:read", "orders:*"}})
	tokenExample = tokenViewOf(Token{Row: exampleRow, UserID: 7, Username: "li", Name: "till", Scopes: []string{"orders:*"}, CreatedBy: 7, CreatedByName: "Li Wei"})
)
