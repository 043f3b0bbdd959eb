package users

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/access/factors"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Ended counts the credentials that an invitation or a password reset ended.
type Ended struct {
	// The number of sessions that the invitation or the reset ended.
	Sessions int64 `json:"endedSessions" validate:"min=0"`
	// The number of API tokens that it ended.
	Tokens int64 `json:"endedTokens" validate:"min=0"`
	// The number of second factors that it ended.
	Factors int64 `json:"endedFactors" validate:"min=0"`
}

// contested are credentials that were added since the previous invitation or password reset of a
// user. An impostor who intercepted that invitation or password can have added them.
type contested struct {
	since   time.Time
	tokens  []Token
	factors []factors.Factor
	// factorsLeft is set if the user has an earlier factor.
	factorsLeft bool
}

// contestedOf reads the contested credentials of a user. A user that was never invited or
// reset has none.
func contestedOf(tx *gorm.DB, user *User) (contested, error) {
	var c contested
	if user.IssuedTime == nil {
		c.factorsLeft = user.SecondFactor
		return c, nil
	}
	c.since = *user.IssuedTime
	if err := tx.Where("created_by = ? AND created_time >= ?", user.ID, c.since).Order("id").Find(&c.tokens).Error; err != nil {
		return c, fmt.Errorf("read the tokens that a user created: %w", err)
	}
	factors, err := factors.Confirmed(tx, user.ID)
	if err != nil {
		return c, err
	}
	for _, factor := range factors {
		if factor.CreatedTime.Before(c.since) {
			c.factorsLeft = true
		} else {
			c.factors = append(c.factors, factor)
		}
	}
	return c, nil
}

// end ends the contested credentials in the unit that changes their user.
func (c contested) end(ctx context.Context, u *uow.Unit, tx *gorm.DB, user *User) error {
	if err := revokeTokens(ctx, u, c.tokens); err != nil {
		return err
	}
	if len(c.factors) > 0 && !c.factorsLeft {
		return factors.DeleteAll(tx, user.FactorOwner())
	}
	for _, factor := range c.factors {
		if err := factors.Delete(tx, user.FactorOwner(), factor.ID); err != nil {
			return err
		}
	}
	const newCodes = "DELETE FROM recovery_codes WHERE tenant_id = ? AND user_id = ? AND created_time >= ?"
	if user.IssuedTime == nil {
		return nil
	}
	if err := tx.Exec(newCodes, user.TenantID, user.ID, c.since).Error; err != nil {
		return fmt.Errorf("delete the user's new recovery codes: %w", err)
	}
	return nil
}

// reissue is ChangeUser for an invitation or a password from another user: it also ends the
// contested credentials and counts them in the result.
func (s *Service) reissue(ctx context.Context, u *uow.Unit, user *User, ifMatch *guard.Precondition, c Change) (*User, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	late, err := contestedOf(tx, user)
	if err != nil {
		return nil, err
	}
	issued, apply, also := u.Now(), c.Apply, c.Also
	c.Set["issued_time"], c.Set["second_factor"] = issued, late.factorsLeft
	c.Apply = func(user *User) {
		apply(user)
		user.IssuedTime, user.SecondFactor = &issued, late.factorsLeft
	}
	c.Also = func(ctx context.Context, tx *gorm.DB) error {
		if err := also(ctx, tx); err != nil {
			return err
		}
		return late.end(ctx, u, tx, user)
	}
	c.ends = &Ended{Tokens: int64(len(late.tokens)), Factors: int64(len(late.factors))}
	return s.ChangeUser(ctx, u, user, ifMatch, c)
}
