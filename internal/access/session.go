package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/google/uuid"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/ratelimit"
)

const sessionCookie = "interlock_session"

// hostSessionCookie is its name where it is sent over TLS only. The plain one is not read there: a
// page of a neighbouring host could have set it, and had a visitor act in its own session.
const hostSessionCookie = "__Host-" + sessionCookie

// nameOfSessionCookie is the name of the session's cookie on a link.
func nameOfSessionCookie(secure bool) string {
	if secure {
		return hostSessionCookie
	}
	return sessionCookie
}

// Defaults of Deps.
const (
	defaultSessionLifetime = 12 * time.Hour
	// longestUserAgent bounds what is kept of a browser's name for itself, in bytes.
	longestUserAgent = 255
)

// What a session holds.
const (
	sessionID = "id"
	// What a session says of its tenant and user is read by the release before alone: this one goes
	// by the columns of its row.
	sessionTenant = "tenant"
	sessionUser   = "user"
	sessionCSRF   = "csrf"
	// sessionFactorTime is when a second factor was last shown, in microseconds since 1970;
	// 0 for never.
	sessionFactorTime = "factorTime"
)

// newSessions makes scs's manager without scs.New, which starts a memory store
// whose goroutine never ends.
func newSessions(store scs.CtxStore, lifetime time.Duration) *scs.SessionManager {
	return &scs.SessionManager{
		Store: store, Codec: scs.GobCodec{}, Lifetime: lifetime, HashTokenInStore: true,
	}
}

// SignIn is what somebody shows to begin a session.
type SignIn struct {
	// Tenant is the tenant's name; "" means DefaultTenant.
	Tenant   string
	Username string
	Password string
	// Replaces is the session token that the browser sent along, if any. It ends.
	Replaces string
	// Address is where the request came from, and UserAgent what the browser calls itself,
	// for the audit log and the list of sessions.
	Address   string
	UserAgent string
	// Device is the cookie by which a browser may be known to the account; see devices.
	Device string
}

// Session is a session as its owner sees it.
type Session struct {
	User Identity
	// Tenant is the name of the user's tenant, and Currency its currency (ISO 4217).
	Tenant    string
	Currency  string
	CSRFToken string
}

// SignedIn is what a password that was right has come to: a session or, for a user who has a
// second factor, a challenge.
type SignedIn struct {
	// Token opens the session. It belongs into the cookie and nowhere else.
	Token   string
	Session Session
	// Device belongs into another cookie: by it the browser is known to the account. It is ""
	// when it cannot be made.
	Device string
	// Challenge is nil for a user without a second factor.
	Challenge *Challenge
}

// SignIn begins a session, or asks for the second factor that FinishSignIn takes. Who comes
// too often is turned away before anything is written, and then before anything is hashed;
// see arrivals and hashQueue. Errors: InvalidCredentials, TooManyAttempts, RateLimited.
func (s *Service) SignIn(ctx context.Context, in SignIn) (SignedIn, error) {
	if in.Tenant == "" {
		in.Tenant = DefaultTenant
	}
	in.Username = strings.ToLower(in.Username)
	var who string
	out, err := s.signIn(ctx, in, &who)
	s.countRefusal(in.Tenant, in.Address, who, err)
	return out, err
}

