package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Users are the people who sign in to the service, or whose API tokens act for programs.
type Users struct{ client *Client }

// User is one user. Read it, change Username, DisplayName or Roles, and save it.
type User struct {
	Stamp
	originState
	ID          int64    `json:"id"`
	Username    string   `json:"username"`
	DisplayName string   `json:"displayName"`
	Roles       []string `json:"roles"`
	// GroupRoles are those that a provider of single sign-on gives; they are not edited.
	GroupRoles []string `json:"groupRoles"`
	Disabled   bool     `json:"disabled"`
	// SecondFactor is true for a user who is asked for one at sign-in.
	SecondFactor bool `json:"secondFactor"`
	// HasPassword is false for a user who was invited and has chosen none, or signs in by a
	// provider alone.
	HasPassword bool `json:"hasPassword"`
	// InvitationExpiresTime is when the invitation of a user ends; nil for none.
	InvitationExpiresTime *time.Time `json:"invitationExpiresTime"`
	// Invitation is set in the reply that made it. The service returns its Token and Path once.
	Invitation *Invitation `json:"invitation,omitempty"`
	// SecretShownOnce is true in a repeat of the request that made the invitation.
	SecretShownOnce bool    `json:"secretShownOnce,omitempty"`
	Merged          *Merged `json:"merged,omitempty"`
	// EndedSessions, EndedTokens and EndedFactors count the credentials that Invite or
	// ResetPassword ended, in its reply.
	EndedSessions int64 `json:"endedSessions,omitempty"`
	EndedTokens   int64 `json:"endedTokens,omitempty"`
	EndedFactors  int64 `json:"endedFactors,omitempty"`
}

// Invitation lets a user choose a password, once.
type Invitation struct {
	Token string `json:"token"`
	// Path is that of the page of the web admin that accepts it. It holds the token.
	Path        string    `json:"path"`
	ExpiresTime time.Time `json:"expiresTime"`
}

func (u *User) editable() []string { return []string{"username", "displayName", "roles"} }

// UnmarshalJSON reads a user and remembers how it was read.
func (u *User) UnmarshalJSON(text []byte) error {
	type members User
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*u = User(fresh)
	return setOrigin(u)
}

// NewUser is a user to create.
type NewUser struct {
	Username string `json:"username"`
	// DisplayName is the username when it is "".
	DisplayName string `json:"displayName,omitempty"`
	// Password has at least 12 characters. A user without one is invited to choose it.
	Password string   `json:"password,omitempty"`
	Roles    []string `json:"roles,omitempty"`
}

// UserFilter narrows a list of users.
type UserFilter struct {
	Paging
	// Text is looked for in username and display name.
	Text string
	// Role is the name of a role that they hold.
	Role string
	// Disabled is nil for all.
	Disabled *bool
}

// UserRevision is one version of a user.
type UserRevision struct {
	Version     int64     `json:"version"`
	Action      string    `json:"action"`
	Username    string    `json:"username"`
	DisplayName string    `json:"displayName"`
	Roles       []string  `json:"roles"`
	Disabled    bool      `json:"disabled"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

func userPath(id int64) string { return "/users/" + strconv.FormatInt(id, 10) }

// List lists users by username, or as the filter's Sort says.
func (s *Users) List(f UserFilter) List[User] {
	query := f.parameters().text("q", f.Text).text("role", f.Role)
	if f.Disabled != nil {
		query = query.text("disabled", strconv.FormatBool(*f.Disabled))
	}
	return List[User]{s.client, "/users", query}
}

// Get reads a user.
func (s *Users) Get(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return get[User](ctx, s.client, userPath(id), options)
}

// Create creates a user. With [ErrSecretLost] it returns the user that an earlier attempt
// created: invite that one again.
func (s *Users) Create(ctx context.Context, u NewUser, options ...CallOption) (User, error) {
	made, err := call[User](ctx, s.client, request{method: http.MethodPost, path: "/users", body: u}, options)
	return made, secretLost(err, made.SecretShownOnce)
}

// Save sends what was changed in u since it was read and makes u the saved user. With
// [MergeDisjoint] edits that give and take different roles both succeed.
func (s *Users) Save(ctx context.Context, u *User, options ...CallOption) error {
	return save(ctx, s.client, userPath(u.ID), u, options)
}

// Disable shuts a user out. Sessions, tokens and streams end within a second.
func (s *Users) Disable(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return transition[User](ctx, s.client, userPath(id)+"/disable", nil, options)
}

// Enable lets a disabled user in again.
func (s *Users) Enable(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return transition[User](ctx, s.client, userPath(id)+"/enable", nil, options)
}

// PasswordReset is another password for a user.
type PasswordReset struct {
	// Password has at least 12 characters.
	Password string `json:"password"`
	// EndTokens revokes the user's API tokens as well.
	EndTokens bool `json:"endTokens,omitempty"`
}

// ResetPassword gives a user another password and ends the user's sessions.
func (s *Users) ResetPassword(ctx context.Context, id int64, r PasswordReset, options ...CallOption) (User, error) {
	return transition[User](ctx, s.client, userPath(id)+"/reset-password", r, options)
}

// Invite voids a user's password and earlier invitation, ends the user's sessions, and returns
// the user with an invitation to choose another password. With [ErrSecretLost] it returns the user
// that an earlier attempt invited: invite it again.
func (s *Users) Invite(ctx context.Context, id int64, options ...CallOption) (User, error) {
	invited, err := transition[User](ctx, s.client, userPath(id)+"/invite", nil, options)
	return invited, secretLost(err, invited.SecretShownOnce)
}

// ResetFactors takes all second factors from a user who lost them, and ends the user's
// sessions. A user who has none is left as it is.
func (s *Users) ResetFactors(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return transition[User](ctx, s.client, userPath(id)+"/reset-factors", nil, options)
}

// UserLink says whom a provider of single sign-on names when it names a user.
type UserLink struct {
	ID int64 `json:"id"`
	// Provider is what its button says; nil when the settings have it no more, so that the link
	// lets nobody in.
	Provider *string `json:"provider"`
	Issuer   string  `json:"issuer"`
	// Subject is what the provider calls the user.
	Subject      string     `json:"subject"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

// Links lists a user's links to providers of single sign-on, oldest first.
func (s *Users) Links(id int64) List[UserLink] {
	return List[UserLink]{s.client, userPath(id) + "/links", nil}
}

// Unlink removes a link of a user, whose sessions end. The only way in of a user without a
// password stays: CodeInUse.
func (s *Users) Unlink(ctx context.Context, id, linkID int64, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: userPath(id) + "/links/" + strconv.FormatInt(linkID, 10)}, nil, options)
}

// History lists a user's versions, newest first.
func (s *Users) History(id int64, p Paging) List[UserRevision] {
	return List[UserRevision]{s.client, userPath(id) + "/history", p.parameters()}
}
