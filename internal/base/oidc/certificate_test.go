package oidc

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
)

func TestExpiryOfProviderCertificateIsReported(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	provider := New(Client{Issuer: server.URL}, clock.System{})
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	provider.http.Transport.(bounded).RoundTripper.(*http.Transport).TLSClientConfig.RootCAs = roots
	require.Zero(t, provider.CertificateEnd())
	_, err := provider.lookUp(t.Context())
	require.ErrorIs(t, err, ErrUnavailable, "the server has no discovery document")
	require.True(t, server.Certificate().NotAfter.Equal(provider.CertificateEnd()))
}
