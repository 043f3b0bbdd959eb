package access

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

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// User is a person who can sign in.
type User struct {
	guard.Row
	Username     string
	DisplayName  string
	PasswordHash string
	Disabled     bool
	// SecondFactor is true for a user who has a confirmed factor. It changes with the version
	// of the user, in the unit that changes the factors.
	SecondFactor bool
	// InvitationHash is the digest of the invitation that the user has not accepted, and
	// InvitationExpiresTime when it ends; nil for none. PasswordHash is "" meanwhile.
	InvitationHash        *string
	InvitationExpiresTime *time.Time
	// IssuedTime is when another user last invited the user or reset the password; nil for
	// never since a creation with a password.
	IssuedTime *time.Time
	// Roles are the names of the roles that the user was given, in order. They are rows of
	// their own, and change only with the version of the user.
	Roles []string `gorm:"-"`
	// GroupRoles are those of the roles that the user has by the groups of a provider, which
	// says so at each sign-in.
	GroupRoles []string `gorm:"-"`
	// Ended is set in the result of Invite and ResetPassword.
	Ended Ended `gorm:"-"`
}

// held are the names of all roles that a user has.
func (u *User) held() []string { return distinct(slices.Concat(u.Roles, u.GroupRoles)) }

// TableName implements gorm's Tabler.
func (User) TableName() string { return "users" }

func (u *User) label() string { return fmt.Sprintf("user %q", u.Username) }

func (u *User) path() string { return fmt.Sprintf("users/%d", u.ID) }

// content is what the audit log tells of a user.
func (u *User) content() map[string]any {
	return map[string]any{"username": u.Username, "displayName": u.DisplayName, "roles": u.Roles}
}

// Identity is who a user is and what its roles allow.
type Identity struct {
	ID          int64
	Version     int64
	Username    string
	DisplayName string
	Roles       []string
	Permissions []string
	// SecondFactor is true when the user has one, which some acts ask for afresh.
	SecondFactor bool
}

// acting returns the user as a principal.
func (i Identity) acting(kind principal.Kind, tenantID int64, credential string, permissions []string) principal.Principal {
	return principal.Principal{
		Kind: kind, TenantID: tenantID, UserID: i.ID, UserVersion: i.Version, Name: i.DisplayName,
		CredentialID: credential, Permissions: permissions,
	}
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

// restore returns the user as it was at this version, for comparing.
func (v UserVersion) restore(user *User) *User {
	then := *user
	then.Username, then.DisplayName, then.Disabled, then.Roles = v.Username, v.DisplayName, v.Disabled, distinct(v.Roles)
	v.Restore(&then.Row)
	return &then
}

// UserSpec says which user to create.
type UserSpec struct {
	// Tenant is for CreateUser; AddUser creates in the caller's.
	Tenant   string
	Username string
	// DisplayName is what others read; "" means the username.
	DisplayName string
	// Password is for AddUser; who is invited chooses one.
	Password string
	// Roles are names of roles that the tenant has.
	Roles []string
}

// CreateUser is AddUser for a command. Errors: NotFound (tenant) as well.
func (s *Service) CreateUser(ctx context.Context, spec UserSpec) (Identity, error) {
	ctx, err := s.InTenant(ctx, spec.Tenant)
	if err != nil {
		return Identity{}, err
	}
	var user *User
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, err = s.AddUser(ctx, u, spec)
		return err
	})
	if err != nil {
		return Identity{}, err
	}
	return s.store.withRoles(ctx, *user)
}

// AddUser creates a user. It hashes the password before the transaction of the unit begins.
// Errors: ValidationFailed, AlreadyExists; Forbidden for a role that holds what the caller does
// not.
func (s *Service) AddUser(ctx context.Context, u *uow.Unit, spec UserSpec) (*User, error) {
	row := spec.user()
	if err := row.check(); err != nil {
		return nil, err
	}
	hash, err := s.passwords.newHash(ctx, another, "/password", spec.Username, spec.Password)
	if err != nil {
		return nil, err
	}
	row.PasswordHash = hash
	return s.insertWithRoles(ctx, u, row, spec.Roles)
}

