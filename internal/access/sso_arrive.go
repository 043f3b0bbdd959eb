package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/oidc"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/ratelimit"
)

// verifiedResponse is a verified response of a provider and its flow.
type verifiedResponse struct {
	by     Traveller
	flow   flowRow
	issuer string
	named  oidc.Named
}

// signIn returns the response as a sign-in.
func (a verifiedResponse) signIn(username string) SignIn {
	return SignIn{Tenant: a.flow.Tenant, Username: username, Address: a.by.Address, UserAgent: a.by.UserAgent}
}

// from returns the response as a sign-in attempt, without a rank and a device, because no secret
// was guessed.
func (a verifiedResponse) from(username string) guesses.SignInAttempt {
	return guesses.SignInAttempt{At: guesses.Guess{Account: guesses.AccountKey(a.flow.Tenant, username), Network: ratelimit.Network(a.by.Address)}}
}

// arriveBy carries out the purpose of a flow for the identity in the response. It sets who to the
// username as soon as the account is found.
func (s *Service) arriveBy(ctx context.Context, a verifiedResponse, who *string) (Arrived, error) {
	tenantID, err := s.Tenants.ID(ctx, a.flow.Tenant)
	if err == nil {
		err = s.Tenants.RequireEnabled(ctx, tenantID)
	}
	if apperr.Has(err, apperr.NotFound) {
		return Arrived{}, errNotLinked()
	}
	if err != nil {
		return Arrived{}, err
	}
	ctx = principal.With(ctx, principal.System(tenantID, "single sign-on"))
	link, err := users.LinkTo(s.db.Read(ctx), a.issuer, a.named.Subject)
	isLinked := err == nil
	if err != nil && !storage.IsNotFound(err) {
		return Arrived{}, fmt.Errorf("read a link: %w", err)
	}
	id := a.flow.UserID
	switch {
	case a.flow.Purpose == purposeSignIn && !isLinked:
		return Arrived{}, errNotLinked()
	case a.flow.Purpose == purposeSignIn:
		id = link.UserID
	case isLinked && link.UserID != id:
		return Arrived{}, errLinkedElsewhere()
	}
	user, err := users.FindUser(s.db.Read(ctx), id)
	switch {
	case storage.IsNotFound(err):
		return Arrived{}, errFlowEnded()
	case err != nil:
		return Arrived{}, err
	}
	*who = user.Username
	if user.Disabled {
		return Arrived{}, errUserDisabled()
	}
	identity := callers.Identity{ID: user.ID, Version: user.Version, DisplayName: user.DisplayName}
	ctx = principal.With(ctx, identity.Acting(principal.Admin, tenantID, "", nil))
	switch a.flow.Purpose {
	case purposeSignIn:
		if err := s.followGroups(ctx, a, user.ID); err != nil {
			return Arrived{}, err
		}
		signedIn, err := s.signInLinked(ctx, a, *user, link)
		return Arrived{SignedIn: signedIn}, err
	case purposeInvitation:
		signedIn, err := s.acceptLinked(ctx, a, *user)
		if err != nil {
			return Arrived{}, err
		}
		if err := s.followGroups(ctx, a, user.ID); err != nil {
			slog.WarnContext(ctx, "single sign-on: roles of groups not granted; the next sign-in retries", "user", user.ID, "error", err)
		}
		return Arrived{SignedIn: signedIn}, nil
	}
	if isLinked {
		return Arrived{Linked: true}, nil
	}
	return Arrived{Linked: true}, s.linkInSession(ctx, a, user)
}

// signInLinked starts the session of a linked user. For a user with a second factor it makes a
// challenge, because it is unknown whether the provider required a second factor.
func (s *Service) signInLinked(ctx context.Context, a verifiedResponse, user users.User, link users.Link) (SignedIn, error) {
	in := a.signIn(user.Username)
	use := func(ctx context.Context, u *uow.Unit, action string) (*gorm.DB, error) {
		tx, err := s.Users.HoldUnchanged(ctx, u, user)
		if err != nil {
			return nil, err
		}
		u.Audit(uow.Entry{Action: action, Resource: "session", Detail: map[string]any{"address": in.Address, "issuer": a.issuer}})
		return tx, useLink(tx, link, u.Now())
	}
	if user.SecondFactor {
		made, err := s.makeChallenge(ctx, user, func(ctx context.Context, u *uow.Unit) (*gorm.DB, error) { return use(ctx, u, challengeMade) })
		return SignedIn{Challenge: made}, err
	}
	return s.open(ctx, in, a.from(user.Username), opening{row: user, byProvider: true, admit: func(ctx context.Context, u *uow.Unit) (string, error) {
		if _, err := use(ctx, u, "session.create"); err != nil {
			return "", err
		}
		return user.PasswordHash, s.endReplaced(ctx, u, a.flow.ProofHash)
	}})
}

