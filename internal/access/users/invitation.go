package users

import (
	"context"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// InvitationTime is the lifetime of an invitation.
const InvitationTime = 7 * 24 * time.Hour

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

// NewInvitation returns an invitation that is valid from now.
func NewInvitation(now time.Time) Invitation {
	return Invitation{Token: secrets.New(), ExpiresTime: now.Add(InvitationTime)}
}

// invite sets the members of a user to those of an invited user.
func (u *User) invite(i Invitation) {
	hash := secrets.DigestOf(i.Token).String()
	issued := i.ExpiresTime.Add(-InvitationTime)
	u.PasswordHash, u.InvitationHash, u.InvitationExpiresTime, u.IssuedTime = "", &hash, &i.ExpiresTime, &issued
}

// ErrNoInvitation returns the error for an invitation that was accepted, was replaced, or never
// existed; these are indistinguishable, because the digest is deleted.
func ErrNoInvitation() error {
	return apperr.New(apperr.InvalidCredentials, "This invitation is not valid: it was used, was replaced by a newer one, or is incomplete. Request another one if you have no password yet.")
}

// AddInvited creates a user without a password, and an invitation. Errors: those of AddUser.
func (s *Service) AddInvited(ctx context.Context, u *uow.Unit, spec UserSpec) (made *User, invitation Invitation, err error) {
	row := spec.user()
	if err := row.check(); err != nil {
		return nil, Invitation{}, err
	}
	invitation = NewInvitation(u.Now())
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
	_, row, err := UserInUnit(ctx, u, user.ID)
	if err != nil {
		return nil, Invitation{}, err
	}
	if err := s.demandUser(row, ifMatch); err != nil {
		return nil, Invitation{}, err
	}
	invitation = NewInvitation(u.Now())
	invited := *row
	invited.invite(invitation)
	after, err = s.reissue(ctx, u, row, ifMatch, Change{
		Action: "invite", Apply: func(user *User) { user.invite(invitation) },
		Set: guard.Set{"password_hash": "", "invitation_hash": invited.InvitationHash, "invitation_expires_time": invited.InvitationExpiresTime},
		Also: func(ctx context.Context, tx *gorm.DB) error {
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

// CheckInvitation returns an error unless the digest is that of the user's current invitation.
func (u *User) CheckInvitation(hash string, now time.Time) error {
	switch {
	case u.InvitationHash == nil || u.InvitationExpiresTime == nil || *u.InvitationHash != hash:
		return ErrNoInvitation()
	case !now.Before(*u.InvitationExpiresTime):
		return apperr.New(apperr.InvalidCredentials, "This invitation expired at %s. Request another one.", u.InvitationExpiresTime.UTC().Format(time.RFC3339))
	case u.Disabled:
		return apperr.New(apperr.InvalidCredentials, "This account is disabled, and its invitation is not valid until it is enabled. Ask the person who invited you.")
	}
	return nil
}
