// Package passkey registers passkeys and verifies their signatures (WebAuthn Level 3,
// https://www.w3.org/TR/webauthn-3/). It hides the library from the rest of the program.
//
// Invariants:
//
//   - A passkey proves that its user was present and verified, by a PIN or a fingerprint:
//     otherwise anyone could use a key left in a computer.
//   - Signatures for another site or another challenge are rejected.
//   - Attestation is neither requested nor checked.
//
// The package stores nothing. The caller and its database must accept each challenge only
// once, and counters only if they increase.
package passkey

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"
	"golang.org/x/net/idna"
)

const (
	// Timeout is how long a browser prompts its user for a passkey.
	Timeout = 5 * time.Minute
	// HandleBytes is the length of the random user handle: the maximum, without any data of
	// the user (section 14.6.1).
	HandleBytes = 64
	// maxIDBytes and maxKeyBytes bound stored values in bytes: the maximum of credential ids
	// (section 4), and more than any key of the algorithms below needs.
	maxIDBytes  = 1023
	maxKeyBytes = 2048
	// maxTransports exceeds the number of defined transports.
	maxTransports = 10
	// service is the name of this program in browsers and authenticators.
	service = "Interlock"
	// development is the default site: browsers treat it as secure like https.
	development = "localhost"
)

// ErrRefused means that the passkey is not valid; the text contains the reason.
var ErrRefused = errors.New("passkey response rejected")

// algorithms are the accepted key algorithms: ECDSA with P-256, Ed25519 and RSA, each with
// SHA-256 (or the hash of the curve). Every authenticator supports one of them.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

var transports = regexp.MustCompile(`^[a-z][a-z-]{0,15}$`)

// Site is the relying party, identified by the host that browsers show.
type Site struct {
	// id is that host; a passkey is valid only for it.
	id string
	// origin is the only accepted origin; "" for any port of this machine.
	origin  string
	library *webauthn.WebAuthn
}

// NewSite returns the site at the public address of the service, such as https://admin.example.com;
// "" is localhost at any port, which only a browser on this machine can use. Errors: a sentence, for
// an address with a host that is not a name, because browsers support passkeys only for names.
func NewSite(address string) (*Site, error) {
	s := &Site{id: development}
	origins := []string{"http://" + development}
	if address != "" {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("%q is not an address", address)
		}
		if net.ParseIP(u.Hostname()) != nil {
			return nil, fmt.Errorf("%s has an IP address as its host, and passkeys need a host name", address)
		}
		if s.id, err = idna.Lookup.ToASCII(u.Hostname()); err != nil {
			return nil, fmt.Errorf("%s has an invalid host name: %w", address, err)
		}
		s.origin = originOf(u.Scheme, s.id, u.Port())
		origins = []string{s.origin}
	}
	var err error
	s.library, err = webauthn.New(&webauthn.Config{
		RPID: s.id, RPDisplayName: service, RPOrigins: origins,
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementPreferred, UserVerification: protocol.VerificationRequired,
		},
		// Browser extensions may add outputs that were not requested; this package ignores
		// them.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys for %s: %w", s.id, err)
	}
	return s, nil
}

