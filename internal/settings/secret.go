package settings

import (
	"fmt"
	"os"

	"interlock/internal/base/secretfile"
)

// shortSecret is the length in bytes below which a secret of HS256 can be guessed
// faster than its signature (RFC 7518, 3.2).
const shortSecret = 32

// FirstAdminOfEnvironment is what the environment says of the first admin, for commands
// that have no flags for it.
func FirstAdminOfEnvironment() FirstAdmin {
	return FirstAdmin{AdminPassword: os.Getenv("INTERLOCK_ADMIN_PASSWORD"), AdminPasswordFile: os.Getenv("INTERLOCK_ADMIN_PASSWORD_FILE")}
}

// Password returns the first admin's password, or "" when none is set.
func (f FirstAdmin) Password() (string, error) {
	return secret("INTERLOCK_ADMIN_PASSWORD", f.AdminPassword, f.AdminPasswordFile)
}

// CustomerSecret returns the secret of customers' tokens, or "" when none is set. One that
// is short is refused, unless in insecure development.
func (s Serve) CustomerSecret() (text string, weak bool, err error) {
	text, err = secret("INTERLOCK_CUSTOMER_JWT_SECRET", s.CustomerJWTSecret, s.CustomerJWTSecretFile)
	weak = text != "" && len(text) < shortSecret
	if err == nil && weak && !s.InsecureDevelopment {
		err = fmt.Errorf("the secret of customers' tokens has %d bytes and could be guessed; it must have at least %d. Give the shop and INTERLOCK_CUSTOMER_JWT_SECRET (or the file that INTERLOCK_CUSTOMER_JWT_SECRET_FILE names) a longer one, such as from `openssl rand -base64 32`; "+lifted, len(text), shortSecret)
	}
	return text, weak, err
}

// lifted ends the sentence of what only development may do.
const lifted = "on a machine of your own INTERLOCK_INSECURE_DEVELOPMENT=true takes this one"

// WeakPassword is why a start is refused whose first admin's password breaks a rule, such
// as "must have at least 12 characters".
func WeakPassword(rule string) error {
	return fmt.Errorf("the first admin's password %s. Choose another in INTERLOCK_ADMIN_PASSWORD, or in the file that INTERLOCK_ADMIN_PASSWORD_FILE names, or set neither and have a random one printed; "+lifted, rule)
}

// secret returns a setting that is given as text or as a file that has it, without the end
// of the file's line.
func secret(variable, text, file string) (string, error) {
	return secretFrom(variable, variable+"_FILE", text, file)
}

// secretFrom is secret for a setting and its file by these names.
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
