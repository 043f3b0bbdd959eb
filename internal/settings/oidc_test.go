package settings_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
)

func TestProvidersAreReadWithTheirSecrets(t *testing.T) {
	dir := t.TempDir()
	secret, file := filepath.Join(dir, "secret"), filepath.Join(dir, "providers")
	require.NoError(t, os.WriteFile(secret, []byte("kept\n"), 0o600))
	text := `[
		{"name":"corp","issuer":"https://id.example","clientId":"interlock","clientSecretFile":"` + secret + `","scopes":["profile"]},
		{"name":"lab","displayName":"The lab","issuer":"http://127.0.0.1:9000","clientId":"interlock","tenant":"lab","groupsClaim":"groups","groupRoles":{"staff":"viewer"}}
	]`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	want := []settings.OIDCProvider{
		{Name: "corp", DisplayName: "corp", Issuer: "https://id.example", ClientID: "interlock", ClientSecret: "kept", ClientSecretFile: secret, Scopes: []string{"profile"}},
		{Name: "lab", DisplayName: "The lab", Issuer: "http://127.0.0.1:9000", ClientID: "interlock", Tenant: "lab", GroupsClaim: "groups", GroupRoles: map[string]string{"staff": "viewer"}},
	}
	for _, s := range []settings.Serve{{OIDCProviders: text}, {OIDCProvidersFile: file}} {
		s.Addr = "127.0.0.1:8080"
		providers, err := s.Providers()
		require.NoError(t, err)
		require.Equal(t, want, providers)
	}
	providers, err := settings.Serve{Addr: ":8080"}.Providers()
	require.NoError(t, err)
	require.Empty(t, providers)
}

func TestInvalidProvidersPreventTheStart(t *testing.T) {
	good := `{"name":"corp","issuer":"https://id.example","clientId":"interlock"}`
	for text, words := range map[string]string{
		`{"name":"corp"}`: "cannot be read",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","secret":"x"}]`:                                 "cannot be read",
		`[{"name":"Corp","issuer":"https://id.example","clientId":"interlock"}]`:                                              "name must have",
		`[{"name":"corp","issuer":"http://id.example","clientId":"interlock"}]`:                                               "issuer must be",
		`[{"name":"corp","issuer":"https://id.example?x","clientId":"interlock"}]`:                                            "issuer must be",
		`[{"name":"corp","issuer":"https://id.example"}]`:                                                                     "clientId is missing",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","scopes":["two words"]}]`:                       "is not a scope",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","clientSecret":"x","clientSecretFile":"y"}]`:    "choose one",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","clientSecretFile":"/nonesuch"}]`:               "clientSecretFile cannot be read",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","groupsClaim":"groups"}]`:                       "must both be set, or neither",
		`[{"name":"corp","issuer":"https://id.example","clientId":"interlock","groupsClaim":"g","groupRoles":{"a":"admin"}}]`: "groupRoles needs tenant",
		`[` + good + `,{"name":"corp","issuer":"https://other.example","clientId":"interlock"}]`:                              "another provider has the same name or issuer",
		`[` + good + `,{"name":"other","issuer":"https://id.example","clientId":"interlock"}]`:                                "another provider has the same name or issuer",
	} {
		_, err := settings.Serve{Addr: "127.0.0.1:8080", OIDCProviders: text}.Providers()
		require.ErrorContains(t, err, words, text)
		require.ErrorContains(t, err, "INTERLOCK_OIDC_PROVIDERS", text)
	}
	_, err := settings.Serve{Addr: "0.0.0.0:8080", OIDCProviders: "[" + good + "]"}.Providers()
	require.ErrorContains(t, err, "INTERLOCK_PUBLIC_URL")
	_, err = settings.Serve{Addr: "0.0.0.0:8080", PublicURL: "https://admin.example", OIDCProviders: "[" + good + "]"}.Providers()
	require.NoError(t, err)
}
