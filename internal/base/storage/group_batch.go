package storage

import (
	"context"
	"errors"
)

// batch is a transaction with all statements known at its commit.
type batch struct {
	statements []waitingStatement
	// failed is the error of one of the statements; the group then contains nothing of the batch.
	failed error
	// err is the outcome of the batch, set before its caller is notified.
	err error
}

// commitBatch runs a batch in a group, and returns when the group is committed. The error is a
// *rejected if nothing of the batch was written, and is the error of COMMIT otherwise. A batch that
// timed out waiting for the writer has written nothing.
func (g *groupCommit) commitBatch(statements []waitingStatement) error {
	ctx, cancel := context.WithTimeout(context.Background(), g.writerTimeout)
	defer cancel()
	b := &batch{statements: statements}
	owns, err := g.queue.lockOrRun(ctx, b)
	switch {
	case err != nil:
		return &rejected{&Error{Class: LockTimeout, cause: err}}
	case !owns:
		return b.err
	}
	if err := g.begin(context.Background()); err != nil {
		g.queue.unlock()
		return &rejected{err}
	}
	in := g.open
	if !g.runInGroup(b) {
		g.queue.unlock()
		return b.err
	}
	g.leave()
	<-in.ended
	return b.err
}

// runInGroup runs a batch in the open group. It returns false if the group was rolled back
// and its members were notified.
func (g *groupCommit) runInGroup(b *batch) bool {
	in := g.open
	in.batches = append(in.batches, b)
	in.members++
	if in.savepoints {
		return g.runInSavepoint(b)
	}
	wrote, err := b.run(g.link)
	if err == nil {
		return true
	}
	b.failed = err
	if !wrote {
		return true
	}
	// The writes of other batches must survive, and these can be run again. Later batches
	// use savepoints, because failures tend to come in series.
	if err := g.rollBackAll(); err != nil {
		_ = g.undoOpen(err)
		return false
	}
	if err := g.runAgain(in); err != nil {
		_ = g.undoOpen(err)
		return false
	}
	return true
}

// runAgain restarts the transaction of a group after a rollback.
func (g *groupCommit) runAgain(in *group) error {
	if err := g.connect(context.Background()); err != nil {
		return err
	}
	if err := g.execute(context.Background(), "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	in.savepoints = true
	for _, b := range in.batches {
		if b.failed != nil {
			continue
		}
		if _, err := b.run(g.link); err != nil {
			return err
		}
	}
	return nil
}

// runInSavepoint is runInGroup in a savepoint: a failing batch rolls back only itself.
func (g *groupCommit) runInSavepoint(b *batch) bool {
	err := g.execute(context.Background(), "SAVEPOINT member")
	if err != nil {
		b.failed = err
		return true
	}
	if _, b.failed = b.run(g.link); b.failed == nil {
		err = g.execute(context.Background(), "RELEASE member")
	} else {
		err = g.rollBackMember()
	}
	if err != nil {
		_ = g.undoOpen(errors.Join(b.failed, err))
		return false
	}
	return true
}

// run runs the statements. After an error, wrote is true if a statement may have written, or if the
// engine rolled back more than the batch.
func (b *batch) run(over link) (wrote bool, err error) {
	for i, w := range b.statements {
		result, err := over.ExecContext(context.Background(), w.text, w.args)
		if err != nil {
			return i > 0 || !undoesItselfOnly(err), err
		}
		if err := w.done(result); err != nil {
			rows, unknown := result.RowsAffected()
			return i > 0 || unknown != nil || rows != 0, err
		}
	}
	return false, nil
}

// undoesItselfOnly reports whether the failed statement had no effect on the transaction.
func undoesItselfOnly(err error) bool {
	var fromSQLite sqliteError
	return errors.As(err, &fromSQLite) && fromSQLite.Code()&0xff == sqliteConstraint
}

// setOutcome sets the outcome of the batch after its group has ended with an error or nil.
func (b *batch) setOutcome(group error) {
	b.err = group
	if b.failed != nil {
		b.err = &rejected{b.failed}
	}
}
