package access

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

func (h handler) factorRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	httpapi.Get(r, "/me/factors", "", h.factors)
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors", "", h.findOwner, h.beginFactor)
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/:id/confirm", "", h.findOwner, h.confirmFactor)
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/:id/rename", "", h.findOwner, h.renameFactor)
	httpapi.MutationOf(fresh, http.MethodDelete, "/me/factors/:id", "", h.findOwner, h.removeFactor)
	httpapi.MutationOf(fresh, http.MethodPost, "/me/factors/recovery-codes", "", h.findOwner, h.newRecoveryCodes)
}

// findOwner returns the user of the caller's session. Errors: Forbidden without one.
func (h handler) findOwner(ctx context.Context, path httpapi.Path) (*User, error) {
	if err := requireSession(ctx); err != nil {
		return nil, err
	}
	return h.findMe(ctx, path)
}

type factorView struct {
	ID           int64      `json:"id"`
	Kind         string     `json:"kind"`
	Name         string     `json:"name"`
	LastUsedTime *time.Time `json:"lastUsedTime"`
	CreatedTime  time.Time  `json:"createdTime"`
	// Passkey is null for other kinds.
	Passkey *passkeyView `json:"passkey"`
}

// passkeyView is the part of a passkey that its user may read.
type passkeyView struct {
	Site             string     `json:"site"`
	Transports       []string   `json:"transports"`
	Model            string     `json:"model"`
	BackupEligible   bool       `json:"backupEligible"`
	BackedUp         bool       `json:"backedUp"`
	CloneWarningTime *time.Time `json:"cloneWarningTime"`
}

func factorViewOf(f Factor) factorView {
	view := factorView{ID: f.ID, Kind: f.Kind, Name: f.Name, LastUsedTime: f.LastUsedTime, CreatedTime: f.CreatedTime}
	if p := f.Passkey; p != nil {
		view.Passkey = &passkeyView{
			Site: p.Site, Transports: p.transports(), Model: p.Model,
			BackupEligible: p.Flags.BackupEligible(), BackedUp: p.Flags.BackedUp(), CloneWarningTime: p.CloneWarningTime,
		}
	}
	return view
}

// factorsView is the caller's factors, without their secrets.
type factorsView struct {
	httpapi.List[factorView]
	RecoveryCodesLeft int64 `json:"recoveryCodesLeft"`
	// PasskeySite is the host of the passkeys; null if passkeys are unavailable.
	PasskeySite *string `json:"passkeySite"`
}