func (spec UserSpec) user() User {
	return User{Username: spec.Username, DisplayName: cmp.Or(spec.DisplayName, spec.Username)}
}

// insertWithRoles adds a user and leaves the traces of it.
func (s *Service) insertWithRoles(ctx context.Context, u *uow.Unit, user User, roles []string) (*User, error) {
	user.Roles = []string{}
	if err := insertUser(ctx, u, &user); err != nil {
		return nil, err
	}
	if err := s.setRoles(ctx, u, &user, distinct(roles)); err != nil {
		return nil, err
	}
	detail := map[string]any{"username": user.Username, "roles": user.Roles, "invited": user.InvitationHash != nil}
	return &user, s.recordUser(ctx, u, &user, "create", detail)
}

func (u *User) check() error {
	return cmp.Or(checkUsername(u.Username), checkName("/displayName", u.DisplayName))
}

// User returns the user with an id. Errors: NotFound.
func (s *Service) User(ctx context.Context, id int64) (*User, error) {
	user, err := findUser(s.store.db.Read(ctx), id)
	return user, storage.Found(err, "user", strconv.FormatInt(id, 10))
}

// Users returns one page of users.
func (s *Service) Users(ctx context.Context, f UserFilter, page storage.Page) (storage.Listing[User], error) {
	caller, _ := principal.From(ctx)
	listing, err := storage.List[User](s.store.db.Read(ctx), page, userSorts, f.filters(caller.TenantID)...)
	if err != nil {
		return listing, fmt.Errorf("list users: %w", err)
	}
	return listing, withRoleNames(s.store.db.Read(ctx), listing.Pointers())
}

// UserHistory returns one page of a user's versions, newest first.
func (s *Service) UserHistory(ctx context.Context, user *User, page storage.Page) (storage.Listing[UserVersion], error) {
	return storage.List[UserVersion](s.store.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("user_id", user.ID))
}

// EditUser changes a user that was just read; see change.Editable.Apply for what is
// refused. Roles are a set: edits that give and take different ones can be merged. Errors:
// ValidationFailed, AlreadyExists (username), Forbidden for a role that holds what the
// caller does not and for a user who may do what the caller may not, and InUse when the last user with access:* would lose it.
func (s *Service) EditUser(ctx context.Context, u *uow.Unit, user *User, edit change.Edit) (change.Edited[*User], error) {
	edited, err := s.users().Apply(ctx, u, user, edit)
	if storage.IsDuplicate(err, usernameKey) {
		return edited, apperr.New(apperr.AlreadyExists, "There is another user with this username already.")
	}
	return edited, err
}

// userChange is a change of what a user's credentials stand on.
type userChange struct {
	action string
	set    guard.Set
	// apply brings the reader's copy to what set says.
	apply func(user *User)
	// also is what the change does beside; nil for nothing.
	also func(ctx context.Context, tx *gorm.DB) error
	// address is where a change by somebody without a session came from, for the audit log, and
	// detail what else it tells; nil for nothing.
	address string
	detail  map[string]any
	// endTokens revokes the user's API tokens as well.
	endTokens bool
	// ends are the credentials that also ends, nil for an act that reports no counts.
	ends *Ended
	// kept is of the token of the one session that stays; zero for none.
	kept digest
}

// DisableUser shuts a user out: its sessions end, and its tokens and streams open nothing
// any more, at once in this process and within a second in others. A user who is disabled
// is left as it is. Errors: Forbidden when the user may do what the caller may not; InUse when it is the
// last user with access:*; VersionConflict.
func (s *Service) DisableUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || user.Disabled {
		return user, err
	}
	return s.changeUser(ctx, u, user, ifMatch, userChange{
		action: "disable", set: guard.Set{"disabled": true}, apply: func(user *User) { user.Disabled = true },
		also: func(ctx context.Context, tx *gorm.DB) error {
			if err := requireRightsOf(ctx, tx, user); err != nil {
				return err
			}
			taken, err := grantsOf(tx, user.held())
			if err != nil {
				return err
			}
			return s.requireManager(ctx, tx, taken)
		},
	})
}

