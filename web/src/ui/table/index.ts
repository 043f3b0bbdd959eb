export { useColumn, type Column } from './column';
export { csv, download, readTable } from './csv';
export { DataTable } from './DataTable';
export { Empty } from './Empty';
export { wordsOfOptions } from './FilterChips';
export { FilterChoice, FilterDay, FilterText } from './Filters';
export {
  aBoolean,
  aFlag,
  aText,
  aCount,
  aCustomer,
  aDay,
  aStatus,
  anId,
  anInteger,
  defaultPageSize,
  filtersOf,
  isUnreadable,
  oneOf,
  readable,
  reader,
  startOf,
  tableSearch,
  type Raw,
  type Reader,
  type TableSearch,
} from './search';
export { Choice, StatusFilter } from './StatusFilter';
export { TableSection } from './TableSection';
export { readAll, useList, type List, type ListPage } from './useList';
export { useSelection, type Selection } from './useSelection';
export type { TableState } from './useTableState';
