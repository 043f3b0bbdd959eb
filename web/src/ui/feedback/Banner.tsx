import type { ReactNode } from 'react';
import { Icon } from '../Icon';
import styles from './Banner.module.css';

interface Props {
  tone: 'warn' | 'bad' | 'info' | 'ok';
  title: ReactNode;
  children?: ReactNode;
  /** One or two buttons at the end. */
  action?: ReactNode;
}

/** A message on the page with a possible action. Screen readers announce it when it appears. */
export function Banner({ tone, title, children, action }: Props) {
  return (
    <div className={styles.banner} data-tone={tone} role={tone === 'bad' ? 'alert' : 'status'}>
      <span className={styles.icon}>
        <Icon name={tone === 'ok' ? 'check' : tone === 'info' ? 'info' : 'alert'} size={18} />
      </span>
      <div className={styles.words}>
        <div className={styles.title}>{title}</div>
        {children !== undefined && <div className={styles.more}>{children}</div>}
      </div>
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </div>
  );
}
