package users

import (
	"context"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/input"
	"interlock/internal/access/passwords"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// PasswordReset is a new password that another user sets.
type PasswordReset struct {
	Password string
	// EndTokens also revokes the user's API tokens.
	EndTokens bool
	IfMatch   *guard.Precondition
}

// ResetPassword sets a user's password, ends the user's sessions and contested credentials, and
// unlocks the account. It hashes the password before the transaction of the unit begins. Errors:
// ValidationFailed, NotFound; Forbidden if the user has a permission that the caller lacks, because
// the new password grants that permission.
func (s *Service) ResetPassword(ctx context.Context, u *uow.Unit, user *User, reset PasswordReset) (*User, error) {
	hash, err := s.passwords.NewHash(ctx, passwords.Another, "/password", user.Username, reset.Password)
	if err != nil {
		return nil, err
	}
	return s.storePassword(ctx, u, user, newPassword{
		hash: hash, endTokens: reset.EndTokens, ifMatch: reset.IfMatch, change: s.reissue,
	})
}

// PasswordChange is a change of the caller's password.
type PasswordChange struct {
	Current, New string
	// Session is the token of the caller's session, which stays open.
	Session string
	// Address is the client address.
	Address string
	// EndTokens also revokes the caller's API tokens.
	EndTokens bool
}

// ChangePassword changes the caller's password and ends the caller's other sessions. Errors:
// Forbidden without a session; ValidationFailed, at /currentPassword if it is wrong, which counts
// like a wrong password at sign-in; TooManyAttempts.
func (s *Service) ChangePassword(ctx context.Context, user *User, change PasswordChange) (*User, error) {
	caller, _ := principal.From(ctx)
	if caller.Kind != principal.Admin {
		return nil, apperr.New(apperr.Forbidden, "Sign in to change your password; an API token cannot.")
	}
	if user.PasswordHash == "" {
		return nil, input.Invalid("/currentPassword", "none", "does not exist: you sign in without a password. Request an invitation to choose one")
	}
	if err := s.passwords.Check(ctx, passwords.Oneself, "/newPassword", user.Username, change.New); err != nil {
		return nil, err
	}
	if change.New == change.Current {
		return nil, input.Invalid("/newPassword", "same", "must differ from the current password")
	}
	if err := s.RequirePassword(ctx, user, ShownPassword{"/currentPassword", change.Current, change.Address, change.Session}); err != nil {
		return nil, err
	}
	return s.choosePassword(ctx, user, change)
}

// ShownPassword is a password that a user enters again in a session.
type ShownPassword struct {
	// Pointer is the JSON Pointer of the password in the request.
	Pointer, Password, Address string
	// Session is the token of the session.
	Session string
}

// RequirePassword checks the password of a user. A user who has no password, because a provider
// authenticates the user, needs a session that started recently instead. It counts the attempt
// outside of any unit, so it must run before the transaction of a unit begins. Errors:
// ValidationFailed at the pointer if the password is missing or wrong, which counts like a wrong
// password at sign-in; TooManyAttempts.
func (s *Service) RequirePassword(ctx context.Context, user *User, shown ShownPassword) error {
	if user.PasswordHash == "" {
		return s.requireLateSession(ctx, shown)
	}
	if shown.Password == "" {
		return input.Invalid(shown.Pointer, "required", "is required to confirm your identity")
	}
	caller, _ := principal.From(ctx)
	tenant, err := s.tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return err
	}
	at := guesses.Guess{Account: guesses.AccountKey(tenant, user.Username), Network: ratelimit.Network(shown.Address)}
	return s.attempts.Count(ctx, at, func() (wrong bool, err error) {
		same, err := s.passwords.Matches(ctx, shown.Password, user.PasswordHash)
		switch {
		case err != nil:
			return false, err
		case !same:
			return true, input.Invalid(shown.Pointer, "wrong", "is not your password")
		}
		return false, nil
	})
}

// requireLateSession returns ValidationFailed unless a session started in the last minutes.
func (s *Service) requireLateSession(ctx context.Context, shown ShownPassword) error {
	row, err := s.sessions.ByHash(s.db.Read(ctx), secrets.DigestOf(shown.Session).String())
	switch {
	case storage.IsNotFound(err):
		return callers.ErrNoSession()
	case err != nil:
		return fmt.Errorf("read the session: %w", err)
	case s.clock.Now().Sub(row.CreatedTime) > callers.StepUpFor:
		return input.Invalid(shown.Pointer, "sign_in_again", "is not a credential that you have: sign in again, and repeat this within five minutes")
	}
	return nil
}

// choosePassword stores the new password of a user whose current password was checked.
func (s *Service) choosePassword(ctx context.Context, user *User, change PasswordChange) (*User, error) {
	hash, err := s.passwords.Hash(ctx, change.New)
	if err != nil {
		return nil, err
	}
	var after *User
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		after, err = s.storePassword(ctx, u, user, newPassword{
			hash: hash, endTokens: change.EndTokens, kept: secrets.DigestOf(change.Session), change: s.ChangeUser, shown: user.PasswordHash,
		})
		return err
	})
	return after, err
}

// newPassword is a change of a user's password.
type newPassword struct {
	hash      string
	endTokens bool
	// kept is the digest of the one session token that remains valid; zero for none.
	kept    secrets.Digest
	ifMatch *guard.Precondition
	// change is ChangeUser, or reissue for a password from another user.
	change func(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition, c Change) (*User, error)
	// shown is the hash of the current password that the user entered; "" if another user sets it.
	shown string
}

// PasswordSet returns the columns of a password change, which also voids an open invitation.
func PasswordSet(hash string) guard.Set {
	return guard.Set{"password_hash": hash, "invitation_hash": nil, "invitation_expires_time": nil}
}

// SetPasswordHash makes the change of PasswordSet in the caller's copy.
func (u *User) SetPasswordHash(hash string) {
	u.PasswordHash, u.InvitationHash, u.InvitationExpiresTime = hash, nil, nil
}

// storePassword sets a user's password and unlocks the account, in a unit.
func (s *Service) storePassword(ctx context.Context, u *uow.Unit, user *User, p newPassword) (*User, error) {
	caller, _ := principal.From(ctx)
	tenant, err := s.tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return nil, err
	}
	_, row, err := UserInUnit(ctx, u, user.ID)
	if err != nil {
		return nil, err
	}
	if err := s.demandUser(row, p.ifMatch); err != nil {
		return nil, err
	}
	if p.shown != "" && p.shown != row.PasswordHash {
		return nil, input.Invalid("/currentPassword", "wrong", "is not your password any more: it was changed meanwhile")
	}
	return p.change(ctx, u, row, p.ifMatch, Change{
		Action: "password", Set: PasswordSet(p.hash), Apply: func(user *User) { user.SetPasswordHash(p.hash) },
		KeptSession: p.kept, endTokens: p.endTokens,
		Also: func(ctx context.Context, tx *gorm.DB) error {
			return s.attempts.Clear(ctx, tx, guesses.AccountKey(tenant, row.Username))
		},
	})
}

// SetPassword is ResetPassword for the command line. Errors: those of ResetPassword, and NotFound.
func (s *Service) SetPassword(ctx context.Context, tenant, username, password string) error {
	ctx, user, err := s.userOf(ctx, tenant, username)
	if err != nil {
		return err
	}
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, err := s.ResetPassword(ctx, u, user, PasswordReset{Password: password})
		return err
	})
}