func (h handler) factors(ctx context.Context, _ httpapi.None) (factorsView, error) {
	factors, left, err := h.service.Factors(ctx)
	if err != nil {
		return factorsView{}, err
	}
	view := factorsView{
		List:              httpapi.List[factorView]{Items: make([]factorView, len(factors)), Total: int64(len(factors))},
		RecoveryCodesLeft: left, PasskeySite: httpapi.OrNull(h.service.PasskeySite()),
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
	Body    struct {
		Kind string `json:"kind" validate:"required,oneof=totp passkey"`
		Name string `json:"name" validate:"required"`
		// Password is required of a user without a factor.
		Password httpapi.Proof `json:"password" validate:"max=1024"`
	}
}

// factorSetupView is an unconfirmed factor: an app with its secret, which is returned only once, or
// a passkey with the browser's creation options.
type factorSetupView struct {
	ID      int64           `json:"id"`
	Kind    string          `json:"kind"`
	Name    string          `json:"name"`
	Secret  httpapi.Secret  `json:"secret,omitempty"`
	URI     httpapi.Secret  `json:"uri,omitempty"`
	Options json.RawMessage `json:"options,omitempty"`
	// ExpiresTime is the end of the unconfirmed factor.
	ExpiresTime *time.Time `json:"expiresTime"`
}

func (h handler) beginFactor(ctx context.Context, u *uow.Unit, user *User, in beginFactorRequest) (httpapi.Created[factorSetupView], error) {
	setup, err := h.service.BeginFactor(ctx, u, user, FactorBeginning{
		Kind: in.Body.Kind, Name: in.Body.Name, Password: string(in.Body.Password), Session: in.token(), Address: string(in.Address), Origin: in.Origin,
	})
	if err != nil {
		return httpapi.Created[factorSetupView]{}, err
	}
	return httpapi.Created[factorSetupView]{Location: "/me/factors", Body: factorSetupView{
		ID: setup.ID, Kind: setup.Kind, Name: setup.Name, Secret: httpapi.Secret(setup.Secret), URI: httpapi.Secret(setup.URI), Options: setup.Options, ExpiresTime: setup.ExpiresTime,
	}}, nil
}

type confirmFactorRequest struct {
	sessionCredential
	ID   int64 `path:"id" of:"factor that waits to be confirmed"`
	Body struct {
		Code       string          `json:"code" validate:"max=64"`
		Credential json.RawMessage `json:"credential" validate:"max=65536"`
	}
}

// Check requires exactly one of code and credential.
func (in confirmFactorRequest) Check() error {
	switch {
	case in.Body.Code == "" && len(in.Body.Credential) == 0:
		return invalid("/code", "required", "is required for an app, and /credential for a passkey")
	case in.Body.Code != "" && len(in.Body.Credential) > 0:
		return invalid("/credential", "excluded", "is for a passkey, and /code for an app: a factor is one of them")
	}
	return nil
}

// confirmedFactorView is a confirmed factor, with the recovery codes if it is the first one.
type confirmedFactorView struct {
	factorView
	RecoveryCodes []httpapi.Secret `json:"recoveryCodes,omitempty"`
}

func (h handler) confirmFactor(ctx context.Context, u *uow.Unit, user *User, in confirmFactorRequest) (confirmedFactorView, error) {
	factor, codes, err := h.service.ConfirmFactor(ctx, u, user, FactorConfirmation{FactorID: in.ID, Code: in.Body.Code, Credential: in.Body.Credential, Session: in.token()})
	if err != nil {
		return confirmedFactorView{}, err
	}
	return confirmedFactorView{factorView: factorViewOf(factor), RecoveryCodes: secretsOf(codes)}, nil
}

type renameFactorRequest struct {
	ID   int64 `path:"id" of:"factor"`
	Body struct {
		// From is the expected current name.
		From string `json:"from" validate:"required,max=100"`
		Name string `json:"name" validate:"required"`
	}
}

func (h handler) renameFactor(ctx context.Context, u *uow.Unit, user *User, in renameFactorRequest) (factorView, error) {
	factor, err := h.service.RenameFactor(ctx, u, user, in.ID, in.Body.From, in.Body.Name)
	if err != nil {
		return factorView{}, err
	}
	return factorViewOf(factor), nil
}

type removeFactorRequest struct {
	sessionCredential
	ID int64 `path:"id" of:"factor"`
}

func (h handler) removeFactor(ctx context.Context, u *uow.Unit, user *User, in removeFactorRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.RemoveFactor(ctx, u, user, in.ID, in.token())
}

type recoveryCodesView struct {
	RecoveryCodes []httpapi.Secret `json:"recoveryCodes"`
}

func (h handler) newRecoveryCodes(ctx context.Context, u *uow.Unit, user *User, in sessionRequest) (recoveryCodesView, error) {
	codes, err := h.service.NewRecoveryCodes(ctx, u, user, in.token())
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
	Challenge string   `json:"challenge"`
	Methods   []string `json:"methods"`
	// Passkey is the request options for the browser; null if the user has no passkey for this
	// site.
	Passkey json.RawMessage `json:"passkey"`
}

func challengeViewOf(c Challenge) challengeView { return challengeView{c.Token, c.Methods, c.Passkey} }

// shownFactor is the second factor in a request: the code of an app, a recovery code, or the
// browser's response for a passkey.
type shownFactor struct {
	Challenge  string          `json:"challenge" validate:"max=64"`
	Method     string          `json:"method" validate:"required,oneof=totp recovery passkey"`
	Code       string          `json:"code" validate:"max=64"`
	Credential json.RawMessage `json:"credential" validate:"max=16384"`
}

func (s shownFactor) shown() ShownFactor {
	return ShownFactor{Method: s.Method, Code: s.Code, Credential: s.Credential, Challenge: s.Challenge}
}

// check requires the members of the method, and no others. needsChallenge is set if a code also
// needs a challenge. Errors: ValidationFailed.
func (s shownFactor) check(needsChallenge bool) error {
	isPasskey := s.Method == methodPasskey
	switch {
	case s.Challenge == "" && (isPasskey || needsChallenge):
		return invalid("/challenge", "required", "is required")
	case isPasskey && len(s.Credential) == 0:
		return invalid("/credential", "required", "is required: the browser's response for the passkey")
	case isPasskey && s.Code != "":
		return invalid("/code", "excluded", "is for an app or a recovery code")
	case !isPasskey && s.Code == "":
		return invalid("/code", "required", "is required")
	case !isPasskey && len(s.Credential) > 0:
		return invalid("/credential", "excluded", "is for a passkey")
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
	Body    shownFactor
}

// Check validates the body; package httpapi calls it before the handler.
func (in factorSignInRequest) Check() error { return in.Body.check(true) }

func (h handler) finishSignIn(ctx context.Context, in factorSignInRequest) (signInReply, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return signInReply{}, err
	}
	signedIn, err := h.service.FinishSignIn(ctx, FactorSignIn{
		ShownFactor: in.Body.shown(),
		Replaces:    in.token(), Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return signInReply{}, err
	}
	return h.begun(in.sessionCredential, signedIn), nil
}

type stepUpRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    shownFactor
}

// Check validates the body; package httpapi calls it before the handler.
func (in stepUpRequest) Check() error { return in.Body.check(false) }

func (h handler) beginStepUp(ctx context.Context, in sessionRequest) (challengeView, error) {
	challenge, err := h.service.BeginStepUp(ctx, in.token())
	if err != nil {
		return challengeView{}, err
	}
	return challengeViewOf(*challenge), nil
}

type stepUpReply = httpapi.WithCookies[sessionView]

func (h handler) stepUp(ctx context.Context, in stepUpRequest) (stepUpReply, error) {
	token, session, err := h.service.StepUp(ctx, StepUp{Session: in.token(), ShownFactor: in.Body.shown(), Address: string(in.Address)})
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
