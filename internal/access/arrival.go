package access

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/ratelimit"
)

// deviceRate limits the sign-ins from a known device, so that a stolen cookie does not bypass
// the other limits.
var deviceRate = ratelimit.Limit{Rate: 10, Period: time.Minute, Burst: 20}

// arrivals limits the rate of sign-ins before any hash, read or write. It counts per process,
// because the limit protects the processors of this process.
type arrivals struct {
	limiter *ratelimit.InProcess
	// rate is the limit per network; the zero Limit means none.
	rate ratelimit.Limit
}

// networkRate allows perMinute sign-ins per minute and a burst of three times as many: the
// people of an office share one address and start at the same time.
func networkRate(perMinute int) ratelimit.Limit {
	if perMinute <= 0 {
		return ratelimit.Limit{}
	}
	return ratelimit.Limit{Rate: perMinute, Period: time.Minute, Burst: 3 * perMinute}
}

// admit counts a sign-in of a network and returns the used part of its burst. Errors:
// RateLimited.
func (a arrivals) admit(ctx context.Context, network string) (tries int, err error) {
	if a.rate.Rate == 0 {
		return 0, nil
	}
	return a.count(ctx, "network:"+network, a.rate)
}

// giveBack removes a sign-in from the count after its password was right: many employees in the
// morning, or a script that signs in repeatedly, are not a flood of guesses.
func (a arrivals) giveBack(from arrival) {
	switch {
	case a.rate.Rate == 0:
	case from.device != "":
		a.limiter.GiveBack(devicePrefix+from.device, deviceRate)
	default:
		a.limiter.GiveBack("network:"+from.at.network, a.rate)
	}
}

// admitDevice counts a sign-in from a known device. Errors: RateLimited.
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

// arrival is a sign-in that passed the rate limit.
type arrival struct {
	// at contains the account and the network or device for which its guess is counted.
	at guessed
	// rank is its priority in the hash queue.
	rank rank
	// device is the id of the known device, or "".
	device string
}

// arrive applies the rate limits to a sign-in and returns the keys that its guess counts for. It
// reads a database row only for a browser with an authentic device cookie. Errors: RateLimited.
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
