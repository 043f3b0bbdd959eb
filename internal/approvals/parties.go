package approvals

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Act is one contribution of users to a change that waits for a decision.
type Act struct {
	// Users are the users behind the credential of the act; see principal.Principal.Users.
	Users []int64
	Time  time.Time
	// Predicate is shown to users, such as "requested it".
	Predicate string
}

// RequireOtherUsers checks that no user behind the caller's credential is also behind the
// credential of one of the acts. Behind a credential are its user, the creator of the token, and
// each user who has reset the account of one of them after since. Errors: Forbidden with the reason
// four_eyes.
func (s *Service) RequireOtherUsers(ctx context.Context, u *uow.Unit, since time.Time, acts ...Act) error {
	caller, _ := principal.From(ctx)
	users := caller.Users()
	for _, act := range acts {
		users = append(users, act.Users...)
	}
	resets, err := s.tenancy.Resets(ctx, u, users, since)
	if err != nil {
		return err
	}
	mine := behind(caller.Users(), resets)
	for _, act := range acts {
		theirs := behind(act.Users, slices.DeleteFunc(slices.Clone(resets), func(r principal.Reset) bool { return r.Time.After(act.Time) }))
		switch {
		case caller.UserID != 0 && slices.Contains(act.Users, caller.UserID):
			return fourEyes(caller.Name + " " + act.Predicate)
		case slices.ContainsFunc(mine, func(user int64) bool { return slices.Contains(theirs, user) }):
			return fourEyes("the creator of a token, or a user who has reset an account since the request, is behind your credential and behind that of the user who " + act.Predicate)
		}
	}
	return nil
}

// RequireOtherUsersFor calls RequireOtherUsers for a change that needs no votes, unless the tenant's
// rules allow the users behind the acts to decide on the subject.
func (s *Service) RequireOtherUsersFor(ctx context.Context, u *uow.Unit, subject Subject, since time.Time, acts ...Act) error {
	refused := s.RequireOtherUsers(ctx, u, since, acts...)
	if !apperr.Has(refused, apperr.Forbidden) {
		return refused
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	rules, err := s.tenancy.Rules(ctx, tx)
	if err != nil || slices.Contains(rules.SelfApproved, subject.Grants().Kind) {
		return err
	}
	return refused
}

// behind returns the users behind the credentials of users. It includes each user that reset the
// account of a returned user before that user reset the next account.
func behind(users []int64, resets []principal.Reset) []int64 {
	all := slices.Clone(users)
	for _, reset := range slices.Backward(resets) {
		if slices.Contains(all, reset.UserID) {
			all = append(all, reset.By...)
		}
	}
	return slices.DeleteFunc(all, func(user int64) bool { return user == 0 })
}

func fourEyes(reason string) error {
	return apperr.New(apperr.Forbidden, "Another user has to decide: %s. Nothing was changed.", reason).With("reason", "four_eyes")
}

// since returns the time from which account resets count: the creation of the approval, or the time
// of the Party's act if it is earlier.
func (a *Approval) since() time.Time {
	if a.PartyTime != nil && a.PartyTime.Before(a.CreatedTime) {
		return *a.PartyTime
	}
	return a.CreatedTime
}

// requireOtherUsers checks that no user behind the caller's credential wrote a version of an
// approval's content, is its Party, or did one of the other acts. Errors: Forbidden.
func (s *Service) requireOtherUsers(ctx context.Context, u *uow.Unit, a *Approval, others ...Act) error {
	acts := slices.Concat(a.Written, others)
	if a.PartyTime != nil {
		acts = append(acts, Act{Users: []int64{a.PartyID, a.PartyCreatorID}, Time: *a.PartyTime, Predicate: "requested the change"})
	}
	return s.RequireOtherUsers(ctx, u, a.since(), acts...)
}

// votesOfOthers returns the votes that approve the current content, except those of one user.
func (a *Approval) votesOfOthers(user int64) (acts []Act) {
	for _, v := range a.Votes {
		if v.Verdict == verdictApprove && a.isCurrent(v) && v.UserID != user {
			acts = append(acts, Act{Users: []int64{v.UserID, v.CreatorID}, Time: v.VotedTime, Predicate: "has approved it already"})
		}
	}
	return acts
}

// isParty reports whether a user wrote a version of the content, is the Party, or created the token
// of either.
func (a *Approval) isParty(user int64) bool {
	return user == a.PartyID || user == a.PartyCreatorID ||
		slices.ContainsFunc(a.Written, func(act Act) bool { return slices.Contains(act.Users, user) })
}
