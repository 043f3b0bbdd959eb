// Package guesses limits the guesses at passwords and codes: sign_in.go their rate, and attempt.go their
// number per account. device.go exempts the browsers that an account knows.
//
// Per account, existing or not, at most 5 guesses in 15 minutes from one network reach a password hash,
// and about 50 from all networks, also if they are concurrent. A success resets the count. These limits
// do not block a device that the account knows.
package guesses

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"interlock/internal/access/secrets"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// DeviceLifetime is the time for which a browser is known after its last sign-in.
	DeviceLifetime = 90 * 24 * time.Hour
	// DevicePrefix marks the keys under which a known device's guesses are counted. No network
	// has this prefix.
	DevicePrefix = "device:"
	// maxDeviceBytes bounds the cookie, in bytes.
	maxDeviceBytes = 256
)

// Devices recognises the browsers from which an account has signed in. It stores nothing per
// browser: the browser presents a cookie that only this installation can have made. The cookie
// contains the account, the device, the expiry, and a digest of the password hash, so that a new
// password invalidates the cookie.
//
// Guesses of strangers do not lock out a known device: its wrong passwords have their own count,
// and it has priority in the hash queue. The cookie grants no access: the password and the second
// factor are still required.
type Devices struct {
	db    *storage.DB
	clock clock.Clock

	mu  sync.Mutex
	key []byte // nil until it is read
}

// NewDevices returns the devices of an installation.
func NewDevices(db *storage.DB, now clock.Clock) *Devices { return &Devices{db: db, clock: now} }

// device is a browser from which an account has signed in.
type device struct {
	ID string
	// password is a digest of the password hash at the time of the cookie.
	password string
}

// installationKey returns the installation's key, and makes it on the first call. If several
// processes make one concurrently, this statement decides:
//
//	UPDATE installation SET device_key = ? WHERE id = 1 AND device_key IS NULL
//
// A process caches the key. If a backup with another key is restored, the process must be
// restarted; until then, other processes do not recognise its devices, with no other effect.
func (d *Devices) installationKey(ctx context.Context) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.key != nil {
		return d.key, nil
	}
	ctx = storage.AcrossTenants(ctx)
	var keys [][]byte
	const read = "SELECT device_key FROM installation WHERE id = 1 AND device_key IS NOT NULL"
	if err := d.db.Write(ctx).Raw(read).Scan(&keys).Error; err != nil {
		return nil, fmt.Errorf("read the key of devices: %w", err)
	}
	if len(keys) == 0 {
		made := make([]byte, sha256.Size)
		// crypto/rand crashes the program instead of returning an error.
		_, _ = rand.Read(made)
		if err := d.db.Write(ctx).Exec("UPDATE installation SET device_key = ? WHERE id = 1 AND device_key IS NULL", made).Error; err != nil {
			return nil, fmt.Errorf("make the key of devices: %w", err)
		}
		if err := d.db.Write(ctx).Raw(read).Scan(&keys).Error; err != nil {
			return nil, fmt.Errorf("read the key of devices: %w", err)
		}
	}
	if len(keys) != 1 || len(keys[0]) < sha256.Size {
		return nil, fmt.Errorf("the installation has no key of devices")
	}
	d.key = keys[0]
	return d.key, nil
}

// Cookie returns a new cookie for an account with this password hash. id is the id of a known
// device, or "" for a new one.
func (d *Devices) Cookie(ctx context.Context, account, passwordHash, id string) (string, error) {
	key, err := d.installationKey(ctx)
	if err != nil {
		return "", err
	}
	if id == "" {
		id = secrets.New()[:22]
	}
	ends := strconv.FormatInt(d.clock.Now().Add(DeviceLifetime).Unix(), 10)
	signed := strings.Join([]string{account, id, ends, deviceMAC(key, "password", passwordHash)}, ".")
	return signed + "." + deviceMAC(key, "device", signed), nil
}

// Read returns the device of a cookie; false if the cookie is not authentic, belongs to another
// account, or has expired. It reads nothing from the database except the installation's key. knows
// checks whether the password is unchanged.
func (d *Devices) Read(ctx context.Context, account, cookie string) (device, bool) {
	if cookie == "" || len(cookie) > maxDeviceBytes {
		return device{}, false
	}
	parts := strings.Split(cookie, ".")
	if len(parts) != 5 || parts[0] != account {
		return device{}, false
	}
	key, err := d.installationKey(ctx)
	if err != nil {
		return device{}, false
	}
	signed := cookie[:strings.LastIndexByte(cookie, '.')]
	if !hmac.Equal([]byte(parts[4]), []byte(deviceMAC(key, "device", signed))) {
		return device{}, false
	}
	ends, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || !d.clock.Now().Before(time.Unix(ends, 0)) {
		return device{}, false
	}
	return device{ID: parts[1], password: parts[3]}, true
}

// Knows reports whether the account still has the password for which the device was known.
func (d *Devices) Knows(ctx context.Context, shown device, passwordHash string) bool {
	key, err := d.installationKey(ctx)
	return err == nil && hmac.Equal([]byte(shown.password), []byte(deviceMAC(key, "password", passwordHash)))
}

// deviceMAC returns the MAC of a text, bound to a purpose.
func deviceMAC(key []byte, purpose, text string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
