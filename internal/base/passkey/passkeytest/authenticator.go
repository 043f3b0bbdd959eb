// Package passkeytest has an authenticator and a browser in front of it, for tests: it makes
// passkeys and uses them as WebAuthn says, and wrongly where a test wants it to.
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

// Authenticator has one passkey at most, of ES256, and does what its members say.
type Authenticator struct {
	// Origin is that of the page which asks.
	Origin string
	// Site is the host that is signed for; "" for the one that the page asks for.
	Site string
	// Flags are Present and Verified, unless a test says otherwise.
	Flags byte
	// Counter is said at the next use, after which it is Step higher.
	Counter, Step uint32
	// CrossOrigin is set for a page within a page of another origin.
	CrossOrigin bool
	// NoHandle leaves out whose passkey it is, as old keys do.
	NoHandle bool

	// Claim is the id of the next passkey; nil for a random one, as all should be.
	Claim []byte

	// ID is the passkey's, and Handle its owner's; nil before there is one.
	ID, Handle []byte
	key        *ecdsa.PrivateKey
}

// New returns an authenticator that counts, at a page of an origin.
func New(origin string) *Authenticator {
	return &Authenticator{Origin: origin, Flags: Present | Verified, Counter: 1, Step: 1}
}

// Asked is what a page is told of a passkey that it is to make or to use.
type Asked struct {
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

// Named is a passkey by its id.
type Named struct {
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// Read reads what a page is told.
func Read(t testing.TB, options []byte) Asked {
	t.Helper()
	var asked Asked
	require.NoError(t, json.Unmarshal(options, &asked))
	return asked
}

// Create makes a passkey, and returns what navigator.credentials.create() would as JSON.
func (a *Authenticator) Create(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	asked := Read(t, options)
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	a.ID, a.Handle = make([]byte, 32), unpacked(t, asked.User.ID)
	_, _ = rand.Read(a.ID)
	if a.Claim != nil {
		a.ID = a.Claim
	}
	data := a.said(asked.Party.ID, attested)
	data = append(data, make([]byte, 16)...)
	data = binary.BigEndian.AppendUint16(data, uint16(len(a.ID)))
	data = append(append(data, a.ID...), a.publicKey(t)...)
	object, err := cbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	require.NoError(t, err)
	return a.answer(t, map[string]any{
		"clientDataJSON": packed(a.collected(t, "webauthn.create", asked.Challenge)), "attestationObject": packed(object),
		"transports": []string{"internal", "hybrid"},
	})
}

// Get uses the passkey, and returns what navigator.credentials.get() would as JSON.
func (a *Authenticator) Get(t testing.TB, options []byte) json.RawMessage {
	t.Helper()
	asked := Read(t, options)
	collected := a.collected(t, "webauthn.get", asked.Challenge)
	data := a.said(asked.Site, 0)
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

// said is the authenticator's data without what is said of a new passkey; the counter goes on.
func (a *Authenticator) said(site string, also byte) []byte {
	if a.Site != "" {
		site = a.Site
	}
	hash := sha256.Sum256([]byte(site))
	data := binary.BigEndian.AppendUint32(append(hash[:], a.Flags|also), a.Counter)
	a.Counter += a.Step
	return data
}

// publicKey is the key in COSE's form: an EC2 key for ES256 on P-256 (RFC 9053, section 7.1.1).
func (a *Authenticator) publicKey(t testing.TB) []byte {
	t.Helper()
	point, err := a.key.PublicKey.Bytes()
	require.NoError(t, err)
	key, err := cbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]})
	require.NoError(t, err)
	return key
}

// collected is what the browser adds of its own, which is signed too.
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
