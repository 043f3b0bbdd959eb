package access

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/guesses"
	"interlock/internal/access/passwords"
	"interlock/internal/access/secrets"
	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// Invited is the user of an invitation.
type Invited struct {
	// Tenant is the tenant's name.
	Tenant, Username, DisplayName string
	ExpiresTime                   time.Time
}

// CheckInvitation returns the user of an invitation. Errors: InvalidCredentials, RateLimited.
func (s *Service) CheckInvitation(ctx context.Context, token, address string) (Invited, error) {
	user, tenant, err := s.invited(ctx, token, address)
	if err != nil {
		return Invited{}, err
	}
	return Invited{Tenant: tenant, Username: user.Username, DisplayName: user.DisplayName, ExpiresTime: *user.InvitationExpiresTime}, nil
}

// Acceptance is an invitation and the password that its user chose.
type Acceptance struct {
	// Token is the invitation's.
	Token    string
	Password string
	// Replaces, Address and UserAgent are as in SignIn.
	Replaces, Address, UserAgent string
}

// AcceptInvitation sets the password that the user chose and starts a session or, for a user
// with a second factor, makes a challenge. One unit sets the password, ends the invitation and
// starts the session, under the version of the user's row: of concurrent calls one succeeds.
// Errors: those of CheckInvitation, and ValidationFailed at /password, after which the invitation
// is still valid.
func (s *Service) AcceptInvitation(ctx context.Context, in Acceptance) (SignedIn, error) {
	user, tenant, err := s.invited(ctx, in.Token, in.Address)
	if err != nil {
		return SignedIn{}, err
	}
	hash, err := s.passwords.NewHash(ctx, passwords.Oneself, "/password", user.Username, in.Password)
	if err != nil {
		return SignedIn{}, err
	}
	how := acceptance{
		user: user, tenant: tenant, invitation: secrets.DigestOf(in.Token).String(), address: in.Address,
		set: users.PasswordSet(hash), apply: func(user *users.User) { user.SetPasswordHash(hash) },
	}
	if user.SecondFactor {
		return s.acceptToChallenge(ctx, how)
	}
	signIn := SignIn{Tenant: tenant, Username: user.Username, Replaces: in.Replaces, Address: in.Address, UserAgent: in.UserAgent}
	from := guesses.SignInAttempt{At: guesses.Guess{Account: guesses.AccountKey(tenant, user.Username), Network: ratelimit.Network(in.Address)}}
	return s.open(ctx, signIn, from, opening{row: user, admit: func(ctx context.Context, u *uow.Unit) (string, error) {
		_, err := s.accept(ctx, u, how)
		return hash, err
	}})
}

// acceptance is the accepted change of an invited user.
type acceptance struct {
	// user is the user as it was read, and tenant the name of the user's tenant.
	user   users.User
	tenant string
	// invitation is the digest of the presented invitation.
	invitation string
	// address is the client address.
	address string
	// set and apply end the invitation and set another credential; also writes further rows, nil
	// for none.
	set   guard.Set
	apply func(user *users.User)
	also  func(ctx context.Context, tx *gorm.DB, now time.Time) error
}

// accept ends the invitation in the unit that signs its user in, under the version of the user's
// row. Errors: InvalidCredentials for an invitation that is no longer valid.
func (s *Service) accept(ctx context.Context, u *uow.Unit, a acceptance) (*gorm.DB, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	row, err := users.FindUser(tx, a.user.ID)
	if err != nil {
		return nil, storage.Found(err, "user", a.user.Username)
	}
	if err := row.CheckInvitation(a.invitation, u.Now()); err != nil {
		return nil, err
	}
	if row.SecondFactor != a.user.SecondFactor {
		return nil, apperr.New(apperr.Unavailable, "The account was changed at this moment. Try again.")
	}
	_, err = s.Users.ChangeUser(ctx, u, row, nil, users.Change{
		Action: "accept", Address: a.address, Set: a.set, Apply: a.apply,
		Also: func(ctx context.Context, tx *gorm.DB) error {
			if a.also != nil {
				if err := a.also(ctx, tx, u.Now()); err != nil {
					return err
				}
			}
			return s.attempts.Clear(ctx, tx, guesses.AccountKey(a.tenant, row.Username))
		},
	})
	return tx, err
}

// acceptToChallenge accepts the invitation of a user who has a second factor, and makes the challenge.
func (s *Service) acceptToChallenge(ctx context.Context, a acceptance) (SignedIn, error) {
	made, err := s.makeChallenge(ctx, a.user, func(ctx context.Context, u *uow.Unit) (*gorm.DB, error) {
		return s.accept(ctx, u, a)
	})
	return SignedIn{Challenge: made}, err
}

// invited finds the user of a presented invitation, and the name of the tenant. A wrong token
// counts for the rate of its network, before any database read, but locks no account: the token
// cannot be guessed, and an office that opens an old link repeatedly must still be able to use
// a new one.
func (s *Service) invited(ctx context.Context, token, address string) (user users.User, tenant string, err error) {
	defer func() { s.countRefusal(tenant, address, user.Username, err) }()
	network := ratelimit.Network(address)
	if _, err := s.signIns.Admit(ctx, network); err != nil {
		return users.User{}, "", err
	}
	user, tenant, err = s.findInvited(ctx, secrets.DigestOf(token))
	if storage.IsNotFound(err) {
		return users.User{}, "", users.ErrNoInvitation()
	}
	if err != nil {
		return users.User{}, "", err
	}
	s.signIns.Release(guesses.SignInAttempt{At: guesses.Guess{Network: network}})
	return user, tenant, user.CheckInvitation(secrets.DigestOf(token).String(), s.clock.Now())
}

// findInvited finds a user of any tenant by the digest of its invitation, and the tenant's name.
// Errors: gorm.ErrRecordNotFound.
func (s *Service) findInvited(ctx context.Context, token secrets.Digest) (row users.User, tenant string, err error) {
	err = s.db.Read(storage.AcrossTenants(ctx)).Where("invitation_hash = ? AND "+tenants.OpenTenant, token.String()).Take(&row).Error
	if err != nil {
		return row, "", fmt.Errorf("read the user of an invitation: %w", err)
	}
	tenant, err = s.Tenants.NameOf(ctx, row.TenantID)
	return row, tenant, err
}
