// Package expiry notes when certificates end.
package expiry

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// Seen is the end of the certificates that a peer presented last. The zero value has seen none.
type Seen struct{ end atomic.Pointer[time.Time] }

// Note is a tls.Config's VerifyConnection: it accepts every connection with verified certificates.
func (s *Seen) Note(state tls.ConnectionState) error {
	if end := Of(state.PeerCertificates); !end.IsZero() {
		s.end.Store(&end)
	}
	return nil
}

// End returns when the first of the certificates ends; the zero time if none was seen.
func (s *Seen) End() time.Time {
	if end := s.end.Load(); end != nil {
		return *end
	}
	return time.Time{}
}

// OfFile returns when the first of the certificates in a PEM file ends. Errors: the file cannot be read, or
// has no certificate.
func OfFile(path string) (time.Time, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return time.Time{}, err
	}
	var found []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return time.Time{}, fmt.Errorf("%s: %w", path, err)
		}
		found = append(found, certificate)
	}
	if len(found) == 0 {
		return time.Time{}, fmt.Errorf("%s has no certificate in PEM", path)
	}
	return Of(found), nil
}

// Of returns when the first of some certificates ends; the zero time for none.
func Of(certificates []*x509.Certificate) (end time.Time) {
	for _, certificate := range certificates {
		if end.IsZero() || certificate.NotAfter.Before(end) {
			end = certificate.NotAfter
		}
	}
	return end
}
