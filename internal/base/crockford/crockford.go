// Package crockford spells bytes for people to read and to type.
package crockford

import "encoding/base32"

// Encoding is Crockford's base 32 (https://www.crockford.com/base32.html), without padding. It
// lacks I, L, O and U, so that what is read aloud is written down as it was meant.
var Encoding = base32.NewEncoding("0123456789ABCDEFGHJKMNPQRSTVWXYZ").WithPadding(base32.NoPadding)
