package access

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"interlock/internal/access/factors"
	"interlock/internal/access/input"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

func (h handler) factorRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	httpapi.Get(r, "/me/factors", "", h.factors).
		Doc("List your second factors", "Returns the factors that sign-in requires, the number of unused recovery codes, and the host for passkeys. "+
			"Secrets are never returned again. Requires a session; 403 for an API token.").
		With(httpapi.Contract{ID: "listFactors", Success: "All factors, oldest first.", Responses: forUsers})
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors", "", h.service.Users.MeInSession, h.beginFactor).
		Doc("Start adding a second factor", "Returns the secret and the otpauth URI of an authenticator app, once, or the browser's options for creating a passkey. "+
			"A repeat with the same idempotency key returns the factor with `secretShownOnce` instead of the secret; then start another one. "+
			"The idempotency key does not cover the password, which is only a proof. The factor has no effect until it is confirmed: an app within an hour, "+
			"a passkey within five minutes. Starting a factor voids an earlier unconfirmed one. If passkeys are unavailable, a passkey returns 422 at `/kind`: "+
			"they need the host of `INTERLOCK_PUBLIC_URL` over https, or localhost. Requires a session. The first factor of a user requires the password; "+
			"a wrong one returns 422 at `/password`, and counts as a failed sign-in. A user without a password must have signed in within the last five minutes. "+
			"A user with a factor must have verified it again (`x-step-up`).").
		With(httpapi.Contract{
			ID: "beginFactor", Success: "Started.", Responses: map[string]string{"429": "TooManyAttempts"},
			Body: factorBeginBody{"totp", "Phone", "nine green bottles standing"},
		})
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/:id/confirm", "", h.service.Users.MeInSession, h.confirmFactor).
		Doc("Confirm a second factor", "Requires a code of the app, or the browser's response for the new passkey. From then on sign-in requires the factor; "+
			"all other sessions of the user end. The first factor also creates ten recovery codes, each valid for one sign-in and returned only here. "+
			"A repeat with the same idempotency key returns `secretShownOnce` instead of the codes; then replace them. A wrong code returns 422 at `/code`. "+
			"A response to another challenge, from another site or without user verification returns 422 at `/credential`. Requires a session.").
		With(httpapi.Contract{ID: "confirmFactor", Success: "Confirmed.", Body: map[string]any{"code": "492039"}})
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/:id/rename", "", h.service.Users.MeInSession, h.renameFactor).
		Doc("Rename a second factor", "`from` is the current name: 422 at `/from` if another request renamed the factor. "+
			"No other member of the factor or its user changes. Requires a session.").
		With(httpapi.Contract{ID: "renameFactor", Success: "The renamed factor.", Body: factorRenameBody{"Laptop", "Work laptop"}})
	httpapi.MutationOf(fresh, http.MethodDelete, "/me/factors/:id", "", h.service.Users.MeInSession, h.removeFactor).
		Doc("Delete a second factor", "Deleting the last factor deletes the recovery codes. Ends all other sessions of the user. Requires a session.").
		With(httpapi.Contract{ID: "deleteFactor", Success: "Deleted, now or earlier."})
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/recovery-codes", "", h.service.Users.MeInSession, h.newRecoveryCodes).
		Doc("Replace recovery codes", "Creates ten codes, returned only here; the old ones become void. A repeat with the same idempotency key returns "+
			"`secretShownOnce` instead of the codes; then replace them again. Ends all other sessions of the user. 404 for a user without a second factor. "+
			"Requires a session.").
		With(httpapi.Contract{ID: "replaceRecoveryCodes", Success: "The codes.", MayMiss: true})
}

