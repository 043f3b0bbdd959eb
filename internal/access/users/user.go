package users

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/input"
	"interlock/internal/access/passwords"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/events"
)

// User is a person who can sign in.
type User struct {
	guard.Row
	Username     string
	DisplayName  string
	PasswordHash string
	Disabled     bool
	// SecondFactor is true for a user who has a confirmed factor. It changes with the user's
	// version, in the unit that changes the factors.
	SecondFactor bool
	// InvitationHash is the digest of the user's open invitation, and InvitationExpiresTime its
	// end; nil for none. PasswordHash is "" while an invitation is open.
	InvitationHash        *string
	InvitationExpiresTime *time.Time
	// IssuedTime is the time at which another user last invited the user or reset the password;
	// nil if that never happened since a creation with a password.
	IssuedTime *time.Time
	// Roles are the names of the roles that were granted by hand, sorted. They are stored in
	// separate rows and change only with the user's version.
	Roles []string `gorm:"-"`
	// GroupRoles are the names of the roles that a provider's groups grant, updated at each
	// single sign-on.
	GroupRoles []string `gorm:"-"`
	// Ended is set in the result of Invite and ResetPassword.
	Ended Ended `gorm:"-"`
}

// held returns the names of all roles of a user.
func (u *User) held() []string { return input.Distinct(slices.Concat(u.Roles, u.GroupRoles)) }

// TableName implements gorm's Tabler.
func (User) TableName() string { return "users" }

func (u *User) label() string { return fmt.Sprintf("user %q", u.Username) }

// Path returns the path of the user's resource.
func (u *User) Path() string { return fmt.Sprintf("users/%d", u.ID) }

// content returns the audit log's description of a user.
func (u *User) content() map[string]any {
	return map[string]any{"username": u.Username, "displayName": u.DisplayName, "roles": u.Roles}
}

// UserVersion is one version of a user.
type UserVersion struct {
	ID       int64
	TenantID int64
	UserID   int64
	// Its Action is create, update, disable, enable, password, add-factor, remove-factor,
	// recovery-codes, reset-factors, invite, accept, link, unlink or groups.
	change.Revision
	// CreatorID is the creator of the API token that made the version; 0 for none.
	CreatorID   int64
	Username    string
	DisplayName string
	Disabled    bool
	Roles       []string `gorm:"serializer:json"`
}

// TableName implements gorm's Tabler.
func (UserVersion) TableName() string { return "user_histories" }

func userVersionOf(user *User, action string) *UserVersion {
	return &UserVersion{
		UserID: user.ID, Revision: change.RevisionOf(user.Row, action),
		Username: user.Username, DisplayName: user.DisplayName, Disabled: user.Disabled, Roles: user.Roles,
	}
}

// restore returns the user at this version, for comparing.
func (v UserVersion) restore(user *User) *User {
	then := *user
	then.Username, then.DisplayName, then.Disabled, then.Roles = v.Username, v.DisplayName, v.Disabled, input.Distinct(v.Roles)
	v.Restore(&then.Row)
	return &then
}

// UserSpec is the request for a new user.
type UserSpec struct {
	// Tenant is for CreateUser; AddUser uses the caller's tenant.
	Tenant   string
	Username string
	// DisplayName is the name for display; "" means the username.
	DisplayName string
	// Password is for AddUser; an invited user chooses one.
	Password string
	// Roles are names of roles that the tenant has.
	Roles []string
}

// CreateUser is AddUser for the command line. Errors: those of AddUser, and NotFound (tenant).
func (s *Service) CreateUser(ctx context.Context, spec UserSpec) (callers.Identity, error) {
	ctx, err := s.tenants.InTenant(ctx, spec.Tenant)
	if err != nil {
		return callers.Identity{}, err
	}
	var user *User
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, err = s.AddUser(ctx, u, spec)
		return err
	})
	if err != nil {
		return callers.Identity{}, err
	}
	return s.WithRoles(ctx, *user)
}

// AddUser creates a user. It hashes the password before the transaction of the unit begins.
// Errors: ValidationFailed, AlreadyExists; Forbidden for a role with a permission that the caller
// lacks.
func (s *Service) AddUser(ctx context.Context, u *uow.Unit, spec UserSpec) (*User, error) {
	row := spec.user()
	if err := row.check(); err != nil {
		return nil, err
	}
	hash, err := s.passwords.NewHash(ctx, passwords.Another, "/password", spec.Username, spec.Password)
	if err != nil {
		return nil, err
	}
	row.PasswordHash = hash
	return s.insertWithRoles(ctx, u, row, spec.Roles)
}

func (spec UserSpec) user() User {
	return User{Username: spec.Username, DisplayName: cmp.Or(spec.DisplayName, spec.Username)}
}

