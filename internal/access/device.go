package access

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

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

const (
	// deviceLifetime is how long a browser counts as known after its last sign-in.
	deviceLifetime = 90 * 24 * time.Hour
	// devicePrefix begins the name that a known device's guesses are counted under. No
	// network is called so.
	devicePrefix = "device:"
	// longestDevice bounds what is looked at, in bytes.
	longestDevice = 256
)

// devices says which browsers an account was signed in from. Nothing is kept of them: each
// shows a cookie that only the installation can have made. It names the account, the device,
// when it ends and, by a digest, the password that it was made for, with which it ends too.
//
// A device that an account knows is not kept out by what strangers guess at the account: its
// wrong passwords are counted by themselves, and it goes before strangers where passwords
// are hashed. It opens nothing: the password and the second factor are asked for as ever.
type devices struct {
	db    *storage.DB
	clock clock.Clock

	mu  sync.Mutex
	key []byte // nil until it was read
}

// device is one that an account has signed in from.
type device struct {
	id string
	// password is a digest of the hash of the password of then.
	password string
}

// key returns the installation's key, which its first caller makes. Of several processes
// that do so at once one decides:
//
//	UPDATE installation SET device_key = ? WHERE id = 1 AND device_key IS NULL
//
// A process that has read it goes on with it also when a backup with another key is put
// back; until it is started again its devices are strangers elsewhere, and nothing else.
func (d *devices) installationKey(ctx context.Context) ([]byte, error) {
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
		// It ends the program rather than return an error (crypto/rand).
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

// cookie returns what a browser shows from now on to be known to an account with this hash
// of its password. The id is that of a device that is known already, or "".
func (d *devices) cookie(ctx context.Context, account, passwordHash, id string) (string, error) {
	key, err := d.installationKey(ctx)
	if err != nil {
		return "", err
	}
	if id == "" {
		id = newSecret()[:22]
	}
	ends := strconv.FormatInt(d.clock.Now().Add(deviceLifetime).Unix(), 10)
	signed := strings.Join([]string{account, id, ends, deviceMAC(key, "password", passwordHash)}, ".")
	return signed + "." + deviceMAC(key, "device", signed), nil
}

// read returns the device that a cookie makes known to an account; false for a cookie that
// is none of ours, is another account's, or is over. It asks the database for nothing but
// the key. Whether the password is still that of then is for knows to say.
func (d *devices) read(ctx context.Context, account, cookie string) (device, bool) {
	if cookie == "" || len(cookie) > longestDevice {
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
	return device{id: parts[1], password: parts[3]}, true
}

// knows reports whether a device was known when the account had the password that it has.
func (d *devices) knows(ctx context.Context, shown device, passwordHash string) bool {
	key, err := d.installationKey(ctx)
	return err == nil && hmac.Equal([]byte(shown.password), []byte(deviceMAC(key, "password", passwordHash)))
}

// deviceMAC is a MAC of a text for one purpose.
func deviceMAC(key []byte, purpose, text string) string {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(purpose + "\x00" + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
