package users

import (
	"context"
	"slices"
	"strconv"

	"gorm.io/gorm"

	"interlock/internal/access/factors"
	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// FactorBeginning is the request for a new factor.
type FactorBeginning struct {
	// Kind is totp or passkey.
	Kind string
	Name string
	// Password is required of a user without a factor; any other user has passed a step-up.
	Password string
	// Session is the token of the caller's session.
	Session string
	// Address is the client address, and Origin the page's origin as its browser reports it;
	// "" without a browser.
	Address, Origin string
}

// BeginFactor adds an unconfirmed factor, which has no effect until it is confirmed, and voids
// the user's earlier unconfirmed one. The first factor requires the password, so that a stranger
// at a signed-in browser cannot lock out its user with another app. Errors: ValidationFailed, at
// /password if it is wrong, which counts like a wrong password at sign-in, and at /kind for a
// passkey where passkeys are unavailable, and if the user's credentials were changed concurrently;
// TooManyAttempts.
func (s *Service) BeginFactor(ctx context.Context, u *uow.Unit, user *User, in FactorBeginning) (factors.Setup, error) {
	if in.Kind == factors.MethodPasskey {
		if err := s.factors.RequirePasskeysAt(in.Origin); err != nil {
			return factors.Setup{}, err
		}
	}
	if !user.SecondFactor {
		if err := s.RequirePassword(ctx, user, ShownPassword{"/password", in.Password, in.Address, in.Session}); err != nil {
			return factors.Setup{}, err
		}
	}
	// Without the lock, two concurrent set-ups would pass the limit together, and neither would
	// void the other.
	tx, held, err := s.HoldOpen(ctx, u, user.ID)
	switch {
	case err != nil:
		return factors.Setup{}, err
	case held.SecondFactor != user.SecondFactor || held.PasswordHash != user.PasswordHash:
		return factors.Setup{}, input.Invalid("/password", "changed", "must be entered again: the account was changed concurrently; try again")
	}
	return s.factors.SetUp(u, tx, user.FactorOwner(), in.Kind, in.Name)
}

// ConfirmFactor activates an unconfirmed factor: from now on sign-ins require a second factor, and
// the user's other sessions end. If it is the user's first factor, ConfirmFactor returns recovery
// codes, which are returned only once. It changes the user's version in one unit, so that of two
// concurrent confirmations only one returns codes. Errors: NotFound for a factor that does not
// exist, has expired or was replaced; ValidationFailed at /code or /credential.
func (s *Service) ConfirmFactor(ctx context.Context, u *uow.Unit, user *User, in factors.Confirmation) (factor factors.Factor, codes []string, err error) {
	_, row, err := UserInUnit(ctx, u, user.ID)
	if err != nil {
		return factors.Factor{}, nil, err
	}
	_, err = s.ChangeUser(ctx, u, row, nil, Change{
		Action: "add-factor", Set: guard.Set{"second_factor": true}, Apply: func(user *User) { user.SecondFactor = true },
		KeptSession: secrets.DigestOf(in.Session),
		Also: func(_ context.Context, tx *gorm.DB) (err error) {
			if factor, err = s.factors.Activate(tx, row.FactorOwner(), in, u.Now()); err != nil || row.SecondFactor {
				return err
			}
			codes, err = factors.ReplaceRecoveryCodes(tx, row.FactorOwner(), u.Now())
			return err
		},
	})
	return factor, codes, err
}

// UserInUnit reads a user in the unit's transaction. Errors: NotFound.
func UserInUnit(ctx context.Context, u *uow.Unit, id int64) (*gorm.DB, *User, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, nil, err
	}
	row, err := FindUser(tx, id)
	return tx, row, storage.Found(err, "user", strconv.FormatInt(id, 10))
}

// RemoveFactor deletes a factor of a user who was just read, and with the last factor the
// recovery codes. The user's sessions end, except the one with this token. Errors: NotFound.
func (s *Service) RemoveFactor(ctx context.Context, u *uow.Unit, user *User, id int64, session string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	all, err := factors.Confirmed(tx, user.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(f factors.Factor) bool { return f.ID == id }) {
		return apperr.MissingRow("factor", strconv.FormatInt(id, 10))
	}
	// The user's version is guarded, so no factor is added or removed concurrently.
	left := len(all) > 1
	_, err = s.ChangeUser(ctx, u, user, nil, Change{
		Action: "remove-factor", Set: guard.Set{"second_factor": left}, Apply: func(user *User) { user.SecondFactor = left },
		KeptSession: secrets.DigestOf(session),
		Also: func(_ context.Context, tx *gorm.DB) error {
			if !left {
				return factors.DeleteAll(tx, user.FactorOwner())
			}
			return factors.Delete(tx, user.FactorOwner(), id)
		},
	})
	return err
}

// NewRecoveryCodes replaces a user's recovery codes and ends the user's other sessions. Errors:
// NotFound for a user without a second factor.
func (s *Service) NewRecoveryCodes(ctx context.Context, u *uow.Unit, user *User, session string) (codes []string, err error) {
	_, row, err := UserInUnit(ctx, u, user.ID)
	switch {
	case err != nil:
		return nil, err
	case !row.SecondFactor:
		return nil, apperr.New(apperr.NotFound, "You have no second factor. Set one up first.")
	}
	_, err = s.ChangeUser(ctx, u, row, nil, Change{
		Action: "recovery-codes", Set: guard.Set{"second_factor": true}, Apply: func(*User) {}, KeptSession: secrets.DigestOf(session),
		Also: func(_ context.Context, tx *gorm.DB) error {
			codes, err = factors.ReplaceRecoveryCodes(tx, row.FactorOwner(), u.Now())
			return err
		},
	})
	return codes, err
}

// ResetFactors deletes all factors and recovery codes of a user who has lost them, and ends the
// user's sessions. A user without factors is unchanged. Errors: Forbidden if the user has a
// permission that the caller lacks, because the password alone then grants all of them;
// VersionConflict.
func (s *Service) ResetFactors(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (*User, error) {
	if err := s.demandUser(user, ifMatch); err != nil || !user.SecondFactor {
		return user, err
	}
	return s.ChangeUser(ctx, u, user, ifMatch, Change{
		Action: "reset-factors", Set: guard.Set{"second_factor": false}, Apply: func(user *User) { user.SecondFactor = false },
		Also: func(_ context.Context, tx *gorm.DB) error { return factors.DeleteAll(tx, user.FactorOwner()) },
	})
}

// ResetUserFactors is ResetFactors for the command line, which may reset any user. Errors:
// NotFound.
func (s *Service) ResetUserFactors(ctx context.Context, tenant, username string) error {
	return s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) error {
		_, err := s.ResetFactors(ctx, u, user, nil)
		return err
	})
}

// FactorOwner returns the user as the owner of second factors.
func (u *User) FactorOwner() factors.Owner {
	return factors.Owner{TenantID: u.TenantID, ID: u.ID, Username: u.Username, DisplayName: u.DisplayName}
}
