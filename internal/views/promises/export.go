package promises

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"sync"

	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
)

// signedPromisesView is a signed document: JWS in flattened JSON form (RFC 7515, 7.2.2), signed
// with Ed25519 (RFC 8037).
type signedPromisesView struct {
	// The document in base64url.
	Payload string `json:"payload" validate:"required"`
	// The signed header, in base64url.
	Protected string `json:"protected" validate:"required"`
	// Ed25519 over `protected.payload`, in base64url.
	Signature string `json:"signature" validate:"required"`
}

// header is the protected header. It contains the key, so that a reader who knows the key
// recognizes it, and any other reader can still detect modifications.
type header struct {
	Alg string `json:"alg"`
	Typ string `json:"typ"`
	JWK jwk    `json:"jwk"`
}

type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
}

// exportView is the signed document.
type exportView struct {
	// Tenant and Epoch identify the tenant and the history of the database.
	TenantID int64       `json:"tenantId"`
	Epoch    epoch.Epoch `json:"epoch"`
	listView
}

// export returns the result of list, signed.
func (s *Service) export(ctx context.Context) (signedPromisesView, error) {
	list, err := s.list(ctx)
	if err != nil {
		return signedPromisesView{}, err
	}
	now, err := epoch.Read(ctx, s.db)
	if err != nil {
		return signedPromisesView{}, err
	}
	caller, _ := principal.From(ctx)
	return s.key.sign(ctx, exportView{caller.TenantID, now, list})
}

// signer signs with the installation's key.
type signer struct {
	db *storage.DB

	mu  sync.Mutex
	key ed25519.PrivateKey // nil until it was read
}

const (
	readKey   = "SELECT seed FROM promise_keys WHERE id = 1"
	insertKey = "INSERT INTO promise_keys (id, seed) SELECT 1, ? FROM installation WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM promise_keys)"
)

// private returns the key, which the first caller creates. If several processes create it
// concurrently, the primary key decides.
func (s *signer) private(ctx context.Context) (ed25519.PrivateKey, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	ctx = storage.AcrossTenants(ctx)
	seed, err := s.seed(ctx)
	if err == nil && seed == nil {
		made := make([]byte, ed25519.SeedSize)
		// crypto/rand ends the program instead of returning an error.
		_, _ = rand.Read(made)
		if err = s.db.Write(ctx).Exec(insertKey, made).Error; err == nil || storage.Is(err, storage.DuplicateKey) {
			seed, err = s.seed(ctx)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the key of the promises: %w", err)
	case len(seed) != ed25519.SeedSize:
		return nil, fmt.Errorf("the installation has no key of the promises")
	}
	s.key = ed25519.NewKeyFromSeed(seed)
	return s.key, nil
}

func (s *signer) seed(ctx context.Context) ([]byte, error) {
	var seeds [][]byte
	if err := s.db.Write(ctx).Raw(readKey).Scan(&seeds).Error; err != nil || len(seeds) == 0 {
		return nil, err
	}
	return seeds[0], nil
}

func (s *signer) sign(ctx context.Context, document any) (signedPromisesView, error) {
	key, err := s.private(ctx)
	if err != nil {
		return signedPromisesView{}, err
	}
	public := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	head, err := strictjson.Encode(header{Alg: "EdDSA", Typ: "JSON", JWK: jwk{Kty: "OKP", Crv: "Ed25519", X: public}})
	if err != nil {
		return signedPromisesView{}, err
	}
	payload, err := strictjson.Encode(document)
	if err != nil {
		return signedPromisesView{}, err
	}
	v := signedPromisesView{Payload: base64.RawURLEncoding.EncodeToString(payload), Protected: base64.RawURLEncoding.EncodeToString(head)}
	v.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, []byte(v.Protected+"."+v.Payload)))
	return v, nil
}
