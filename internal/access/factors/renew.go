package factors

import "interlock/internal/base/encryption"

// Encrypted are the tables with encrypted secrets of second factors.
var Encrypted = []encryption.Table{{
	// Only authenticator apps have a secret. Secrets in clear are encrypted too.
	Name: "user_factors", KeyColumn: "secret_key", Condition: "kind = '" + MethodTOTP + "'", Reads: []string{"user_id", "secret"},
	Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
		secret, err := c.Renew(r.Bytes("secret"), r.KeyID, associatedData(r.TenantID, r.Number("user_id")))
		return map[string]any{"secret": secret, "secret_key": c.Current()}, err
	},
}}