// signIn is SignIn, and says whose account it was at once that one is found.
func (s *Service) signIn(ctx context.Context, in SignIn, who *string) (SignedIn, error) {
	from, err := s.arrive(ctx, in)
	if err != nil {
		return SignedIn{}, err
	}
	slot, err := s.passwords.enter(ctx, from.rank)
	if err != nil {
		return SignedIn{}, err
	}
	defer slot.release()
	var out SignedIn
	err = s.attempts.count(ctx, from.at, func() (wrong bool, err error) {
		user, err := s.verify(ctx, in)
		*who = user.Username
		if apperr.Has(err, apperr.InvalidCredentials) {
			slot.releaseAfterCooldown()
			return true, err
		}
		slot.release()
		if err != nil {
			return false, err
		}
		s.arrivals.giveBack(from)
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

// countRefusal counts a sign-in that was refused for the audit log. It names the account
// only where there is one: what is typed as a username is now and then a password.
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

// verify checks the password; the caller has a slot to hash. An account that does not exist
// costs a hash as well, so that the time does not tell. The user comes with the error of a
// wrong password, where there is one.
func (s *Service) verify(ctx context.Context, in SignIn) (User, error) {
	row, err := s.store.account(ctx, in.Tenant, in.Username)
	known := err == nil
	if err != nil && !storage.IsNotFound(err) {
		return User{}, err
	}
	hash := s.passwords.dummy
	if known {
		hash = row.PasswordHash
	}
	same, err := s.passwords.same(in.Password, hash)
	if err != nil {
		return User{}, err
	}
	if !known || !same || row.Disabled {
		return row, errWrongCredentials()
	}
	return row, nil
}

// begin makes the session of a user whose password was right. For one who has a second
// factor, prove takes it in the unit that begins the session, and says what the audit log is to
// have of it; nil for one who has none.
func (s *Service) begin(
	ctx context.Context, in SignIn, from arrival, row User, prove func(ctx context.Context, u *uow.Unit, tx *gorm.DB) (map[string]any, error),
) (SignedIn, error) {
	return s.open(ctx, in, from, opening{row: row, factorShown: prove != nil, admit: func(ctx context.Context, u *uow.Unit) (passwordHash string, err error) {
		tx, err := s.holdUnchanged(ctx, u, row)
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

// opening is how a user comes to a session.
type opening struct {
	row User
	// factorShown is set where admit takes a second factor, and byProvider where a provider says
	// who it is: then nothing was shown that is guessed at, so that guesses go on to count and
	// the device is known no better.
	factorShown, byProvider bool
	// admit lets the user in, in the unit that begins the session, and says in the audit log
	// how. It holds the user from then on, and returns the hash of the password that the
	// user has.
	admit func(ctx context.Context, u *uow.Unit) (passwordHash string, err error)
}

// open begins a session; admit and it are one unit.
func (s *Service) open(ctx context.Context, in SignIn, from arrival, o opening) (SignedIn, error) {
	row := o.row
	user, err := s.store.withRoles(ctx, row)
	if err != nil {
		return SignedIn{}, err
	}
	tenant, err := s.tenants.find(ctx, s.store, in.Tenant)
	if err != nil {
		return SignedIn{}, err
	}
	var token, passwordHash string
	session := Session{User: user, Tenant: in.Tenant, Currency: tenant.currency, CSRFToken: newSecret()}
	id := uuid.Must(uuid.NewV7()).String()
	ctx = principal.With(ctx, user.acting(principal.Admin, row.TenantID, credentialOfSession(id), user.Permissions))
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if passwordHash, err = o.admit(ctx, u); err != nil {
			return err
		}
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		ctx = context.WithValue(inUnit(ctx, u), originKey{}, origin{address: in.Address, userAgent: shortened(in.UserAgent)})
		ctx, err = s.sessions.Load(ctx, in.Replaces)
		if err != nil {
			return fmt.Errorf("load the session that is replaced: %w", err)
		}
		if err := s.sessions.RenewToken(ctx); err != nil {
			return fmt.Errorf("renew the session: %w", err)
		}
		s.sessions.SetDeadline(ctx, u.Now().Add(s.sessions.Lifetime))
		s.sessions.Put(ctx, sessionID, id)
		s.sessions.Put(ctx, sessionTenant, row.TenantID)
		s.sessions.Put(ctx, sessionUser, row.ID)
		s.sessions.Put(ctx, sessionCSRF, session.CSRFToken)
		if o.factorShown {
			s.sessions.Put(ctx, sessionFactorTime, u.Now().UnixMicro())
		}
		if token, _, err = s.sessions.Commit(ctx); err != nil {
			return fmt.Errorf("save the session: %w", err)
		}
		if o.byProvider {
			return nil
		}
		return s.attempts.forget(ctx, tx, from.at)
	})
	if err != nil {
		return SignedIn{}, err
	}
	if o.byProvider {
		return SignedIn{Token: token, Session: session}, nil
	}
	device, err := s.devices.cookie(ctx, from.at.account, passwordHash, from.device)
	if err != nil {
		slog.WarnContext(ctx, "a browser is not known to its account after this sign-in", "error", err)
	}
	return SignedIn{Token: token, Session: session, Device: device}, nil
}

// SignOut ends a session. One that has ended already is no error.
func (s *Service) SignOut(ctx context.Context, u *uow.Unit, token string) error {
	ctx, err := s.sessions.Load(inUnit(ctx, u), token)
	if err != nil {
		return fmt.Errorf("load the session: %w", err)
	}
	if s.sessions.Token(ctx) == "" {
		return nil
	}
	if _, err := s.raise(ctx, u); err != nil {
		return err
	}
	if err := s.sessions.Destroy(ctx); err != nil {
		return fmt.Errorf("end the session: %w", err)
	}
	u.Audit(uow.Entry{Action: "session.delete", Resource: "session"})
	return nil
}

// Current returns the session that a token opens. Errors: Unauthenticated.
func (s *Service) Current(ctx context.Context, token string) (Session, error) {
	c, err := s.callerInSession(ctx, token)
	if err != nil {
		return Session{}, err
	}
	tenant, err := s.store.tenantName(ctx, c.principal.TenantID)
	if err != nil {
		return Session{}, err
	}
	return Session{User: c.user, Tenant: tenant, Currency: c.principal.Currency, CSRFToken: c.csrf}, nil
}

// shortened returns what of a browser's name for itself is kept.
func shortened(userAgent string) string {
	if len(userAgent) > longestUserAgent {
		userAgent = userAgent[:longestUserAgent]
	}
	return strings.ToValidUTF8(userAgent, "")
}

func credentialOfSession(id string) string { return "session:" + id }

func errNoSession() error {
	return apperr.New(apperr.Unauthenticated, "Your session has ended. Sign in again.")
}

func errWrongCredentials() error {
	return apperr.New(apperr.InvalidCredentials, "The credentials are wrong.")
}
