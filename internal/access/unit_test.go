package access

import (
	"context"

	"interlock/internal/access/factors"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// The methods below run the method of Service in a unit, as its route does.

func (h *fixture) AddUser(ctx context.Context, spec UserSpec) (user *User, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, err = h.Service.AddUser(ctx, u, spec)
		return err
	})
	return user, err
}

func (h *fixture) AddInvited(ctx context.Context, spec UserSpec) (user *User, invitation Invitation, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		user, invitation, err = h.Service.AddInvited(ctx, u, spec)
		return err
	})
	return user, invitation, err
}

func (h *fixture) Invite(ctx context.Context, user *User, ifMatch *guard.Precondition) (after *User, invitation Invitation, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		after, invitation, err = h.Service.Invite(ctx, u, user, ifMatch)
		return err
	})
	return after, invitation, err
}

func (h *fixture) ResetPassword(ctx context.Context, user *User, reset PasswordReset) (after *User, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		after, err = h.Service.ResetPassword(ctx, u, user, reset)
		return err
	})
	return after, err
}

func (h *fixture) AddToken(ctx context.Context, userID int64, spec TokenSpec) (secret string, token *Token, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		secret, token, err = h.Service.AddToken(ctx, u, userID, spec)
		return err
	})
	return secret, token, err
}

func (h *fixture) BeginFactor(ctx context.Context, user *User, in FactorBeginning) (setup factors.Setup, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		setup, err = h.Service.BeginFactor(ctx, u, user, in)
		return err
	})
	return setup, err
}

func (h *fixture) ConfirmFactor(ctx context.Context, user *User, in factors.Confirmation) (factor factors.Factor, codes []string, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		factor, codes, err = h.Service.ConfirmFactor(ctx, u, user, in)
		return err
	})
	return factor, codes, err
}

func (h *fixture) NewRecoveryCodes(ctx context.Context, user *User, session string) (codes []string, err error) {
	err = h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
		codes, err = h.Service.NewRecoveryCodes(ctx, u, user, session)
		return err
	})
	return codes, err
}
