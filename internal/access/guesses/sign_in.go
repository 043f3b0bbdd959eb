package guesses

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/ratelimit"
)

// DeviceRate limits the sign-ins from a known device, so that a stolen cookie does not bypass
// the other limits.
var DeviceRate = ratelimit.Limit{Rate: 10, Period: time.Minute, Burst: 20}

// SignInLimiter limits the rate of sign-ins before any hash, read or write. It counts per process,
// because the limit protects the processors of this process.
type SignInLimiter struct {
	limiter *ratelimit.InProcess
	// Rate is the limit per network; the zero Limit means none.
	Rate ratelimit.Limit
}

// NewSignInLimiter returns a limiter of perMinute sign-ins per network; 0 means no limit.
func NewSignInLimiter(now func() time.Time, perMinute int) SignInLimiter {
	return SignInLimiter{limiter: ratelimit.NewInProcess(now), Rate: NetworkRate(perMinute)}
}

// NetworkRate allows perMinute sign-ins per minute and a burst of three times as many: the
// people of an office share one address and start at the same time.
func NetworkRate(perMinute int) ratelimit.Limit {
	if perMinute <= 0 {
		return ratelimit.Limit{}
	}
	return ratelimit.Limit{Rate: perMinute, Period: time.Minute, Burst: 3 * perMinute}
}

// Admit counts a sign-in of a network and returns the used part of its burst. Errors:
// RateLimited.
func (a SignInLimiter) Admit(ctx context.Context, network string) (tries int, err error) {
	if a.Rate.Rate == 0 {
		return 0, nil
	}
	return a.count(ctx, "network:"+network, a.Rate)
}

// Release removes a sign-in from the count after its password was right: many employees in the
// morning, or a script that signs in repeatedly, are not a flood of guesses.
func (a SignInLimiter) Release(from SignInAttempt) {
	switch {
	case a.Rate.Rate == 0:
	case from.Device != "":
		a.limiter.GiveBack(DevicePrefix+from.Device, DeviceRate)
	default:
		a.limiter.GiveBack("network:"+from.At.Network, a.Rate)
	}
}

// AdmitDevice counts a sign-in from a known device. Errors: RateLimited.
func (a SignInLimiter) AdmitDevice(ctx context.Context, id string) error {
	if a.Rate.Rate == 0 {
		return nil
	}
	_, err := a.count(ctx, DevicePrefix+id, DeviceRate)
	return err
}

func (a SignInLimiter) count(ctx context.Context, key string, limit ratelimit.Limit) (tries int, err error) {
	decision, err := a.limiter.Allow(ctx, key, limit)
	switch {
	case err != nil:
		return 0, err
	case !decision.Allowed:
		return 0, apperr.New(apperr.RateLimited, "Too many sign-ins were tried from your network. Your credentials were not checked; wait before the next try.").After(decision.RetryAfter)
	}
	return limit.Burst - decision.Remaining, nil
}

// SignInAttempt is a sign-in that passed the rate limit.
type SignInAttempt struct {
	// At contains the account and the network or device for which its guess is counted.
	At Guess
	// Tries is the used part of the burst of its network; 0 for a known device.
	Tries int
	// Device is the id of the known device, or "".
	Device string
}
