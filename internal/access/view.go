package access

import (
	"context"
	"time"

	"interlock/internal/access/callers"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/currency"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
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

// meView is the caller's account and permissions; for an API token, limited to its scopes.
type meView struct {
	users.UserView
	// The caller's permissions.
	Permissions []string `json:"permissions"`
}

func meViewOf(ctx context.Context, u *users.User) meView {
	caller, _ := principal.From(ctx)
	return meView{UserView: users.UserViewOf(*u), Permissions: caller.Permissions}
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

// Representations for the contract.
var (
	sessionExample = sessionViewOf(Session{
		User:   callers.Identity{ID: 1, Username: "admin", DisplayName: "Admin", Roles: []string{"administrator"}, Permissions: []string{"*"}},
		Tenant: "default", Currency: "CNY", CSRFToken: "6tY0Xb1o2Yp3m0u4Qk5cZw",
	})
)
