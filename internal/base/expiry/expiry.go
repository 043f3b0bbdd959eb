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

// Seen is the expiry of the certificates that a peer presented most recently. The zero value has no
// expiry yet.
type Seen struct{ end atomic.Pointer[time.Time] }

// Note stores the expiry of a connection's certificates. It is for the field VerifyConnection of a
// tls.Config and rejects no connection.
func (s *Seen) Note(state tls.ConnectionState) error {
	if end := Of(state.PeerCertificates); !end.IsZero() {
		s.end.Store(&end)
	}
	return nil
}

// End returns the earliest expiry of the certificates; the zero time if no peer has presented any.
func (s *Seen) End() time.Time {
	if end := s.end.Load(); end != nil {
		return *end
	}
	return time.Time{}
}

// OfFile returns the earliest expiry of the certificates in a PEM file. Errors: the file cannot be
// read, or contains no certificate.
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

// Of returns the earliest expiry of some certificates; the zero time if there are none.
func Of(certificates []*x509.Certificate) (end time.Time) {
	for _, certificate := range certificates {
		if end.IsZero() || certificate.NotAfter.Before(end) {
			end = certificate.NotAfter
		}
	}
	return end
}
