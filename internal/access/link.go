package access

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/input"
	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// mostLinks is the maximum number of links per user.
const mostLinks = 10

// Links returns a user's links, oldest first.
func (s *Service) Links(ctx context.Context, user *User) ([]Link, error) {
	return linksOf(s.db.Read(ctx), user.ID)
}

// LinkBeginning is the request for a link.
type LinkBeginning struct {
	Traveller
	// Password is required of a user without a second factor; any other user has passed a step-up.
	Password string
	// Session is the token of the caller's session.
	Session string
}

// BeginLink starts a single sign-on to link the caller. It requires the same proof as
// BeginFactor: a stranger at a signed-in browser must not gain permanent access. Errors: those of
// BeginFactor, and failures.
func (s *Service) BeginLink(ctx context.Context, user *User, in LinkBeginning) (to Journey, err error) {
	caller, _ := principal.From(ctx)
	tenant, err := s.Tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return Journey{}, err
	}
	if err := requirePlaceForLink(s.db.Read(ctx), user.ID); err != nil {
		return Journey{}, err
	}
	if !user.SecondFactor {
		if err := s.requirePassword(ctx, user, shownPassword{"/password", in.Password, in.Address, in.Session}); err != nil {
			return Journey{}, err
		}
	}
	return s.ask(ctx, in.Traveller, flowRow{
		Purpose: purposeLink, Tenant: tenant, UserID: user.ID, ProofHash: secrets.DigestOf(in.Session).String(),
	})
}

// requirePlaceForLink returns ValidationFailed if a user has mostLinks links.
func requirePlaceForLink(db *gorm.DB, userID int64) error {
	links, err := linksOf(db, userID)
	if err != nil {
		return err
	}
	if len(links) >= mostLinks {
		return input.Invalid("/provider", "max", "must be of one of at most "+strconv.Itoa(mostLinks)+" links; remove one first")
	}
	return nil
}

// RemoveLink deletes a link of a user who was just read, and the roles that the link granted. The
// user's sessions end, except the one with this token; "" ends all. Errors: NotFound; Forbidden if
// the user has a permission that the caller lacks; InUse if the user has no password and could not
// sign in without the link, or if no user who can sign in would have access:*.
func (s *Service) RemoveLink(ctx context.Context, u *uow.Unit, user *User, id int64, session string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	links, err := linksOf(tx, user.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(links, func(l Link) bool { return l.ID == id })
	if at < 0 {
		return apperr.MissingRow("link", strconv.FormatInt(id, 10))
	}
	var kept secrets.Digest
	if session != "" {
		kept = secrets.DigestOf(session)
	}
	gave, err := rolesBy(tx, links[at])
	if err != nil {
		return err
	}
	// The user's version is guarded, so no link is added or removed concurrently.
	_, err = s.changeUser(ctx, u, user, nil, userChange{
		action: "unlink", kept: kept, set: guard.Set{}, apply: func(*User) {},
		detail: map[string]any{"issuer": links[at].Issuer, "taken": roleNames(gave)},
		also: func(ctx context.Context, tx *gorm.DB) error {
			if err := removeLinks(tx, user, links[at]); err != nil {
				return err
			}
			left := slices.Concat(links[:at], links[at+1:])
			if err := s.requireWayIn(ctx, user, left, u.Now()); err != nil {
				return err
			}
			taken, err := grantsOf(tx, user.held())
			if err != nil {
				return err
			}
			return s.requireManager(ctx, tx, taken)
		},
	})
	return err
}

// removeLinks deletes links of a user and the roles that they granted, in a unit that locks the
// user.
func removeLinks(tx *gorm.DB, user *User, links ...Link) error {
	if len(links) == 0 {
		return nil
	}
	ids := make([]int64, len(links))
	for i, link := range links {
		ids[i] = link.ID
	}
	for _, statement := range []string{
		"DELETE FROM user_links WHERE tenant_id = ? AND user_id = ? AND id IN ?",
		"DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ? AND link_id IN ?",
	} {
		if err := tx.Exec(statement, user.TenantID, user.ID, ids).Error; err != nil {
			return fmt.Errorf("remove the user's links: %w", err)
		}
	}
	return nil
}

// requireWayIn returns InUse for a user who could not sign in with the remaining links.
func (s *Service) requireWayIn(ctx context.Context, user *User, left []Link, now time.Time) error {
	isInvited := user.InvitationExpiresTime != nil && now.Before(*user.InvitationExpiresTime)
	if user.PasswordHash != "" || isInvited {
		return nil
	}
	issuers, err := s.issuersFor(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(left, func(l Link) bool { return slices.Contains(issuers, l.Issuer) }) {
		return apperr.New(apperr.InUse, "User %q has no password, and this is the only way in. Invite the user to choose a password first; nothing was changed.", user.Username)
	}
	return nil
}

// issuersFor returns the issuers whose links permit a sign-in, in the caller's tenant.
func (s *Service) issuersFor(ctx context.Context) ([]string, error) {
	caller, _ := principal.From(ctx)
	tenant, err := s.Tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return nil, err
	}
	return s.issuers(tenant), nil
}
