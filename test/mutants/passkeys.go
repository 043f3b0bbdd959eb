package main

// passkeys are breaks of second factors that are proved by a signature.
var passkeys = []mutant{
	{
		name: "one assertion of a passkey opens many sessions",
		file: "internal/access/challenge.go", old: `	case result.RowsAffected != 1:
		return over`, new: `	case result.RowsAffected < 0:
		return over`,
		caught: tests{"internal/access": {"TestOnePasskeyResponseOpensOneSession"}},
	},
	{
		name: "the counter of a passkey may go back",
		file: "internal/access/factors/passkey.go", old: `said.Flags, user.TenantID, row.ID, said.Counter, said.Counter)`, new: `said.Flags, user.TenantID, row.ID, 1<<40, said.Counter)`,
		caught: tests{"internal/access": {"TestDecreasedPasskeyCounterIsRejectedAndRecorded"}},
	},
	{
		name: "an authenticator without a counter is rejected the second time",
		file: "internal/access/factors/passkey.go", old: `(counter < ? OR counter = 0 AND ? = 0)"
	result`, new: `(counter < ? OR counter > 0 AND ? < 0)"
	result`,
		caught: tests{"internal/access": {"TestAuthenticatorWithoutCounterIsAccepted"}},
	},
	{
		name: "a decreased counter is rejected without a log entry",
		file: "internal/access/factors/passkey.go", old: `if !errors.As(err, &warning) {`, new: `if !errors.As(err, &warning) || warning != nil {`,
		caught: tests{"internal/access": {"TestDecreasedPasskeyCounterIsRejectedAndRecorded"}},
	},
	{
		name: "a passkey is believed from any origin",
		file: "internal/base/passkey/passkey.go", old: `if !s.Accepts(said.Origin) {`, new: `if !s.Accepts(said.Origin) && said.Origin == "" {`,
		caught: tests{
			"internal/base/passkey": {"TestInvalidAssertionIsRejected", "TestInvalidRegistrationIsRejected"},
			"internal/access":       {"TestInvalidPasskeyResponseCountsLikeAWrongCode"},
		},
	},
	{
		name: "a passkey is accepted without user verification",
		file: "internal/base/passkey/passkey.go", old: `UserID: handle, UserVerification: protocol.VerificationRequired,`, new: `UserID: handle, UserVerification: protocol.VerificationPreferred,`,
		caught: tests{"internal/base/passkey": {"TestInvalidAssertionIsRejected"}},
	},
	{
		name: "a passkey that proves nothing counts for nothing",
		file: "internal/access/factors/passkey.go", old: `apperr.New(apperr.InvalidCredentials, "The passkey`, new: `apperr.New(apperr.Unauthenticated, "The passkey`,
		caught: tests{"internal/access": {"TestInvalidPasskeyResponseCountsLikeAWrongCode"}},
	},
	{
		name: "an assertion for one session opens another",
		file: "internal/access/step_up.go", old: `token_hash = ? AND session_hash = ? AND`, new: `token_hash = ? AND session_hash <> ? AND`,
		caught: tests{"internal/access": {"TestPasskeyStepUpIsValidOnceInItsSession"}},
	},
	{
		name: "an assertion of a step-up signs in",
		file: "internal/access/challenge.go", old: `token_hash = ? AND session_hash = '' AND`, new: `token_hash = ? AND session_hash <> '-' AND`,
		caught: tests{"internal/access": {"TestPasskeyStepUpIsValidOnceInItsSession"}},
	},
	{
		name: "a passkey of another site is accepted",
		file: "internal/access/factors/passkey_store.go", old: `user_id = ? AND site = ?`, new: `user_id = ? AND (site = ? OR user_id > 0)`,
		caught: tests{"internal/access": {"TestPasskeyIsValidOnlyForItsSite"}},
	},
	{
		name: "a passkey outlives the reset of its user's factors",
		file: "internal/access/factors/store.go", old: `[]string{"user_factors", "user_passkeys"}`, new: `[]string{"user_factors"}`,
		caught: tests{"internal/access": {"TestFactorResetDeletesPasskeys"}},
	},
	{
		name: "a changed backup flag is in no audit row",
		file: "internal/access/factors/passkey.go", old: `!row.Flags.SameBackup(said.Flags)`, new: `row.Flags.SameBackup(said.Flags) && said.Counter == 0`,
		caught: tests{"internal/access": {"TestChangedBackupStateIsAcceptedAndAudited"}},
	},
	{
		name: "a passkey with a changed backup flag is rejected",
		file: "internal/base/passkey/passkey.go", old: `known.Flags&^backup | Flags(says.Flags)&backup`, new: `known.Flags | Flags(says.Flags)&0`,
		caught: tests{"internal/base/passkey": {"TestBackupStateMayChange"}},
	},
	{
		name: "one page renames a factor over another",
		file: "internal/access/factors/setup.go", old: `WHERE tenant_id = ? AND id = ? AND name = ?", to`, new: `WHERE tenant_id = ? AND id = ? AND (name = ? OR id > 0)", to`,
		caught: tests{"internal/access": {"TestConcurrentFactorRenameIsRejected"}},
	},
}
