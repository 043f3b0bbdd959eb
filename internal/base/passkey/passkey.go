// Package passkey registers passkeys and checks what they sign (WebAuthn Level 3,
// https://www.w3.org/TR/webauthn-3/). The rest of the program sees none of the library below it.
//
// What holds:
//
//   - A passkey proves that its user was there and was verified, by a PIN or a finger: without
//     that, whoever finds a key in a computer would touch it.
//   - What was signed elsewhere, for another site, or for another challenge proves nothing.
//   - Nothing is asked of the maker of a passkey: no attestation is asked for or looked at.
//
// It keeps nothing. That a challenge is answered once, and that a counter only goes forward, is
// for the caller and its database to see to.
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
	// Timeout is how long a browser asks its user for a passkey.
	Timeout = 5 * time.Minute
	// HandleBytes is the length of the random text by which an authenticator knows a user: the
	// longest that there may be, and nothing of the user is in it (section 14.6.1).
	HandleBytes = 64
	// mostID and mostKey bound what is kept, in bytes: no credential id may be longer (section
	// 4), and no key of the algorithms below is.
	mostID  = 1023
	mostKey = 2048
	// mostTransports is more than there are.
	mostTransports = 10
	// service is what browsers and authenticators call this program.
	service = "Interlock"
	// development is the site of who says nothing else: browsers hold it for as safe as https.
	development = "localhost"
)

// ErrRefused is for what proves nothing; the text says why.
var ErrRefused = errors.New("the passkey proves nothing")

// algorithms are those of the keys that are taken: ECDSA with P-256, Ed25519 and RSA, each with
// SHA-256 (or as its curve has it). Every authenticator has one of them.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

var transports = regexp.MustCompile(`^[a-z][a-z-]{0,15}$`)

// Site is where passkeys are used: the relying party, by the host that browsers show.
type Site struct {
	// id is that host; a passkey is good for it alone, and is lost with it.
	id string
	// origin is the only one that is believed; "" for any port of this machine.
	origin  string
	library *webauthn.WebAuthn
}

// NewSite returns the site at the address where browsers reach the service, such as
// https://admin.example.com; "" is this machine by the name localhost, at any port, as only a
// browser on it can mean. Errors: a sentence, for an address whose host is no name: browsers know
// passkeys of no other.
func NewSite(address string) (*Site, error) {
	s := &Site{id: development}
	origins := []string{"http://" + development}
	if address != "" {
		u, err := url.Parse(address)
		if err != nil || u.Hostname() == "" {
			return nil, fmt.Errorf("%q is no address", address)
		}
		if net.ParseIP(u.Hostname()) != nil {
			return nil, fmt.Errorf("%s has a number for a host, and passkeys are for a name", address)
		}
		if s.id, err = idna.Lookup.ToASCII(u.Hostname()); err != nil {
			return nil, fmt.Errorf("%s has a host that is no name: %w", address, err)
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
		// Extensions of browsers add what nobody asked for, and nothing here reads it.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys for %s: %w", s.id, err)
	}
	return s, nil
}

// originOf is an origin as browsers write it: without the port that its scheme has anyway.
func originOf(scheme, host, port string) string {
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// ID is the host that passkeys are registered for.
func (s *Site) ID() string { return s.id }

// Accepts reports whether a page of an origin, as browsers write it, may use the site's passkeys.
func (s *Site) Accepts(origin string) bool {
	if s.origin != "" {
		return origin == s.origin
	}
	u, err := url.Parse(origin)
	return err == nil && u.Hostname() == s.id && (u.Scheme == "http" || u.Scheme == "https") && origin == originOf(u.Scheme, s.id, u.Port())
}

// Owner is whose passkey it is.
type Owner struct {
	// Handle is by what an authenticator knows the user: HandleBytes random bytes.
	Handle []byte
	// Name and DisplayName are what an authenticator shows.
	Name, DisplayName string
}

// Passkey is what is known of one.
type Passkey struct {
	ID []byte
	// PublicKey is in COSE's form (RFC 9052).
	PublicKey []byte
	// Handle is that of its owner.
	Handle []byte
	// Transports are the ways by which browsers reach its authenticator, such as "usb", "internal"
	// or "hybrid"; a browser may have named none.
	Transports []string
	// Model is the authenticator's (AAGUID): all zeros where it does not say.
	Model uuid.UUID
	State
}

// State is what an authenticator says of a passkey at each use.
type State struct {
	// Counter goes up with each use at an authenticator that counts, and stays 0 at others:
	// passkeys that are synced between devices do not count.
	Counter uint32
	// Flags are the authenticator's, as one octet (section 6.1).
	Flags Flags
}

// Flags are what an authenticator says of itself, as one octet.
type Flags byte

// BackupEligible reports whether the passkey may be on several devices.
func (f Flags) BackupEligible() bool { return f&Flags(protocol.FlagBackupEligible) != 0 }

// BackedUp reports whether it is on several devices, or can come back when one is lost.
func (f Flags) BackedUp() bool { return f&Flags(protocol.FlagBackupState) != 0 }

// backup are the flags that say so.
const backup = Flags(protocol.FlagBackupEligible | protocol.FlagBackupState)

// SameBackup reports whether two say the same of where a passkey is kept.
func (f Flags) SameBackup(other Flags) bool { return f&backup == other&backup }

// CreationOptions is what a browser is told to make a passkey (PublicKeyCredentialCreationOptions
// as JSON). An authenticator that has one of those that the owner has makes no second one.
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

// Register checks the answer of a browser to CreationOptions. Errors: ErrRefused.
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
	case len(made.ID) > mostID || len(made.PublicKey) > mostKey:
		return Passkey{}, fmt.Errorf("%w: its id or key is longer than %d or %d bytes", ErrRefused, mostID, mostKey)
	}
	model, err := uuid.FromBytes(made.Authenticator.AAGUID)
	if err != nil {
		return Passkey{}, refused(err)
	}
	p := Passkey{
		ID: made.ID, PublicKey: made.PublicKey, Handle: owner.Handle, Model: model,
		State: State{Counter: made.Authenticator.SignCount, Flags: Flags(made.Flags.ProtocolValue())},
	}
	// They are the browser's word and signed by nobody, so that what cannot be one is left out.
	for _, transport := range made.Transport {
		if word := string(transport); transports.MatchString(word) && len(p.Transports) < mostTransports {
			p.Transports = append(p.Transports, word)
		}
	}
	return p, nil
}

