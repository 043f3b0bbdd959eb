package access

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/ratelimit"
)

// deviceRate is how often a known device may try to sign in. A cookie that was stolen is no
// way past the other limits.
var deviceRate = ratelimit.Limit{Rate: 10, Period: time.Minute, Burst: 20}

// arrivals holds sign-ins to a rate before anything is hashed, read or written for them. It
// counts in this process: a limit that protects a process's processors needs to know of no
// other's.
type arrivals struct {
	limiter *ratelimit.InProcess
	// rate is how often a network may try; the zero Rate means no limit.
	rate ratelimit.Limit
}

// networkRate is the limit for so many sign-ins a minute, and three times as many at once:
// in an office many people have one address and begin at nine.
func networkRate(perMinute int) ratelimit.Limit {
	if perMinute <= 0 {
		return ratelimit.Limit{}
	}
	return ratelimit.Limit{Rate: perMinute, Period: time.Minute, Burst: 3 * perMinute}
}

// admit counts a try of a network and returns how much of what it may try it has tried.
// Errors: RateLimited.
func (a arrivals) admit(ctx context.Context, network string) (tries int, err error) {
	if a.rate.Rate == 0 {
		return 0, nil
	}
	return a.count(ctx, "network:"+network, a.rate)
}

// giveBack takes back what the try of an arrival was counted for, since its password was
// right: an office whose people come at nine, and a script that signs in over and over, are
// no flood of guesses.
func (a arrivals) giveBack(from arrival) {
	switch {
	case a.rate.Rate == 0:
	case from.device != "":
		a.limiter.GiveBack(devicePrefix+from.device, deviceRate)
	default:
		a.limiter.GiveBack("network:"+from.at.network, a.rate)
	}
}

// admitDevice counts a try of a known device. Errors: RateLimited.
func (a arrivals) admitDevice(ctx context.Context, id string) error {
	if a.rate.Rate == 0 {
		return nil
	}
	_, err := a.count(ctx, devicePrefix+id, deviceRate)
	return err
}

func (a arrivals) count(ctx context.Context, key string, limit ratelimit.Limit) (tries int, err error) {
	decision, err := a.limiter.Allow(ctx, key, limit)
	switch {
	case err != nil:
		return 0, err
	case !decision.Allowed:
		return 0, apperr.New(apperr.RateLimited, "Too many sign-ins were tried from your network. Your credentials were not checked; wait before the next try.").After(decision.RetryAfter)
	}
	return limit.Burst - decision.Remaining, nil
}

// arrival is a sign-in that may be tried.
type arrival struct {
	// at is what its guess counts for.
	at guessed
	// rank is its place among those that wait to hash.
	rank rank
	// device is the id of the known device that it comes from, or "".
	device string
}

// arrive decides what a sign-in counts for. It reads one row for a browser with a cookie
// that only this installation can have made, and asks the database for nothing otherwise.
// Errors: RateLimited.
func (s *Service) arrive(ctx context.Context, in SignIn) (arrival, error) {
	account, network := accountKey(in.Tenant, in.Username), ratelimit.Network(in.Address)
	if shown, ok := s.devices.read(ctx, account, in.Device); ok {
		if err := s.arrivals.admitDevice(ctx, shown.id); err != nil {
			return arrival{}, err
		}
		row, err := s.store.account(ctx, in.Tenant, in.Username)
		if err == nil && s.devices.knows(ctx, shown, row.PasswordHash) {
			return arrival{at: guessed{account: account, network: devicePrefix + shown.id}, device: shown.id}, nil
		}
	}
	tries, err := s.arrivals.admit(ctx, network)
	return arrival{
		at:   guessed{account: account, network: network, anonymous: true},
		rank: rank{anonymous: true, tries: tries},
	}, err
}
