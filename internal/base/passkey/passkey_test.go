package passkey

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/passkey/passkeytest"
)

const shop = "https://admin.shop.example"

var challenge = bytes.Repeat([]byte{7}, 32)

func owner() Owner {
	return Owner{Handle: bytes.Repeat([]byte{9}, HandleBytes), Name: "li", DisplayName: "Li"}
}

func siteAt(t testing.TB, address string) *Site {
	t.Helper()
	s, err := NewSite(address)
	require.NoError(t, err)
	return s
}

// made registers an authenticator's passkey.
func made(t testing.TB, s *Site, a *passkeytest.Authenticator) Passkey {
	t.Helper()
	options, err := s.CreationOptions(challenge, owner(), nil)
	require.NoError(t, err)
	p, err := s.Register(challenge, owner(), a.Create(t, options))
	require.NoError(t, err)
	return p
}

func request(t testing.TB, s *Site, has ...Passkey) json.RawMessage {
	t.Helper()
	options, err := s.RequestOptions(challenge, has)
	require.NoError(t, err)
	return options
}

func TestPasskeyIsRegisteredAndUsed(t *testing.T) {
	for _, at := range []struct{ address, id, origin string }{
		{shop, "admin.shop.example", shop},
		{shop + "/", "admin.shop.example", shop},
		{"https://Admin.Shop.example:443", "admin.shop.example", shop},
		{"https://admin.shop.example:8443", "admin.shop.example", "https://admin.shop.example:8443"},
		{"https://bücher.example", "xn--bcher-kva.example", "https://xn--bcher-kva.example"},
		{"http://localhost:8080", "localhost", "http://localhost:8080"},
		{"", "localhost", "http://localhost:5173"},
		{"", "localhost", "https://localhost"},
	} {
		t.Run(at.address+" "+at.origin, func(t *testing.T) {
			s := siteAt(t, at.address)
			require.Equal(t, at.id, s.ID())
			require.True(t, s.Accepts(at.origin))
			a := passkeytest.New(at.origin)
			p := made(t, s, a)
			require.Equal(t, a.ID, p.ID)
			require.Equal(t, owner().Handle, p.Handle)
			require.Equal(t, owner().Handle, a.Handle)
			require.Equal(t, uuid.Nil, p.Model)
			require.Equal(t, []string{"internal", "hybrid"}, p.Transports)
			require.EqualValues(t, 1, p.Counter)

			other := made(t, s, passkeytest.New(at.origin))
			used, now, err := s.Verify(challenge, []Passkey{other, p}, a.Get(t, request(t, s, other, p)))
			require.NoError(t, err)
			require.Equal(t, 1, used)
			require.EqualValues(t, 2, now.Counter)
		})
	}
}

func TestOptionsRequireVerificationWithoutAttestation(t *testing.T) {
	s := siteAt(t, shop)
	has := made(t, s, passkeytest.New(shop))
	options, err := s.CreationOptions(challenge, owner(), []Passkey{has})
	require.NoError(t, err)
	requested := passkeytest.Read(t, options)
	require.Equal(t, "required", requested.Selection.Verification)
	require.Equal(t, "admin.shop.example", requested.Party.ID)
	require.Equal(t, "li", requested.User.Name)
	require.Len(t, requested.Exclude, 1)
	require.NotContains(t, string(options), "direct")
	requested = passkeytest.Read(t, request(t, s, has))
	require.Equal(t, "required", requested.Verification)
	require.Equal(t, "admin.shop.example", requested.Site)
	require.Equal(t, []string{"internal", "hybrid"}, requested.Allow[0].Transports)
}

// wrong are the ways in which the response of an authenticator, a browser or a page can be
// invalid.
var wrong = []struct {
	name string
	make func(a *passkeytest.Authenticator)
}{
	{"another origin", func(a *passkeytest.Authenticator) { a.Origin = "https://shop.example" }},
	{"an origin below it", func(a *passkeytest.Authenticator) { a.Origin = "https://evil.admin.shop.example" }},
	{"plain HTTP", func(a *passkeytest.Authenticator) { a.Origin = "http://admin.shop.example" }},
	{"another port", func(a *passkeytest.Authenticator) { a.Origin = shop + ":8443" }},
	{"this machine", func(a *passkeytest.Authenticator) { a.Origin = "http://localhost:8080" }},
	{"no origin", func(a *passkeytest.Authenticator) { a.Origin = "null" }},
	{"another site", func(a *passkeytest.Authenticator) { a.Site = "shop.example" }},
	{"a page within another", func(a *passkeytest.Authenticator) { a.CrossOrigin = true }},
	{"without user presence", func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Verified }},
	{"without user verification", func(a *passkeytest.Authenticator) { a.Flags = passkeytest.Present }},
	{"backed up, and cannot be", func(a *passkeytest.Authenticator) {
		a.Flags = passkeytest.Present | passkeytest.Verified | passkeytest.BackedUp
	}},
}