// insertWithRoles inserts a user with its roles, history, audit entry and event.
func (s *Service) insertWithRoles(ctx context.Context, u *uow.Unit, user User, roles []string) (*User, error) {
	user.Roles = []string{}
	if err := InsertUser(ctx, u, &user); err != nil {
		return nil, err
	}
	if err := s.setRoles(ctx, u, &user, input.Distinct(roles)); err != nil {
		return nil, err
	}
	detail := map[string]any{"username": user.Username, "roles": user.Roles, "invited": user.InvitationHash != nil}
	return &user, s.RecordUser(ctx, u, &user, "create", detail)
}

func (u *User) check() error {
	return cmp.Or(input.CheckUsername(u.Username), input.CheckName("/displayName", u.DisplayName))
}

// User returns the user with an id. Errors: NotFound.
func (s *Service) User(ctx context.Context, id int64) (*User, error) {
	user, err := FindUser(s.db.Read(ctx), id)
	return user, storage.Found(err, "user", strconv.FormatInt(id, 10))
}

// Users returns one page of users.
func (s *Service) Users(ctx context.Context, f UserFilter, page storage.Page) (storage.Listing[User], error) {
	caller, _ := principal.From(ctx)
	listing, err := storage.List[User](s.db.Read(ctx), page, userSorts, f.filters(caller.TenantID)...)
	if err != nil {
		return listing, fmt.Errorf("list users: %w", err)
	}
	return listing, WithRoleNames(s.db.Read(ctx), listing.Pointers())
}

// UserHistory returns one page of a user's versions, newest first.
func (s *Service) UserHistory(ctx context.Context, user *User, page storage.Page) (storage.Listing[UserVersion], error) {
	return storage.List[UserVersion](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("user_id", user.ID))
}

// EditUser changes a user that was just read; see change.Editable.Apply for conflicts. Roles are
// a set: edits that add and remove different ones can be merged. Errors: ValidationFailed,
// AlreadyExists (username), Forbidden for a role or a user with a permission that the caller
// lacks, and InUse if the last user with access:* would lose it.
func (s *Service) EditUser(ctx context.Context, u *uow.Unit, user *User, edit change.Edit) (change.Edited[*User], error) {
	edited, err := s.users().Apply(ctx, u, user, edit)
	if storage.IsDuplicate(err, usernameKey) {
		return edited, apperr.New(apperr.AlreadyExists, "Another user with this username already exists.")
	}
	return edited, err
}

// Change is a change of a user that ends the user's sessions.
type Change struct {
	Action string
	Set    guard.Set
	// Apply makes the change of set in the caller's copy of the user.
	Apply func(user *User)
	// Also makes further changes in the unit; nil if there are none.
	Also func(ctx context.Context, tx *gorm.DB) error
	// Address is the client address of a change without a session, for the audit log, and detail
	// further details; empty for none.
	Address string
	Detail  map[string]any
	// endTokens also revokes the user's API tokens.
	endTokens bool
	// ends counts the credentials that also ends; nil for an act that reports no counts.
	ends *Ended
	// KeptSession is the digest of the one session token that remains valid; zero for none.
	KeptSession secrets.Digest
}

// DisableUser disables a user and ends its sessions, tokens and streams: immediately in this
// process and within one second in others. A disabled user is unchanged. Errors: Forbidden if
// the user has a permission that the caller lacks; InUse for the last user with access:*;
// VersionConflict.
func (s *Service) DisableUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || user.Disabled {
		return user, err
	}
	return s.ChangeUser(ctx, u, user, ifMatch, Change{
		Action: "disable", Set: guard.Set{"disabled": true}, Apply: func(user *User) { user.Disabled = true },
		Also: func(ctx context.Context, tx *gorm.DB) error {
			taken, err := grantsOf(tx, user.held())
			if err != nil {
				return err
			}
			return s.requireManager(ctx, tx, taken)
		},
	})
}

// EnableUser enables a disabled user; an enabled one is unchanged. Errors: Forbidden if the user
// has a permission that the caller lacks; VersionConflict.
func (s *Service) EnableUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || !user.Disabled {
		return user, err
	}
	return s.ChangeUser(ctx, u, user, ifMatch, Change{
		Action: "enable", Set: guard.Set{"disabled": false}, Apply: func(user *User) { user.Disabled = false },
	})
}

// demandUser returns VersionConflict if a precondition is not true.
func (s *Service) demandUser(user *User, ifMatch *guard.Precondition) error {
	if ifMatch == nil || ifMatch.Matches(user.Ref()) {
		return nil
	}
	return s.userMoved(user, *ifMatch)
}

func (s *Service) userMoved(user *User, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		return s.users().Conflict(ctx, user.ID, change.Edit{IfMatch: ifMatch})
	})
}

