package client

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
)

// ErrSignature means that a signature does not match the signed content.
var ErrSignature = errors.New("client: the signature does not verify")

// Verify returns the signed promises and the key of the signature. The document contains its own
// key: compare it with a key that you know. Errors: ErrSignature.
func (s SignedPromises) Verify() (PromiseList, ed25519.PublicKey, error) {
	var header struct {
		Alg string `json:"alg"`
		JWK struct {
			X string `json:"x"`
		} `json:"jwk"`
	}
	protected, err := base64.RawURLEncoding.DecodeString(s.Protected)
	if err != nil || json.Unmarshal(protected, &header) != nil || header.Alg != "EdDSA" {
		return PromiseList{}, nil, ErrSignature
	}
	key, err := base64.RawURLEncoding.DecodeString(header.JWK.X)
	signature, badSignature := base64.RawURLEncoding.DecodeString(s.Signature)
	if err != nil || badSignature != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(s.Protected+"."+s.Payload), signature) {
		return PromiseList{}, nil, ErrSignature
	}
	payload, err := base64.RawURLEncoding.DecodeString(s.Payload)
	if err != nil {
		return PromiseList{}, nil, ErrSignature
	}
	var promises PromiseList
	if err := json.Unmarshal(payload, &promises); err != nil {
		return PromiseList{}, nil, err
	}
	return promises, key, nil
}
