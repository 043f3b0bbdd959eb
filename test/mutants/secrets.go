package main

// secrets are breaks of encryption at rest, and of redaction.
var secrets = []mutant{
	{
		name: "an embedded database has no generated key",
		file: "internal/app/encryption.go", old: `embedded && len(keys) == 0 && canMake {`, new: `embedded && len(keys) == 0 && canMake && path == "" {`,
		caught: tests{"test/e2e": {"TestRepliesAreEncryptedAtRest"}},
	},
	{
		name: "a server without keys starts on encrypted values",
		file: "internal/app/encryption.go", old: `err != nil || embedded || len(set) > 0 {`, new: `err != nil || embedded || len(set) >= 0 {`,
		caught: tests{"internal/app": {"TestServerDatabaseRequiresKeysAfterFirstEncryption"}},
	},
	{
		name: "a new key replaces a lost one",
		file: "internal/app/encryption.go", old: `if len(used.Lost) == 0 {`, new: `if len(used.Lost) >= 0 {`,
		caught: tests{"internal/app": {"TestEmbeddedKeyIsGeneratedOnceAndNeverReplaced"}},
	},
	{
		name: "a file of keys is written over",
		file: "internal/base/encryption/file.go", old: `os.Link(part.Name(), path)`, new: `os.Rename(part.Name(), path)`,
		caught: tests{"internal/base/encryption": {"TestConcurrentKeyCreationYieldsOneKey", "TestKeyFileIsNeverOverwritten"}},
	},
	{
		name: "another key under a known id is accepted",
		file: "internal/base/encryption/register.go", old: `err != nil || string(plain) != checkText {`, new: `err == nil && string(plain) != checkText {`,
		caught: tests{"internal/base/basetest": {"TestKeyIDCannotBeReusedForAnotherKey"}},
	},
	{
		name: "a reply that cannot be read frees its key",
		file: "internal/edge/idempotency/attempt.go", old: `		return a.found(ctx, record)
	default:`, new: `		if err := a.found(ctx, record); !apperr.Has(err, apperr.Unavailable) {
			return err
		}
		a.expired = record.ID
	default:`,
		caught: tests{"test/e2e": {"TestKeyRotationReplaysOldRepliesAndLostKeyRejects"}},
	},

	// Secret configs.
	{
		name: "the value of a secret config is written in clear",
		file: "internal/config/secret.go", old: `		c.Stored = c.vault.encrypt(c.TenantID, c.Key, c.Value)`, new: `		c.Stored = Stored{Plain: c.Value}`,
		caught: tests{"test/contract": {"TestSecretValueIsNowhereInTheDatabase"}},
	},
	{
		name: "the versions of before a config became secret stay in clear",
		file: "internal/config/secret.go", old: `if before.Secret || !after.Secret {`, new: `if before.Secret || after.Secret {`,
		caught: tests{"test/contract": {"TestSecretValueIsNowhereInTheDatabase", "TestNoRouteRevealsASecretWithoutPermission"}},
	},
	{
		name: "an approval stores a secret value in clear",
		file: "internal/config/proposal.go", old: `has && (w.after.isConfidential() ||`, new: `has && (w.after.Secret && !w.after.Secret ||`,
		also:   []edit{{"internal/config/proposal.go", ` w.before != nil && w.before.isConfidential()) {`, ` w.before != nil && w.after == nil) {`}},
		caught: tests{"test/contract": {"TestSecretValueIsNowhereInTheDatabase"}},
	},
	{
		name: "the audit log retains the secret value that an overwrite destroyed",
		file: "internal/config/secret.go", old: `		if _, secret := value.(opaque); secret {`, new: `		if hidden, secret := value.(opaque); secret && hidden.text == "" {`,
		caught: tests{"test/contract": {"TestSecretValueIsNowhereInTheDatabase"}},
	},
	{
		name: "a secret value is returned to any reader of configs",
		file: "internal/config/secret.go", old: `	return value != "" && httpapi.MayReveal(ctx, SecretsPermission)`, new: `	return value != "" && httpapi.MayReveal(ctx, ReadPermission)`,
		caught: tests{"test/contract": {"TestNoRouteRevealsASecretWithoutPermission", "TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "a conflict returns a secret value",
		file: "internal/config/edit.go", old: `return c.document(by.reads) }`, new: `return c.document(true) }`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "the history returns values from before a config became secret",
		file: "internal/config/secret.go", old: `{ return c.Secret || c.KeyID != "" }`, new: `{ return c.Secret }`,
		caught: tests{"test/contract": {"TestNoRouteRevealsASecretWithoutPermission"}},
	},
	{
		name: "an unchanged version confirms a guess of a secret value",
		file: "internal/config/secret.go", old: `opaque{text: string(text), isNew: true, revealed: by.reads}`, new: `opaque{text: string(text), revealed: by.reads}`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "an import confirms a guess of a secret value",
		file: "internal/config/transfer.go", old: `write.after.Owners == existing.Owners && !existing.isConfidential():`, new: `write.after.Owners == existing.Owners:`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "a user without secret permission probes a secret by schemas",
		file: "internal/config/secret.go", old: `	case from == valueUnchanged && before`, new: `	case from == valueNew && before`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "a user without secret permission makes a secret readable",
		file: "internal/config/secret.go", old: `	case before.Secret && !after.Secret:`, new: `	case before.Secret && !after.Secret && !before.isConfidential():`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "an import writes a mask over a secret",
		file: "internal/config/transfer.go", old: `	if row.Masked {`, new: `	if row.Masked && existing == nil {`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "a replay returns a secret to a caller without the permission",
		file: "internal/edge/httpapi/redact.go", old: `permission == "" || caller.May(permission) {`, new: `permission == "" || caller.May(permission) || permission != "" {`,
		caught: tests{"test/contract": {"TestReplayHidesSecretsAfterPermissionLoss"}},
	},
	{
		name: "an overwrite with an earlier secret value retains the newest one",
		file: "internal/config/edit.go", old: `after.store(c.Stored, from != valueUnchanged)`, new: `after.store(c.Stored, from == valueNew)`,
		caught: tests{"test/contract": {"TestBlindWriteOfASecretRevealsNothing"}},
	},
	{
		name: "a caller without the permission validates an earlier value against a schema",
		file: "internal/config/secret.go", old: `	case from == valueEarlier:`, new: `	case from == valueEarlier && after.Schema == before.Schema:`,
		caught: tests{"test/contract": {"TestRollbackToASecretVersionNeedsSecretPermission"}},
	},
	{
		name: "a user without secret permission rolls a readable config back to a secret",
		file: "internal/config/secret.go", old: `if row.isConfidential() || !to.isConfidential() || mayReadSecrets(ctx) {`, new: `if row.isConfidential() || !to.Secret || mayReadSecrets(ctx) {`,
		caught: tests{"test/contract": {"TestRollbackToASecretVersionNeedsSecretPermission"}},
	},
	{
		name: "a user without secret permission overwrites a readable config with a secret",
		file: "internal/config/secret.go", old: `	case from == valueEarlier:`, new: `	case from == valueEarlier && before.isConfidential():`,
		caught: tests{"test/contract": {"TestRollbackToASecretVersionNeedsSecretPermission"}},
	},
	{
		name: "a key that is recreated as secret leaves its earlier versions in clear",
		file: "internal/config/service.go", old: `	if row.Secret {`, new: `	if row.Secret && row.Version > 1 {`,
		caught: tests{"internal/config": {"TestRecreationAsSecretEncryptsEarlierVersions"}},
	},
	{
		name: "a proposal in clear stays readable",
		file: "internal/config/proposal.go", old: `if c.SealedWith == "" && !hidden {`, new: `if c.SealedWith == "" {`,
		caught: tests{"test/contract": {"TestOlderApprovalOfASecretConfigIsMasked"}},
	},
	{
		name: "an approval shows the secret that it would make readable",
		file: "internal/config/subject.go", old: `hidden || base.isConfidential() && !after.hasNewValue`, new: `false`,
		caught: tests{"test/contract": {"TestProposalOfASecretDoesNotRevealIt"}},
	},
	{
		name: "a caller without the permission proposes to make a secret readable",
		file: "internal/config/subject.go", old: `blank, s.authorOf(ctx).claiming(c.Claim))`, new: `blank, author{})`,
		caught: tests{"test/contract": {"TestProposalOfASecretDoesNotRevealIt"}},
	},
	{
		name: "an approval confirms a guess of a secret value",
		file: "internal/config/secret.go", old: `ciphertext: c.currentCiphertext(), isNew: c.hasNewValue, revealed`, new: `ciphertext: c.currentCiphertext(), revealed`,
		caught: tests{"test/contract": {"TestConflictsAndApprovalsConfirmNoGuessedSecret"}},
	},
	{
		name: "a proposed creation confirms a guess of a secret value",
		file: "internal/config/subject.go", old: `current.sameAs(c.Content) && !current.isConfidential():`, new: `current.Content == c.Content:`,
		caught: tests{"test/contract": {"TestConflictsAndApprovalsConfirmNoGuessedSecret"}},
	},
	{
		name: "an approval with a base that is no longer stored cannot be rebased",
		file: "internal/config/subject.go", old: `		return nil, approvals.ErrStaleBase
	case err`, new: `		return nil, err
	case err`,
		caught: tests{"test/contract": {"TestApprovalWithoutAStoredBaseIsStale"}},
	},
	{
		name: "a key that is recreated as readable reveals proposals from before it was secret",
		file: "internal/config/store.go", old: `base.ID == was.ConfigID && base.Version <= was.Newest {`, new: `base.ID == was.ConfigID && base.Version <= was.Newest && false {`,
		caught: tests{"test/contract": {"TestRecreatedReadableKeyRevealsNoOldApproval"}},
	},
	{
		name: "an approval shows a value that has become secret",
		file: "internal/config/proposal.go", old: `c.Destroyed = masked(c.Destroyed)`, new: `_ = masked(c.Destroyed)`,
		caught: tests{"test/contract": {"TestApprovalHidesOverwrittenValueOnceSecret"}},
	},
	{
		name: "an export that is too large reveals the length of a secret value",
		file: "internal/config/transfer.go", old: `	if mayReadSecrets(ctx) {`, new: `	if mayReadSecrets(ctx) || ctx != nil {`,
		caught: tests{"internal/config": {"TestExportDoesNotDiscloseSecretLength"}},
	},
	{
		name: "the digest of an approval is one that anybody can compute",
		file: "internal/approvals/subject.go", old: `code != nil {`, new: `code == nil {`,
		caught: tests{"test/contract": {"TestApprovalDigestConfirmsNoGuess"}},
	},
	{
		name: "the fingerprint of a request is stored in clear",
		file: "internal/edge/idempotency/cipher.go", old: `	if c.Current() == "" {`, new: `	if c.Current() != "\x00" {`,
		caught: tests{"test/contract": {"TestRequestFingerprintsConfirmNoGuess"}},
	},

	// Re-encryption.
	{
		name: "a reencryption overwrites a concurrent change",
		file: "internal/base/encryption/renew.go", old: `if was := one.row.cells[column]; was != nil {`, new: `if was := one.row.cells[column]; was != nil && column == "" {`,
		also:   []edit{{"internal/base/encryption/renew.go", `" WHERE tenant_id = ? AND id = ? AND " +`, `" WHERE tenant_id = ? AND id = ? " +`}},
		caught: tests{"internal/config": {"TestConcurrentReencryptionAndEditsLoseNoValue"}},
	},
	{
		name: "a config is reencrypted without the newest version of its history",
		file: "internal/config/renew.go", old: `Renewed: renewedValue, Along: renewNewest,`, new: `Renewed: renewedValue,`,
		also: []edit{{"internal/config/renew.go", `func renewNewest(`, `var _ = renewNewest

func renewNewest(`}},
		caught: tests{"internal/config": {"TestInterruptedReencryptionResumesOnNextRun"}},
	},
	{
		name: "a value that is renewed twice is two values",
		file: "internal/base/encryption/encryption.go", old: `	return sealer.Seal(nonce, nonce, plain, []byte(data)), nil`, new: `	return c.byID[c.current].Seal(nonce[:0], nil, plain, []byte(data)), nil`,
		caught: tests{"internal/base/encryption": {"TestRenewalIsDeterministicUnderTheCurrentKey"}},
	},
	{
		name: "a version is written with the key that its config had",
		file: "internal/config/secret.go", old: `		c.Stored = c.vault.renew(c.TenantID, c.Key, before)`, new: `		c.Stored = before`,
		caught: tests{"internal/config": {"TestNextEditAfterRotationUsesNewKey"}},
	},
	{
		name: "a key that encrypts something still is retired",
		file: "internal/base/encryption/renew.go", old: `key.ID == c.current || len(used[key.ID]) > 0 {`, new: `key.ID == c.current || len(used[key.ID]) < 0 {`,
		caught: tests{"internal/base/basetest": {"TestOnlyUnusedKeysAreRetired"}},
	},
	{
		name: "reencryption is not in the audit log",
		file: "internal/app/reencrypt.go", old: `range counts.Without(current) {`, new: `range (encryption.Counts{}).Without(current) {`,
		also: []edit{{"internal/app/reencrypt.go", `	counts, err := encryption.Count(ctx, sv.DB, Encrypted())
	if err != nil {
		return encryption.Renewal{}, err
	}
	for`, `	_, err := encryption.Count(ctx, sv.DB, Encrypted())
	if err != nil {
		return encryption.Renewal{}, err
	}
	for`}},
		caught: tests{"test/e2e": {"TestReencryptionMakesTheFormerKeyUnnecessary"}},
	},
}
