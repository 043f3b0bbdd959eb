// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Users calls the operations on users.
type Users struct{ client *Client }

// Roles calls the operations on roles.
type Roles struct{ client *Client }

// Tokens calls the operations on tokens.
type Tokens struct{ client *Client }

// Menus calls the operations on menus.
type Menus struct{ client *Client }

// User is a row of [Users.List].
type User struct {
	Stamp
	originState
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
	InvitationExpiresTime *time.Time  `json:"invitationExpiresTime"`
	Invitation            *Invitation `json:"invitation,omitzero"`
	// The number of sessions that the invitation or the reset ended.
	EndedSessions *int64 `json:"endedSessions,omitzero"`
	// The number of API tokens that it ended.
	EndedTokens *int64 `json:"endedTokens,omitzero"`
	// The number of second factors that it ended.
	EndedFactors *int64 `json:"endedFactors,omitzero"`
	// Replaces the secrets in a repeat of a request with an idempotency key. The service returns a
	// secret once and stores it nowhere: if the first reply was lost, the secret is lost too.
	SecretShownOnce bool    `json:"secretShownOnce,omitzero"`
	Merged          *Merged `json:"merged,omitzero"`
}

func (*User) editable() []string {
	return []string{"username", "displayName", "roles"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *User) UnmarshalJSON(text []byte) error {
	type members User
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = User(decoded)
	return setOrigin(v)
}

// UserFilter selects rows of [Users.List].
type UserFilter struct {
	Paging
	// A part of the username or the display name, in either case.
	Q string
	// The name of a role of the users.
	Role     string
	Disabled *bool
}

// UserCreate is the request body of [Users.Create].
type UserCreate struct {
	Username string `json:"username"`
	// The username if absent.
	DisplayName string `json:"displayName,omitzero"`
	// Absent if the user is invited to choose one.
	Password *string  `json:"password,omitzero"`
	Roles    []string `json:"roles,omitzero"`
}

// Invitation is part of [User].
type Invitation struct {
	// Returned once, like `path`.
	Token string `json:"token,omitzero"`
	// The path of the web admin's page that accepts it; prepend the address of the service. The
	// token is in the fragment, which browsers do not send and servers do not log.
	Path        string    `json:"path,omitzero"`
	ExpiresTime time.Time `json:"expiresTime"`
}

// UserRevision is a row of [Users.History].
type UserRevision struct {
	Version     int64              `json:"version"`
	Action      UserRevisionAction `json:"action"`
	Username    string             `json:"username"`
	DisplayName string             `json:"displayName"`
	Roles       []string           `json:"roles"`
	Disabled    bool               `json:"disabled"`
	ChangedBy   Person             `json:"changedBy"`
	ChangedTime time.Time          `json:"changedTime"`
}

// UserRevisionAction is part of [UserRevision].
type UserRevisionAction string

// The values of UserRevisionAction.
const (
	UserRevisionActionCreate        UserRevisionAction = "create"
	UserRevisionActionUpdate        UserRevisionAction = "update"
	UserRevisionActionDisable       UserRevisionAction = "disable"
	UserRevisionActionEnable        UserRevisionAction = "enable"
	UserRevisionActionPassword      UserRevisionAction = "password"
	UserRevisionActionAddFactor     UserRevisionAction = "add-factor"
	UserRevisionActionRemoveFactor  UserRevisionAction = "remove-factor"
	UserRevisionActionRecoveryCodes UserRevisionAction = "recovery-codes"
	UserRevisionActionResetFactors  UserRevisionAction = "reset-factors"
	UserRevisionActionInvite        UserRevisionAction = "invite"
	UserRevisionActionAccept        UserRevisionAction = "accept"
	UserRevisionActionLink          UserRevisionAction = "link"
	UserRevisionActionUnlink        UserRevisionAction = "unlink"
	UserRevisionActionGroups        UserRevisionAction = "groups"
)

// PasswordReset is the request body of [Users.ResetPassword].
type PasswordReset struct {
	// At least 12 characters, at most 1024 bytes. If users choose their own password, a common
	// password, the username and the product's name, also with other digits and signs, are rejected
	// with the code `common`.
	Password string `json:"password"`
	// Revoke the user's API tokens as well.
	EndTokens bool `json:"endTokens,omitzero"`
}

// Role is a row of [Roles.List].
type Role struct {
	Stamp
	originState
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Names of permissions, `<resource>:*` or `*`, sorted.
	Permissions []string `json:"permissions"`
	Merged      *Merged  `json:"merged,omitzero"`
}

func (*Role) editable() []string {
	return []string{"name", "permissions"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Role) UnmarshalJSON(text []byte) error {
	type members Role
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Role(decoded)
	return setOrigin(v)
}

// RoleFilter selects rows of [Roles.List].
type RoleFilter struct {
	Paging
	// A part of the name, in either case.
	Q string
}

// RoleCreate is the request body of [Roles.Create].
type RoleCreate struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions,omitzero"`
}

// RoleRevision is a row of [Roles.History].
type RoleRevision struct {
	Version     int64              `json:"version"`
	Action      RoleRevisionAction `json:"action"`
	Name        string             `json:"name"`
	Permissions []string           `json:"permissions"`
	ChangedBy   Person             `json:"changedBy"`
	ChangedTime time.Time          `json:"changedTime"`
}

// RoleRevisionAction is part of [RoleRevision].
type RoleRevisionAction string

// The values of RoleRevisionAction.
const (
	RoleRevisionActionCreate RoleRevisionAction = "create"
	RoleRevisionActionUpdate RoleRevisionAction = "update"
)

// Token is a row of [Tokens.List].
type Token struct {
	Stamp
	ID int64 `json:"id"`
	// The purpose of the token.
	Name string `json:"name"`
	// The user that the token acts as.
	UserID   int64  `json:"userId"`
	Username string `json:"username"`
	// Names of permissions, `<resource>:*` or `*`, sorted; null for a token with all permissions of
	// its user.
	Scopes []string `json:"scopes"`
	// The user who created the token; where two users have to agree, this user counts too. Id 0 for
	// the command line.
	CreatedBy Person `json:"createdBy"`
	// Null for a token that does not expire.
	ExpiresTime *time.Time `json:"expiresTime"`
	// Accurate to a minute; null before the first use.
	LastUsedTime *time.Time `json:"lastUsedTime"`
	// The secret, for `Authorization: Bearer`. It is never returned again.
	Token string `json:"token,omitzero"`
	// Replaces the secrets in a repeat of a request with an idempotency key. The service returns a
	// secret once and stores it nowhere: if the first reply was lost, the secret is lost too.
	SecretShownOnce bool `json:"secretShownOnce,omitzero"`
}

// TokenFilter selects rows of [Tokens.List].
type TokenFilter struct {
	Paging
	// A part of the name, in either case.
	Q string
	// The user that the tokens act as.
	UserID int64
}

// TokenCreate is the request body of [Tokens.Create].
type TokenCreate struct {
	// The purpose of the token.
	Name   string   `json:"name"`
	Scopes []string `json:"scopes,omitzero"`
	// 90 days from now if absent.
	ExpiresTime *time.Time `json:"expiresTime,omitzero"`
	// The caller if absent.
	UserID *int64 `json:"userId,omitzero"`
}

// Link is a row of [Users.Links].
type Link struct {
	ID int64 `json:"id"`
	// The label of the provider's button; null if the settings no longer contain the provider, so
	// that the link admits no sign-in.
	Provider *string `json:"provider"`
	Issuer   string  `json:"issuer"`
	// The provider's id of the user.
	Subject      string     `json:"subject"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
}

// Menu is a row of [Menus.List].
type Menu struct {
	Stamp
	originState
	ID int64 `json:"id"`
	// The parent menu, or null at the top level.
	ParentID *int64 `json:"parentId"`
	// The index among its siblings.
	Position int64 `json:"position"`
	// May be empty for a page of the admin, which then has its built-in title in the reader's
	// language.
	Title string `json:"title"`
	// A path of this admin, such as `/orders`, without `//` and `\`; an address that starts with
	// `https://`; or empty for a group.
	Path string `json:"path"`
	// The name of an icon; empty for the default icon of the page.
	Icon string `json:"icon"`
	// The permission that shows the menu: a name of `GET /permissions`, or empty for none.
	Permission string `json:"permission"`
	// Hides the menu and its descendants from the navigation.
	Hidden bool    `json:"hidden"`
	Merged *Merged `json:"merged,omitzero"`
}

func (*Menu) editable() []string {
	return []string{"title", "path", "icon", "permission", "hidden"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Menu) UnmarshalJSON(text []byte) error {
	type members Menu
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Menu(decoded)
	return setOrigin(v)
}

// MenuCreate is the request body of [Menus.Create].
type MenuCreate struct {
	// The parent menu; the top level if null or absent.
	ParentID *int64 `json:"parentId,omitzero"`
	// The index among its siblings; last if absent or beyond the last.
	Position *int64 `json:"position,omitzero"`
	// May be empty for a page of the admin, which then has its built-in title in the reader's
	// language.
	Title string `json:"title,omitzero"`
	// A path of this admin, such as `/orders`, without `//` and `\`; an address that starts with
	// `https://`; or empty for a group.
	Path string `json:"path,omitzero"`
	// The name of an icon; empty for the default icon of the page.
	Icon string `json:"icon,omitzero"`
	// The permission that shows the menu: a name of `GET /permissions`, or empty for none.
	Permission string `json:"permission,omitzero"`
	// Hides the menu and its descendants from the navigation.
	Hidden bool `json:"hidden,omitzero"`
}

// MenuRevision is a row of [Menus.History].
type MenuRevision struct {
	Version int64              `json:"version"`
	Action  MenuRevisionAction `json:"action"`
	// The parent menu, or null at the top level.
	ParentID *int64 `json:"parentId"`
	// The index among its siblings when the version was created.
	Position int64 `json:"position"`
	// May be empty for a page of the admin, which then has its built-in title in the reader's
	// language.
	Title string `json:"title"`
	// A path of this admin, such as `/orders`, without `//` and `\`; an address that starts with
	// `https://`; or empty for a group.
	Path string `json:"path"`
	// The name of an icon; empty for the default icon of the page.
	Icon string `json:"icon"`
	// The permission that shows the menu: a name of `GET /permissions`, or empty for none.
	Permission string `json:"permission"`
	// Hides the menu and its descendants from the navigation.
	Hidden      bool      `json:"hidden"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

// MenuRevisionAction is part of [MenuRevision].
type MenuRevisionAction string

// The values of MenuRevisionAction.
const (
	MenuRevisionActionCreate MenuRevisionAction = "create"
	MenuRevisionActionUpdate MenuRevisionAction = "update"
	MenuRevisionActionMove   MenuRevisionAction = "move"
)

// Settings is returned by [Client.Settings].
type Settings struct {
	Stamp
	originState
	// The number of votes that a change of a protected resource needs.
	ApprovalsRequired int64 `json:"approvalsRequired"`
	// The number of days that such a change waits for its votes.
	ApprovalDays int64 `json:"approvalDays"`
	// The amount, in minor units, above which the approval of a refund waits for votes; null for
	// none.
	RefundApprovalThreshold *int64 `json:"refundApprovalThreshold"`
	// The same for manual wallet entries, regardless of sign, and for transfers; the sum includes
	// the entries of the same author on the wallet within 24 hours. Null for none. Entries of the
	// service itself need no votes.
	WalletApprovalThreshold *int64 `json:"walletApprovalThreshold"`
	// The user that requested a refund may approve it, with any credential.
	SelfApproval bool `json:"selfApproval"`
	// The IANA name of the time zone that determines the days of reports, such as Europe/Berlin.
	TimeZone string `json:"timeZone"`
	// The number of minutes after which a new unpaid prepaid order is cancelled, 5 or more; 0 for
	// never. A change applies to later orders.
	UnpaidOrderMinutes int64 `json:"unpaidOrderMinutes"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The requirements of a change of the settings.
	ChangeNeeds *SettingsNeeds `json:"changeNeeds,omitzero"`
	Merged      *Merged        `json:"merged,omitzero"`
}

func (*Settings) editable() []string {
	return []string{"approvalsRequired", "approvalDays", "refundApprovalThreshold", "walletApprovalThreshold", "selfApproval", "timeZone", "unpaidOrderMinutes"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Settings) UnmarshalJSON(text []byte) error {
	type members Settings
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Settings(decoded)
	return setOrigin(v)
}

// SettingsNeeds is part of [Settings].
type SettingsNeeds struct {
	// The number of votes of other users.
	Approvals int64 `json:"approvals"`
}

// SettingsRevision is a row of [Client.SettingsHistory].
type SettingsRevision struct {
	Version int64                  `json:"version"`
	Action  SettingsRevisionAction `json:"action"`
	// The number of votes that a change of a protected resource needs.
	ApprovalsRequired int64 `json:"approvalsRequired"`
	// The number of days that such a change waits for its votes.
	ApprovalDays int64 `json:"approvalDays"`
	// The amount, in minor units, above which the approval of a refund waits for votes; null for
	// none.
	RefundApprovalThreshold *int64 `json:"refundApprovalThreshold"`
	// The same for manual wallet entries, regardless of sign, and for transfers; the sum includes
	// the entries of the same author on the wallet within 24 hours. Null for none. Entries of the
	// service itself need no votes.
	WalletApprovalThreshold *int64 `json:"walletApprovalThreshold"`
	// The user that requested a refund may approve it, with any credential.
	SelfApproval bool `json:"selfApproval"`
	// The IANA name of the time zone that determines the days of reports, such as Europe/Berlin.
	TimeZone string `json:"timeZone"`
	// The number of minutes after which a new unpaid prepaid order is cancelled, 5 or more; 0 for
	// never. A change applies to later orders.
	UnpaidOrderMinutes int64 `json:"unpaidOrderMinutes"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency    string    `json:"currency"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

// SettingsRevisionAction is part of [SettingsRevision].
type SettingsRevisionAction string

// The values of SettingsRevisionAction.
const (
	SettingsRevisionActionCreate SettingsRevisionAction = "create"
	SettingsRevisionActionUpdate SettingsRevisionAction = "update"
)

// List lists users.
func (s *Users) List(f UserFilter) List[User] {
	return List[User]{s.client, "/users", f.parameters().set("q", f.Q).set("role", f.Role).set("disabled", f.Disabled)}
}

// Create creates a user.
//
// 403 if the roles contain a permission that you lack. The roles must exist. A user without a
// password is invited to choose one: the reply contains an `invitation`, once, which is valid for
// seven days and one acceptance. A repeat with the same idempotency key returns the same user, with
// `secretShownOnce` instead of the token and path of the invitation; `POST /users/{id}/invite` then
// creates another invitation.
//
// A repeat of the request returns [ErrSecretLost] together with the value, without its secret.
func (s *Users) Create(ctx context.Context, body UserCreate, options ...CallOption) (User, error) {
	value, err := call[User](ctx, s.client, request{method: http.MethodPost, path: "/users", body: body}, options)
	return value, secretLost(err, value.SecretShownOnce)
}

// Get returns a user.
func (s *Users) Get(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return call[User](ctx, s.client, request{method: http.MethodGet, path: "/users/" + segment(id)}, options)
}

// Save updates a user.
//
// `roles` is a set: an array replaces it, and `{"add":[…],"remove":[…]}` adds and removes the names
// listed. Edits of one set conflict only if they contain the same name; conflicts and `merged`
// report it as `/roles/<name>`. With `?merge=disjoint` two admins who grant different roles both
// succeed.
//
// 403 if a granted role has a permission that you lack, and for a user with a permission that you
// lack.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Users) Save(ctx context.Context, value *User, options ...CallOption) error {
	return save(ctx, s.client, "/users/"+segment(value.ID), value, options)
}

// History lists the versions of a user.
//
// The newest first. Every version is retained, without the password.
func (s *Users) History(id int64, p Paging) List[UserRevision] {
	return List[UserRevision]{s.client, "/users/" + segment(id) + "/history", p.parameters()}
}

// Disable disables a user.
//
// The user's sessions, tokens and event streams end within a second, on every server. A user who is
// already disabled is unchanged.
func (s *Users) Disable(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return call[User](ctx, s.client, request{method: http.MethodPost, path: "/users/" + segment(id) + "/disable"}, options)
}

// Enable enables a user.
//
// 403 for a user with a permission that you lack. Tokens that were not revoked become valid again;
// sessions do not.
func (s *Users) Enable(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return call[User](ctx, s.client, request{method: http.MethodPost, path: "/users/" + segment(id) + "/enable"}, options)
}

// ResetPassword resets a user's password.
//
// Ends the user's sessions and lifts a lock-out; with `endTokens` revokes the user's API tokens.
// Ends the credentials added since the previous invitation or reset, like `POST
// /users/{id}/invite`. 403 for a user with a permission that you lack.
func (s *Users) ResetPassword(ctx context.Context, id int64, body PasswordReset, options ...CallOption) (User, error) {
	return call[User](ctx, s.client, request{method: http.MethodPost, path: "/users/" + segment(id) + "/reset-password", body: body}, options)
}

// Invite invites a user.
//
// Voids the user's password, all links and any earlier invitation, ends the user's sessions, and
// creates an invitation, which only this reply contains: only the user will know the new password.
// It is valid for seven days and one acceptance (`POST /session/invitation`). It ends the
// credentials added since the user's previous invitation or reset, because an impostor can have
// added them: API tokens that the user created, and second factors. The reply and the audit log
// count them. Earlier credentials remain; all of them remain if there was no earlier invitation or
// reset. 403 for a user with a permission that you lack. A repeat with the same idempotency key
// returns `secretShownOnce` instead of the token and path of the invitation; then invite again with
// another key.
//
// A repeat of the request returns [ErrSecretLost] together with the value, without its secret.
func (s *Users) Invite(ctx context.Context, id int64, options ...CallOption) (User, error) {
	value, err := call[User](ctx, s.client, request{method: http.MethodPost, path: "/users/" + segment(id) + "/invite"}, options)
	return value, secretLost(err, value.SecretShownOnce)
}

// ResetFactors deletes a user's second factors.
//
// For a user who lost the factors. Deletes the recovery codes too, and ends the user's sessions. A
// user without factors is unchanged. 403 for a user with a permission that you lack.
func (s *Users) ResetFactors(ctx context.Context, id int64, options ...CallOption) (User, error) {
	return call[User](ctx, s.client, request{method: http.MethodPost, path: "/users/" + segment(id) + "/reset-factors"}, options)
}

// List lists roles.
func (s *Roles) List(f RoleFilter) List[Role] {
	return List[Role]{s.client, "/roles", f.parameters().set("q", f.Q)}
}

// Create creates a role.
//
// `permissions` contains names of `GET /permissions`, `<resource>:*` or `*`. 403 for a permission
// that you lack.
func (s *Roles) Create(ctx context.Context, body RoleCreate, options ...CallOption) (Role, error) {
	return call[Role](ctx, s.client, request{method: http.MethodPost, path: "/roles", body: body}, options)
}

// Get returns a role.
func (s *Roles) Get(ctx context.Context, id int64, options ...CallOption) (Role, error) {
	return call[Role](ctx, s.client, request{method: http.MethodGet, path: "/roles/" + segment(id)}, options)
}

// Save updates a role.
//
// `permissions` is a set: an array replaces it, and `{"add":[…],"remove":[…]}` adds and removes the
// names listed. Edits of one set conflict only if they contain the same name; conflicts and
// `merged` report it as `/permissions/<name>`. With `?merge=disjoint` two admins who add different
// permissions both succeed. The change applies to the users with the role within a second, on every
// server. 403 if you lack an added or removed permission or, for another name, one of the role.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Roles) Save(ctx context.Context, value *Role, options ...CallOption) error {
	return save(ctx, s.client, "/roles/"+segment(value.ID), value, options)
}

// Delete deletes a role.
//
// 403 if you lack a permission of the role. 409 `in_use` while a user has it.
func (s *Roles) Delete(ctx context.Context, read Role, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/roles/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// History lists the versions of a role.
//
// The newest first. Every version is retained.
func (s *Roles) History(id int64, p Paging) List[RoleRevision] {
	return List[RoleRevision]{s.client, "/roles/" + segment(id) + "/history", p.parameters()}
}

// List lists API tokens.
//
// Returns the caller's tokens, and with `users:write` those of all users. The secret of a token is
// never returned again.
func (s *Tokens) List(f TokenFilter) List[Token] {
	return List[Token]{s.client, "/tokens", f.parameters().set("q", f.Q).set("userId", f.UserID)}
}

// Create creates an API token.
//
// `token` in the reply is the secret; it is returned once and stored only as a digest. The token
// acts as its user (`userId`, or else the caller), with the permissions that both its scopes and
// its user's roles allow at the time of each request. Without `scopes` it has all permissions of
// its user; an empty list is rejected, because it would grant all permissions. It expires at
// `expiresTime`, by default after 90 days.
//
// A token of another user needs `scopes`, which both you and that user have, and none of them a
// permission that decides on requests of others (`decides` in `GET /permissions`): 422. You are its
// `createdBy`: where two users have to agree, the token counts as yours too. Such a token cannot
// create tokens: 403.
//
// 403 for a token of another user without `users:write`, and for a token with a permission that you
// lack. A repeat with the same idempotency key returns the same token with `secretShownOnce`
// instead of the secret; then revoke it, and create another one with another key.
//
// A repeat of the request returns [ErrSecretLost] together with the value, without its secret.
func (s *Tokens) Create(ctx context.Context, body TokenCreate, options ...CallOption) (Token, error) {
	value, err := call[Token](ctx, s.client, request{method: http.MethodPost, path: "/tokens", body: body}, options)
	return value, secretLost(err, value.SecretShownOnce)
}

// Get returns an API token.
//
// Returns the token without its secret. A token of another user returns 404 without `users:write`.
func (s *Tokens) Get(ctx context.Context, id int64, options ...CallOption) (Token, error) {
	return call[Token](ctx, s.client, request{method: http.MethodGet, path: "/tokens/" + segment(id)}, options)
}

// Revoke revokes an API token.
//
// The token becomes invalid and its event streams end, within a second on every server. The audit
// log retains a record of it.
func (s *Tokens) Revoke(ctx context.Context, read Token, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/tokens/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// Links lists a user's sign-on links.
func (s *Users) Links(id int64) List[Link] {
	return List[Link]{s.client, "/users/" + segment(id) + "/links", nil}
}

// DeleteLink deletes a user's sign-on link.
//
// Ends the user's sessions. 403 if the user has a permission that you lack. Disable or invite a
// user instead of deleting the only sign-in method.
func (s *Users) DeleteLink(ctx context.Context, id int64, linkID int64, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/users/" + segment(id) + "/links/" + segment(linkID)}, nil, options)
}

// List lists navigation menus.
//
// All menus in one reply: each before its children, siblings in their order. A caller with
// `menus:read` receives all menus of the tenant. Any other signed-in caller receives the menus of
// its navigation: those that are not hidden, if the caller has their permission, and if the same is
// true of their ancestors. A new tenant has the pages of the admin in four groups. For a tenant
// without menus the list is empty, and the admin shows its built-in pages.
func (s *Menus) List() List[Menu] {
	return List[Menu]{s.client, "/menus", nil}
}

// Create creates a menu.
//
// At the top level or below another menu, as the last sibling or at a position. A tenant has at
// most 200 menus, at most 4 levels deep.
func (s *Menus) Create(ctx context.Context, body MenuCreate, options ...CallOption) (Menu, error) {
	return call[Menu](ctx, s.client, request{method: http.MethodPost, path: "/menus", body: body}, options)
}

// Get returns a menu.
//
// `position` is not part of the version: moving a sibling does not change the `ETag` of this menu.
func (s *Menus) Get(ctx context.Context, id int64, options ...CallOption) (Menu, error) {
	return call[Menu](ctx, s.client, request{method: http.MethodGet, path: "/menus/" + segment(id)}, options)
}

// Save updates a menu.
//
// `POST /menus/{id}/move` changes the position of a menu; the two merge with `?merge=disjoint`.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Menus) Save(ctx context.Context, value *Menu, options ...CallOption) error {
	return save(ctx, s.client, "/menus/"+segment(value.ID), value, options)
}

// Delete deletes a menu.
//
// 409 `in_use` while the menu has children. Its history is retained.
func (s *Menus) Delete(ctx context.Context, read Menu, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/menus/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// Move moves a menu.
//
// Moves the menu with its descendants below another parent, or to another position among its
// siblings. `position` is its new index, from 0; an index beyond the last means last. An absent
// member stays unchanged, but a new parent without a position means last. Only the moved menu gets
// a new version. 422 at `/parentId` for the menu itself, its descendants, a menu that does not
// exist, and more than 4 levels. If two admins concurrently move two menus below each other, the
// second request returns 422.
//
// Without `If-Match` the menu is moved from any position. If `If-Match` is stale, `?merge=disjoint`
// moves the menu unless another request moved it since.
func (s *Menus) Move(ctx context.Context, id int64, body MenuMove, options ...CallOption) (Menu, error) {
	return call[Menu](ctx, s.client, request{method: http.MethodPost, path: "/menus/" + segment(id) + "/move", body: body}, options)
}

// History lists the versions of a menu.
//
// The newest first. Every version is retained.
func (s *Menus) History(id int64, p Paging) List[MenuRevision] {
	return List[MenuRevision]{s.client, "/menus/" + segment(id) + "/history", p.parameters()}
}

// Settings returns the tenant's settings.
func (c *Client) Settings(ctx context.Context, options ...CallOption) (Settings, error) {
	return call[Settings](ctx, c, request{method: http.MethodGet, path: "/settings"}, options)
}

// SaveSettings updates the tenant's settings.
//
// The settings define the number of votes for every other change, so a change of the settings needs
// votes too: 202 with the approval, unless `bypass` contains a reason. Pending approvals retain
// their number of required votes.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (c *Client) SaveSettings(ctx context.Context, value *Settings, options ...CallOption) error {
	return save(ctx, c, "/settings", value, options)
}

// SettingsHistory lists the versions of the settings.
//
// The newest first.
func (c *Client) SettingsHistory(p Paging) List[SettingsRevision] {
	return List[SettingsRevision]{c, "/settings/history", p.parameters()}
}
