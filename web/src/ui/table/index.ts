export type { Column, ListPage } from './column';
export { csv, download } from './csv';
export { DataTable } from './DataTable';
export { anInteger, aText, defaultPageSize, oneOf, tableSearch, type TableSearch } from './search';
export { useSelection, type Selection } from './useSelection';
export { useTableState, type TableState } from './useTableState';
