package settings

import (
	"fmt"
	"os"

	"interlock/internal/base/currency"
	"interlock/internal/base/secretfile"
)

// shortSecret is the length in bytes below which a secret of HS256 is easier to guess than its
// signature (RFC 7518, 3.2).
const shortSecret = 32

// FirstAdminOfEnvironment returns the first admin's settings from the environment, for commands
// without flags for them.
func FirstAdminOfEnvironment() FirstAdmin {
	return FirstAdmin{
		AdminPassword: os.Getenv("INTERLOCK_ADMIN_PASSWORD"), AdminPasswordFile: os.Getenv("INTERLOCK_ADMIN_PASSWORD_FILE"),
		Currency: os.Getenv("INTERLOCK_CURRENCY"),
	}
}

// CheckCurrency returns an error for a currency that ISO 4217 does not have. An unset currency is
// valid.
func (f FirstAdmin) CheckCurrency() error {
	if _, ok := currency.MinorDigits(f.Currency); !ok && f.Currency != "" {
		return fmt.Errorf("--currency (INTERLOCK_CURRENCY) is %q; it must be a currency code of ISO 4217 in capital letters, such as CNY or EUR", f.Currency)
	}
	return nil
}

// Password returns the first admin's password, or "" for none.
func (f FirstAdmin) Password() (string, error) {
	return secret("INTERLOCK_ADMIN_PASSWORD", f.AdminPassword, f.AdminPasswordFile)
}

// CustomerSecret returns the secret of customers' tokens, or "" for none. It rejects a short one,
// except in insecure development.
func (s Serve) CustomerSecret() (text string, weak bool, err error) {
	text, err = secret("INTERLOCK_CUSTOMER_JWT_SECRET", s.CustomerJWTSecret, s.CustomerJWTSecretFile)
	weak = text != "" && len(text) < shortSecret
	if err == nil && weak && !s.InsecureDevelopment {
		err = fmt.Errorf("the secret of customers' tokens has %d bytes; it must have at least %d. Set a longer one, such as from `openssl rand -base64 32`, in the shop and in INTERLOCK_CUSTOMER_JWT_SECRET (or the file of INTERLOCK_CUSTOMER_JWT_SECRET_FILE); "+lifted, len(text), shortSecret)
	}
	return text, weak, err
}

// lifted is the last part of the text of each error that InsecureDevelopment suppresses.
const lifted = "on a development machine INTERLOCK_INSECURE_DEVELOPMENT=true accepts this one"

// WeakPassword returns the error of a start with a weak password of the first admin. rule is the
// violated rule, such as "must have at least 12 characters".
func WeakPassword(rule string) error {
	return fmt.Errorf("the first admin's password %s. Set another one in INTERLOCK_ADMIN_PASSWORD or in the file of INTERLOCK_ADMIN_PASSWORD_FILE, or set neither to get a random one printed; "+lifted, rule)
}

// secret returns a setting that is set directly or in a file, without the file's final line end.
func secret(variable, text, file string) (string, error) {
	return secretFrom(variable, variable+"_FILE", text, file)
}

// secretFrom is like secret, with separate names of the setting and of the setting for its file.
func secretFrom(variable, variableOfFile, text, file string) (string, error) {
	if file == "" {
		return text, nil
	}
	if text != "" {
		return "", fmt.Errorf("%s and %s are both set; choose one", variable, variableOfFile)
	}
	text, err := secretfile.Read(file)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", variableOfFile, err)
	}
	return text, nil
}
