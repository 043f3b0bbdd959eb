import type { ReactNode } from 'react';
import styles from './FormFoot.module.css';

/** The buttons of a form. They stay visible at the bottom of the page or the dialog, however long the form is. */
export function FormFoot({ status, tone, children }: { status?: ReactNode; tone?: 'warn' | 'ok'; children: ReactNode }) {
  return (
    <div className={styles.foot} data-foot>
      {status !== undefined && (
        <div className={styles.status} data-tone={tone} role={tone && 'status'}>
          {status}
        </div>
      )}
      <div className={styles.buttons}>{children}</div>
    </div>
  );
}
