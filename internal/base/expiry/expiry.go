// Package expiry notes when certificates end.
package expiry

import (
	"crypto/tls"
	"crypto/x509"
	"sync/atomic"
	"time"
)

// Seen is the end of the certificates that a peer presented last. The zero value has seen none.
type Seen struct{ end atomic.Pointer[time.Time] }

// Note is a tls.Config's VerifyConnection: it accepts every connection whose certificates were verified.
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

// Of returns when the first of some certificates ends; the zero time for none.
func Of(certificates []*x509.Certificate) (end time.Time) {
	for _, certificate := range certificates {
		if end.IsZero() || certificate.NotAfter.Before(end) {
			end = certificate.NotAfter
		}
	}
	return end
}
