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
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// invitationTime is the lifetime of an invitation.
const invitationTime = 7 * 24 * time.Hour

// Invitation lets a user without a password choose one, once, so that no other user knows the
// password. A user has at most one invitation. The digest and the expiry of the invitation are
// columns of the user's row: a new password or a new invitation replaces them, under the row's
// version.
type Invitation struct {
	// Token is returned only once.
	Token       string
	ExpiresTime time.Time
	// Ended counts the credentials that the invitation ended; zero for a new user.
	Ended Ended
}

// Path returns the path of the web admin's page for the invitation. The token is in the fragment,
// which browsers do not send and servers do not log.
func (i Invitation) Path() string { return "/invitation#" + i.Token }

func newInvitation(now time.Time) Invitation {
	return Invitation{Token: secrets.New(), ExpiresTime: now.Add(invitationTime)}
}

// invite sets the members of a user to those of an invited user.
func (u *User) invite(i Invitation) {
	hash := secrets.DigestOf(i.Token).String()
	issued := i.ExpiresTime.Add(-invitationTime)
	u.PasswordHash, u.InvitationHash, u.InvitationExpiresTime, u.IssuedTime = "", &hash, &i.ExpiresTime, &issued
}

// errNoInvitation returns the error for an invitation that was accepted, was replaced, or never
// existed; these are indistinguishable, because the digest is deleted.
func errNoInvitation() error {
	return apperr.New(apperr.InvalidCredentials, "This invitation is not valid: it was used, was replaced by a newer one, or is incomplete. Request another one if you have no password yet.")
}

// AddInvited creates a user without a password, and an invitation. Errors: those of AddUser.
func (s *Service) AddInvited(ctx context.Context, u *uow.Unit, spec UserSpec) (made *User, invitation Invitation, err error) {
	row := spec.user()
	if err := row.check(); err != nil {
		return nil, Invitation{}, err
	}
	invitation = newInvitation(u.Now())
	row.invite(invitation)
	made, err = s.insertWithRoles(ctx, u, row, spec.Roles)
	return made, invitation, err
}

// Invite voids a user's password, links and invitation, ends the user's sessions and contested
// credentials, and makes an invitation: an impostor who accepted an earlier one has no access
// left. Errors: Forbidden if the user has a permission that the caller lacks, because the
// invitation grants all of them; InUse if no user with a password would have access:*;
// VersionConflict.
func (s *Service) Invite(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition) (after *User, invitation Invitation, err error) {
	_, row, err := userInUnit(ctx, u, user.ID)
	if err != nil {
		return nil, Invitation{}, err
	}
	if err := s.demandUser(row, ifMatch); err != nil {
		return nil, Invitation{}, err
	}
	invitation = newInvitation(u.Now())
	invited := *row
	invited.invite(invitation)
	after, err = s.reissue(ctx, u, row, ifMatch, userChange{
		action: "invite", apply: func(user *User) { user.invite(invitation) },
		set: guard.Set{"password_hash": "", "invitation_hash": invited.InvitationHash, "invitation_expires_time": invited.InvitationExpiresTime},
		also: func(ctx context.Context, tx *gorm.DB) error {
			taken, err := grantsOf(tx, row.held())
			if err != nil {
				return err
			}
			links, err := linksOf(tx, row.ID)
			if err != nil {
				return err
			}
			if err := removeLinks(tx, row, links...); err != nil {
				return err
			}
			return s.requireManager(ctx, tx, taken)
		},
	})
	if err == nil {
		invitation.Ended = after.Ended
	}
	return after, invitation, err
}

