package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	discovery "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// maxSubjectBytes is the maximum length of a subject in bytes (OpenID Connect Core 1.0, 2).
const maxSubjectBytes = 255

// FlowSecrets is the state of an authorization request that the caller stores until the callback.
// Each value is random and valid once.
type FlowSecrets struct {
	// State identifies the request in the callback, and Nonce in the ID token. Verifier
	// redeems the code, so that an intercepted code is useless.
	State, Nonce, Verifier string
}

// AuthorizationURL returns the provider's authorization URL; the provider redirects the browser to
// redirect. Errors: ErrUnavailable.
func (p *Provider) AuthorizationURL(ctx context.Context, k FlowSecrets, redirect string) (address string, err error) {
	known, err := p.lookUp(ctx)
	if err != nil {
		return "", err
	}
	config := p.config(known, redirect)
	return config.AuthCodeURL(k.State, discovery.Nonce(k.Nonce), oauth2.S256ChallengeOption(k.Verifier)), nil
}

// Answer contains the parameters of the provider's callback.
type Answer struct {
	Code string
	// Issuer is the issuer in the callback; "" if absent.
	Issuer string
}

// Named is the user identified by the provider.
type Named struct {
	// Subject is the provider's identifier of the user: never reassigned, never changed.
	Subject string
	// Groups are the values of the groups claim, in order.
	Groups []string
}

// Redeem exchanges the callback for the user's identity. Errors: ErrUnavailable,
// ErrRefused, ErrClock.
func (p *Provider) Redeem(ctx context.Context, answer Answer, k FlowSecrets, redirect string) (Named, error) {
	known, err := p.lookUp(ctx)
	if err != nil {
		return Named{}, err
	}
	// A callback of one provider must not be accepted as a callback of another provider (RFC 9207).
	if answer.Issuer != p.client.Issuer && (answer.Issuer != "" || known.namesIssuer) {
		return Named{}, fmt.Errorf("%w: its issuer is %.200q", ErrRefused, answer.Issuer)
	}
	text, err := p.exchange(ctx, known, answer.Code, k.Verifier, redirect)
	if err != nil {
		return Named{}, err
	}
	token, err := p.verify(ctx, known, text)
	if err != nil {
		return Named{}, err
	}
	if subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(k.Nonce)) != 1 {
		return Named{}, fmt.Errorf("%w: its ID token is for another sign-in", ErrRefused)
	}
	return p.named(token)
}

// exchange redeems a code for an ID token.
func (p *Provider) exchange(ctx context.Context, known *metadata, code, verifier, redirect string) (idToken string, err error) {
	config := p.config(known, redirect)
	token, err := config.Exchange(p.with(ctx), code, oauth2.VerifierOption(verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response != nil && refused.Response.StatusCode < 500:
		// The error description may contain the code.
		return "", fmt.Errorf("%w: it rejects the code: %d %.100q", ErrRefused, refused.Response.StatusCode, refused.ErrorCode)
	case errors.As(err, &refused):
		// The response may quote the request.
		return "", fmt.Errorf("%w: redeem the code: internal error of the provider", ErrUnavailable)
	case isAway(err):
		return "", fmt.Errorf("%w: redeem the code: %w", ErrUnavailable, short(err))
	case err != nil:
		return "", fmt.Errorf("%w: redeem the code: %w", ErrRefused, short(err))
	}
	idToken, _ = token.Extra("id_token").(string)
	if idToken == "" {
		return "", fmt.Errorf("%w: it returned no ID token", ErrRefused)
	}
	return idToken, nil
}

// verify checks an ID token except for its nonce (OpenID Connect Core 1.0, 3.1.3.7).
func (p *Provider) verify(ctx context.Context, known *metadata, text string) (*discovery.IDToken, error) {
	var unread bool
	token, err := known.verifier.Verify(context.WithValue(ctx, unreadKey{}, &unread), text)
	var expired *discovery.TokenExpiredError
	switch {
	case errors.As(err, &expired):
		return nil, fmt.Errorf("%w: its ID token expired at %s", ErrClock, expired.Expiry.UTC().Format(time.RFC3339))
	case unread:
		return nil, fmt.Errorf("%w: read its keys: %w", ErrUnavailable, short(err))
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrRefused, short(err))
	}
	var also struct {
		Authorized string  `json:"azp"`
		NotBefore  float64 `json:"nbf"`
	}
	if err := token.Claims(&also); err != nil {
		return nil, fmt.Errorf("%w: read its ID token: %w", ErrRefused, err)
	}
	latest := p.clock.Now().Add(Skew)
	switch {
	case token.IssuedAt.After(latest):
		return nil, fmt.Errorf("%w: its ID token is of %s", ErrClock, token.IssuedAt.UTC().Format(time.RFC3339))
	case time.Unix(int64(also.NotBefore), 0).After(latest):
		return nil, fmt.Errorf("%w: its ID token is good from %s", ErrClock, time.Unix(int64(also.NotBefore), 0).UTC().Format(time.RFC3339))
	case len(token.Audience) > 1 && also.Authorized == "", also.Authorized != "" && also.Authorized != p.client.ID:
		return nil, fmt.Errorf("%w: its ID token is for the client %.100q", ErrRefused, also.Authorized)
	}
	return token, nil
}

// named returns the user of an ID token.
func (p *Provider) named(token *discovery.IDToken) (Named, error) {
	if token.Subject == "" || len(token.Subject) > maxSubjectBytes {
		return Named{}, fmt.Errorf("%w: its ID token has no valid subject", ErrRefused)
	}
	named := Named{Subject: token.Subject}
	if p.client.GroupsClaim == "" {
		return named, nil
	}
	var claims map[string]any
	if err := token.Claims(&claims); err != nil {
		return Named{}, fmt.Errorf("%w: read its ID token: %w", ErrRefused, err)
	}
	named.Groups = textsOf(claims[p.client.GroupsClaim])
	return named, nil
}

// textsOf returns the strings of a claim that is a string or a list of strings.
func textsOf(claim any) []string {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		texts := []string{}
		for _, item := range claim[:min(len(claim), maxGroups)] {
			if text, ok := item.(string); ok && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
		return texts
	}
	return nil
}
