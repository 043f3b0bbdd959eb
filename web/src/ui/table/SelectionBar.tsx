import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat, useText } from '@/i18n';
import { tableMessages } from './messages';
import styles from './SelectionBar.module.css';
import type { Selection } from './useSelection';

interface Props<Row> {
  selection: Selection<Row>;
  total: number;
  /** Unless set, there are more than `total`. */
  totalIsExact: boolean;
  /** What can be done with the chosen rows. */
  children: ReactNode;
}

/** How many rows are chosen, the way to choose all that match, and what to do with them. */
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