func TestInvalidRegistrationIsRejected(t *testing.T) {
	s := siteAt(t, shop)
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			a := passkeytest.New(shop)
			c.make(a)
			options, err := s.CreationOptions(challenge, owner(), nil)
			require.NoError(t, err)
			_, err = s.Register(challenge, owner(), a.Create(t, options))
			require.ErrorIs(t, err, ErrRefused)
		})
	}
	a := passkeytest.New(shop)
	options, err := s.CreationOptions(challenge, owner(), nil)
	require.NoError(t, err)
	_, err = s.Register(bytes.Repeat([]byte{8}, 32), owner(), a.Create(t, options))
	require.ErrorIs(t, err, ErrRefused, "another challenge")
	_, err = s.Register(challenge, owner(), a.Get(t, options))
	require.ErrorIs(t, err, ErrRefused, "a use is not a registration")
}

func TestInvalidAssertionIsRejected(t *testing.T) {
	s := siteAt(t, shop)
	for _, c := range wrong {
		t.Run(c.name, func(t *testing.T) {
			a := passkeytest.New(shop)
			p := made(t, s, a)
			c.make(a)
			_, _, err := s.Verify(challenge, []Passkey{p}, a.Get(t, request(t, s, p)))
			require.ErrorIs(t, err, ErrRefused)
		})
	}
	a, other := passkeytest.New(shop), passkeytest.New(shop)
	p, notMine := made(t, s, a), made(t, s, other)
	answer := a.Get(t, request(t, s, p))
	check := func(name string, has []Passkey, challenge []byte, answer string) {
		_, _, err := s.Verify(challenge, has, []byte(answer))
		require.ErrorIs(t, err, ErrRefused, name)
	}
	check("another challenge", []Passkey{p}, bytes.Repeat([]byte{8}, 32), string(answer))
	check("of another user", []Passkey{notMine}, challenge, string(answer))
	forged := p
	forged.PublicKey = notMine.PublicKey
	check("another key", []Passkey{forged}, challenge, string(answer))
	moved := p
	moved.Handle = bytes.Repeat([]byte{1}, HandleBytes)
	check("another user's handle", []Passkey{moved}, challenge, string(answer))
	for _, text := range []string{"", "null", "{}", `{"id":""}`, string(answer) + "x", strings.Replace(string(answer), "public-key", "password", 1)} {
		check(text, []Passkey{p}, challenge, text)
	}
}

func TestPasskeyWithoutUserHandleIsAccepted(t *testing.T) {
	s := siteAt(t, shop)
	a := passkeytest.New(shop)
	p := made(t, s, a)
	a.NoHandle = true
	_, _, err := s.Verify(challenge, []Passkey{p}, a.Get(t, request(t, s, p)))
	require.NoError(t, err)
}

func TestBackupStateMayChange(t *testing.T) {
	s := siteAt(t, shop)
	a := passkeytest.New(shop)
	p := made(t, s, a)
	require.False(t, p.Flags.BackupEligible())
	a.Flags |= passkeytest.BackupEligible | passkeytest.BackedUp
	_, now, err := s.Verify(challenge, []Passkey{p}, a.Get(t, request(t, s, p)))
	require.NoError(t, err)
	require.True(t, now.Flags.BackupEligible())
	require.True(t, now.Flags.BackedUp())
	require.False(t, p.Flags.SameBackup(now.Flags))
	p.State = now
	a.Flags = passkeytest.Present | passkeytest.Verified
	_, now, err = s.Verify(challenge, []Passkey{p}, a.Get(t, request(t, s, p)))
	require.NoError(t, err)
	require.False(t, now.Flags.BackedUp())
}

func TestAddressWithoutAHostNameHasNoPasskeys(t *testing.T) {
	for _, address := range []string{"https://192.0.2.7", "https://[2001:db8::1]:8443", "http://127.0.0.1:8080", "https://", "https://a_b c"} {
		_, err := NewSite(address)
		require.Error(t, err, address)
	}
	s := siteAt(t, "")
	for _, origin := range []string{"http://127.0.0.1:8080", "http://localhost.evil.example", "ftp://localhost", "http://localhost:80", "http://user@localhost", "http://localhost/x", "null", ""} {
		require.False(t, s.Accepts(origin), origin)
	}
}

func FuzzAnswersOfBrowsers(f *testing.F) {
	s := siteAt(f, shop)
	a := passkeytest.New(shop)
	options, err := s.CreationOptions(challenge, owner(), nil)
	require.NoError(f, err)
	creation := a.Create(f, options)
	p, err := s.Register(challenge, owner(), creation)
	require.NoError(f, err)
	f.Add([]byte(creation))
	f.Add([]byte(a.Get(f, request(f, s, p))))
	f.Fuzz(func(t *testing.T, answer []byte) {
		// Any input is either accepted or rejected with ErrRefused.
		if _, err := s.Register(challenge, owner(), answer); err != nil {
			require.ErrorIs(t, err, ErrRefused)
		}
		if _, _, err := s.Verify(challenge, []Passkey{p}, answer); err != nil {
			require.ErrorIs(t, err, ErrRefused)
		}
	})
}
