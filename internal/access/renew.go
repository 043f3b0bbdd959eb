package access

import "interlock/internal/base/encryption"

// Encrypted are the tables with secrets of second factors.
var Encrypted = []encryption.Table{{
	// Other factors have no secret. One that was kept in clear is encrypted.
	Name: "user_factors", KeyColumn: "secret_key", Holds: "kind = '" + methodTOTP + "'", Reads: []string{"user_id", "secret"},
	Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
		secret, err := c.Renew(r.Bytes("secret"), r.KeyID, secretPlace(r.TenantID, r.Number("user_id")))
		return map[string]any{"secret": secret, "secret_key": c.Current()}, err
	},
}}
