package promises

// Statements lets tests of package promises_test explain the statements.
var Statements = statements
