package access

import (
	"context"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// factorRoutes registers the routes of one's own second factors. A reply with a secret is to
// be nowhere at rest: it comes from no unit of the router, and nothing is kept under a key.
func (h handler) factorRoutes(r *httpapi.Router) {
	fresh := r.SteppedUp()
	httpapi.Get(r, "/me/factors", "", h.factors)
	httpapi.ActOf(fresh, http.MethodPost, "/me/factors", "", h.findOwner, h.beginFactor)
	httpapi.ActOf(fresh, http.MethodPost, "/me/factors/:id/confirm", "", h.findOwner, h.confirmFactor)
	httpapi.MutationOf(fresh, http.MethodDelete, "/me/factors/:id", "", h.findOwner, h.removeFactor)
	httpapi.ActOf(fresh, http.MethodPost, "/me/factors/recovery-codes", "", h.findOwner, h.newRecoveryCodes)
}

// findOwner reads the user whose session it is. Errors: Forbidden without one.
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
}

func factorViewOf(f Factor) factorView {
	return factorView{ID: f.ID, Kind: f.Kind, Name: f.Name, LastUsedTime: f.LastUsedTime, CreatedTime: f.CreatedTime}
}

// factorsView is the list of one's factors, none of them with its secret.
type factorsView struct {
	httpapi.List[factorView]
	RecoveryCodesLeft int64 `json:"recoveryCodesLeft"`
}

func (h handler) factors(ctx context.Context, _ httpapi.None) (factorsView, error) {
	factors, left, err := h.service.Factors(ctx)
	if err != nil {
		return factorsView{}, err
	}
	view := factorsView{List: httpapi.List[factorView]{Items: make([]factorView, len(factors)), Total: int64(len(factors))}, RecoveryCodesLeft: left}
	for i, factor := range factors {
		view.Items[i] = factorViewOf(factor)
	}
	return view, nil
}

type beginFactorRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    struct {
		Kind string `json:"kind" validate:"required,oneof=totp"`
		Name string `json:"name" validate:"required"`
		// Password is asked of who has no factor yet.
		Password string `json:"password" validate:"max=1024"`
	}
}

// factorSetupView is a factor that waits to be confirmed, with its secret, which is shown
// this once.
type factorSetupView struct {
	ID     int64  `json:"id"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Secret string `json:"secret"`
	URI    string `json:"uri"`
	// ExpiresTime is when it ends unless it is confirmed.
	ExpiresTime *time.Time `json:"expiresTime"`
}

func (h handler) beginFactor(ctx context.Context, user *User, in beginFactorRequest) (httpapi.Made[factorSetupView], error) {
	setup, err := h.service.BeginFactor(ctx, user, FactorBeginning{Name: in.Body.Name, Password: in.Body.Password, Session: in.Token, Address: string(in.Address)})
	if err != nil {
		return httpapi.Made[factorSetupView]{}, err
	}
	return httpapi.Made[factorSetupView]{Location: "/me/factors", Body: factorSetupView{
		ID: setup.ID, Kind: setup.Kind, Name: setup.Name, Secret: setup.Secret, URI: setup.URI, ExpiresTime: setup.ExpiresTime,
	}}, nil
}

type confirmFactorRequest struct {
	sessionCredential
	ID   int64 `path:"id" of:"factor that waits to be confirmed"`
	Body struct {
		Code string `json:"code" validate:"required,max=64"`
	}
}

// confirmedFactorView is a factor, and the recovery codes that come with the first one.
type confirmedFactorView struct {
	factorView
	RecoveryCodes []string `json:"recoveryCodes,omitempty"`
}

func (h handler) confirmFactor(ctx context.Context, user *User, in confirmFactorRequest) (confirmedFactorView, error) {
	factor, codes, err := h.service.ConfirmFactor(ctx, user, FactorConfirmation{FactorID: in.ID, Code: in.Body.Code, Session: in.Token})
	if err != nil {
		return confirmedFactorView{}, err
	}
	return confirmedFactorView{factorView: factorViewOf(factor), RecoveryCodes: codes}, nil
}

type removeFactorRequest struct {
	sessionCredential
	ID int64 `path:"id" of:"factor"`
}

func (h handler) removeFactor(ctx context.Context, u *uow.Unit, user *User, in removeFactorRequest) (httpapi.None, error) {
	return httpapi.None{}, h.service.RemoveFactor(ctx, u, user, in.ID, in.Token)
}

type recoveryCodesView struct {
	RecoveryCodes []string `json:"recoveryCodes"`
}

func (h handler) newRecoveryCodes(ctx context.Context, user *User, in sessionRequest) (recoveryCodesView, error) {
	codes, err := h.service.NewRecoveryCodes(ctx, user, in.Token)
	return recoveryCodesView{RecoveryCodes: codes}, err
}

// challengeView is the reply to a password that was right where a second factor is asked for.
type challengeView struct {
	Challenge string   `json:"challenge"`
	Methods   []string `json:"methods"`
}

type factorSignInRequest struct {
	sessionCredential
	deviceCredential
	arrivingPage
	Agent   string `header:"User-Agent"`
	HTTP    *http.Request
	Address httpapi.Address
	Body    struct {
		Challenge string `json:"challenge" validate:"required,max=64"`
		Method    string `json:"method" validate:"required,oneof=totp recovery"`
		Code      string `json:"code" validate:"required,max=64"`
	}
}

func (h handler) finishSignIn(ctx context.Context, in factorSignInRequest) (signInReply, error) {
	if err := in.arrivingPage.check(in.HTTP); err != nil {
		return signInReply{}, err
	}
	signedIn, err := h.service.FinishSignIn(ctx, FactorSignIn{
		Challenge: in.Body.Challenge, ShownFactor: ShownFactor{in.Body.Method, in.Body.Code},
		Replaces: in.Token, Address: string(in.Address), UserAgent: in.Agent, Device: in.shown(in.Secure),
	})
	if err != nil {
		return signInReply{}, err
	}
	return h.begun(in.sessionCredential, signedIn), nil
}

type stepUpRequest struct {
	sessionCredential
	Address httpapi.Address
	Body    struct {
		Method string `json:"method" validate:"required,oneof=totp recovery"`
		Code   string `json:"code" validate:"required,max=64"`
	}
}

type stepUpReply = httpapi.WithCookies[sessionView]

func (h handler) stepUp(ctx context.Context, in stepUpRequest) (stepUpReply, error) {
	token, session, err := h.service.StepUp(ctx, StepUp{Session: in.Token, ShownFactor: ShownFactor(in.Body), Address: string(in.Address)})
	if err != nil {
		return stepUpReply{}, err
	}
	return stepUpReply{Out: sessionViewOf(session, h.currency), Cookies: []*http.Cookie{in.cookie(token, 0)}}, nil
}

// arrivingPage says which page a sign-in comes from. A page of another site must not sign its
// visitor in as somebody else.
type arrivingPage struct {
	Site        string `header:"Sec-Fetch-Site"`
	Origin      string `header:"Origin"`
	ContentType string `header:"Content-Type"`
}

// check refuses what a page of another site could have sent. Browsers of today say whether a
// page is ours (Sec-Fetch-Site), older ones where it is from (Origin), and all of them ask
// first before they send JSON elsewhere. Errors: CSRFFailed, MalformedRequest.
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
