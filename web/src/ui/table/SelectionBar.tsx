import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { tableMessages } from './messages';
import styles from './SelectionBar.module.css';
import type { Selection } from './useSelection';

interface Props<Row> {
  selection: Selection<Row>;
  total: number;
  /** If false, `total` is a lower bound. */
  totalIsExact: boolean;
  /** The actions for the selected rows. */
  children: ReactNode;
}

/** The number of selected rows, a button that selects all matching rows, and the bulk actions. */
export function SelectionBar<Row>({ selection, total, totalIsExact, children }: Props<Row>) {
  const t = useText(tableMessages);
  const { number } = useFormat();
  const atLeast = (n: number, isExact: boolean) => (isExact ? number(n) : `${number(n)}+`);
  const count = selection.count(total);
  return (
    <section className={styles.bar} aria-label={t('chosenRows')}>
      <strong className="tabular" role="status">
        {t('chosen', { n: atLeast(count, totalIsExact || !selection.all) })}
      </strong>
      {(count < total || (!totalIsExact && !selection.all)) && (
        <Button size="xs" onClick={selection.chooseAll}>
          {t('chooseAll', { n: atLeast(total, totalIsExact) })}
        </Button>
      )}
      <Button size="xs" onClick={selection.clear}>
        {t('clearChoice')}
      </Button>
      <div className={styles.actions}>{children}</div>
    </section>
  );
}
