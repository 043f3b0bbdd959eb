import type { ReactNode } from 'react';
import styles from './ActBar.module.css';

/** The acts on a record. On phones they are at the bottom of the screen, where a thumb reaches them, unless a form has its buttons there. */
export function ActBar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>;
}
