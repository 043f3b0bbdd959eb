package main

// limits are breaks of the limits of callers, and of the reports on rejections.
var limits = []mutant{
	{
		name: "a caller is held to no rate",
		file: "internal/edge/httpapi/router.go", old: `if err := r.server.limit(c); err != nil {`, new: `if err := r.server.limit(c); err != nil && false {`,
		caught: tests{"internal/edge/edgetest": {"TestRatesOfPrincipalAndTenantPrecedePermissions"}},
	},
	{
		name: "a network with rejected credentials has no rate limit",
		file: "internal/edge/httpapi/router.go", old: `return r.server.limitRefused(c, err)`, new: `return err`,
		caught: tests{"internal/edge/edgetest": {"TestRejectedCredentialsAreRateLimitedPerNetwork"}},
	},
	{
		name: "a caller opens any number of streams",
		file: "internal/edge/httpapi/limits.go", old: `if o.most > 0 &&`, new: `if o.most < 0 &&`,
		caught: tests{"internal/edge/edgetest": {"TestOpenStreamsOfAPrincipalAreLimited"}},
	},
	{
		name: "anybody names a request",
		file: "internal/edge/httpapi/middleware.go", old: `!sound || !s.trusts(c.Request().RemoteAddr)`, new: `!sound`,
		caught: tests{"internal/edge/edgetest": {"TestOnlyATrustedProxySetsTheRequestID"}},
	},
	{
		name: "a rejection is counted and not written",
		file: "internal/views/audit/refusals.go", old: `u.AuditOnly(uow.Entry{`, new: `u.Audit(uow.Entry{`,
		caught: tests{"internal/views/viewstest": {"TestRejectionsAreFoldedByKind"}},
	},
	{
		name: "a pattern matches a text without a cost",
		file: "internal/config/schema_cost.go", old: `	p.work.spend(p.size * int64(len(text)+1))`, new: `	p.work.spend(0)`,
		caught: tests{"internal/config": {"TestExpensiveSchemaIsRejectedQuickly"}},
	},
	{
		name: "a schema continues after its request has ended",
		file: "internal/config/schema_cost.go", old: `		panic(errEnded)`, new: `		_ = errEnded`,
		caught: tests{"internal/config": {"TestSchemaValidationStopsWithRequest"}},
	},
	{
		name: "each config of an import has a separate budget for its schema",
		file: "internal/config/schema.go", old: `	w.config = maxConfigWork`, new: `	w.config, w.request = maxConfigWork, maxRequestWork`,
		caught: tests{"internal/config": {"TestImportSharesOneSchemaBudget"}},
	},
	{
		name: "bypassing the votes needs no fresh factor",
		file: "internal/approvals/http.go", old: `Permission: bypassPermission, StepUp: true}`, new: `Permission: bypassPermission}`,
		caught: tests{"test/contract": {"TestBypassRequiresStepUpOnEveryRoute"}},
	},
	{
		name: "the web page is the reply to every unknown address",
		file: "internal/edge/httpapi/server.go", old: `errors.Is(err, echo.ErrNotFound) && s.pages.Has(request)`, new: `errors.Is(err, echo.ErrNotFound)`,
		caught: tests{"internal/edge/edgetest": {"TestPagesAreServedWithoutAMatchingRoute"}},
	},
	{
		name: "a page of the admin is sent to a script",
		file: "web/embed.go", old: `coding.AcceptsHTML(r) && slices`, new: `slices`,
		caught: tests{"test/e2e": {"TestUnknownAddressesReturnProblems"}},
	},
	{
		name: "a slow upload occupies a slot for large bodies",
		file: "internal/edge/httpapi/large.go", old: `min(uploadTimeout, readTimeout`, new: `min(readTimeout, readTimeout`,
		caught: tests{"internal/edge/edgetest": {"TestSlowUploadsDoNotBlockLargeBodies"}},
	},
	{
		name: "an untrusted caller can claim TLS",
		file: "internal/edge/httpapi/middleware.go", old: `s.trusts(c.Request().RemoteAddr) && c.Request().Header.Get`, new: `c.Request().Header.Get`,
		caught: tests{"internal/edge/edgetest": {"TestOnlyATrustedProxyReportsTLS"}},
	},
	{
		name: "bad credentials are tried at any rate with GraphQL",
		file: "internal/edge/httpapi/document.go", old: `err = r.server.limitRefused(c, err)`, new: `_ = r`,
		caught: tests{"internal/edge/edgetest": {"TestDocumentWithInvalidCredentialsIsRateLimited"}},
	},
	{
		name: "the GraphQL schema is shown to strangers",
		file: "internal/actions/graphql.go", old: `graphql.RestrictIntrospection(isKnown)`, new: `graphql.RestrictIntrospection(func(context.Context) bool { return true })`,
		caught: tests{"test/e2e": {"TestGraphQLRejectsInvalidCredentialsByField"}},
	},
	{
		name: "a customer's token with a critical extension is accepted",
		file: "internal/access/callers/customers.go", old: `name == "crit" || `, new: ``,
		caught: tests{"internal/access": {"TestInvalidCustomerTokenIsRejected"}},
	},
	{
		name: "a customer's token ends at a time that is a text",
		file: "internal/access/callers/customers.go", old: `err == nil && seconds >= 0`, new: `(err == nil || true) && seconds >= 0`,
		caught: tests{"internal/access": {"TestInvalidCustomerTokenIsRejected"}},
	},
	{
		name: "a customer's token from the future is accepted",
		file: "internal/access/callers/customers.go", old: `, jwt.WithIssuedAt()}`, new: `}`,
		caught: tests{"internal/access": {"TestInvalidCustomerTokenIsRejected"}},
	},
	{
		name: "only the store ends a handler at the end of its lease",
		file: "internal/mq/consumer.go", old: `func() { cancel(ErrLeaseLost) })`, new: `func() {})`,
		caught: tests{"internal/mq": {"TestHandlerIsCancelledAtLeaseEndWhileTheStoreHangs"}},
	},
	{
		name: "the first caller of a batch waits for it whatever its context",
		file: "internal/base/batcher/batcher.go", old: `go b.run(context.WithoutCancel(ctx))`, new: `b.run(context.WithoutCancel(ctx))`,
		caught: tests{"internal/base/batcher": {"TestFirstCallerReturnsWhenItsContextEnds"}},
	},
	{
		name: "a pool of one warns at each attempt",
		file: "internal/base/storage/pool_limit.go", old: `if !c.crowded {`, new: `if c.limit == c.size {`,
		caught: tests{"internal/base/storage": {"TestPoolOfOneWarnsOnceOfRejectedConnection"}},
	},
	{
		name: "the queue of an open sale is deleted",
		file: "internal/flashsale/service.go", old: `"finished = ? AND sale_id IN ?"`, new: `"finished <= ? AND sale_id IN ?"`,
		caught: tests{"internal/flashsale": {"TestQueueNamesOfFinishedSalesAreDeleted"}},
	},
	{
		name: "an idle connection is never closed for another",
		file: "internal/edge/httpapi/connections.go", old: `idleGrace - clock.Since(one.since); left > 0 {`, new: `idleGrace - clock.Since(one.since); left > -time.Hour {`,
		caught: tests{"internal/edge/edgetest": {"TestIdleConnectionsDoNotBlockOtherNetworks"}},
	},
	{
		name: "one network has all connections",
		file: "internal/edge/httpapi/connections.go", old: `network != "" && c.openOf[network] >= c.share`, new: `network != "" && c.openOf[network] >= c.most`,
		caught: tests{"internal/edge/edgetest": {"TestNetworkAtItsShareDoesNotDisplaceOthers"}},
	},
	{
		name: "a trusted proxy has the share of a network",
		file: "internal/edge/httpapi/connections.go", old: `if c.trusts(remote) {`, new: `if c.trusts(remote) && false {`,
		caught: tests{"internal/edge/edgetest": {"TestNetworkAtItsShareDoesNotDisplaceOthers"}},
	},
	{
		name: "an empty path parameter names a row",
		file: "internal/edge/httpapi/server.go", old: `slices.Contains(c.ParamValues(), "")`, new: `slices.Contains(c.ParamValues(), "?")`,
		caught: tests{"test/contract": {"TestEmptyPathParameterIsNotFound"}},
	},
}
