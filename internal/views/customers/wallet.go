package customers

import (
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
)

// wallet is a wallet at the version that was read.
type wallet struct {
	ID, Version, Balance int64
	UserID               principal.CustomerID
}

// readWallets returns the existing wallets of the customer and of the pseudonym. The
// pseudonym has one before the last unit if a refund of an order that it already owns was
// paid.
func readWallets(db *gorm.DB, tenant int64, e *erasure) (held []wallet, err error) {
	const statement = "SELECT id, version, balance, user_id FROM wallets WHERE tenant_id = ? AND user_id IN (?, ?)"
	if err := db.Raw(statement, tenant, e.id, e.pseudonym).Scan(&held).Error; err != nil {
		return nil, fmt.Errorf("read the customer's wallet: %w", err)
	}
	return held, nil
}

// replaceWallet replaces the customer's row by a new one for the pseudonym, or adds to an
// existing one, under the versions that were read.
func replaceWallet(tx *gorm.DB, tenant int64, e *erasure, held []wallet) error {
	var theirs, its wallet
	for _, one := range held {
		if one.UserID == e.id {
			theirs = one
		} else {
			its = one
		}
	}
	if theirs.ID == 0 {
		return nil
	}
	var err error
	if its.ID == 0 {
		const copied = `INSERT INTO wallets (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, user_id, balance)
		SELECT tenant_id, version, created_time, updated_time, updated_by, updated_by_name, ?, balance FROM wallets WHERE tenant_id = ? AND id = ? AND version = ?`
		err = tx.Exec(copied, e.pseudonym, tenant, theirs.ID, theirs.Version).Error
	} else {
		err = joinWallet(tx, tenant, theirs, its)
	}
	if err != nil {
		return err
	}
	return exactly(tx.Exec("DELETE FROM wallets WHERE tenant_id = ? AND id = ? AND version = ?", tenant, theirs.ID, theirs.Version))
}

// joinWallet adds the customer's wallet to the pseudonym's. The pseudonym's entries follow all of the
// customer's: the version of an entry is its number, and its balance the balance after it.
func joinWallet(tx *gorm.DB, tenant int64, theirs, its wallet) error {
	err := exactly(tx.Exec("UPDATE wallets SET balance = balance + ?, version = version + ? WHERE tenant_id = ? AND id = ? AND version = ?",
		theirs.Balance, theirs.Version, tenant, its.ID, its.Version))
	if err != nil {
		return err
	}
	// Negative versions first, so that no two entries of a wallet ever have the same
	// version.
	return run(tx, clause{"UPDATE wallet_entries SET balance = balance + ?, version = -(version + ?) WHERE tenant_id = ? AND user_id = ?", []any{theirs.Balance, theirs.Version, tenant, its.UserID}},
		clause{"UPDATE wallet_entries SET version = -version WHERE tenant_id = ? AND user_id = ? AND version < 0", []any{tenant, its.UserID}})
}

// exactly returns Overtaken unless a statement changed one row.
func exactly(result *gorm.DB) error {
	if result.Error == nil && result.RowsAffected != 1 {
		return uow.Overtaken("money")
	}
	return result.Error
}
