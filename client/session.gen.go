// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// Sessions calls the operations on sessions.
type Sessions struct{ client *Client }

// Permissions calls the operations on permissions.
type Permissions struct{ client *Client }

// Me is returned by [Client.Me].
type Me struct {
	Stamp
	ID          int64  `json:"id"`
	Username    string `json:"username"`
	DisplayName string `json:"displayName"`
	// The names of the roles that this service assigned, sorted.
	Roles []string `json:"roles"`
	// The names of the roles that a single sign-on provider assigned by its groups at the last
	// sign-in. They are as effective as the others, and an edit cannot change them.
	GroupRoles []string `json:"groupRoles"`
	Disabled   bool     `json:"disabled"`
	// True if sign-in requires a second factor.
	SecondFactor bool `json:"secondFactor"`
	// False for a user who was invited and has chosen no password, or signs in only with a
	// provider.
	HasPassword bool `json:"hasPassword"`
	// When the user's invitation expires or expired; null if it was accepted or does not exist.
	InvitationExpiresTime *time.Time `json:"invitationExpiresTime"`
	// The caller's permissions.
	Permissions []string `json:"permissions"`
}

// OpenSession is a row of [Sessions.List].
type OpenSession struct {
	ID       int64  `json:"id"`
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// The address that opened the session; empty for sessions that precede this member.
	Address string `json:"address"`
	// The browser's User-Agent header.
	UserAgent string `json:"userAgent"`
	// True for the session of the request.
	Current bool `json:"current"`
	// Accurate to a minute; null before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
	// The latest time at which the session ends.
	ExpiresTime time.Time `json:"expiresTime"`
	CreatedTime time.Time `json:"createdTime"`
}

// OpenSessionFilter selects rows of [Sessions.List].
type OpenSessionFilter struct {
	Paging
	// The user of the sessions; the caller if absent.
	UserID int64
}

// Permission is a row of [Permissions.List].
type Permission struct {
	// The resource and the verb.
	Name string `json:"name"`
	// A sentence about the actions that it permits.
	Meaning string `json:"meaning"`
	// Set if the permission decides on requests of others; it cannot be a scope of another user's
	// token.
	Decides bool `json:"decides,omitzero"`
}

// Me returns your account.
//
// Returns the caller's user and its current permissions; for an API token those that both its
// scopes and its user's roles allow. 403 for a customer.
func (c *Client) Me(ctx context.Context, options ...CallOption) (Me, error) {
	return call[Me](ctx, c, request{method: http.MethodGet, path: "/me"}, options)
}

// List lists open sessions.
//
// The newest first. A session lists the caller's sessions; `users:write` allows those of another
// user. 403 for an API token without it.
func (s *Sessions) List(f OpenSessionFilter) List[OpenSession] {
	return List[OpenSession]{s.client, "/sessions", f.parameters().set("userId", f.UserID)}
}

// End ends a session.
//
// The session and its event streams end within a second on every server. A session of another user
// requires `users:write`.
func (s *Sessions) End(ctx context.Context, id int64, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/sessions/" + segment(id)}, nil, options)
}

// List lists permissions.
//
// All permissions that a role or a token can have. A grant is one of these names, `<resource>:*`,
// or `*`.
func (s *Permissions) List() List[Permission] {
	return List[Permission]{s.client, "/permissions", nil}
}
