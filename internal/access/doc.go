// Package access authenticates callers and decides their permissions and navigation: tenants,
// users, roles, sessions, API tokens and menus.
//
// Invariants:
//
//   - No secret is stored in a usable form. Passwords are argon2id hashes; session tokens, API
//     tokens, challenges and recovery codes are SHA-256 digests. The secrets of authenticator
//     apps are encrypted if the settings have a key, and in clear otherwise. No secret is in a
//     log or an audit row.
//   - Per account, existing or not, at most 5 guesses in 15 minutes from one network reach a
//     password hash, and about 50 from all networks, also if they are concurrent. A success
//     resets the count. These limits do not block a device that the account knows.
//   - A flood of guesses uses a bounded share of the processors. Excess guesses are rejected
//     before any read, hash or write.
//   - A user with a second factor gets no session without it. A code, a recovery code, a passkey
//     signature and a challenge each open one session, also if the attempts are concurrent.
//   - A single sign-on identity is found by issuer and subject only. The provider's response is
//     valid once, in the browser that requested it, and does not replace a second factor.
//   - A rejected sign-in has the same text and cost for every cause.
//   - A credential that is revoked, disabled, or older than a password change opens nothing:
//     immediately in this process, within one second in the others.
//   - No user grants a permission that the user lacks. At least one enabled user of each tenant
//     has access:*, unless a command removes it.
//   - Menus are a tree, also under concurrent moves: no menu is below itself or below a deleted
//     menu.
//   - Every version of a user (without the password), a role and a menu is stored.
//   - A session that started with an old password ends with the password change: both lock the
//     user's row.
//   - A customer is identified by a token that the shop's key signed. The token permits only
//     the customer permissions, in the one tenant that it names.
//
// Second factors: factor.go (set-up), factor_methods.go (accepting a code), passkey.go (accepting
// a passkey signature), challenge.go (sign-in) and step_up.go (again, in a session).
//
// Single sign-on: sso.go (requests and responses), sso_arrive.go (the effect of a response), link.go
// (linked identities) and group.go (roles of the provider's groups). Package oidc has the protocol.
//
// Tenants, users, roles, menus, sessions and tokens each have a file of use cases, such as
// user.go, and a file of rows and statements, such as user_store.go; menu_tree.go has the rules
// of a tree of menus. Every request passes authenticate.go (credentials), callers.go (the cache
// of callers), look_up.go and caller_store.go (batched lookups), refresh.go (reads ahead of
// expiry), use.go (the last use of a credential) and customer.go (the shop's customers). Guesses
// at passwords and codes are limited by arrival.go (rate), hash_queue.go (concurrency and order)
// and attempt.go (count); device.go exempts known devices. rules.go has the rules over several
// rows.
package access
