// Package access signs users in, and composes the packages below it: users, callers, factors, sessions,
// tenants, menus, tenantsettings, passwords and guesses.
//
// Invariants:
//
//   - No secret is stored in a usable form. Passwords are argon2id hashes; session tokens, API
//     tokens, challenges and recovery codes are SHA-256 digests. The secrets of authenticator
//     apps are encrypted if the settings have a key, and in clear otherwise. No secret is in a
//     log or an audit row.
//   - A user with a second factor gets no session without it. A code, a recovery code, a passkey
//     signature and a challenge each open one session, also if the attempts are concurrent.
//   - A single sign-on identity is found by issuer and subject only. The provider's response is
//     valid once, in the browser that requested it, and does not replace a second factor.
//   - A rejected sign-in has the same text and cost for every cause.
//   - A session that started with an old password ends with the password change: both lock the
//     user's row.
//
// session.go signs in by password, challenge.go and step_up.go by a second factor, invitation.go by an
// invitation, and sso.go by a provider: sso_arrive.go has the effect of its response, and group.go the
// roles of its groups. create_tenant.go creates a tenant with its first user, settings and menus.
package access