// endReplaced ends the session that the browser had when the flow started. The callback comes from
// another site, so it does not include the session cookie.
func (s *Service) endReplaced(ctx context.Context, u *uow.Unit, tokenHash string) error {
	if tokenHash == "" {
		return nil
	}
	if err := s.sessionStore.DeleteCtx(sessions.InUnit(ctx, u), tokenHash); err != nil {
		return fmt.Errorf("end the session that is replaced: %w", err)
	}
	return nil
}

// acceptLinked accepts an invitation by a link; the user has no password. An existing link of the
// user suffices.
func (s *Service) acceptLinked(ctx context.Context, a verifiedResponse, user users.User) (SignedIn, error) {
	how := acceptance{
		user: user, tenant: a.flow.Tenant, invitation: a.flow.ProofHash, address: a.by.Address,
		set: guard.Set{"invitation_hash": nil, "invitation_expires_time": nil},
		apply: func(user *users.User) {
			user.InvitationHash, user.InvitationExpiresTime = nil, nil
		},
		also: func(_ context.Context, tx *gorm.DB, now time.Time) error { return a.insert(tx, user.ID, now) },
	}
	if user.SecondFactor {
		return s.acceptToChallenge(ctx, how)
	}
	return s.open(ctx, a.signIn(user.Username), a.from(user.Username), opening{row: user, byProvider: true, admit: func(ctx context.Context, u *uow.Unit) (string, error) {
		_, err := s.accept(ctx, u, how)
		return user.PasswordHash, err
	}})
}

// linkInSession links a user whose session started the flow and is still open; the user's other
// sessions end.
func (s *Service) linkInSession(ctx context.Context, a verifiedResponse, user *users.User) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, row, err := users.UserInUnit(ctx, u, user.ID)
		if err != nil {
			return err
		}
		session, err := s.sessionStore.ByHash(tx, a.flow.ProofHash)
		switch {
		case storage.IsNotFound(err):
			return errFlowEnded()
		case err != nil:
			return fmt.Errorf("read the session that links: %w", err)
		case session.UserID != row.ID:
			return errFlowEnded()
		case row.Disabled:
			return errUserDisabled()
		}
		kept, err := secrets.ParseDigest(session.TokenHash)
		if err != nil {
			return err
		}
		_, err = s.Users.ChangeUser(ctx, u, row, nil, users.Change{
			Action: "link", Address: a.by.Address, KeptSession: kept, Set: guard.Set{}, Apply: func(*users.User) {},
			Detail: map[string]any{"issuer": a.issuer},
			Also: func(_ context.Context, tx *gorm.DB) error {
				if err := users.CheckLinkLimit(tx, row.ID); err != nil {
					return err
				}
				return a.insert(tx, row.ID, u.Now())
			},
		})
		return err
	})
}

// insert links a user to the identity in the response, in a unit that has updated the user's row.
// Errors: errLinkedElsewhere.
func (a verifiedResponse) insert(tx *gorm.DB, userID int64, now time.Time) error {
	there, err := users.LinkTo(tx, a.issuer, a.named.Subject)
	switch {
	case err == nil && there.UserID == userID:
		return useLink(tx, there, now)
	case err != nil && !storage.IsNotFound(err):
		return fmt.Errorf("read a link: %w", err)
	}
	err = tx.Create(&users.Link{
		UserID: userID, IdentityHash: users.IdentityHash(a.issuer, a.named.Subject), Issuer: a.issuer, Subject: a.named.Subject,
		LastUsedTime: &now, CreatedTime: now,
	}).Error
	switch {
	case storage.IsDuplicate(err, users.IdentityKey):
		return errLinkedElsewhere()
	case err != nil:
		return fmt.Errorf("insert the link: %w", err)
	}
	return nil
}

// useLink records a sign-in by a link. Errors: errNotLinked if the link no longer exists.
func useLink(tx *gorm.DB, link users.Link, now time.Time) error {
	err := link.Use(tx, now)
	if errors.Is(err, users.ErrNoLink) {
		return errNotLinked()
	}
	return err
}
