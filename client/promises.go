package client

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"
)

// Promises are what the service promises of all its rows, and whether it is so.
type Promises struct {
	Time     time.Time `json:"time"`
	Promises []Promise `json:"promises"`
	// Quotas are the idempotency keys of the caller's tenant; empty without a quota.
	Quotas []KeyQuota `json:"quotas"`
}

// KeyQuota is the number of idempotency keys that one kind of holder has.
type KeyQuota struct {
	// Holders is user or customer.
	Holders string `json:"holders"`
	Keys    int64  `json:"keys"`
	Quota   int64  `json:"quota"`
	// AlmostFull is true from 80 % of the quota on.
	AlmostFull bool `json:"almostFull"`
}

// Promise is one of them. State, LastTrueTime, Violated and Violations are about the caller's
// tenant, the other numbers about the whole service.
type Promise struct {
	Name string `json:"name"`
	// Guarantee is its heading in the guarantees, such as G4.
	Guarantee string `json:"guarantee"`
	Says      string `json:"says"`
	// Tests and Faults are the names of what proves it.
	Tests  []string `json:"tests"`
	Faults []string `json:"faults"`
	// State is kept, violated, or unknown before the first whole look has ended.
	State string `json:"state"`
	// LastTrueTime is when the last whole look ended in which nothing broke it, LookedTime when
	// the last one did; nil when there was none.
	LastTrueTime *time.Time `json:"lastTrueTime"`
	LookedTime   *time.Time `json:"lookedTime"`
	// Rows and BusySeconds are what that look took in, and how long it kept the database busy.
	Rows        int64   `json:"rows"`
	BusySeconds float64 `json:"busySeconds"`
	// Looking is the look under way, nil between two.
	Looking *PromiseLook `json:"looking"`
	// Violated counts what breaks it, as far as 100; Violations are the first 20.
	Violated   int                `json:"violated"`
	Violations []PromiseViolation `json:"violations"`
}

// PromiseLook is how far a look has come.
type PromiseLook struct {
	BegunTime time.Time `json:"begunTime"`
	Rows      int64     `json:"rows"`
}

// PromiseViolation is a thing that breaks a promise, by its path, such as orders/17.
type PromiseViolation struct {
	Subject   string    `json:"subject"`
	FoundTime time.Time `json:"foundTime"`
}

// Promises reads whether the promises hold.
func (c *Client) Promises(ctx context.Context, options ...CallOption) (Promises, error) {
	return get[Promises](ctx, c, "/promises", options)
}

// SignedPromises are Promises under the signature of the installation: a JWS in flattened JSON
// (RFC 7515, 7.2.2) with Ed25519.
type SignedPromises struct {
	Payload   string `json:"payload"`
	Protected string `json:"protected"`
	Signature string `json:"signature"`
}

// ErrSignature means that a signature is not of what it stands under.
var ErrSignature = errors.New("client: the signature does not verify")

// ExportPromises reads whether the promises hold, signed.
func (c *Client) ExportPromises(ctx context.Context, options ...CallOption) (SignedPromises, error) {
	return get[SignedPromises](ctx, c, "/promises/export", options)
}

// Verify returns what was signed and the key that signed it, which the document names itself:
// compare it with one that you were shown before. Errors: ErrSignature.
func (s SignedPromises) Verify() (Promises, ed25519.PublicKey, error) {
	var header struct {
		Alg string `json:"alg"`
		JWK struct {
			X string `json:"x"`
		} `json:"jwk"`
	}
	protected, err := base64.RawURLEncoding.DecodeString(s.Protected)
	if err != nil || json.Unmarshal(protected, &header) != nil || header.Alg != "EdDSA" {
		return Promises{}, nil, ErrSignature
	}
	key, err := base64.RawURLEncoding.DecodeString(header.JWK.X)
	signature, badSignature := base64.RawURLEncoding.DecodeString(s.Signature)
	if err != nil || badSignature != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(s.Protected+"."+s.Payload), signature) {
		return Promises{}, nil, ErrSignature
	}
	payload, err := base64.RawURLEncoding.DecodeString(s.Payload)
	if err != nil {
		return Promises{}, nil, ErrSignature
	}
	var promises Promises
	if err := json.Unmarshal(payload, &promises); err != nil {
		return Promises{}, nil, err
	}
	return promises, key, nil
}
