package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Me is the user that the client calls as.
type Me struct {
	User
	// Permissions are what the client may do: what both its token's scopes and its user's
	// roles allow.
	Permissions []string `json:"permissions"`
}

// UnmarshalJSON reads the user and what it may do.
func (m *Me) UnmarshalJSON(text []byte) error {
	var more struct {
		Permissions []string `json:"permissions"`
	}
	if err := json.Unmarshal(text, &more); err != nil {
		return err
	}
	m.Permissions = more.Permissions
	return json.Unmarshal(text, &m.User)
}

// Me returns the user that the client calls as, and what it may do.
func (c *Client) Me(ctx context.Context, options ...CallOption) (Me, error) {
	return get[Me](ctx, c, "/me", options)
}

// Sessions are the open sessions of the web admin.
type Sessions struct{ client *Client }

// Session is one open session.
type Session struct {
	ID       int64  `json:"id"`
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// Address and UserAgent are what the sign-in came from, as it said.
	Address   string `json:"address"`
	UserAgent string `json:"userAgent"`
	Current   bool   `json:"current"`
	// LastUsedTime is exact to a minute, and nil before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
	ExpiresTime  time.Time  `json:"expiresTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

// List lists the open sessions of a user, the newest first. A token needs users:write.
func (s *Sessions) List(userID int64, p Paging) List[Session] {
	return List[Session]{s.client, "/sessions", p.parameters().text("userId", strconv.FormatInt(userID, 10))}
}

// End ends a session and its streams, within a second everywhere.
func (s *Sessions) End(ctx context.Context, id int64, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/sessions/" + strconv.FormatInt(id, 10)}, nil, options)
}
