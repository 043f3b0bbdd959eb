// Package principal identifies the caller to every layer below HTTP.
//
// A context has at most one principal, and with it the tenant: storage binds each statement
// to that tenant, guard and audit write its name. Code that runs without a caller
// (sweepers, commands) acts as System.
package principal

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is the way in which a principal was authenticated.
type Kind string

// The kinds of principal.
const (
	Admin    Kind = "admin"    // a session of the web admin
	Token    Kind = "token"    // an API token
	Customer Kind = "customer" // a customer's JWT
	Internal Kind = "system"   // the program itself
)

// Principal is an authenticated caller.
type Principal struct {
	Kind     Kind
	TenantID int64
	// Currency is the currency of the tenant's amounts (ISO 4217); "" for a job, which replies to
	// no caller.
	Currency string
	// UserID is the acting user of this service; 0 for a customer and for the program itself.
	UserID int64
	// UserVersion is the version of the user's row when the credential was authenticated; 0
	// without a user.
	UserVersion int64
	// CustomerID is the calling customer; "" for other principals.
	CustomerID CustomerID
	// Name is the display name in conflicts and histories.
	Name string
	// OperatingUser is the user of the operating system that runs a command, for the audit
	// log; "" for other principals.
	OperatingUser string
	// CredentialID is the id of the token or session, for the audit log.
	CredentialID string
	// Via is the API token that was shown; zero for every other credential.
	Via Via
	// EndsIn is the remaining lifetime of the credential; 0 if it is unlimited or unknown.
	EndsIn time.Duration
	// Permissions are the granted permissions, such as "configs:write", "configs:*", "*".
	Permissions []string
	// StepUpRequired is set for a session of a user with a second factor that was not verified
	// recently, which some actions require.
	StepUpRequired bool
	// OnBehalfOf is the customer that an API token acts for; "" if none.
	OnBehalfOf CustomerID
}

