export type { Column, ListPage } from './column';
export { csv, download } from './csv';
export { FilterChoice } from './FilterChoice';
export { FilterText } from './FilterText';
export { Empty } from './Empty';
export { DataTable } from './DataTable';
export { anInteger, aText, defaultPageSize, filtersOf, oneOf, tableSearch, type TableSearch } from './search';
export { useSelection, type Selection } from './useSelection';
export { useTableState, type TableState } from './useTableState';
