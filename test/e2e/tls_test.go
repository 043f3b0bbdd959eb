package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/clock"
	"interlock/test/apptest"
	"interlock/test/certificates"
)

// certify writes a self-signed certificate for loopback and its key, and returns the
// certificate.
func certify(t *testing.T, certFile, keyFile string, serial int64) *x509.Certificate {
	t.Helper()
	made, err := certificates.Write(certFile, keyFile, serial)
	require.NoError(t, err)
	return made
}

func TestTLSCertificateIsReloadedWhenItsFilesChange(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	first := certify(t, certFile, keyFile, 1)
	s := apptest.Settings(t.TempDir())
	s.TLSCert, s.TLSKey = certFile, keyFile
	p := apptest.Start(t, s)
	trusted := x509.NewCertPool()
	trusted.AddCert(first)
	served := func() *x509.Certificate {
		link, err := tls.Dial("tcp", p.Addr(), &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12})
		require.NoError(t, err)
		defer link.Close()
		return link.ConnectionState().PeerCertificates[0]
	}
	require.True(t, served().Equal(first))

	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	reply, err := (&http.Client{Transport: transport}).Post("https://"+p.Addr()+"/api/v1/session", "application/json",
		strings.NewReader(`{"username":"admin","password":"`+s.AdminPassword+`"}`))
	require.NoError(t, err)
	defer reply.Body.Close()
	require.Equal(t, http.StatusCreated, reply.StatusCode)
	require.NotEmpty(t, reply.Header.Get("Strict-Transport-Security"))
	require.Len(t, reply.Cookies(), 2)
	for _, cookie := range reply.Cookies() {
		require.True(t, cookie.Secure, cookie.Name)
	}
	require.Equal(t, "__Host-interlock_device", reply.Cookies()[1].Name)
	_, err = tls.Dial("tcp", p.Addr(), &tls.Config{RootCAs: trusted, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10})
	require.Error(t, err, "versions before TLS 1.2 are rejected")

	require.NoError(t, os.WriteFile(keyFile, []byte("half of a key"), 0o600))
	for range 4 {
		require.True(t, clock.Sleep(t.Context(), 300*time.Millisecond))
		require.True(t, served().Equal(first), "an invalid certificate is not served")
	}
	second := certify(t, certFile, keyFile, 2)
	trusted.AddCert(second)
	require.Eventually(t, func() bool { return served().Equal(second) }, patience, 100*time.Millisecond)
}

func TestInvalidCertificatePreventsTheStart(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.TLSCert, s.TLSKey = filepath.Join(t.TempDir(), "none.pem"), filepath.Join(t.TempDir(), "none.key")
	require.ErrorContains(t, app.New(s, "test").Start(t.Context()), "none.pem")
}

func TestOperatorsHaveASeparateListener(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.OpsAddr = "127.0.0.1:0"
	p := apptest.Start(t, s)
	status := func(address, path string) (int, string) {
		reply, err := apptest.Client.Get("http://" + address + path)
		require.NoError(t, err)
		defer reply.Body.Close()
		body, err := io.ReadAll(reply.Body)
		require.NoError(t, err)
		return reply.StatusCode, string(body)
	}
	for _, path := range []string{"/metrics", "/docs", "/openapi.json"} {
		code, _ := status(p.OpsAddr(), path)
		require.Equal(t, http.StatusOK, code, path)
		code, body := status(p.Addr(), path)
		require.Equal(t, http.StatusNotFound, code, path)
		require.NotContains(t, body, "interlock_http_request_duration_seconds", path)
		require.NotContains(t, body, "swagger", path)
		require.NotContains(t, body, `"openapi"`, path)
	}
	_, body := status(p.Addr(), "/graphiql")
	require.NotContains(t, body, "graphiql.min.js")
	for _, address := range []string{p.Addr(), p.OpsAddr()} {
		for _, path := range []string{"/healthz", "/health", "/readyz"} {
			code, _ := status(address, path)
			require.Equal(t, http.StatusOK, code, address+path)
		}
	}
	code, _ := status(p.OpsAddr(), "/api/v1/configs")
	require.Equal(t, http.StatusNotFound, code, "the API is not there")
}

func TestSecureSettingForcesTLSBehindAnyProxy(t *testing.T) {
	s := apptest.Settings(t.TempDir())
	s.Secure = true
	p := apptest.Start(t, s)
	c := &apptest.Caller{Program: p, HTTP: apptest.Client}
	reply := c.Do(t, http.MethodPost, "/api/v1/session", object{"username": "admin", "password": s.AdminPassword})
	require.Equal(t, http.StatusCreated, reply.Status)
	require.NotEmpty(t, reply.Header.Get("Strict-Transport-Security"))
	for _, cookie := range reply.Header.Values("Set-Cookie") {
		require.Contains(t, cookie, "Secure")
	}
	session := (&http.Response{Header: reply.Header}).Cookies()[0]
	out := c.Do(t, http.MethodDelete, "/api/v1/session", nil, "Cookie", session.Name+"="+session.Value, "X-CSRF-Token", reply.JSON(t)["csrfToken"].(string))
	require.Equal(t, http.StatusNoContent, out.Status)
	require.Equal(t, `"cache"`, out.Header.Get("Clear-Site-Data"))
}