// Users returns the users behind the credential: the user of the principal and, for an API token,
// the user who created the token. The program and a customer have none.
func (p Principal) Users() []int64 {
	var users []int64
	for _, user := range []int64{p.UserID, p.Via.CreatorID} {
		if user != 0 && !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	return users
}

// ByTokenOfAnother reports whether the credential is an API token that another user created.
func (p Principal) ByTokenOfAnother() bool {
	return p.Via.CreatorID != 0 && p.Via.CreatorID != p.UserID
}

// Via is the API token with which an action was performed, as rows store it; zero for a session.
type Via struct {
	// TokenID is the token's id.
	TokenID int64
	// CreatorID and CreatorName identify the user who created the token; 0 for the command line.
	CreatorID   int64
	CreatorName string
}

// Reset is one event at which other users changed how a user signs in: they created the account,
// reset its password or its second factors, or invited the user.
type Reset struct {
	UserID int64
	// By are the users behind the credential of the change.
	By   []int64
	Time time.Time
}

// TokenRef names an API token and its creator in replies.
type TokenRef struct {
	ID        int64  `json:"id"`
	CreatedBy Person `json:"createdBy"`
}

// Ref returns the token as replies show it, nil for none.
func (v Via) Ref() *TokenRef {
	if v.TokenID == 0 {
		return nil
	}
	return &TokenRef{ID: v.TokenID, CreatedBy: Person{ID: v.CreatorID, Name: v.CreatorName}}
}

// Customer returns the id of the customer of a request: the calling customer, or the customer for
// which a token acts. It returns false if the request has no customer.
func (p Principal) Customer() (CustomerID, bool) {
	if p.Kind == Customer {
		return p.CustomerID, true
	}
	return p.OnBehalfOf, p.OnBehalfOf != ""
}

// ActorID returns the id under which the principal's actions are stored, together with its kind:
// the CustomerID of a customer, and the decimal user id of other principals. The kind is part of
// the key, because a customer may have the id 7.
func (p Principal) ActorID() string {
	if p.Kind == Customer {
		return string(p.CustomerID)
	}
	return strconv.FormatInt(p.UserID, 10)
}

// KeyScope names the owner of the idempotency keys that a principal uses: a user, over all sessions
// and tokens; a customer; or a user for one customer. The customer's id comes last, whatever
// characters it has, so that no two owners share a scope. See SplitKeyScope.
func (p Principal) KeyScope() string {
	if p.Kind == Customer {
		return ofCustomer + p.ActorID()
	}
	scope := ofUser + p.ActorID()
	if p.OnBehalfOf != "" {
		scope += "/" + ofCustomer + string(p.OnBehalfOf)
	}
	return scope
}

// The prefixes of key scopes.
const (
	ofUser     = "user:"
	ofCustomer = "customer:"
)

// SplitKeyScope splits a key scope into its customer and the part before the customer. The customer is
// "" for a scope without one. An id can contain the separators of a scope, but a user's number cannot.
func SplitKeyScope(scope string) (before string, customer CustomerID) {
	if id, ok := strings.CutPrefix(scope, ofCustomer); ok {
		return ofCustomer, CustomerID(id)
	}
	if user, id, ok := strings.Cut(scope, "/"+ofCustomer); ok {
		return user + "/" + ofCustomer, CustomerID(id)
	}
	return scope, ""
}

// System returns the principal of the program, which acts in a tenant under a job's name.
func System(tenantID int64, job string) Principal {
	return Principal{Kind: Internal, TenantID: tenantID, Name: job, Permissions: []string{"*"}}
}

// May reports whether the principal has the permission; see Covers.
func (p Principal) May(permission string) bool { return Covers(p.Permissions, permission) }

// Impersonate is the permission to act for a customer. It is the only permission that does not
// include the read permission of its resource: a shop that acts for a customer may not read all
// customers.
const Impersonate = "customers:impersonate"

// Covers reports whether a set of grants covers a permission. Every permission on a resource
// includes the permission to read it, so that no reply has to be reduced for its reader.
func Covers(grants []string, permission string) bool {
	resource, verb, _ := strings.Cut(permission, ":")
	for _, grant := range grants {
		switch {
		case grant == permission, grant == "*", grant == resource+":*":
			return true
		case verb == "read" && grant != Impersonate && strings.HasPrefix(grant, resource+":"):
			return true
		}
	}
	return false
}

type contextKey struct{}

// With returns a context with the principal p.
func With(ctx context.Context, p Principal) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

// From returns the principal of the context, and whether it has one.
func From(ctx context.Context) (Principal, bool) {
	p, ok := ctx.Value(contextKey{}).(Principal)
	return p, ok
}

// Person identifies a user in replies: the author of a change, the winner of a race.
type Person struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Person returns the principal's Person for replies.
func (p Principal) Person() Person { return Person{ID: p.UserID, Name: p.Name} }

// Actor identifies the author of an action in replies, including customers.
type Actor struct {
	// ID is a CustomerID for a customer, and an int64 for other actors; a string for an id
	// in an unknown format.
	ID   any    `json:"id"`
	Name string `json:"name"`
}

// ActorOf returns the actor with the stored kind, ActorID and name. An id in an unknown
// format, in a row written by hand, is returned unchanged.
func ActorOf(kind, id, name string) Actor {
	if kind == string(Customer) {
		return Actor{ID: CustomerID(id), Name: name}
	}
	user, err := strconv.ParseInt(id, 10, 64)
	if err != nil || strconv.FormatInt(user, 10) != id {
		return Actor{ID: id, Name: name}
	}
	return Actor{ID: user, Name: name}
}

// CurrencyOf returns the currency of the amounts of the context's tenant (ISO 4217).
func CurrencyOf(ctx context.Context) string {
	p, _ := From(ctx)
	return p.Currency
}

type requestKey struct{}

// WithRequest returns a context that belongs to the request with this id.
func WithRequest(ctx context.Context, requestID string) context.Context {
	return context.WithValue(ctx, requestKey{}, requestID)
}

// Request returns the id of the request that the context belongs to, or "".
func Request(ctx context.Context) string {
	id, _ := ctx.Value(requestKey{}).(string)
	return id
}

type idempotencyKey struct{}

// WithIdempotencyKey returns a context that belongs to a request with this key.
func WithIdempotencyKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, idempotencyKey{}, key)
}

// IdempotencyKey returns the key of the request that the context belongs to, or "".
func IdempotencyKey(ctx context.Context) string {
	key, _ := ctx.Value(idempotencyKey{}).(string)
	return key
}

// Grant is a permission that can be granted to a role or a token.
type Grant struct {
	// The resource and the verb.
	Name string `json:"name" pattern:"^[a-z-]+:[a-z-]+$"`
	// A sentence about the actions that it permits.
	Meaning string `json:"meaning" validate:"required"`
	// Set if the permission decides on requests of others; it cannot be a scope of another user's token.
	Decides bool `json:"decides,omitempty"`
}