// RequestOptions is what a browser is told to use one of the passkeys
// (PublicKeyCredentialRequestOptions as JSON).
func (s *Site) RequestOptions(challenge []byte, has []Passkey) (json.RawMessage, error) {
	return encode(protocol.PublicKeyCredentialRequestOptions{
		Challenge: challenge, Timeout: int(Timeout.Milliseconds()), RelyingPartyID: s.id,
		AllowedCredentials: descriptors(has), UserVerification: protocol.VerificationRequired,
	})
}

// Verify checks the answer of a browser to RequestOptions. It returns which of the passkeys was
// used, and what its authenticator says now; what it says of backup is taken as it is, whatever
// it said before: passkeys move, and some authenticators learned late to tell. The counter is
// for the caller to compare. Errors: ErrRefused.
func (s *Site) Verify(challenge []byte, has []Passkey, answer []byte) (used int, now State, err error) {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return 0, State{}, refused(err)
	}
	used = slices.IndexFunc(has, func(p Passkey) bool { return bytes.Equal(p.ID, parsed.RawID) })
	if used < 0 {
		return 0, State{}, fmt.Errorf("%w: it is none of the user's", ErrRefused)
	}
	known := has[used]
	ceremony, err := s.ceremony(challenge, known.Handle, parsed.Response.CollectedClientData)
	if err != nil {
		return 0, State{}, err
	}
	ceremony.AllowedCredentialIDs = [][]byte{known.ID}
	says := parsed.Response.AuthenticatorData
	// The library refuses what says another thing of its backup than it did at first. It is given
	// what is said now; that it is said by the passkey, the signature shows.
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

// ceremony is what an answer is compared with. The origin is compared here: the library has no
// rule for any port of this machine, and would take what it is given. Errors: ErrRefused.
func (s *Site) ceremony(challenge, handle []byte, said protocol.CollectedClientData) (webauthn.SessionData, error) {
	if !s.Accepts(said.Origin) {
		return webauthn.SessionData{}, fmt.Errorf("%w: it was used at %.200q, and not at %s", ErrRefused, said.Origin, s)
	}
	return webauthn.SessionData{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RelyingPartyID: s.id, Origin: said.Origin,
		UserID: handle, UserVerification: protocol.VerificationRequired,
	}, nil
}

// String is where browsers find the site.
func (s *Site) String() string {
	if s.origin == "" {
		return "http://" + s.id
	}
	return s.origin
}

// asUser is an owner as the library wants one.
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

// refused is ErrRefused with what the library says, also what it says to developers: it quotes
// nothing secret.
func refused(err error) error {
	reason := err.Error()
	var told *protocol.Error
	if errors.As(err, &told) && told.DevInfo != "" {
		reason += " (" + strings.Join(strings.Fields(told.DevInfo), " ") + ")"
	}
	return fmt.Errorf("%w: %.300s", ErrRefused, reason)
}
