// Package crockford encodes bytes for people to read and type.
package crockford

import "encoding/base32"

// Encoding is Crockford's base 32 (https://www.crockford.com/base32.html), without padding.
// It lacks I, L, O and U, so that a code read aloud is written down correctly.
var Encoding = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)
