import { Button } from '@mantine/core';
import { isTextOf, useText } from '@/i18n';
import { Icon } from '../Icon';
import styles from './FilterChips.module.css';
import { tableMessages } from './messages';
import { filtersOf, isUnreadable } from './search';
import type { TableState } from './useTableState';

/** Returns the label of a filter value, which is a term of the contract in the URL. */
export type FilterText = (name: string, value: string) => string | undefined;

interface Option {
  value: string;
  label: string;
}

/** Labels of filter values, from their lists of options. */
export const filterTextOf =
  (lists: Readonly<Partial<Record<string, readonly Option[]>>>): FilterText =>
  (name, value) =>
    lists[name]?.find((option) => option.value === value)?.label;

/** The active filters, each with a remove button, and a button that removes all. */
export function FilterChips({ state, filterText }: { state: TableState; filterText?: FilterText | undefined }) {
  const t = useText(tableMessages);
  const filters = Object.entries(filtersOf(state.search)).filter(([, value]) => !isUnreadable(value));
  if (filters.length === 0) return null;
  return (
    <div className={styles.chips} role="group" aria-label={t('inForce')}>
      {filters.map(([name, value]) => {
        const key = `filter_${name}` as const;
        const label = isTextOf(tableMessages, key) ? t(key) : name;
        const text = filterText?.(name, String(value)) ?? String(value);
        return (
          <button
            key={name}
            type="button"
            className={styles.chip}
            title={t('removeFilter', { filter: label })}
            onClick={() => state.set({ [name]: undefined })}
          >
            <span>
              {label}: <strong>{text}</strong>
            </span>
            <Icon name="cross" size={12} />
          </button>
        );
      })}
      {filters.length > 1 && (
        <Button size="compact-sm" variant="subtle" color="gray" c="dimmed" onClick={state.clear}>
          {t('clearFilters')}
        </Button>
      )}
    </div>
  );
}