type factorView struct {
	ID           int64      `json:"id"`
	Kind         string     `json:"kind" schema:"FactorKind"`
	Name         string     `json:"name" validate:"required"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
	// Null for other kinds.
	Passkey *factorPasskeyView `json:"passkey"`
}

// factorPasskeyView is the part of a passkey that its user may read.
type factorPasskeyView struct {
	// The only host for which the passkey is valid.
	Site string `json:"site" validate:"required"`
	// How browsers reach its authenticator, such as `usb`, `internal` or `hybrid`.
	Transports []string `json:"transports"`
	// The model of the authenticator (AAGUID); all zeros if it reports none.
	Model string `json:"model" validate:"uuid"`
	// True if it may exist on several devices, like synced passkeys.
	BackupEligible bool `json:"backupEligible"`
	// True if it currently does.
	BackedUp bool `json:"backedUp"`
	// When a use was rejected because its counter had decreased: the passkey may have been copied.
	CloneWarningTime *time.Time `json:"cloneWarningTime"`
}

func factorViewOf(f factors.Factor) factorView {
	view := factorView{ID: f.ID, Kind: f.Kind, Name: f.Name, LastUsedTime: f.LastUsedTime, CreatedTime: f.CreatedTime}
	if p := f.Passkey; p != nil {
		view.Passkey = &factorPasskeyView{
			Site: p.Site, Transports: p.TransportList(), Model: p.Model,
			BackupEligible: p.Flags.BackupEligible(), BackedUp: p.Flags.BackedUp(), CloneWarningTime: p.CloneWarningTime,
		}
	}
	return view
}

// factorListView is the caller's factors, without their secrets.
type factorListView struct {
	httpapi.List[factorView]
	RecoveryCodesLeft int64 `json:"recoveryCodesLeft" validate:"min=0,max=10"`
	// The host for passkeys; null if passkeys are unavailable, because browsers reach the service by no host name.
	PasskeySite *string `json:"passkeySite" validate:"required"`
}

func (h handler) factors(ctx context.Context, _ httpapi.None) (factorListView, error) {
	factors, left, err := h.service.Factors.List(ctx)
	if err != nil {
		return factorListView{}, err
	}
	view := factorListView{
		List:              httpapi.List[factorView]{Items: make([]factorView, len(factors)), Total: int64(len(factors))},
		RecoveryCodesLeft: left, PasskeySite: httpapi.OrNull(h.service.Factors.PasskeySite()),
	}
	for i, factor := range factors {
		view.Items[i] = factorViewOf(factor)
	}
	return view, nil
}

type beginFactorRequest struct {
	sessionCredential
	Address httpapi.Address
	Origin  string `header:"Origin"`
	Body    factorBeginBody
}

type factorBeginBody struct {
	Kind string `json:"kind" validate:"required,oneof=totp passkey" schema:"FactorKind"`
	// The user's name for the factor.
	Name string `json:"name" validate:"name=100"`
	// Your password; required for the first factor.
	Password httpapi.Proof `json:"password" validate:"max=1024"`
}

// appSetupView is an unconfirmed authenticator app.
type appSetupView struct {
	ID   int64  `json:"id"`
	Kind string `json:"kind" validate:"oneof=totp"`
	Name string `json:"name" validate:"required"`
	// The secret in base32, to type into an app. Returned once.
	Secret httpapi.Secret `json:"secret" validate:"required"`
	// The otpauth URI of a QR code. Returned once.
	URI httpapi.Secret `json:"uri" validate:"required"`
	// When the factor becomes void unless it is confirmed.
	ExpiresTime time.Time `json:"expiresTime"`
}

// passkeySetupView is an unconfirmed passkey.
type passkeySetupView struct {
	ID      int64           `json:"id"`
	Kind    string          `json:"kind" validate:"oneof=passkey"`
	Name    string          `json:"name" validate:"required"`
	Options json.RawMessage `json:"options" schema:"PasskeyCreation"`
	// When the factor becomes void unless it is confirmed.
	ExpiresTime time.Time `json:"expiresTime"`
}

type factorSetupReply = httpapi.Either[httpapi.Created[appSetupView], httpapi.Created[passkeySetupView]]

func (h handler) beginFactor(ctx context.Context, u *uow.Unit, user *users.User, in beginFactorRequest) (factorSetupReply, error) {
	setup, err := h.service.Users.BeginFactor(ctx, u, user, users.FactorBeginning{
		Kind: in.Body.Kind, Name: in.Body.Name, Password: string(in.Body.Password), Session: in.token(), Address: string(in.Address), Origin: in.Origin,
	})
	if err != nil {
		return factorSetupReply{}, err
	}
	if setup.Kind == factors.MethodPasskey {
		return factorSetupReply{Second: &httpapi.Created[passkeySetupView]{Location: "/me/factors", Body: passkeySetupView{
			ID: setup.ID, Kind: setup.Kind, Name: setup.Name, Options: setup.Options, ExpiresTime: *setup.ExpiresTime,
		}}}, nil
	}
	return factorSetupReply{First: &httpapi.Created[appSetupView]{Location: "/me/factors", Body: appSetupView{
		ID: setup.ID, Kind: setup.Kind, Name: setup.Name, Secret: httpapi.Secret(setup.Secret), URI: httpapi.Secret(setup.URI), ExpiresTime: *setup.ExpiresTime,
	}}}, nil
}

type confirmFactorRequest struct {
	sessionCredential
	ID   int64 `path:"id" of:"factor that waits to be confirmed"`
	Body factorProofBody
}

type factorProofBody struct {
	// The code that the app shows. Exactly one of `code` and `credential` is present.
	Code string `json:"code" validate:"max=64"`
	// The browser's response for the new passkey.
	Credential json.RawMessage `json:"credential" validate:"max=65536" schema:"PasskeyAnswer"`
}

// Check requires exactly one of code and credential.
func (in confirmFactorRequest) Check() error {
	switch {
	case in.Body.Code == "" && len(in.Body.Credential) == 0:
		return input.Invalid("/code", "required", "is required for an app, and /credential for a passkey")
	case in.Body.Code != "" && len(in.Body.Credential) > 0:
		return input.Invalid("/credential", "excluded", "is for a passkey, and /code for an app: a factor is one of them")
	}
	return nil
}

// confirmedFactorView is a confirmed factor. If it is the user's first factor, it includes the
// recovery codes.
type confirmedFactorView struct {
	factorView
	RecoveryCodes []httpapi.Secret `json:"recoveryCodes,omitempty" schema:"RecoveryCodeList"`
}

func (h handler) confirmFactor(ctx context.Context, u *uow.Unit, user *users.User, in confirmFactorRequest) (confirmedFactorView, error) {
	factor, codes, err := h.service.Users.ConfirmFactor(ctx, u, user, factors.Confirmation{FactorID: in.ID, Code: in.Body.Code, Credential: in.Body.Credential, Session: in.token()})
	if err != nil {
		return confirmedFactorView{}, err
	}
	return confirmedFactorView{factorView: factorViewOf(factor), RecoveryCodes: secretsOf(codes)}, nil
}

type renameFactorRequest struct {
	ID   int64 `path:"id" of:"factor"`
	Body factorRenameBody
}

type factorRenameBody struct {
	// The current name.
	From string `json:"from" validate:"required,max=100"`
	Name string `json:"name" validate:"name=100"`
}

func (h handler) renameFactor(ctx context.Context, u *uow.Unit, user *users.User, in renameFactorRequest) (factorView, error) {
	factor, err := h.service.Factors.Rename(ctx, u, user.FactorOwner(), in.ID, in.Body.From, in.Body.Name)
	if err != nil {
		return factorView{}, err
	}
	return factorViewOf(factor), nil
}

type removeFactorRequest struct {
	sessionCredential
	ID int64 `path:"id" of:"factor"`
}

func (h handler) removeFactor(ctx context.Context, u *uow.Unit, user *users.User, in removeFactorRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.Users.RemoveFactor(ctx, u, user, in.ID, in.token())
}

type recoveryCodesView struct {
	RecoveryCodes []httpapi.Secret `json:"recoveryCodes" schema:"RecoveryCodeList"`
}

func (h handler) newRecoveryCodes(ctx context.Context, u *uow.Unit, user *users.User, in sessionRequest) (recoveryCodesView, error) {
	codes, err := h.service.Users.NewRecoveryCodes(ctx, u, user, in.token())
	return recoveryCodesView{RecoveryCodes: secretsOf(codes)}, err
}

func secretsOf(texts []string) []httpapi.Secret {
	secrets := make([]httpapi.Secret, len(texts))
	for i, text := range texts {
		secrets[i] = httpapi.Secret(text)
	}
	return secrets
}

// challengeView is the reply if a second factor is required.
type challengeView struct {
	// Valid for five minutes and one session.
	Challenge string `json:"challenge" validate:"required"`
	// The user's methods, the strongest one against theft first.
	Methods []string `json:"methods" validate:"min=1,dive,oneof=passkey totp recovery"`
	// Null for a user without a passkey that is valid for this host, regardless of `methods`.
	Passkey *json.RawMessage `json:"passkey" schema:"PasskeyRequest"`
}

func challengeViewOf(c Challenge) challengeView {
	view := challengeView{Challenge: c.Token, Methods: c.Methods}
	if c.Passkey != nil {
		view.Passkey = &c.Passkey
	}
	return view
}

// factorSignInBody is the second factor of a sign-in: the code of an app, a recovery code, or the
// browser's response for a passkey.
type factorSignInBody struct {
	Challenge string `json:"challenge" validate:"required,max=64"`
	Method    string `json:"method" validate:"required,oneof=totp recovery passkey" schema:"FactorMethod"`
	// For all methods except a passkey. Spaces are ignored; in a recovery code also case and hyphens.
	Code string `json:"code" validate:"max=64"`
	// For a passkey: the browser's response.
	Credential json.RawMessage `json:"credential" validate:"max=16384" schema:"PasskeyAnswer"`
}

// shownFactorBody is the second factor of a step-up.
type shownFactorBody struct {
	// For a passkey: the challenge of `POST /session/step-up/challenge`.
	Challenge string `json:"challenge" validate:"max=64"`
	Method    string `json:"method" validate:"required,oneof=totp recovery passkey" schema:"FactorMethod"`
	// For all methods except a passkey. Spaces are ignored; in a recovery code also case and hyphens.
	Code string `json:"code" validate:"max=64"`
	// For a passkey: the browser's response.
	Credential json.RawMessage `json:"credential" validate:"max=16384" schema:"PasskeyAnswer"`
}

func (s shownFactorBody) shown() factors.Shown {
	return factors.Shown{Method: s.Method, Code: s.Code, Credential: s.Credential, Challenge: s.Challenge}
}

// check requires the members of the method, and no others. Errors: ValidationFailed.
func (s shownFactorBody) check() error {
	isPasskey := s.Method == factors.MethodPasskey
	switch {
	case s.Challenge == "" && isPasskey:
		return input.Invalid("/challenge", "required", "is required")
	case isPasskey && len(s.Credential) == 0:
		return input.Invalid("/credential", "required", "is required: the browser's response for the passkey")
	case isPasskey && s.Code != "":
		return input.Invalid("/code", "excluded", "is for an app or a recovery code")
	case !isPasskey && s.Code == "":
		return input.Invalid("/code", "required", "is required")
	case !isPasskey && len(s.Credential) > 0:
		return input.Invalid("/credential", "excluded", "is for a passkey")
	}
	return nil
}

type factorSignInRequest struct {
	sessionCredential
	deviceCredential
	arrivingPage
	Agent   string `header:"User-Agent"`
	HTTP    *http.Request
	Address httpapi.Address
	Body    factorSignInBody
}

// Check validates the body; package httpapi calls it before the handler.
func (in factorSignInRequest) Check() error { return shownFactorBody(in.Body).check() }

func (h handler) finishSignIn(ctx context.Context, in factorSignInRequest) (signInReply, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return signInReply{}, err
	}
	signedIn, err := h.service.FinishSignIn(ctx, FactorSignIn{
		Shown:    shownFactorBody(in.Body).shown(),
		Replaces: in.token(), Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return signInReply{}, err
	}
	return h.sessionReply(in.sessionCredential, signedIn), nil
}

type stepUpRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    shownFactorBody
}

// Check validates the body; package httpapi calls it before the handler.
func (in stepUpRequest) Check() error { return in.Body.check() }

func (h handler) beginStepUp(ctx context.Context, in sessionRequest) (challengeView, error) {
	challenge, err := h.service.BeginStepUp(ctx, in.token())
	if err != nil {
		return challengeView{}, err
	}
	return challengeViewOf(*challenge), nil
}

type stepUpReply = httpapi.WithCookies[sessionView]

func (h handler) stepUp(ctx context.Context, in stepUpRequest) (stepUpReply, error) {
	token, session, err := h.service.StepUp(ctx, StepUp{Session: in.token(), Shown: in.Body.shown(), Address: string(in.Address)})
	if err != nil {
		return stepUpReply{}, err
	}
	return stepUpReply{Out: sessionViewOf(session), Cookies: []*http.Cookie{in.cookie(token, 0)}}, nil
}

// arrivingPage identifies the page that sends a sign-in. A page of another site must not sign its
// visitor in to another account.
type arrivingPage struct {
	Site        string `header:"Sec-Fetch-Site"`
	Origin      string `header:"Origin"`
	ContentType string `header:"Content-Type"`
}

// check rejects requests that a page of another site could send. Current browsers send
// Sec-Fetch-Site, older ones Origin, and all of them send a preflight request before JSON to
// another site. Errors: CSRFFailed, MalformedRequest.
func (p arrivingPage) check(request *http.Request) error {
	ours := p.Site == "same-origin" || p.Site == "none"
	if p.Site == "" {
		origin, err := url.Parse(p.Origin)
		ours = p.Origin == "" || err == nil && strings.EqualFold(origin.Host, request.Host)
	}
	if !ours {
		return apperr.New(apperr.CSRFFailed, "Signing in from a page of another site is not allowed.")
	}
	if media, _, err := mime.ParseMediaType(p.ContentType); err != nil || media != "application/json" {
		return apperr.Malformed("Content-Type", "must be application/json")
	}
	return nil
}
