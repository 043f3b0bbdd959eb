package main

// secrets are breaks of what is encrypted at rest, and of who is told what.
var secrets = []mutant{
	{
		name: "an embedded database has no key by itself",
		file: "internal/app/encryption.go", old: `embedded && len(keys) == 0 && canMake {`, new: `embedded && len(keys) == 0 && canMake && path == "" {`,
		caught: tests{"test/e2e": {"TestRepliesAreEncryptedAtRest"}},
	},
	{
		name: "a server on a shared database starts without a key",
		file: "internal/app/program.go", old: `!embedded && len(keys) == 0 {`, new: `!embedded && len(keys) < 0 {`,
		caught: tests{"internal/app": {"TestADatabaseOnAServerIsNotServedWithoutAKeyUnlessThatIsSaid"}},
	},
	{
		name: "a key is made in the place of one that is lost",
		file: "internal/app/encryption.go", old: `if len(used.Lost) == 0 {`, new: `if len(used.Lost) >= 0 {`,
		caught: tests{"internal/app": {"TestAnEmbeddedDatabaseHasAKeyFromItsFirstStartAndNeverAnotherInItsPlace"}},
	},
	{
		name: "a file of keys is written over",
		file: "internal/base/encryption/file.go", old: `os.Link(part.Name(), path)`, new: `os.Rename(part.Name(), path)`,
		caught: tests{"internal/base/encryption": {"TestOfManyWhoMakeAKeyAtOnceAllHaveTheSameAndNothingElseIsLeft", "TestAFileOfKeysIsNeverOverwritten"}},
	},
	{
		name: "another key under a known id is taken",
		file: "internal/base/encryption/register.go", old: `err != nil || string(plain) != checkText {`, new: `err == nil && string(plain) != checkText {`,
		caught: tests{"internal/base/encryption": {"TestAnIDIsOfOneKeyForAsLongAsTheDatabaseLives"}},
	},
	{
		name: "a reply that cannot be read frees its key",
		file: "internal/edge/idempotency/attempt.go", old: `		return a.found(ctx, record)
	default:`, new: `		if err := a.found(ctx, record); !apperr.Has(err, apperr.Unavailable) {
			return err
		}
		a.expired = record.ID
	default:`,
		caught: tests{"test/e2e": {"TestARotationOfKeysRepeatsWhatWasKeptBeforeAndALostKeyDoesNothingTwice"}},
	},
}
