package main

// sales are breaks of flash sales and their gates.
var sales = []mutant{
	{
		name: "a sale with a gate under reconstruction is reported as not open",
		file: "internal/flashsale/errors.go", old: `apperr.New(apperr.Unavailable, "%s temporarily accepts no orders while it recovers`, new: `apperr.New(apperr.SaleNotOpen, "%s temporarily accepts no orders while it recovers`,
		caught: tests{"internal/flashsale": {"TestNoAdmissionWhileGateIsReplaced"}},
	},
	{
		name: "a write that Redis rejected counts as possibly executed",
		file: "internal/base/redisconn/connect.go", old: `return err != nil && !Refused(err) && !neverSent(err)`, new: `return err != nil && !neverSent(err)`,
		caught: tests{
			"internal/flashsale/gate": {"TestNoAdmissionWhileRedisRejectsWrites"},
			"test/e2e":                {"TestRedisWithoutReplicaBlocksSalesAndRecovers"},
		},
	},
	{
		name: "a ticket without an order in SQL is reported as confirmed",
		file: "internal/flashsale/follow.go", old: `if found != nil && found.State == gate.Confirmed {`, new: `if found != nil && found.State == gate.Confirmed && ctx == nil {`,
		caught: tests{"internal/flashsale": {"TestTicketWithLostOrderIsNotConfirmed"}},
	},
	{
		name: "a restored database retains the gates of lost sales",
		file: "internal/base/backup/backup.go", old: `SET epoch = ?, version`, new: `SET epoch = epoch + 0 * ?, version`,
		caught: tests{"test/faults": {"TestRestoreDuringASaleLosesNoTicketSilently"}},
	},
	{
		name: "a backup is verified in the folder of the served database",
		file: "internal/base/backup/trial.go", old: `copied := filepath.Join(folder, "interlock.db")`, new: `copied := filepath.Join(parent, "interlock.db")`,
		caught: tests{"internal/base/basetest": {"TestBackupTrialLeavesNoTrace"}},
	},
	{
		name: "a verification that is interrupted leaves its database",
		file: "internal/base/backup/trial.go", old: `context.WithTimeout(context.WithoutCancel(ctx), removalTimeout)`, new: `context.WithTimeout(ctx, removalTimeout)`,
		caught: tests{"internal/base/basetest": {"TestBackupTrialLeavesNoTrace"}},
	},

	// Replicas of Redis.
	{
		name: "a purchase is accepted that too few replicas have",
		file: "internal/flashsale/gate/redis_replicas.go", old: `return reply, n >= replicas, nil`, new: `return reply, n >= 0, nil`,
		caught: tests{"internal/flashsale/gate": {"TestReplicatedAdmissionsSurviveFailover"}},
	},
	{
		name: "customers are admitted while there are too few replicas",
		file: "internal/flashsale/gate/redis_replicas.go", old: `at != nil && clock.Since`, new: `at == nil && clock.Since`,
		also:   []edit{{"internal/flashsale/gate/redis_replicas.go", "clock.Since(*at) < replicaPause", "false"}},
		caught: tests{"internal/flashsale": {"TestSaleWithReplicaRuleRejectsWithoutReplica"}},
	},
	{
		name: "a sale does not pass the required replicas to its gate",
		file: "internal/flashsale/buy.go", old: `Replicas: snap.sale.replicas(),`, new: `Replicas: snap.sale.replicas() * 0,`,
		caught: tests{"internal/flashsale": {"TestSaleWithReplicaRuleRejectsWithoutReplica"}},
	},

	// The worker of a sale.
	{
		name: "a worker that has fallen silent is not replaced",
		file: "internal/flashsale/worker_peers.go", old: `return waited >= 0 && waited < peerTimeout`, new: `return waited >= 0`,
		caught: tests{"internal/flashsale": {"TestSaleHasOneWorker"}},
	},
	{
		name: "a sale that another process works on is worked on all the same",
		file: "internal/flashsale/worker_peers.go", old: `ok && other.isAlive(now) && !(owns`, new: `ok && !other.isAlive(now) && !(owns`,
		caught: tests{"internal/flashsale": {"TestSaleHasOneWorker"}},
	},
	{
		name: "two workers that detect each other both stop",
		file: "internal/flashsale/worker_peers.go", old: `return since.Before(other.Since)`, new: `return since.Before(other.Since) && since.IsZero()`,
		caught: tests{"internal/flashsale": {"TestSaleHasOneWorker"}},
	},
	{
		name: "the worker of a sale is not notified of tickets enqueued elsewhere",
		file: "internal/flashsale/worker_peers.go", old: `due := !owns && now`, new: `due := owns && now`,
		caught: tests{"internal/flashsale": {"TestWorkerIsNotifiedOfPurchasesOfOtherProcesses"}},
	},
	{
		name: "a consumer rarely reclaims expired leases although others hold some",
		file: "internal/mq/consumer.go", old: `err == nil && reaped.Held == 0`, new: `err == nil && reaped.Held >= 0`,
		caught: tests{"internal/mq": {"TestRedisFulfillsTheContract"}},
	},

	// Purchases in flight when a sale is closed.
	{
		name: "a closed sold-out sale is removed with its tickets",
		file: "internal/flashsale/store.go", old: `if sale, ok := byID[stock.SaleID]; ok {`, new: `if sale, ok := byID[stock.SaleID]; ok && (sale.Status != closed.Code || stock.Allotted > stock.Sold) {`,
		caught: tests{"internal/flashsale": {"TestClosedSoldOutSaleIsProcessedUntilTicketsEnd/redis"}},
	},
	{
		name: "a closed sale is finished whatever is in flight in its gate",
		file: "internal/flashsale/finish.go", old: `counts.InFlight() > 0 || counts.Queued+counts.Processing+counts.Dead > 0 {`, new: `counts.InFlight() < 0 {`,
		caught: tests{"internal/flashsale": {"TestClosedSaleWithTicketsInFlightIsNotFinished/a_ticket_that_has_lost_its_message"}},
	},
	{
		name: "a closed sale is finished whatever is in its queue",
		file: "internal/flashsale/finish.go", old: `return err == nil && queue.Total() == 0, unreachable(err)`, new: `return err == nil && queue.Total() >= 0, unreachable(err)`,
		caught: tests{"internal/flashsale": {"TestClosedSaleWithTicketsInFlightIsNotFinished/a_message_with_a_ticket_that_the_gate_has_lost"}},
	},
	{
		name: "the unsold units of a closed sale are released while tickets wait",
		file: "internal/flashsale/finish.go", old: `if counts.Queued+counts.Processing > 0 {`, new: `if counts.Queued+counts.Processing < 0 {`,
		caught: tests{"internal/flashsale": {"TestClosedSaleReleasesUnsoldUnits/redis"}},
	},

	// The response to a customer whose purchase the gate did not answer.
	{
		name: "a purchase without a reply from the gate is reported as unavailable",
		file: "internal/flashsale/gate/redis.go", old: `if maybe {`, new: `if maybe && ctx.Err() != nil {`,
		caught: tests{
			"internal/flashsale/gate": {"TestPurchaseWithLostRepliesIsUnknown"},
			"internal/flashsale":      {"TestPurchaseWithoutGateReplyIsUnknown"},
		},
	},
	{
		name: "of two attempts at the gate only the second one may have run",
		file: "internal/flashsale/gate/redis.go", old: `maybe = maybe || mayHaveRun(err)`, new: `maybe = mayHaveRun(err)`,
		caught: tests{"internal/flashsale/gate": {"TestPurchaseWithLostRepliesIsUnknown/one_reply_is_lost,_then_the_connection_fails"}},
	},
	{
		name: "a purchase with an unverifiable COMMIT is reported as unavailable",
		file: "internal/flashsale/gate/sql.go", old: `if storage.Undecided(err) {
		return errors.Join(ErrUnknown, err)`, new: `if storage.Undecided(err) && ctx == nil {
		return errors.Join(ErrUnknown, err)`,
		caught: tests{"internal/flashsale/gate": {"TestPurchaseWithUndecidedCommitIsUnknown"}},
	},
	{
		name: "an unknown outcome of the gate is reported as unavailable",
		file: "internal/flashsale/buy.go", old: `case errors.Is(err, gate.ErrUnknown):`, new: `case errors.Is(err, gate.ErrUnknown) && ctx.Err() != nil:`,
		caught: tests{"internal/flashsale": {"TestPurchaseWithoutGateReplyIsUnknown"}},
	},
	{
		name: "a reply with an unknown outcome lacks the ticket",
		file: "internal/flashsale/errors.go", old: `With("ticket", ticket).After`, new: `With("ticket", "").After`,
		caught: tests{"internal/flashsale": {"TestPurchaseWithoutGateReplyIsUnknown"}},
	},

	{
		name: "a caller without permission learns whether a sale exists",
		file: "internal/flashsale/http_buy.go", old: "	if !ok {\n		return visit{}, apperr.New(apperr.Forbidden, \"Only customers", new: "	if id, err := path.ID(\"id\", \"flash sale\"); err != nil {\n		return visit{}, err\n	} else if _, err := h.service.snapshotOf(ctx, id); err != nil {\n		return visit{}, err\n	}\n	if !ok {\n		return visit{}, apperr.New(apperr.Forbidden, \"Only customers",
		caught: tests{"internal/flashsale": {"TestSaleRequestsAreCheckedInTheOrderOfTheContract"}},
	},

	// The limit per customer, which SQL enforces.
	{
		name: "a customer's limit is left to the gate",
		file: "internal/flashsale/consume.go", old: `case f.held[user]+t.Units > f.limit:`, new: `case t.Units > f.limit:`,
		caught: tests{"internal/flashsale": {"TestCustomerLimitSurvivesRestoreOfStore", "TestLimitCountsAllTicketsOfACustomerInABatch/sqlite"}},
	},
	{
		name: "the tickets of one batch are held against the limit one by one",
		file: "internal/flashsale/consume.go", old: "		f.held[user] += t.Units\n", new: ``,
		caught: tests{"internal/flashsale": {"TestLimitCountsAllTicketsOfACustomerInABatch"}},
	},
	{
		name: "a batch sells at the version of now and not at that of its facts",
		file: "internal/flashsale/consume.go", old: `	set := guard.Set{"sold": b.stock.Sold + units`, new: "	b.stock, _ = stockOf(b.db.Read(ctx), b.sale.ID)\n	set := guard.Set{\"sold\": b.stock.Sold + units",
		caught: tests{"internal/flashsale": {"TestTicketReportedLostIsNeverConfirmed", "TestStoppedBatchDoesNotRejectSoldTickets/sqlite"}},
	},

	// Commands of another epoch.
	{
		name: "a command to the gate in tables is accepted in any epoch",
		file: "internal/flashsale/gate/sql.go", old: "b.Epoch != ref.Epoch {\n\t\t\treturn", new: "b.Epoch == 0 {\n\t\t\treturn",
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "a step is accepted in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return {'no_gate'} end\nlocal steps", new: "if not redis.call('HGET', KEYS[1], 'epoch') then return {'no_gate'} end\nlocal steps",
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "a ticket is queued again in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if redis.call('HGET', KEYS[8], 'epoch') ~= ARGV[1] then return 'no_gate' end\nlocal steps, queued", new: `local steps, queued`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "a dead letter is discarded in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if redis.call('HGET', KEYS[8], 'epoch') ~= ARGV[1] then return 'no_gate' end\nreturn discard_dead", new: `return discard_dead`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "units are withheld in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if g[1] ~= ARGV[1] then return 'no_gate' end\nif g[2] ~= ARGV[2]", new: `if g[2] ~= ARGV[2]`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "tickets are adopted in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if g[1] ~= ARGV[1] then return 'no_gate' end\nlocal remaining", new: `local remaining`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "rules are applied in any epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if g[1] ~= ARGV[1] then return 'no_gate' end\nif tonumber(ARGV[2]) >= tonumber(g[2])", new: `if tonumber(ARGV[2]) >= tonumber(g[2])`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_of_another_epoch_does_nothing"}},
	},
	{
		name: "a gate is built over one of its epoch",
		file: "internal/flashsale/gate/redis_scripts.go", old: `if tonumber(g[1] or 0) >= epoch or`, new: `if tonumber(g[1] or 0) > epoch or`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_rebuild_that_comes_late_changes_nothing"}},
	},
	{
		name: "a gate of an epoch that was retired is built",
		file: "internal/flashsale/gate/redis_scripts.go", old: ` or tonumber(g[2] or 0) > epoch then`, new: ` then`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_rebuild_that_comes_late_changes_nothing"}},
	},
	{
		name: "a retired epoch returns when an earlier one is retired",
		file: "internal/flashsale/gate/redis_scripts.go", old: `if current > epoch or floor > epoch + 1 then`, new: `if current > epoch then`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_rebuild_that_comes_late_changes_nothing"}},
	},
	{
		name: "a gate in tables is built over one of its epoch, or of one that was retired",
		file: "internal/flashsale/gate/book.go", old: `return b.Epoch < epoch && b.Floor <= epoch`, new: `return b.Epoch <= epoch`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_rebuild_that_comes_late_changes_nothing"}},
	},
	{
		name: "a retired epoch in tables returns when an earlier one is retired",
		file: "internal/flashsale/gate/book.go", old: `if b.Epoch > epoch || b.Floor > epoch+1 ||`, new: `if b.Epoch > epoch ||`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_rebuild_that_comes_late_changes_nothing"}},
	},

	// Replacing and rebuilding a gate.
	{
		name: "a gate that is being replaced is shut, which an edit undoes",
		file: "internal/flashsale/gate/redis_scripts.go", old: `redis.call('HDEL', KEYS[8], 'epoch')`, new: `redis.call('HSET', KEYS[8], 'open', '0')`,
		caught: tests{
			"internal/flashsale":      {"TestNoAdmissionWhileGateIsReplaced/redis"},
			"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_rebuild_that_comes_late_changes_nothing"},
		},
	},
	{
		name: "a gate in tables that is being replaced is shut, which an edit undoes",
		file: "internal/flashsale/gate/book.go", old: `b.Epoch, b.Floor = 0, epoch+1`, new: `b.Open, b.Floor = false, epoch+1`,
		caught: tests{
			"internal/flashsale":      {"TestNoAdmissionWhileGateIsReplaced/tables"},
			"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_rebuild_that_comes_late_changes_nothing"},
		},
	},
	{
		name: "a gate with waiting tickets is replaced",
		file: "internal/flashsale/gate/redis_scripts.go", old: `if ARGV[2] ~= '1' or messages > 0 then`, new: `if ARGV[2] ~= '1' then`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_gate_with_a_queued_ticket_is_not_replaced"}},
	},
	{
		name: "a gate in tables with waiting tickets is replaced",
		file: "internal/flashsale/gate/sql_steps.go", old: `inUse = stats.Total() > 0`, new: `inUse = stats.Total() < 0`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_gate_with_a_queued_ticket_is_not_replaced"}},
	},
	{
		name: "a rebuild continues although the gate was not retired",
		file: "internal/flashsale/rebuild.go", old: `if err != nil || !over {`, new: `if err != nil || !over && ctx.Err() != nil {`,
		caught: tests{"internal/flashsale": {"TestUnbalancedSaleIsRebuiltWhenQueueIsEmpty"}},
	},
	{
		name: "the queue is not emptied when a gate is built",
		file: "internal/flashsale/gate/redis_scripts.go", old: "purge()\nredis.call('UNLINK', gate, tickets, buyers)", new: `redis.call('UNLINK', gate, tickets, buyers)`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/a_build_empties_the_queue_and_its_leases_are_lost"}},
	},
	{
		name: "the queue in tables is not emptied when a gate is built",
		file: "internal/flashsale/gate/sql_steps.go", old: `if err := g.queue.PurgeTx(tx, QueueName(r.Sale)); err != nil {`, new: `if err := tx.Error; err != nil {`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/a_build_empties_the_queue_and_its_leases_are_lost"}},
	},
	{
		name: "a gate is built from its remains",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if redis.call('HLEN', staged_tickets) ~= tonumber(ARGV[14]) or redis.call('HLEN', staged_buyers) ~= tonumber(ARGV[15]) then return 'incomplete' end\n", new: ``,
		caught: tests{"internal/flashsale/gate": {"TestGateIsNotBuiltFromPartialStaging"}},
	},
	{
		name: "a gate with an evicted part counts as complete",
		file: "internal/flashsale/gate/redis_scripts.go", old: `return (not g[1] or`, new: `return true or (not g[1] or`,
		caught: tests{"internal/flashsale/gate": {"TestRedisWithPartOfGateHasNoGate/tickets", "TestRedisWithPartOfGateHasNoGate/buyers"}},
	},
	{
		name: "a closed sale waits for ever for a gate of an epoch that is over",
		file: "internal/flashsale/worker.go", old: `if missing || err == nil && counts.Epoch != a.stock.Epoch {`, new: `if missing {`,
		caught: tests{"internal/flashsale": {"TestClosedSaleWithLostGateIsFinished/epoch"}},
	},
	{
		name: "withheld units cannot be released when fewer than zero remain",
		file: "internal/flashsale/gate/redis_scripts.go", old: `if tonumber(ARGV[3]) > 0 and there < tonumber(ARGV[3]) then`, new: `if there < tonumber(ARGV[3]) then`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/units_withheld_stay_so_until_a_newer_version_of_the_units_is_applied"}},
	},
	{
		name: "a gate with a lost part retains the unsold units of a closed sale",
		file: "internal/flashsale/finish.go", old: "	if err == nil {\n		counts, err = s.gate.Counts(ctx, sale.ID)\n	}\n", new: "	if err == nil {\n		if counts, err = s.gate.Counts(ctx, sale.ID); err != nil {\n			return 0, unreachable(err)\n		}\n	}\n",
		caught: tests{"internal/flashsale": {"TestClosedSaleWithLostGateIsFinished/tickets"}},
	},

	// Tickets and messages that no longer match.
	{
		name: "a ticket without a message is left as it is",
		file: "internal/flashsale/reconcile.go", old: `if len(strays.Tickets) == 0 {`, new: `if len(strays.Tickets) >= 0 {`,
		caught: tests{"internal/flashsale": {"TestPartialLossOfStoreIsRepaired/pending"}},
	},
	{
		name: "tickets without messages are not noticed before the next repair",
		file: "internal/flashsale/worker.go", old: `return err == nil && queue.Total() < counts.InFlight(), err`, new: `return err == nil && queue.Total() < 0, err`,
		caught: tests{"internal/flashsale": {"TestPartialLossOfStoreIsRepaired/pending"}},
	},
	{
		name: "a dead letter without a ticket is left as it is",
		file: "internal/flashsale/reconcile.go", old: `r.letters = append(r.letters, strays.DeadMessages...)`, new: `_ = strays.DeadMessages`,
		caught: tests{"internal/flashsale": {"TestReconcilerEndsDeadLettersOfLostTickets"}},
	},
	{
		name: "a letter that a crash left behind its lost ticket is left as it is",
		file: "internal/flashsale/reconcile.go", old: `m.Ticket.Reason == reasonLost {`, new: `m.Ticket.Reason == "" {`,
		caught: tests{"internal/flashsale": {"TestSettledDeadLetterDoesNotBlockOthers"}},
	},
	{
		name: "units withheld for a failed edit stay withheld",
		file: "internal/core/uow/runner.go", old: `u.runHooks(ctx, "after-rollback", u.afterRollback)`, new: `_ = u.afterRollback`,
		caught: tests{
			"internal/core/coretest": {"TestAfterRollbackRunsUnderTheLocks"},
			"internal/flashsale":     {"TestEditWithConcurrentStockChangesReturnsLocked"},
		},
	},
	{
		name: "a ticket that others overtake is buried",
		file: "internal/flashsale/errors.go", old: `apperr.Has(err, apperr.ResourceLocked) || apperr.Has(err, apperr.Unavailable)`, new: `apperr.Has(err, apperr.Unavailable)`,
		caught: tests{"internal/flashsale": {"TestOvertakenTicketWaitsWithoutUsingAnAttempt"}},
	},
	{
		name: "a message with a ticket that the gate has lost becomes an order",
		file: "internal/flashsale/consume.go", old: `case !t.known:`, new: `case !t.known && t.Units < 0:`,
		caught: tests{"internal/flashsale": {"TestClosedSaleWithTicketsInFlightIsNotFinished/a_message_with_a_ticket_that_the_gate_has_lost"}},
	},
	{
		name: "a ticket with a leased message counts as one without",
		file: "internal/flashsale/gate/redis_steps.go", old: `delete(lacking, id)`, new: `_ = id`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/tickets_and_messages_that_lack_each_other_are_found_and_queued_again"}},
	},

	// Ended tickets.
	{
		name: "a ticket that was rejected becomes an order",
		file: "internal/flashsale/consume.go", old: `case rejected:`, new: `case rejected && before.Units < 0:`,
		caught: tests{"internal/flashsale": {"TestRejectedTicketSurvivesRestoreOfStore"}},
	},
	{
		name: "a customer learns that a ticket is lost before that is recorded",
		file: "internal/flashsale/follow.go", old: `end, err := s.lookupsOf(id).lost.Do(ctx, gate.Ticket{ID: ticket, User: user})`, new: `end, err := gate.Ticket{ID: ticket, User: user, State: gate.Rejected, Reason: reasonLost}, ctx.Err()`,
		caught: tests{"internal/flashsale": {"TestTicketReportedLostIsNeverConfirmed"}},
	},
	{
		name: "a lost ticket is recorded concurrently with a batch that has read its facts",
		file: "internal/flashsale/reject.go", old: `if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"rejected": stock.Rejected + int64(len(lost))}); err != nil {`, new: `if err := guard.Adjust[Stock](ctx, u, stock.ID, guard.Set{"version": guard.Add("version", -1)}, "1 = 1"); err != nil {`,
		caught: tests{"internal/flashsale": {"TestTicketReportedLostIsNeverConfirmed"}},
	},
	{
		name: "a ticket is searched in the gate first",
		file: "internal/flashsale/follow.go", old: `if err != nil || ended != nil || snap.stock.Finished {`, new: `if err != nil || snap.stock.Finished {`,
		caught: tests{"internal/flashsale": {"TestEndedTicketSurvivesRestoreOfStore"}},
	},

	// Units that are withheld while SQL assigns them.
	{
		name: "units are withheld at any version",
		file: "internal/flashsale/gate/redis_scripts.go", old: "if g[2] ~= ARGV[2] then return 'outdated' end\n", new: ``,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/units_withheld_stay_so_until_a_newer_version_of_the_units_is_applied"}},
	},
	{
		name: "units are withheld in tables at any version",
		file: "internal/flashsale/gate/book.go", old: `case b.StockVersion != stockVersion:`, new: `case b.StockVersion < 0:`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/units_withheld_stay_so_until_a_newer_version_of_the_units_is_applied"}},
	},
	{
		name: "rules of the same version undo a withholding",
		file: "internal/flashsale/gate/redis_scripts.go", old: `if tonumber(ARGV[3]) > tonumber(g[3]) then`, new: `if tonumber(ARGV[3]) >= tonumber(g[3]) then`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/redis/units_withheld_stay_so_until_a_newer_version_of_the_units_is_applied"}},
	},
	{
		name: "rules in tables of the same version undo a withholding",
		file: "internal/flashsale/gate/book.go", old: `if r.StockVersion > b.StockVersion {`, new: `if r.StockVersion >= b.StockVersion {`,
		caught: tests{"internal/flashsale/gate": {"TestEveryGateFulfilsTheContract/sqlite/units_withheld_stay_so_until_a_newer_version_of_the_units_is_applied"}},
	},
	{
		name: "units that the gate still sells are released",
		file: "internal/flashsale/plan.go", old: "	if delta < 0 {\n		if err := s.withhold", new: "	if delta < -maxUnits {\n		if err := s.withhold",
		caught: tests{"internal/flashsale": {"TestAllotmentOfAnOpenSaleGrowsAndShrinks/redis"}},
	},
	{
		name: "units withheld for an edit that SQL rejected stay withheld",
		file: "internal/flashsale/plan.go", old: `u.AfterRollback(func(ctx context.Context) { s.releaseWithheld(ctx, stock) })`, new: `_ = s.releaseWithheld`,
		caught: tests{"internal/flashsale": {"TestAllotmentOfAnOpenSaleGrowsAndShrinks/redis"}},
	},
	{
		name: "abandoned withheld units stay withheld",
		file: "internal/flashsale/reconcile.go", old: `if err := s.gate.Withhold(ctx, stock.ref(), stock.Version, 0); err != nil`, new: `if err := ctx.Err(); err != nil`,
		caught: tests{"internal/flashsale": {"TestReconcilerReleasesWithheldUnits/redis"}},
	},
}
