import type { ReactNode } from 'react';
import styles from './Facts.module.css';

interface Props {
  /** Name and value; facts that are false or have no value are omitted. */
  facts: readonly (readonly [name: string, value: ReactNode] | false)[];
  /** grid: as many columns as fit; list: one below the other; line: inline. */
  layout?: 'grid' | 'list' | 'line';
  label?: string;
}

/** The facts of a record as a definition list. */
export function Facts({ facts, layout = 'grid', label }: Props) {
  return (
    <dl className={styles.facts} data-layout={layout} aria-label={label}>
      {facts.map((fact) => {
        if (fact === false) return null;
        const [name, value] = fact;
        return value === undefined || value === null || value === false ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        );
      })}
    </dl>
  );
}
