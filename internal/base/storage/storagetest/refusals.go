package storagetest

// Refused is an engine's error for a valid statement.
type Refused struct {
	Refusal
	// RunAgain is set if the transaction was rolled back in favour of another one, so that
	// a retry may succeed.
	RunAgain bool
}

// Refusals are errors of Galera (1047, 1180, 1205, 1213) and of TiDB, with their original
// texts.
var Refusals = map[string]Refused{
	"1047, not prepared":         {Refusal: Refusal{Number: 1047, Message: "WSREP has not yet prepared node for application use"}},
	"1180, at COMMIT":            {Refusal: Refusal{Number: 1180, Message: "Got error 6 \"Not connected to Primary Component\" during COMMIT"}},
	"1205, lock wait":            {Refusal: Refusal{Number: 1205, Message: "Lock wait timeout exceeded; try restarting transaction"}, RunAgain: true},
	"1213, deadlock":             {Refusal: Refusal{Number: 1213, Message: "Deadlock found when trying to get lock; try restarting transaction"}, RunAgain: true},
	"8002, write conflict":       {Refusal: Refusal{Number: 8002, Message: "[2] can not retry select for update statement"}, RunAgain: true},
	"8022, to be run again":      {Refusal: Refusal{Number: 8022, Message: "Error: KV error safe to retry [try again later]"}, RunAgain: true},
	"8028, schema changed":       {Refusal: Refusal{Number: 8028, Message: "Information schema is changed during the execution of the statement"}, RunAgain: true},
	"1105, schema changed":       {Refusal: Refusal{Number: 1105, Message: "Information schema is changed. [try again later]"}, RunAgain: true},
	"9007, write conflict":       {Refusal: Refusal{Number: 9007, Message: "Write conflict, txnStartTS=1, conflictStartTS=2 [try again later]"}, RunAgain: true},
	"8501, undetermined":         {Refusal: Refusal{Number: 8501, Message: "execution result undetermined"}},
	"9001, PD is late":           {Refusal: Refusal{Number: 9001, Message: "PD server timeout"}},
	"9002, TiKV is late":         {Refusal: Refusal{Number: 9002, Message: "TiKV server timeout"}},
	"9003, TiKV is busy":         {Refusal: Refusal{Number: 9003, Message: "TiKV server is busy"}},
	"9004, a lock is not solved": {Refusal: Refusal{Number: 9004, Message: "Resolve lock timeout"}},
	"9005, a region is away":     {Refusal: Refusal{Number: 9005, Message: "Region is unavailable"}},
	"9006, too old":              {Refusal: Refusal{Number: 9006, Message: "GC life time is shorter than transaction duration"}},
}
