import type { ReactNode } from 'react';
import styles from './Facts.module.css';

interface Props {
  /** Name and value; what is false or has no value is left out. */
  facts: readonly (readonly [name: string, value: ReactNode] | false)[];
  /** grid: as many beside each other as there is room for; list: one below the other; line: as they come. */
  layout?: 'grid' | 'list' | 'line';
  label?: string;
}

/** What is known of something, name by name. */
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
