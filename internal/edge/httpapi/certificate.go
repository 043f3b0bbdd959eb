package httpapi

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"interlock/internal/base/clock"
)

// checkInterval is the minimum time between two checks of the files.
const checkInterval = time.Second

// Certificate is a certificate and its key in two files. It reloads them when either changes, so a
// renewal only writes the files. While the files are unusable, for example when the new key is
// missing, it serves the previous certificate.
type Certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	current *tls.Certificate
	// read are the stamps of the last loaded files; checked is the time of the last check.
	read    [2]stamp
	checked time.Time
}

// stamp detects a change of a file.
type stamp struct {
	modified time.Time
	size     int64
}

// LoadCertificate reads a certificate and its key in PEM. It fails if they are unreadable or do not
// match.
func LoadCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	stamps, err := c.stamps()
	if err != nil {
		return nil, err
	}
	return c, c.load(stamps)
}

// Config returns the TLS configuration of a listener: TLS 1.2 or newer with the current
// certificate.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil }}
}

// End returns when the certificate expires.
func (c *Certificate) End() time.Time { return c.get().Leaf.NotAfter }

func (c *Certificate) get() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.checked.IsZero() && clock.Since(c.checked) < checkInterval {
		return c.current
	}
	c.checked = clock.Mark()
	stamps, err := c.stamps()
	if err == nil && stamps != c.read {
		err = c.load(stamps)
	}
	if err != nil {
		slog.Warn("tls: certificate files unusable; serving the previous certificate", "error", err)
	}
	return c.current
}

func (c *Certificate) stamps() (stamps [2]stamp, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return stamps, fmt.Errorf("stat the certificate: %w", err)
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

// load reads the files. It stores the stamps first, so that the caller logs an error once per
// change.
func (c *Certificate) load(stamps [2]stamp) error {
	c.read = stamps
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current = &loaded
	return nil
}
