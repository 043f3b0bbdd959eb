package webhooks

import "interlock/internal/base/encryption"

// Encrypted is the table with encrypted secrets.
var Encrypted = []encryption.Table{{
	Name: "webhooks", KeyColumn: "secret_key", Condition: "1 = 1", Reads: []string{"secret", "old_secret"},
	Renewed: func(c encryption.Cipher, r encryption.Row) (map[string]any, error) {
		secret, err := c.Renew(r.Bytes("secret"), r.KeyID, associatedData(r.TenantID))
		set := map[string]any{"secret": secret, "secret_key": c.Current()}
		if old := r.Bytes("old_secret"); err == nil && old != nil {
			set["old_secret"], err = c.Renew(old, r.KeyID, associatedData(r.TenantID))
		}
		return set, err
	},
}}