// originOf returns an origin as browsers write it: without the default port of the scheme.
func originOf(scheme, host, port string) string {
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// ID returns the host for which passkeys are registered.
func (s *Site) ID() string { return s.id }

// Accepts reports whether a page of this origin, as browsers write it, may use the site's
// passkeys.
func (s *Site) Accepts(origin string) bool {
	if s.origin != "" {
		return origin == s.origin
	}
	u, err := url.Parse(origin)
	return err == nil && u.Hostname() == s.id && (u.Scheme == "http" || u.Scheme == "https") && origin == originOf(u.Scheme, s.id, u.Port())
}

// Owner is the owner of a passkey.
type Owner struct {
	// Handle identifies the user to an authenticator: HandleBytes random bytes.
	Handle []byte
	// Name and DisplayName are shown by an authenticator.
	Name, DisplayName string
}

// Passkey is a registered passkey.
type Passkey struct {
	ID []byte
	// PublicKey is in COSE format (RFC 9052).
	PublicKey []byte
	// Handle is the user handle of its owner.
	Handle []byte
	// Transports are the ways in which browsers reach the authenticator, such as "usb",
	// "internal" or "hybrid"; a browser may report none.
	Transports []string
	// Model is the authenticator's AAGUID; all zeros if the authenticator reports none.
	Model uuid.UUID
	State
}

// State is the state that an authenticator reports at each use of a passkey.
type State struct {
	// Counter increases with each use of an authenticator that counts, and stays 0 for
	// others: synced passkeys do not count.
	Counter uint32
	// Flags are the authenticator's flags, as one octet (section 6.1).
	Flags Flags
}

// Flags are authenticator flags, as one octet.
type Flags byte

// BackupEligible reports whether the passkey may exist on several devices.
func (f Flags) BackupEligible() bool { return f&Flags(protocol.FlagBackupEligible) != 0 }

// BackedUp reports whether the passkey exists on several devices, or can be recovered if one is
// lost.
func (f Flags) BackedUp() bool { return f&Flags(protocol.FlagBackupState) != 0 }

// backup is the mask of both flags.
const backup = Flags(protocol.FlagBackupEligible | protocol.FlagBackupState)

// SameBackup reports whether both have the same backup flags.
func (f Flags) SameBackup(other Flags) bool { return f&backup == other&backup }

// CreationOptions returns the PublicKeyCredentialCreationOptions for a browser, as JSON. An
// authenticator that contains one of the passkeys in has creates no further one.
func (s *Site) CreationOptions(challenge []byte, owner Owner, has []Passkey) (json.RawMessage, error) {
	creation, _, err := s.library.BeginRegistration(asUser{owner: owner},
		func(o *protocol.PublicKeyCredentialCreationOptions) error {
			o.Challenge, o.Timeout = challenge, int(Timeout.Milliseconds())
			return nil
		},
		webauthn.WithCredentialParameters(algorithms), webauthn.WithExclusions(descriptors(has)))
	if err != nil {
		return nil, fmt.Errorf("make the options of a passkey: %w", err)
	}
	return encode(creation.Response)
}

// Register verifies a browser's response to CreationOptions. Errors: ErrRefused.
func (s *Site) Register(challenge []byte, owner Owner, answer []byte) (Passkey, error) {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return Passkey{}, refused(err)
	}
	ceremony, err := s.ceremony(challenge, owner.Handle, parsed.Response.CollectedClientData)
	if err != nil {
		return Passkey{}, err
	}
	ceremony.CredParams = algorithms
	made, err := s.library.CreateCredential(asUser{owner: owner}, ceremony, parsed)
	switch {
	case err != nil:
		return Passkey{}, refused(err)
	case len(made.ID) > maxIDBytes || len(made.PublicKey) > maxKeyBytes:
		return Passkey{}, fmt.Errorf("%w: its id or key is longer than %d or %d bytes", ErrRefused, maxIDBytes, maxKeyBytes)
	}
	model, err := uuid.FromBytes(made.Authenticator.AAGUID)
	if err != nil {
		return Passkey{}, refused(err)
	}
	p := Passkey{
		ID: made.ID, PublicKey: made.PublicKey, Handle: owner.Handle, Model: model,
		State: State{Counter: made.Authenticator.SignCount, Flags: Flags(made.Flags.ProtocolValue())},
	}
	// Transports are reported by the browser and not signed, so invalid ones are dropped.
	for _, transport := range made.Transport {
		if word := string(transport); transports.MatchString(word) && len(p.Transports) < maxTransports {
			p.Transports = append(p.Transports, word)
		}
	}
	return p, nil
}

// RequestOptions returns the PublicKeyCredentialRequestOptions for a browser, as JSON.
func (s *Site) RequestOptions(challenge []byte, has []Passkey) (json.RawMessage, error) {
	return encode(protocol.PublicKeyCredentialRequestOptions{
		Challenge: challenge, Timeout: int(Timeout.Milliseconds()), RelyingPartyID: s.id,
		AllowedCredentials: descriptors(has), UserVerification: protocol.VerificationRequired,
	})
}