// EnableUser lets a disabled user in again; one who is not disabled is left as it is.
// Errors: Forbidden when the user may do what the caller may not; VersionConflict.
func (s *Service) EnableUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || !user.Disabled {
		return user, err
	}
	return s.changeUser(ctx, u, user, ifMatch, userChange{
		action: "enable", set: guard.Set{"disabled": false}, apply: func(user *User) { user.Disabled = false },
		also: func(ctx context.Context, tx *gorm.DB) error { return requireRightsOf(ctx, tx, user) },
	})
}

// demandUser is VersionConflict when a precondition was given that does not hold.
func (s *Service) demandUser(user *User, ifMatch *guard.Precondition) error {
	if ifMatch == nil || ifMatch.Holds(user.Ref()) {
		return nil
	}
	return s.userMoved(user, *ifMatch)
}

func (s *Service) userMoved(user *User, ifMatch guard.Precondition) error {
	return uow.Explain(func(ctx context.Context) error {
		return s.users().Conflict(ctx, user.ID, change.Edit{IfMatch: ifMatch})
	})
}

// changeUser changes what a user's sessions stand on, and so ends them. The row comes
// first and then the tenant's revision, as in every change of who may do what.
func (s *Service) changeUser(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition, c userChange) (*User, error) {
	err := guard.Update[User](ctx, u, user.Ref(), c.set)
	switch {
	case errors.Is(err, guard.ErrStale) && ifMatch != nil:
		return nil, s.userMoved(user, *ifMatch)
	case err != nil:
		return nil, rerunIfStale(err)
	}
	after := *user
	c.apply(&after)
	if err := guard.Advance(ctx, u, &after); err != nil {
		return nil, err
	}
	tx, err := s.raise(ctx, u)
	if err != nil {
		return nil, err
	}
	sessions, err := endSessions(tx, after.TenantID, after.ID, c.kept)
	if err != nil {
		return nil, err
	}
	if c.also != nil {
		if err := c.also(ctx, tx); err != nil {
			return nil, err
		}
	}
	detail := map[string]any{"username": after.Username}
	maps.Copy(detail, c.detail)
	if c.address != "" {
		detail["address"] = c.address
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
	return &after, s.recordUser(ctx, u, &after, c.action, detail)
}

// recordUser leaves the traces of a change: the history row of the version that the user has
// now, the audit entry, and what others hear of it.
func (s *Service) recordUser(ctx context.Context, u *uow.Unit, user *User, action string, detail any) error {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "user", Topic: UserTopic, Key: strconv.FormatInt(user.ID, 10), Detail: detail,
		Change: events.Change{Version: user.Version, ETag: user.Ref().ETag(), Action: action, Label: user.Username},
	})
	return insertUserVersion(ctx, u, user, action)
}

// SetUserDisabled is DisableUser or EnableUser for a command, which may shut the last user
// with access:* out as well. Errors: NotFound.
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

// SetUserRoles gives a user these roles and no others, for a command. Errors: NotFound,
// ValidationFailed.
func (s *Service) SetUserRoles(ctx context.Context, tenant, username string, roles []string) error {
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := s.EditUser(ctx, u, user, change.Edit{
			IfMatch: guard.Precondition{Ref: user.Ref()}, Patch: map[string]any{"roles": treeOf(distinct(roles))},
		})
		return err
	})
}

// commandUser runs a change of the named user, which is read in the unit.
func (s *Service) commandUser(ctx context.Context, tenant, username string, fn func(context.Context, *uow.Unit, *User) error) error {
	return s.command(ctx, tenant, func(ctx context.Context, u *uow.Unit, tx *gorm.DB) error {
		user, err := userNamed(tx, username)
		if err != nil {
			return err
		}
		return fn(ctx, u, user)
	})
}

// UserNamed returns the user with a name, in the context's tenant. Errors: NotFound.
func (s *Service) UserNamed(ctx context.Context, username string) (*User, error) {
	return userNamed(s.store.db.Read(ctx), username)
}

// userOf returns the named user and a context in its tenant.
func (s *Service) userOf(ctx context.Context, tenant, username string) (context.Context, *User, error) {
	ctx, err := s.InTenant(ctx, tenant)
	if err != nil {
		return nil, nil, err
	}
	user, err := s.UserNamed(ctx, username)
	return ctx, user, err
}
