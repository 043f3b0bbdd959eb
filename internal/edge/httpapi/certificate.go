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

// lookEvery is how often the files of a certificate are looked at, at most.
const lookEvery = time.Second

// Certificate is a certificate with its key in two files, which is read again when either
// changes: whoever renews it writes the files and starts nothing again. While what is in them
// cannot be used, such as a certificate whose key is not there yet, the one before serves.
type Certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	current *tls.Certificate
	// read is what the files looked like when they were read last, and looked when that was
	// asked.
	read   [2]stamp
	looked time.Time
}

// stamp is by what a change of a file is noticed.
type stamp struct {
	modified time.Time
	size     int64
}

// LoadCertificate reads a certificate and its key, in PEM. Errors: they cannot be read or do
// not belong together.
func LoadCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	stamps, err := c.stamps()
	if err != nil {
		return nil, err
	}
	return c, c.load(stamps)
}

// Config is what a listener speaks TLS by: 1.2 or newer, with the certificate of now.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.get(), nil }}
}

// End returns when the certificate expires.
func (c *Certificate) End() time.Time { return c.get().Leaf.NotAfter }

func (c *Certificate) get() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.looked.IsZero() && clock.Since(c.looked) < lookEvery {
		return c.current
	}
	c.looked = clock.Mark()
	stamps, err := c.stamps()
	if err == nil && stamps != c.read {
		err = c.load(stamps)
	}
	if err != nil {
		slog.Warn("the certificate's files cannot be used; the one before still serves", "error", err)
	}
	return c.current
}

func (c *Certificate) stamps() (stamps [2]stamp, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return stamps, fmt.Errorf("look at the certificate: %w", err)
		}
		stamps[i] = stamp{info.ModTime(), info.Size()}
	}
	return stamps, nil
}

// load reads the files. What is wrong with them is said once for each change of theirs.
func (c *Certificate) load(stamps [2]stamp) error {
	c.read = stamps
	loaded, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("read the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current = &loaded
	return nil
}
