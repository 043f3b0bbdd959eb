package access

import (
	"context"

	"interlock/internal/access/secrets"
	"interlock/internal/access/users"
	"interlock/internal/base/principal"
)

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
func (s *Service) BeginLink(ctx context.Context, user *users.User, in LinkBeginning) (to Journey, err error) {
	caller, _ := principal.From(ctx)
	tenant, err := s.Tenants.NameOf(ctx, caller.TenantID)
	if err != nil {
		return Journey{}, err
	}
	if err := users.CheckLinkLimit(s.db.Read(ctx), user.ID); err != nil {
		return Journey{}, err
	}
	if !user.SecondFactor {
		if err := s.Users.RequirePassword(ctx, user, users.ShownPassword{Pointer: "/password", Password: in.Password, Address: in.Address, Session: in.Session}); err != nil {
			return Journey{}, err
		}
	}
	return s.ask(ctx, in.Traveller, flowRow{
		Purpose: purposeLink, Tenant: tenant, UserID: user.ID, ProofHash: secrets.DigestOf(in.Session).String(),
	})
}
