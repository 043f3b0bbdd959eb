package main

// signOns are breaks of single sign-on.
var signOns = []mutant{
	{
		name: "a response of a provider is accepted twice",
		file: "internal/access/link_store.go", old: `	case result.RowsAffected != 1:
		return row, errFlowEnded()`, new: `	case result.RowsAffected < 0:
		return row, errFlowEnded()`,
		caught: tests{"internal/access": {"TestOneOfConcurrentCallbacksSignsIn"}},
	},
	{
		name: "a response of a provider is accepted in any browser",
		file: "internal/access/link_store.go", old: `!secrets.Same(secrets.DigestOf(browser).String(), row.BrowserHash), `, new: ``,
		caught: tests{"internal/access": {"TestCallbackIsValidOnceInItsBrowser"}},
	},
	{
		name: "a provider's response has no timeout",
		file: "internal/access/link_store.go", old: `, !now.Before(row.ExpiresTime):`, new: `, now.IsZero():`,
		caught: tests{"internal/access": {"TestCallbackIsValidOnceInItsBrowser"}},
	},
	{
		name: "the user of a provider is found by subject alone",
		file: "internal/access/users/link.go", old: `[]byte(issuer + "\x00" + subject)`, new: `[]byte(subject[:len(issuer)*0] + subject)`,
		caught: tests{"internal/access": {"TestIdentityIsIssuerAndSubjectOnly"}},
	},
	{
		name: "a deleted link starts a session",
		file: "internal/access/users/link.go", old: `	case result.RowsAffected != 1:
		return ErrNoLink`, new: `	case result.RowsAffected < 0:
		return ErrNoLink`,
		caught: tests{"internal/access": {"TestProviderSignInDuringRevocationOpensNoSession"}},
	},
	{
		name: "a disabled user is signed in by a provider",
		file: "internal/access/sso_arrive.go", old: `	if user.Disabled {`, new: `	if user.Disabled && user.ID < 0 {`,
		also:   []edit{{"internal/access/users/store.go", `err == nil && row.Disabled:`, `err == nil && row.ID < 0:`}},
		caught: tests{"internal/access": {"TestDisabledUserCannotSignInByProvider"}},
	},
	{
		name: "a provider replaces the second factor",
		file: "internal/access/sso_arrive.go", old: `	if user.SecondFactor {
		made, err`, new: `	if user.SecondFactor && user.ID < 0 {
		made, err`,
		caught: tests{"internal/access": {"TestSecondFactorIsRequiredAfterProvider"}},
	},
	{
		name: "a session that has ended links its user",
		file: "internal/access/sso_arrive.go", old: `		case storage.IsNotFound(err):
			return errFlowEnded()
		case err != nil:
			return fmt.Errorf("read the session that links: %w", err)`, new: `		case storage.IsNotFound(err):
			session.TokenHash, session.UserID = a.flow.ProofHash, row.ID`,
		caught: tests{"internal/access": {"TestLinkRequiresProofOfIdentity"}},
	},
	{
		name: "the only credential of a user without a password is removed",
		file: "internal/access/users/link.go", old: `	if user.PasswordHash != "" || isInvited {`, new: `	if user.PasswordHash != "none" || isInvited {`,
		caught: tests{"internal/access": {"TestUserWithoutPasswordRetainsOneLink"}},
	},
	{
		name: "a user who signs in by a link does not count as having access:*",
		file: "internal/access/users/rules.go", old: `l.user_id = u.id AND l.issuer IN ?))`, new: `l.user_id = -u.id AND l.issuer IN ?))`,
		caught: tests{"internal/access": {"TestLastManagerMayDependOnALink"}},
	},
	{
		name: "a link of a provider that is no more counts as a way in",
		file: "internal/access/users/rules.go", old: `l.user_id = u.id AND l.issuer IN ?))`, new: `l.user_id = u.id AND (l.issuer IN ? OR 1 = 1)))`,
		caught: tests{"internal/access": {"TestLastManagerMayDependOnALink"}},
	},
	{
		name: "a user without a password links without step-up",
		file: "internal/access/users/password.go", old: `s.clock.Now().Sub(row.CreatedTime) > callers.StepUpFor`, new: `s.clock.Now().Before(row.CreatedTime)`,
		caught: tests{"internal/access": {"TestUserWithoutPasswordRetainsOneLink"}},
	},
	{
		name: "the nonce of an ID token is not compared",
		file: "internal/base/oidc/flow.go", old: `[]byte(token.Nonce), []byte(k.Nonce)) != 1`, new: `[]byte(token.Nonce), []byte(k.Nonce)) > 1`,
		caught: tests{"internal/base/oidc": {"TestInvalidResponsesIdentifyNoUser"}},
	},
	{
		name: "the audience of an ID token is not checked",
		file: "internal/base/oidc/provider.go", old: `			ClientID: p.client.ID, SupportedSigningAlgs`, new: `			SkipClientIDCheck: true, SupportedSigningAlgs`,
		caught: tests{"internal/base/oidc": {"TestInvalidResponsesIdentifyNoUser"}},
	},
	{
		name: "a response of one provider counts as that of another",
		file: "internal/base/oidc/flow.go", old: `(answer.Issuer != "" || known.namesIssuer)`, new: `answer.Issuer == " "`,
		caught: tests{"internal/base/oidc": {"TestInvalidResponsesIdentifyNoUser"}},
	},
	{
		name: "an ID token for another client is accepted",
		file: "internal/base/oidc/flow.go", old: `also.Authorized != "" && also.Authorized != p.client.ID:`, new: `also.Authorized == " ":`,
		caught: tests{"internal/base/oidc": {"TestInvalidResponsesIdentifyNoUser"}},
	},
	{
		name: "a code is redeemed without the verifier",
		file: "internal/base/oidc/flow.go", old: `code, oauth2.VerifierOption(verifier))`, new: `code)`,
		also:   []edit{{"internal/base/oidc/flow.go", `code, verifier, redirect string)`, `code, _, redirect string)`}},
		caught: tests{"internal/base/oidc": {"TestValidProviderIdentifiesTheUser"}},
	},
	{
		name: "ID tokens end by the service's own clock alone",
		file: "internal/base/oidc/provider.go", old: `return p.clock.Now().Add(-Skew) }`, new: `return p.clock.Now() }`,
		caught: tests{"internal/base/oidc": {"TestClockSkewUpToOneMinuteIsAccepted"}},
	},
	{
		name: "a provider redirects the client's secret to another host",
		file: "internal/base/oidc/transport.go", old: `return http.ErrUseLastResponse }`, new: `return nil }`,
		caught: tests{"internal/base/oidc": {"TestRedirectedTokenRequestSendsNoSecret"}, "internal/access": {"TestPublicKeysVerifyCustomersButAreNotSecrets"}},
	},
	{
		name: "a group grants a role that the settings do not contain",
		file: "internal/access/group.go", old: `name, mapped := a.by.Provider.GroupRoles[group]; mapped {`, new: `name, mapped := group, true; mapped {`,
		caught: tests{"internal/access": {"TestUnmappedGroupGrantsNothing"}},
	},
	{
		name: "a dropped group removes manually granted roles",
		file: "internal/access/users/link.go", old: `AND user_id = ? AND link_id = ? AND role_id IN ?"`, new: `AND user_id = ? AND link_id >= 0 * ? AND role_id IN ?"`,
		caught: tests{"internal/access": {"TestGroupsGrantAndRevokeOnlyMappedRoles"}},
	},
	{
		name: "an edit removes roles granted by a group",
		file: "internal/access/users/store.go", old: ` AND role_id IN ? AND link_id = 0"`, new: ` AND role_id IN ?"`,
		caught: tests{"internal/access": {"TestGroupsGrantAndRevokeOnlyMappedRoles"}},
	},
	{
		name: "the last access:* goes with its group",
		file: "internal/access/users/link.go", old: `	return kept, GrantByLink(tx, link, kept)`, new: `	return kept, nil`,
		caught: tests{"internal/access": {"TestLastManagerRetainsAccessWithoutTheGroup"}},
	},
	{
		name: "a link that is removed leaves the roles of its groups",
		file: "internal/access/users/link.go", old: `AND user_id = ? AND link_id IN ?"`, new: `AND user_id = ? AND -link_id IN ?"`,
		caught: tests{"internal/access": {"TestRemovedLinkRevokesItsRoles"}},
	},
	{
		name: "a user with powerful groups is invited by a user with fewer permissions",
		file: "internal/access/users/rules.go", old: `grantsOf(tx, user.held())`, new: `grantsOf(tx, user.Roles)`,
		caught: tests{"internal/access": {"TestRemovedLinkRevokesItsRoles"}},
	},
}
