package approvals

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// Act is a part that users have in what is to be decided.
type Act struct {
	// Users are those behind the credential of the act; see principal.Principal.Users.
	Users []int64
	Time  time.Time
	// What is a predicate for people: "requested it".
	What string
}

// RequireOtherUsers checks that nobody who is behind the caller's credential is behind the
// credential of one of the acts too. Behind a credential are its user, the creator of the token,
// and whoever has reset the user's account since the request. Errors: Forbidden with the reason
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
			return fourEyes(caller.Name + " " + act.What)
		case slices.ContainsFunc(mine, func(user int64) bool { return slices.Contains(theirs, user) }):
			return fourEyes("the creator of a token, or a user who has reset an account since the request, is behind your credential and behind that of the user who " + act.What)
		}
	}
	return nil
}

// behind returns the users who are behind the credentials of users.
func behind(users []int64, resets []principal.Reset) []int64 {
	all := slices.Clone(users)
	for _, reset := range resets {
		if slices.Contains(users, reset.UserID) {
			all = append(all, reset.By...)
		}
	}
	return slices.DeleteFunc(all, func(user int64) bool { return user == 0 })
}

func fourEyes(because string) error {
	return apperr.New(apperr.Forbidden, "Somebody else has to decide: %s. Nothing was changed.", because).With("reason", "four_eyes")
}

// since is when what the approval is about was requested.
func (a *Approval) since() time.Time {
	if a.PartyTime != nil && a.PartyTime.Before(a.CreatedTime) {
		return *a.PartyTime
	}
	return a.CreatedTime
}

// requireOtherUsers checks that nobody behind the caller's credential wrote a version of an
// approval's content, is its Party, or did one of the other acts. Errors: Forbidden.
func (s *Service) requireOtherUsers(ctx context.Context, u *uow.Unit, a *Approval, others ...Act) error {
	acts := slices.Concat(a.Written, others)
	if a.PartyTime != nil {
		acts = append(acts, Act{Users: []int64{a.PartyID, a.PartyCreatorID}, Time: *a.PartyTime, What: "requested what it is about"})
	}
	return s.RequireOtherUsers(ctx, u, a.since(), acts...)
}

// votesOfOthers are the votes for the present content that are not of a user.
func (a *Approval) votesOfOthers(user int64) (acts []Act) {
	for _, v := range a.Votes {
		if v.Verdict == verdictApprove && a.stands(v) && v.UserID != user {
			acts = append(acts, Act{Users: []int64{v.UserID, v.CreatorID}, Time: v.VotedTime, What: "has approved it already"})
		}
	}
	return acts
}

// isParty reports whether a user wrote a version of the content, is the Party, or created the
// token that either was done with.
func (a *Approval) isParty(user int64) bool {
	return user == a.PartyID || user == a.PartyCreatorID ||
		slices.ContainsFunc(a.Written, func(act Act) bool { return slices.Contains(act.Users, user) })
}
