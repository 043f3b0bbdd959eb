package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/passwords"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/ratelimit"
)

// Default values of fields of Deps.
const (
	defaultSessionLifetime = 12 * time.Hour
	// maxUserAgentBytes bounds the stored User-Agent, in bytes.
	maxUserAgentBytes = 255
)

// SignIn is the request for a session.
type SignIn struct {
	// Tenant is the tenant's name; "" means DefaultTenant.
	Tenant   string
	Username string
	Password string
	// Replaces is the session token that the browser sent, if any. That session ends.
	Replaces string
	// Address is the client address and UserAgent the User-Agent header, for the audit log and
	// the list of sessions.
	Address   string
	UserAgent string
	// Device is the cookie of a known device; see devices.
	Device string
}

// Session is the part of a session that its user may read.
type Session struct {
	User callers.Identity
	// Tenant is the name of the user's tenant, and Currency its currency (ISO 4217).
	Tenant    string
	Currency  string
	CSRFToken string
}

// SignedIn is the result of a right password: a session or, for a user with a second factor, a
// challenge.
type SignedIn struct {
	// Token opens the session. It belongs only into the session cookie.
	Token   string
	Session Session
	// Device is the value of the device cookie, by which the account recognises the browser. It
	// is "" if it could not be made.
	Device string
	// Challenge is nil for a user without a second factor.
	Challenge *Challenge
}

// SignIn starts a session, or makes a challenge for FinishSignIn. Excess sign-ins are rejected
// before any write and any hash; see guesses.SignInLimiter and passwords.Rank. Errors:
// InvalidCredentials, TooManyAttempts, RateLimited.
func (s *Service) SignIn(ctx context.Context, in SignIn) (SignedIn, error) {
	if in.Tenant == "" {
		in.Tenant = tenants.DefaultTenant
	}
	in.Username = strings.ToLower(in.Username)
	var who string
	out, err := s.signIn(ctx, in, &who)
	s.countRefusal(in.Tenant, in.Address, who, err)
	return out, err
}

// signIn does the work of SignIn. It sets who to the username as soon as the account is found.
func (s *Service) signIn(ctx context.Context, in SignIn, who *string) (SignedIn, error) {
	from, err := s.admit(ctx, in)
	if err != nil {
		return SignedIn{}, err
	}
	slot, err := s.passwords.Enter(ctx, passwords.Rank{Anonymous: from.At.Anonymous, Tries: from.Tries})
	if err != nil {
		return SignedIn{}, err
	}
	defer slot.Release()
	var out SignedIn
	err = s.attempts.Count(ctx, from.At, func() (wrong bool, err error) {
		user, err := s.verify(ctx, in)
		*who = user.Username
		if apperr.Has(err, apperr.InvalidCredentials) {
			slot.ReleaseAfterCooldown()
			return true, err
		}
		slot.Release()
		if err != nil {
			return false, err
		}
		s.signIns.Release(from)
		if user.SecondFactor {
			out.Challenge, err = s.challenge(ctx, in, user)
			return false, err
		}
		out, err = s.begin(ctx, in, from, user, nil)
		return false, err
	})
	if err != nil {
		return SignedIn{}, err
	}
	return out, nil
}

// admit applies the rate limits to a sign-in and returns the keys that its guess counts for. It
// reads a database row only for a browser with an authentic device cookie. Errors: RateLimited.
func (s *Service) admit(ctx context.Context, in SignIn) (guesses.SignInAttempt, error) {
	account, network := guesses.AccountKey(in.Tenant, in.Username), ratelimit.Network(in.Address)
	if shown, ok := s.devices.Read(ctx, account, in.Device); ok {
		if err := s.signIns.AdmitDevice(ctx, shown.ID); err != nil {
			return guesses.SignInAttempt{}, err
		}
		row, err := s.Users.Account(ctx, in.Tenant, in.Username)
		if err == nil && s.devices.Knows(ctx, shown, row.PasswordHash) {
			return guesses.SignInAttempt{At: guesses.Guess{Account: account, Network: guesses.DevicePrefix + shown.ID}, Device: shown.ID}, nil
		}
	}
	tries, err := s.signIns.Admit(ctx, network)
	return guesses.SignInAttempt{
		At:    guesses.Guess{Account: account, Network: network, Anonymous: true},
		Tries: tries,
	}, err
}

// countRefusal counts a rejected sign-in for the audit log. It names only accounts that exist,
// because users sometimes type a password as the username.
func (s *Service) countRefusal(tenant, address, who string, err error) {
	var refusal *apperr.Error
	if s.refusals == nil || !errors.As(err, &refusal) {
		return
	}
	switch refusal.Code {
	case apperr.InvalidCredentials, apperr.TooManyAttempts, apperr.RateLimited:
		s.refusals(httpapi.Refusal{
			Tenant: tenant, Action: httpapi.RefusedSignIn, Code: refusal.Code, Network: ratelimit.Network(address), Who: who,
		})
	}
}

// verify checks the password; the caller holds a hash slot. An account that does not exist costs a
// hash as well, so that the time does not reveal it. For a wrong password verify returns both the
// user, if one exists, and the error.
func (s *Service) verify(ctx context.Context, in SignIn) (users.User, error) {
	row, err := s.Users.Account(ctx, in.Tenant, in.Username)
	known := err == nil
	if err != nil && !storage.IsNotFound(err) {
		return users.User{}, err
	}
	hash := s.passwords.Dummy
	if known {
		hash = row.PasswordHash
	}
	same, err := s.passwords.Same(in.Password, hash)
	if err != nil {
		return users.User{}, err
	}
	if !known || !same || row.Disabled {
		return row, callers.ErrWrongCredentials()
	}
	return row, nil
}

