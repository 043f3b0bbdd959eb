export { useColumn, type Column } from './column';
export { csv, download } from './csv';
export { DataTable } from './DataTable';
export { Empty } from './Empty';
export { filterTextOf } from './FilterChips';
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
  isUnreadable,
  oneOf,
  readable,
  inTimes,
  startOf,
  tableSearch,
  type Raw,
  type TableSearch,
} from './search';
export { Choice, StatusFilter } from './StatusFilter';
export { TableSection } from './TableSection';
export { readAll, useList, type List, type ListPage } from './useList';
export { useSelection } from './useSelection';
export type { TableState } from './useTableState';
