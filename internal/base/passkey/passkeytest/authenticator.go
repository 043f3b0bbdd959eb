// Package passkeytest provides an authenticator with a browser for tests: it creates and
// uses passkeys as WebAuthn specifies, and incorrectly if a test requests it.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"
)

// Flags of authenticator data (WebAuthn, section 6.1).
const (
	Present        byte = 1 << 0
	Verified       byte = 1 << 2
	BackupEligible byte = 1 << 3
	BackedUp       byte = 1 << 4
	attested       byte = 1 << 6
)

// Authenticator has at most one ES256 passkey and behaves as its fields specify.
type Authenticator struct {
	// Origin is the origin of the requesting page.
	Origin string
	// Site is the host to sign for; "" for the requested one.
	Site string
	// Flags are Present and Verified by default.
	Flags byte
	// Counter is reported at the next use and then increased by Step.
	Counter, Step uint32
	// CrossOrigin is set for a page embedded in a page of another origin.
	CrossOrigin bool
	// NoHandle omits the user handle, as old keys do.
	NoHandle bool

	// Claim is the id of the next passkey; nil for a random one, as it should be.
	Claim []byte

	// ID is the passkey's id, and Handle its user handle; nil before Create.
	ID, Handle []byte
	key        *ecdsa.PrivateKey
}

// New returns an authenticator with a counter, at a page of an origin.
func New(origin string) *Authenticator {
	return &Authenticator{Origin: origin, Flags: Present | Verified, Counter: 1, Step: 1}
}

// Options are the options for creating or using a passkey.
type Options struct {
	Challenge string `json:"challenge"`
	Site      string `json:"rpId"`
	Party     struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"user"`
	Exclude      []Named `json:"excludeCredentials"`
	Allow        []Named `json:"allowCredentials"`
	Verification string  `json:"userVerification"`
	Selection    struct {
		Verification string `json:"userVerification"`
	} `json:"authenticatorSelection"`
}

// Named is a passkey descriptor.
type Named struct {
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// Read parses options.
func Read(t testing.TB, options []byte) Options {
	t.Helper()
	var requested Options
	require.NoError(t, json.Unmarshal(options, &requested))
	return requested
}

// Create creates a passkey and returns the JSON of navigator.credentials.create().
func (a *Authenticator) Create(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	requested := Read(t, options)
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a.ID, a.Handle = make([]byte, 32), unpacked(t, requested.User.ID)
	_, _ = rand.Read(a.ID)
	if a.Claim != nil {
		a.ID = a.Claim
	}
	data := a.authData(requested.Party.ID, attested)
	data = append(data, make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID)))
	data = append(append(data, a.ID...), a.publicKey(t)...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	require.NoError(t, err)
	return a.answer(t, map[string]any{
		"clientDataJSON": packed(a.collected(t, "webauthn.create", requested.Challenge)), "attestationObject": packed(object),
		"transports": []string{"internal", "hybrid"},
	})
}

// Get uses the passkey and returns the JSON of navigator.credentials.get().
func (a *Authenticator) Get(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	requested := Read(t, options)
	collected := a.collected(t, "webauthn.get", requested.Challenge)
	data := a.authData(requested.Site, 0)
	hash := sha256.Sum256(collected)
	digest := sha256.Sum256(slices.Concat(data, hash[:]))
	signature, err := ecdsa.SignASN1(rand.Reader, a.key, digest[:])
	require.NoError(t, err)
	response := map[string]any{"clientDataJSON": packed(collected), "authenticatorData": packed(data), "signature": packed(signature)}
	if !a.NoHandle {
		response["userHandle"] = packed(a.Handle)
	}
	return a.answer(t, response)
}

// authData returns the authenticator data without attested credential data, and increases the
// counter.
func (a *Authenticator) authData(site string, also byte) []byte {
	if a.Site != "" {
		site = a.Site
	}
	hash := sha256.Sum256([]byte(site))
	data := binary.BigEndian.AppendUint32(append(hash[:], a.Flags|also), a.Counter)
	a.Counter += a.Step
	return data
}

// publicKey returns the key in COSE format: an EC2 key for ES256 on P-256 (RFC 9053,
// section 7.1.1).
func (a *Authenticator) publicKey(t testing.TB) []byte {
	t.Helper()
	point, err := a.key.PublicKey.Bytes()
	require.NoError(t, err)
	key, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	require.NoError(t, err)
	return key
}

// collected returns the client data of the browser, which is signed too.
func (a *Authenticator) collected(t testing.TB, kind, challenge string) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": a.CrossOrigin})
	require.NoError(t, err)
	return text
}

func (a *Authenticator) answer(t testing.TB, response map[string]any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"id": packed(a.ID), "rawId": packed(a.ID), "type": "public-key", "authenticatorAttachment": "platform",
		"clientExtensionResults": map[string]any{}, "response": response,
	})
	require.NoError(t, err)
	return text
}

func packed(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func unpacked(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(text)
	require.NoError(t, err)
	return raw
}
