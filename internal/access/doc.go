// Package access says who calls, what they may do and what their navigation shows: tenants,
// users, roles, sessions, API tokens and menus.
//
// What holds:
//
//   - No secret is at rest in a form that can be used: passwords are kept as
//     argon2id hashes, session tokens, API tokens, challenges and recovery codes as SHA-256
//     digests. The secrets of authenticator apps are encrypted where the settings have a
//     key, and as they are otherwise. None is
//     in a log or an audit row.
//   - Of the guesses at one account, known or not, however parallel, at most five
//     in 15 minutes from one network reach a password hash, and some fifty from all networks,
//     unless a success clears the count. A device that the account knows is not kept out by them.
//   - A flood of guesses takes no more than its share of the processors, and is turned away
//     before anything is read, hashed or written for it.
//   - Where a user has a second factor, no session begins without it. A code, a recovery code,
//     what a passkey signed and a challenge each open one session, however many try at once.
//   - Whom a provider of single sign-on names is found by issuer and subject alone. Its answer
//     counts once, in the browser that asked for it, and begins no session that a second factor
//     is asked for.
//   - A refused sign-in reads and costs the same whatever was wrong.
//   - A credential that is revoked, disabled or whose password changed opens
//     nothing any more: at once in this process, within a second in others.
//   - Nobody gives what they do not have, and some enabled user of each tenant holds
//     access:*, unless the command line takes it.
//   - Menus are a tree, whoever moves them at once: no menu is below itself, and none is
//     below one that is gone.
//   - Every version of a user, without its password, of a role and of a menu is kept.
//   - A session that began with an old password does not outlive its change: both
//     lock the user's row.
//   - A customer is whoever the shop's key signed for. Its token opens only what
//     customers may do, in the one tenant that it names.
//
// What is shown beside a password is in factor.go (setting up), factor_methods.go (taking a
// code), passkey.go (and what a passkey signed), challenge.go (signing in) and step_up.go (afresh, in a session).
//
// Single sign-on is in sso.go (there and back), sso_arrive.go (what an answer begins) and link.go
// (whom a provider's name is linked to), the roles of its groups in group.go; the protocol is package oidc's.
//
// Tenants, users, roles, menus, sessions and tokens each have a file of use cases, such as
// user.go, and one of rows and statements, such as user_store.go; the rules of a tree of
// menus are in menu_tree.go. What every request
// passes is in authenticate.go (credentials), callers.go (who was recognised lately), look_up.go and
// caller_store.go (many looked up together), refresh.go (ahead of time), use.go (when a credential
// was last used) and customer.go (the shop's customers); guesses at passwords and codes are bounded by
// arrival.go (how often), hash_queue.go (how many at a time, and who is next) and attempt.go (how
// many), which device.go lets the owner of an account pass. Rules that look at several
// rows are in rules.go.
package access