// InviteUser is Invite for the command line, which may also invite the last user with access:*.
// Errors: NotFound.
func (s *Service) InviteUser(ctx context.Context, tenant, username string) (invitation Invitation, err error) {
	err = s.commandUser(ctx, tenant, username, func(ctx context.Context, u *uow.Unit, user *User) (err error) {
		_, invitation, err = s.Invite(ctx, u, user, nil)
		return err
	})
	return invitation, err
}

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
		set: passwordSet(hash), apply: func(user *User) { user.takePassword(hash) },
	}
	if user.SecondFactor {
		return s.acceptToChallenge(ctx, how)
	}
	signIn := SignIn{Tenant: tenant, Username: user.Username, Replaces: in.Replaces, Address: in.Address, UserAgent: in.UserAgent}
	from := guesses.Arrival{At: guesses.Guess{Account: guesses.AccountKey(tenant, user.Username), Network: ratelimit.Network(in.Address)}}
	return s.open(ctx, signIn, from, opening{row: user, admit: func(ctx context.Context, u *uow.Unit) (string, error) {
		_, err := s.accept(ctx, u, how)
		return hash, err
	}})
}

// acceptance is the accepted change of an invited user.
type acceptance struct {
	// user is the user as it was read, and tenant the name of the user's tenant.
	user   User
	tenant string
	// invitation is the digest of the presented invitation.
	invitation string
	// address is the client address.
	address string
	// set and apply end the invitation and set another credential; also writes further rows, nil
	// for none.
	set   guard.Set
	apply func(user *User)
	also  func(ctx context.Context, tx *gorm.DB, now time.Time) error
}

// accept ends the invitation in the unit that signs its user in, under the version of the user's
// row. Errors: InvalidCredentials for an invitation that is no longer valid.
func (s *Service) accept(ctx context.Context, u *uow.Unit, a acceptance) (*gorm.DB, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	row, err := findUser(tx, a.user.ID)
	if err != nil {
		return nil, storage.Found(err, "user", a.user.Username)
	}
	if err := row.checkInvitation(a.invitation, u.Now()); err != nil {
		return nil, err
	}
	if row.SecondFactor != a.user.SecondFactor {
		return nil, apperr.New(apperr.Unavailable, "The account was changed at this moment. Try again.")
	}
	_, err = s.changeUser(ctx, u, row, nil, userChange{
		action: "accept", address: a.address, set: a.set, apply: a.apply,
		also: func(ctx context.Context, tx *gorm.DB) error {
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
func (s *Service) invited(ctx context.Context, token, address string) (user User, tenant string, err error) {
	defer func() { s.countRefusal(tenant, address, user.Username, err) }()
	network := ratelimit.Network(address)
	if _, err := s.arrivals.Admit(ctx, network); err != nil {
		return User{}, "", err
	}
	user, tenant, err = s.findInvited(ctx, secrets.DigestOf(token))
	if storage.IsNotFound(err) {
		return User{}, "", errNoInvitation()
	}
	if err != nil {
		return User{}, "", err
	}
	s.arrivals.GiveBack(guesses.Arrival{At: guesses.Guess{Network: network}})
	return user, tenant, user.checkInvitation(secrets.DigestOf(token).String(), s.clock.Now())
}

// checkInvitation returns an error unless the digest is that of the user's current invitation.
func (u *User) checkInvitation(hash string, now time.Time) error {
	switch {
	case u.InvitationHash == nil || u.InvitationExpiresTime == nil || *u.InvitationHash != hash:
		return errNoInvitation()
	case !now.Before(*u.InvitationExpiresTime):
		return apperr.New(apperr.InvalidCredentials, "This invitation expired at %s. Request another one.", u.InvitationExpiresTime.UTC().Format(time.RFC3339))
	case u.Disabled:
		return apperr.New(apperr.InvalidCredentials, "This account is disabled, and its invitation is not valid until it is enabled. Ask the person who invited you.")
	}
	return nil
}

// findInvited finds a user of any tenant by the digest of its invitation, and the tenant's name.
// Errors: gorm.ErrRecordNotFound.
func (s *Service) findInvited(ctx context.Context, token secrets.Digest) (row User, tenant string, err error) {
	err = s.db.Read(storage.AcrossTenants(ctx)).Where("invitation_hash = ? AND "+tenants.OpenTenant, token.String()).Take(&row).Error
	if err != nil {
		return row, "", fmt.Errorf("read the user of an invitation: %w", err)
	}
	tenant, err = s.Tenants.NameOf(ctx, row.TenantID)
	return row, tenant, err
}
