// Package config implements shared business settings: keys with typed values that many admins edit.
//
// Invariants:
//
//   - A config changes only under the version that its author read. A stale edit is rejected
//     with the other admin's changes, or merged if the author requests it and the two edits
//     change different members.
//   - Each version has exactly one row in config_histories, with its full content, written in the
//     transaction of the version. Versions of a row have no gaps; a deletion is the last version.
//   - A value is valid for its type and its JSON Schema. It is returned as the JSON text that was
//     sent: members stay in order, and numbers retain their notation. A patch appends new members
//     in its order. A patch that differs from the value only in order or notation changes nothing;
//     an import and a rollback restore exactly the text that they name.
//   - A batch or an import is applied completely or not at all.
//   - The value of a secret config is encrypted at rest, and shown only to callers who may read
//     secrets (secret.go).
//   - The revision of the change feed is the version's position in the log of configs. The feed
//     delivers every committed change once, in the order of revisions (feed.go).
package config
