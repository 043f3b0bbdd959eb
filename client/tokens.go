package client

import (
	"context"
	"net/http"
	"strconv"
	"time"
)

// Tokens are the API tokens by which programs call the service as a user.
type Tokens struct{ client *Client }

// Token is one API token, without its secret.
type Token struct {
	Stamp
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// Scopes are what the token is limited to; nil leaves it all that its user may do.
	Scopes []string `json:"scopes"`
	// CreatedBy is the user who created the token; its ID is 0 for the command line.
	CreatedBy Person `json:"createdBy"`
	// ExpiresTime is nil for a token that does not expire.
	ExpiresTime *time.Time `json:"expiresTime"`
	// LastUsedTime is exact to a minute, and nil before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
}

// TokenRef names a token and the user who created it.
type TokenRef struct {
	ID        int64  `json:"id"`
	CreatedBy Person `json:"createdBy"`
}

// NewToken is a token to create.
type NewToken struct {
	// Name says what the token is for.
	Name string `json:"name"`
	// Scopes are among those that [Client.Permissions] lists, "<resource>:*" or "*"; none
	// leave the token all that its user may do. A token of another user needs some.
	Scopes []string `json:"scopes,omitempty"`
	// ExpiresTime is nil for a token that ends after 90 days.
	ExpiresTime *time.Time `json:"expiresTime,omitempty"`
	// UserID is the user that the token acts as; 0 for the caller's own.
	UserID int64 `json:"userId,omitempty"`
}

// CreatedToken is a new token with its secret, which the service returns once.
type CreatedToken struct {
	Token
	Secret string `json:"token"`
	// SecretShownOnce is true in a repeat of the request, which has no Secret.
	SecretShownOnce bool `json:"secretShownOnce"`
}

// TokenFilter narrows a list of tokens.
type TokenFilter struct {
	Paging
	// Text is looked for in the name.
	Text string
	// UserID is the user that the tokens act as; 0 for all.
	UserID int64
}

func tokenPath(id int64) string { return "/tokens/" + strconv.FormatInt(id, 10) }

// List lists the caller's own tokens, the newest first, and everybody's for who may manage
// users.
func (s *Tokens) List(f TokenFilter) List[Token] {
	query := f.parameters().text("q", f.Text)
	if f.UserID != 0 {
		query = query.text("userId", strconv.FormatInt(f.UserID, 10))
	}
	return List[Token]{s.client, "/tokens", query}
}

// Get reads a token.
func (s *Tokens) Get(ctx context.Context, id int64, options ...CallOption) (Token, error) {
	return get[Token](ctx, s.client, tokenPath(id), options)
}

// Create creates a token. With [ErrSecretLost] it returns the token that an earlier attempt
// created: revoke that one and create another.
func (s *Tokens) Create(ctx context.Context, t NewToken, options ...CallOption) (CreatedToken, error) {
	made, err := call[CreatedToken](ctx, s.client, request{method: http.MethodPost, path: "/tokens", body: t}, options)
	return made, secretLost(err, made.SecretShownOnce)
}

// Revoke ends a token and its streams, within a second everywhere.
func (s *Tokens) Revoke(ctx context.Context, t Token, options ...CallOption) error {
	return remove(ctx, s.client, tokenPath(t.ID), t.ETag, options)
}
