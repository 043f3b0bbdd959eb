// Package factors has the second factors of users: authenticator apps, passkeys and recovery codes.
//
// A code, a recovery code and a passkey signature are each accepted once, also if the attempts are
// concurrent: the row count of a guarded statement decides. The secrets of authenticator apps are
// encrypted if the settings have a key, and in clear otherwise; recovery codes are stored as digests.
//
// setup.go adds factors, methods.go accepts them, and passkey.go has the challenges and signatures of
// passkeys. The callers lock the user: a change of the confirmed factors changes the user's version.
package factors

import (
	"interlock/internal/base/encryption"
	"interlock/internal/base/passkey"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Service is the use cases of this package. It is safe for concurrent use.
type Service struct {
	db     *storage.DB
	runner *uow.Runner
	cipher encryption.Cipher
	// site is the passkey site; nil if passkeys are unavailable, for the reason in siteFault.
	site      *passkey.Site
	siteFault error
}

// New returns a Service. The cipher encrypts the stored secrets; the zero Cipher stores them in clear.
// Passkeys belong to the host of publicURL; "" means this machine.
func New(db *storage.DB, runner *uow.Runner, cipher encryption.Cipher, publicURL string) *Service {
	s := &Service{db: db, runner: runner, cipher: cipher}
	s.site, s.siteFault = passkey.NewSite(publicURL)
	return s
}
