package storage_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/expiry"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/certificates"
)

func TestMySQLTLSAcceptsOnlyTheServerTrustedByTheURL(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	variable := func(db *storage.DB, statement string) string {
		var found struct{ Value string }
		require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(statement).Scan(&found).Error)
		return found.Value
	}
	plain := storagetest.Open(t, address)
	require.Empty(t, variable(plain, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"))
	own := variable(plain, "SHOW GLOBAL VARIABLES LIKE 'ssl_cert'")
	require.NotEmpty(t, own)

	trusting := storagetest.Open(t, address+"?ca="+url.QueryEscape(own))
	require.NotEmpty(t, variable(trusting, "SHOW SESSION STATUS LIKE 'Ssl_cipher'"))
	end, err := expiry.OfFile(own)
	require.NoError(t, err)
	require.Equal(t, end.UTC(), trusting.CertificateEnd().UTC())
	require.Zero(t, plain.CertificateEnd())

	dir := t.TempDir()
	other := filepath.Join(dir, "other.pem")
	_, err = certificates.Write(other, filepath.Join(dir, "key.pem"), 2)
	require.NoError(t, err)
	for name, refused := range map[string]string{
		"another authority":                    address + "?ca=" + url.QueryEscape(other),
		"the machine's authorities":            address + "?tls=true",
		"a name that is not the certificate's": strings.Replace(address, "127.0.0.1", "localhost", 1) + "?ca=" + url.QueryEscape(own),
	} {
		_, err := storage.Open(t.Context(), storage.Options{URL: refused, MaxConnections: 4})
		require.ErrorContains(t, err, "x509", name)
	}
}

func TestInvalidMySQLURLOptionsAreRejected(t *testing.T) {
	dir := t.TempDir()
	for query, says := range map[string]string{
		"?ssl=true": "ssl", "?tls=maybe": "maybe", "?tls=true&tls=true": "each once", "?tls=false&ca=x": "without a ca", "?packets=no": "true or false",
		"?ca=" + filepath.Join(dir, "none.pem"): "none.pem",
	} {
		_, err := storage.Open(t.Context(), storage.Options{URL: "mysql://u:secret@127.0.0.1:1/d" + query})
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
	}
}