// ChangeUser changes a user and ends the user's sessions. It updates the user's row before the
// tenant's revision, in the lock order of all changes of permissions. Errors: Forbidden if the user
// has a permission that the caller lacks.
func (s *Service) ChangeUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition, c Change) (*User, error) {
	err := guard.Update[User](ctx, u, user.Ref(), c.Set)
	switch {
	case errors.Is(err, guard.ErrStale) && ifMatch != nil:
		return nil, s.userMoved(user, *ifMatch)
	case err != nil:
		return nil, RetryIfStale(err)
	}
	after := *user
	c.Apply(&after)
	if err := guard.Advance(ctx, u, &after); err != nil {
		return nil, err
	}
	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return nil, err
	}
	if err := requireRightsOf(ctx, tx, user); err != nil {
		return nil, err
	}
	sessions, err := sessions.EndAll(tx, after.TenantID, after.ID, c.KeptSession)
	if err != nil {
		return nil, err
	}
	if c.Also != nil {
		if err := c.Also(ctx, tx); err != nil {
			return nil, err
		}
	}
	detail := map[string]any{"username": after.Username}
	maps.Copy(detail, c.Detail)
	if c.Address != "" {
		detail["address"] = c.Address
	}
	if c.endTokens {
		revoked, err := revokeAll(ctx, u, tx, after.ID)
		if err != nil {
			return nil, err
		}
		detail["revokedTokens"] = revoked
		if c.ends != nil {
			c.ends.Tokens += int64(len(revoked))
		}
	}
	if c.ends != nil {
		c.ends.Sessions = sessions
		after.Ended = *c.ends
		detail["endedSessions"], detail["endedTokens"], detail["endedFactors"] = after.Ended.Sessions, after.Ended.Tokens, after.Ended.Factors
	}
	return &after, s.RecordUser(ctx, u, &after, c.Action, detail)
}

// RecordUser records a change: the history row of the user's current version, the audit entry and
// the event.
func (s *Service) RecordUser(ctx context.Context, u *uow.Unit, user *User, action string, detail any) error {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "user", Topic: UserTopic, Key: strconv.FormatInt(user.ID, 10), Detail: detail,
		Change: events.Change{Version: user.Version, ETag: user.Ref().ETag(), Action: action, Label: user.Username},
	})
	return InsertUserVersion(ctx, u, user, action)
}

// SetUserDisabled is DisableUser or EnableUser for the command line, which may also disable the
// last user with access:*. Errors: NotFound.
func (s *Service) SetUserDisabled(ctx context.Context, tenant, username string, disabled bool) error {
	act := s.EnableUser
	if disabled {
		act = s.DisableUser
	}
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := act(ctx, u, user, nil)
		return err
	})
}

// SetUserRoles replaces a user's roles, for the command line. Errors: NotFound, ValidationFailed.
func (s *Service) SetUserRoles(ctx context.Context, tenant, username string, roles []string) error {
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := s.EditUser(ctx, u, user, change.Edit{
			IfMatch: guard.Precondition{Ref: user.Ref()}, Patch: map[string]any{"roles": input.Tree(input.Distinct(roles))},
		})
		return err
	})
}

// commandUser runs a change of the named user, which is read in the unit.
func (s *Service) commandUser(ctx context.Context, tenant, username string, fn func(context.Context, *uow.Unit, *User) error) error {
	return s.tenants.Command(ctx, tenant, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
		user, err := userNamed(tx, username)
		if err != nil {
			return err
		}
		return fn(ctx, u, user)
	})
}

// UserNamed returns the user with a name, in the context's tenant. Errors: NotFound.
func (s *Service) UserNamed(ctx context.Context, username string) (*User, error) {
	return userNamed(s.db.Read(ctx), username)
}

// userOf returns the named user and a context in its tenant.
func (s *Service) userOf(ctx context.Context, tenant, username string) (context.Context, *User, error) {
	ctx, err := s.tenants.InTenant(ctx, tenant)
	if err != nil {
		return nil, nil, err
	}
	user, err := s.UserNamed(ctx, username)
	return ctx, user, err
}

// Me reads the caller's user. Errors: Forbidden for a customer.
func (s *Service) Me(ctx context.Context, _ httpapi.Path) (*User, error) {
	caller, _ := principal.From(ctx)
	if caller.Kind == principal.Customer {
		return nil, apperr.New(apperr.Forbidden, "A customer has no account here.")
	}
	return s.User(ctx, caller.UserID)
}

// MeInSession returns the user of the caller's session. Errors: Forbidden without one.
func (s *Service) MeInSession(ctx context.Context, path httpapi.Path) (*User, error) {
	if err := factors.RequireSession(ctx); err != nil {
		return nil, err
	}
	return s.Me(ctx, path)
}