// Verify verifies a browser's response to RequestOptions. It returns the index of the used
// passkey and the state that its authenticator reports now. The backup flags may differ
// from the earlier ones: passkeys move, and some authenticators started to report backup
// late. The caller must compare the counter. Errors: ErrRefused.
func (s *Site) Verify(challenge []byte, has []Passkey, answer []byte) (used int, now State, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return 0, State{}, refused(err)
	}
	used = slices.IndexFunc(has, func(p Passkey) bool { return bytes.Equal(p.ID, parsed.RawID) })
	if used < 0 {
		return 0, State{}, fmt.Errorf("%w: it does not belong to the user", ErrRefused)
	}
	known := has[used]
	ceremony, err := s.ceremony(challenge, known.Handle, parsed.Response.CollectedClientData)
	if err != nil {
		return 0, State{}, err
	}
	ceremony.AllowedCredentialIDs = [][]byte{known.ID}
	says := parsed.Response.AuthenticatorData
	// The library rejects changed backup eligibility. It gets the current flags instead;
	// the signature proves that they come from the passkey.
	flags := known.Flags&^backup | Flags(says.Flags)&backup
	_, err = s.library.ValidateLogin(asUser{Owner{Handle: known.Handle}, []webauthn.Credential{{
		ID: known.ID, PublicKey: known.PublicKey, Flags: webauthn.NewCredentialFlags(protocol.AuthenticatorFlags(flags)),
		Authenticator: webauthn.Authenticator{SignCount: known.Counter},
	}}}, ceremony, parsed)
	if err != nil {
		return 0, State{}, refused(err)
	}
	return used, State{Counter: says.Counter, Flags: Flags(says.Flags)}, nil
}

// ceremony returns the expected values of a response. It checks the origin itself: the library
// cannot allow localhost at every port, so ceremony passes the received origin to it as the
// expected one. Errors: ErrRefused.
func (s *Site) ceremony(challenge, handle []byte, said protocol.CollectedClientData) (webauthn.SessionData, error) {
	if !s.Accepts(said.Origin) {
		return webauthn.SessionData{}, fmt.Errorf("%w: it was used at %.200q instead of %s", ErrRefused, said.Origin, s)
	}
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: s.id, Origin: said.Origin,
		UserID: handle, UserVerification: protocol.VerificationRequired,
	}, nil
}

// String returns the address of the site.
func (s *Site) String() string {
	if s.origin == "" {
		return "http://" + s.id
	}
	return s.origin
}

// asUser adapts an owner to the interface of the library.
type asUser struct {
	owner Owner
	has   []webauthn.Credential
}

// WebAuthnID implements webauthn.User.
func (u asUser) WebAuthnID() []byte { return u.owner.Handle }

// WebAuthnName implements webauthn.User.
func (u asUser) WebAuthnName() string { return u.owner.Name }

// WebAuthnDisplayName implements webauthn.User.
func (u asUser) WebAuthnDisplayName() string { return u.owner.DisplayName }

// WebAuthnCredentials implements webauthn.User.
func (u asUser) WebAuthnCredentials() []webauthn.Credential { return u.has }

func descriptors(has []Passkey) []protocol.CredentialDescriptor {
	all := make([]protocol.CredentialDescriptor, len(has))
	for i, p := range has {
		all[i] = protocol.CredentialDescriptor{Type: protocol.PublicKeyCredentialType, CredentialID: p.ID}
		for _, transport := range p.Transports {
			all[i].Transport = append(all[i].Transport, protocol.AuthenticatorTransport(transport))
		}
	}
	return all
}

func encode(options any) (json.RawMessage, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return nil, fmt.Errorf("encode the options of a passkey: %w", err)
	}
	return text, nil
}

// refused returns ErrRefused with the library's message and its developer information,
// which contain no secrets.
func refused(err error) error {
	reason := err.Error()
	var details *protocol.Error
	if errors.As(err, &details) && details.DevInfo != "" {
		reason += " (" + strings.Join(strings.Fields(details.DevInfo), " ") + ")"
	}
	return fmt.Errorf("%w: %.300s", ErrRefused, reason)
}
