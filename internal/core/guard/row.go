package guard

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
)

// Row is the common part of every guarded table. Models embed it.
type Row struct {
	ID            int64 `gorm:"primaryKey"`
	TenantID      int64
	Version       int64
	CreatedTime   time.Time
	UpdatedTime   time.Time
	UpdatedBy     int64
	UpdatedByName string
}

// Ref identifies a row at the version that its reader read.
type Ref struct {
	ID      int64
	Version int64
}

// Ref returns the reference of the row at its current version.
func (r Row) Ref() Ref { return Ref{ID: r.ID, Version: r.Version} }

// Stamp is the representation of a row's version in replies. Representations embed it.
type Stamp struct {
	Version     int64            `json:"version"`
	ETag        string           `json:"etag"`
	CreatedTime time.Time        `json:"createdTime"`
	UpdatedTime time.Time        `json:"updatedTime"`
	UpdatedBy   principal.Person `json:"updatedBy"`
}

// Versioned is implemented by every model that embeds Row.
type Versioned interface {
	Ref() Ref
	Stamp() Stamp
	rowEmbedder
}

// Stamp returns the representation of the row's version.
func (r Row) Stamp() Stamp {
	return Stamp{
		Version: r.Version, ETag: r.Ref().ETag(),
		CreatedTime: r.CreatedTime, UpdatedTime: r.UpdatedTime,
		UpdatedBy: principal.Person{ID: r.UpdatedBy, Name: r.UpdatedByName},
	}
}

// OptionalStamp is the Stamp of a resource that can exist without a row, such as an empty
// wallet. Without a row it has version 0, no tag and no author.
type OptionalStamp struct {
	Version     int64             `json:"version"`
	ETag        *string           `json:"etag"`
	CreatedTime *time.Time        `json:"createdTime"`
	UpdatedTime *time.Time        `json:"updatedTime"`
	UpdatedBy   *principal.Person `json:"updatedBy"`
}

// OptionalStamp returns the representation of the version, with or without a row.
func (r Row) OptionalStamp() OptionalStamp {
	if r.Version == 0 {
		return OptionalStamp{}
	}
	s := r.Stamp()
	return OptionalStamp{Version: s.Version, ETag: &s.ETag, CreatedTime: &s.CreatedTime, UpdatedTime: &s.UpdatedTime, UpdatedBy: &s.UpdatedBy}
}

// EntityTag returns the entity tag of the version; "" for a resource without a row.
func (s OptionalStamp) EntityTag() string {
	if s.ETag == nil {
		return ""
	}
	return *s.ETag
}

// EntityTag returns the strong entity tag (RFC 9110, 8.8.3), quotes included.
func (s Stamp) EntityTag() string { return s.ETag }

// ETag returns the strong entity tag of the row at this version, including quotes. It
// contains the row's id, and ids are never reused, so the tag of a deleted row matches no
// later row under the same key.
func (r Ref) ETag() string {
	return `"` + strconv.FormatInt(r.ID, 36) + "-" + strconv.FormatInt(r.Version, 36) + `"`
}

// Precondition is a caller's If-Match: one entity tag.
type Precondition struct {
	// Ref is the zero Ref for a well-formed tag that this service never issued; it matches
	// no row.
	Ref Ref
}

// Matches reports whether the row still has the version that the caller read.
func (p Precondition) Matches(current Ref) bool { return p.Ref == current }

// ParsePrecondition reads the value of an If-Match header. An empty value is
// PreconditionRequired. "*", lists and anything that is not one quoted tag are
// PreconditionMalformed: they would guard nothing, or not this row. A tag that a proxy has
// changed is read as the tag that was sent: see OriginalTag.
func ParsePrecondition(value string) (Precondition, error) {
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return Precondition{}, apperr.New(apperr.PreconditionRequired,
			"This change needs If-Match with the etag that you read, so that it cannot overwrite the change of another user.")
	case value == "*":
		return Precondition{}, malformed("* matches every version and so guards nothing")
	}
	tag := OriginalTag(value)
	if len(tag) < 2 || tag[0] != '"' || tag[len(tag)-1] != '"' || !isTag(tag[1:len(tag)-1]) {
		return Precondition{}, malformed("want exactly one entity tag in double quotes")
	}
	return Precondition{Ref: parseTag(tag[1 : len(tag)-1])}, nil
}

// codingSuffix is the end of a tag that a proxy appends to name the coding of the body: -gzip
// (Apache, Caddy), --gzip (Jetty), ;gzip. A tag of ours has one hyphen, so its version is never
// confused with a suffix.
var codingSuffix = regexp.MustCompile(`^("[0-9a-z]+-[0-9a-z]+)(?:--?|;)[a-z]+"$`)

// OriginalTag returns an entity tag as this service sent it: without the W/ that proxies prepend
// when they change the body (HAProxy, nginx), and without the name of a coding behind it. A tag
// identifies a row and its version, not the bytes of the body, so a tag that a proxy changed is
// equally safe.
func OriginalTag(tag string) string {
	return codingSuffix.ReplaceAllString(strings.TrimPrefix(tag, "W/"), `$1"`)
}

func malformed(why string) error {
	return apperr.New(apperr.PreconditionMalformed, "If-Match cannot be used: %s. Send the etag as you read it.", why)
}

// isTag checks the characters of an opaque tag (RFC 9110: etagc).
func isTag(tag string) bool {
	for i := range len(tag) {
		if c := tag[i]; c < 0x21 || c == '"' || c == 0x7f {
			return false
		}
	}
	return true
}

func parseTag(tag string) Ref {
	id, version, ok := strings.Cut(tag, "-")
	if !ok {
		return Ref{}
	}
	r := Ref{}
	var err error
	if r.ID, err = strconv.ParseInt(id, 36, 64); err != nil {
		return Ref{}
	}
	if r.Version, err = strconv.ParseInt(version, 36, 64); err != nil {
		return Ref{}
	}
	if r.ID < 1 || r.Version < 1 || r.ETag() != `"`+tag+`"` {
		return Ref{}
	}
	return r
}

// actor returns the author, or an error: every guarded row names its author.
func actor(ctx context.Context) (principal.Principal, error) {
	p, ok := principal.From(ctx)
	if !ok {
		return p, fmt.Errorf("guard: the context has no principal")
	}
	return p, nil
}
