// Package size looks at lists that have many rows.
//
// The planner's test asks for every list with every filter and sort of api/openapi.yaml, and
// for pairs of filters, and has both engines explain each statement: none reads the whole
// table of a tenant. make bench-size times the same requests at 10,000 and 1,000,000 rows.
package size
