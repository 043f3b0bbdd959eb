package access

import (
	"context"

	"interlock/internal/access/factors"
	"interlock/internal/access/users"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// The methods below run the method of Service in a unit, as its route does.

func (h *fixture) AddUser(ctx context.Context, spec users.UserSpec) (user *users.User, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, err = h.Service.Users.AddUser(ctx, u, spec)
		return err
	})
	return user, err
}

func (h *fixture) AddInvited(ctx context.Context, spec users.UserSpec) (user *users.User, invitation users.Invitation, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, invitation, err = h.Service.Users.AddInvited(ctx, u, spec)
		return err
	})
	return user, invitation, err
}

func (h *fixture) Invite(ctx context.Context, user *users.User, ifMatch *guard.Precondition) (after *users.User, invitation users.Invitation, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		after, invitation, err = h.Service.Users.Invite(ctx, u, user, ifMatch)
		return err
	})
	return after, invitation, err
}

func (h *fixture) ResetPassword(ctx context.Context, user *users.User, reset users.PasswordReset) (after *users.User, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		after, err = h.Service.Users.ResetPassword(ctx, u, user, reset)
		return err
	})
	return after, err
}

func (h *fixture) AddToken(ctx context.Context, userID int64, spec users.TokenSpec) (secret string, token *users.Token, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		secret, token, err = h.Service.Users.AddToken(ctx, u, userID, spec)
		return err
	})
	return secret, token, err
}

func (h *fixture) BeginFactor(ctx context.Context, user *users.User, in users.FactorBeginning) (setup factors.Setup, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		setup, err = h.Service.Users.BeginFactor(ctx, u, user, in)
		return err
	})
	return setup, err
}

func (h *fixture) ConfirmFactor(ctx context.Context, user *users.User, in factors.Confirmation) (factor factors.Factor, codes []string, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		factor, codes, err = h.Service.Users.ConfirmFactor(ctx, u, user, in)
		return err
	})
	return factor, codes, err
}

func (h *fixture) NewRecoveryCodes(ctx context.Context, user *users.User, session string) (codes []string, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		codes, err = h.Service.Users.NewRecoveryCodes(ctx, u, user, session)
		return err
	})
	return codes, err
}