// begin starts the session of a user after the password check. For a user with a second factor,
// prove accepts the factor in the unit that starts the session, and returns details for the audit
// log; it is nil for any other user.
func (s *Service) begin(
	ctx context.Context, in SignIn, from guesses.SignInAttempt, row users.User, prove func(ctx context.Context, u *uow.Unit, tx *gorm.DB) (map[string]any, error),
) (SignedIn, error) {
	return s.open(ctx, in, from, opening{row: row, factorShown: prove != nil, admit: func(ctx context.Context, u *uow.Unit) (passwordHash string, err error) {
		tx, err := s.Users.HoldUnchanged(ctx, u, row)
		if err != nil {
			return "", err
		}
		detail := map[string]any{"address": in.Address}
		if prove != nil {
			proved, err := prove(ctx, u, tx)
			if err != nil {
				return "", err
			}
			maps.Copy(detail, proved)
		}
		u.Audit(uow.Entry{Action: "session.create", Resource: "session", Detail: detail})
		return row.PasswordHash, nil
	}})
}

// opening is the way in which a user opens a session.
type opening struct {
	row users.User
	// factorShown is set if admit accepts a second factor, and byProvider if a provider
	// authenticated the user: then no secret was guessed, so the attempts remain counted and the
	// device does not become known.
	factorShown, byProvider bool
	// admit locks and admits the user, in the unit that starts the session, writes the audit
	// entry, and returns the user's password hash.
	admit func(ctx context.Context, u *uow.Unit) (passwordHash string, err error)
}

// open starts a session, in one unit with admit.
func (s *Service) open(ctx context.Context, in SignIn, from guesses.SignInAttempt, o opening) (SignedIn, error) {
	row := o.row
	user, err := s.Users.WithRoles(ctx, row)
	if err != nil {
		return SignedIn{}, err
	}
	tenant, err := s.Tenants.Cached(ctx, in.Tenant)
	if err != nil {
		return SignedIn{}, err
	}
	var token, passwordHash string
	session := Session{User: user, Tenant: in.Tenant, Currency: tenant.Currency, CSRFToken: secrets.New()}
	id := uuid.Must(uuid.NewV7()).String()
	ctx = principal.With(ctx, user.Acting(principal.Admin, row.TenantID, sessions.CredentialID(id), user.Permissions))
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if passwordHash, err = o.admit(ctx, u); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		ctx = sessions.Starting(ctx, u, sessions.Origin{Address: in.Address, UserAgent: shortened(in.UserAgent)})
		ctx, err = s.sessions.Load(ctx, in.Replaces)
		if err != nil {
			return fmt.Errorf("load the session that is replaced: %w", err)
		}
		if err := s.sessions.RenewToken(ctx); err != nil {
			return fmt.Errorf("renew the session: %w", err)
		}
		s.sessions.SetDeadline(ctx, u.Now().Add(s.sessions.Lifetime))
		s.sessions.Put(ctx, sessions.KeyID, id)
		s.sessions.Put(ctx, sessions.KeyTenant, row.TenantID)
		s.sessions.Put(ctx, sessions.KeyUser, row.ID)
		s.sessions.Put(ctx, sessions.KeyCSRF, session.CSRFToken)
		if o.factorShown {
			s.sessions.Put(ctx, sessions.KeyFactorTime, u.Now().UnixMicro())
		}
		if token, _, err = s.sessions.Commit(ctx); err != nil {
			return fmt.Errorf("save the session: %w", err)
		}
		if o.byProvider {
			return nil
		}
		return s.attempts.Forget(ctx, tx, from.At)
	})
	if err != nil {
		return SignedIn{}, err
	}
	if o.byProvider {
		return SignedIn{Token: token, Session: session}, nil
	}
	device, err := s.devices.Cookie(ctx, from.At.Account, passwordHash, from.Device)
	if err != nil {
		slog.WarnContext(ctx, "sign-in: device cookie not issued", "error", err)
	}
	return SignedIn{Token: token, Session: session, Device: device}, nil
}

// SignOut ends a session. It succeeds if the session has already ended.
func (s *Service) SignOut(ctx context.Context, u *uow.Unit, token string) error {
	ctx, err := s.sessions.Load(sessions.InUnit(ctx, u), token)
	if err != nil {
		return fmt.Errorf("load the session: %w", err)
	}
	if s.sessions.Token(ctx) == "" {
		return nil
	}
	if _, err := s.Tenants.BumpRevision(ctx, u); err != nil {
		return err
	}
	if err := s.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	u.Audit(uow.Entry{Action: "session.delete", Resource: "session"})
	return nil
}

// Current returns the session of a token. Errors: Unauthenticated.
func (s *Service) Current(ctx context.Context, token string) (Session, error) {
	c, err := s.Callers.CallerInSession(ctx, token)
	if err != nil {
		return Session{}, err
	}
	tenant, err := s.Tenants.NameOf(ctx, c.Principal.TenantID)
	if err != nil {
		return Session{}, err
	}
	return Session{User: c.User, Tenant: tenant, Currency: c.Principal.Currency, CSRFToken: c.CSRF}, nil
}

// shortened returns the stored part of a User-Agent.
func shortened(userAgent string) string {
	if len(userAgent) > maxUserAgentBytes {
		userAgent = userAgent[:maxUserAgentBytes]
	}
	return strings.ToValidUTF8(userAgent, "")
}
