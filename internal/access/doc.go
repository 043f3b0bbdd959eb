// Package access says who calls and what they may do: tenants, users, roles,
// sessions and API tokens.
//
// What holds:
//
//   - No secret is at rest in a form that can be used: passwords are kept as
//     argon2id hashes, session tokens, API tokens, challenges and recovery codes as SHA-256
//     digests. The secrets of authenticator apps are encrypted where the settings have a
//     key, and as they are otherwise. None is
//     in a log or an audit row.
//   - Of the guesses at one account, known or not, however parallel, at most five
//     in 15 minutes reach a password hash, unless a success clears the count.
//   - Where a user has a second factor, no session begins without it. A code, a recovery code
//     and a challenge each open one session, however many try at once.
//   - A refused sign-in reads and costs the same whatever was wrong.
//   - A credential that is revoked, disabled or whose password changed opens
//     nothing any more: at once in this process, within a second in others.
//   - Nobody gives what he does not have, and some enabled user of each tenant holds
//     access:*, unless the command line takes it.
//   - Every version of a user, without its password, and of a role is kept.
//   - A session that began with an old password does not outlive its change: both
//     lock the user's row.
//   - A customer is whoever the shop's key signed for. Its token opens only what
//     customers may do, in the one tenant that it names.
//
// What is shown beside a password is in factor.go (setting up), factor_methods.go (taking a
// code), challenge.go (signing in) and step_up.go (afresh, in a session).
//
// Tenants, users, roles, sessions and tokens each have a file of use cases, such as
// user.go, and one of rows and statements, such as user_store.go. What every request
// passes is in authenticate.go (credentials), callers.go (who was recognised in the last
// second) and customer.go (the shop's customers); guesses at passwords and codes are bounded by
// attempt.go (how many) and password.go (how many at a time). Rules that look at several
// rows are in rules.go.
package access
