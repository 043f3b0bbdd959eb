// Package config holds the shared settings of the business: keys with typed
// values that many admins edit.
//
// What always holds:
//
//   - A config changes only under the version that its author saw. Stale edits
//     are refused with what the other admin changed, or merged where they touch
//     different places and were asked to be.
//   - Each version has exactly one row in config_histories, with its full content,
//     written in the transaction that made the version. Versions of a row have no
//     gaps, and a deletion is the last one.
//   - A value fits its type and its JSON Schema. It is read back as the JSON that
//     was sent: values and schemas keep the order of their members and the spelling of
//     their numbers. A patch adds members after those that are there, in its own order.
//     Another order or spelling alone is no change of a patch, which has no way to say
//     one; an import and a rollback bring back exactly the text that they name.
//   - A batch or an import is applied whole or not at all.
//   - The value of a secret config is encrypted wherever it is at rest, and shown only to who may
//     read secrets (secret.go).
//   - The history's id is the revision of the change feed, which delivers every
//     committed change once, in the order of revisions (feed.go).
package config
