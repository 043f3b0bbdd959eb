import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ActBar } from '../acts/ActBar';
import { CopyButton } from '../CopyText';
import styles from './PageHeader.module.css';

interface Props {
  title: ReactNode;
  /** The list that the record belongs to. */
  parent?: { to: string; label: string };
  /** Displays the title in monospace, for keys and order numbers. */
  mono?: boolean;
  /** Chips next to the title: version, status. */
  chips?: ReactNode;
  /** At the end of the line: other users on the page, buttons. */
  children?: ReactNode;
}

/** The header of a page: its list, title, status and actions. */
export function PageHeader({ title, parent, mono = false, chips, children }: Props) {
  return (
    <header className={styles.header}>
      <div className={styles.title}>
        {parent !== undefined && (
          <nav className={styles.parent}>
            <Link to={parent.to}>{parent.label}</Link>
            <span aria-hidden="true"> /</span>
          </nav>
        )}
        <h1 className={mono ? `${styles.name ?? ''} mono` : styles.name}>{title}</h1>
        {mono && typeof title === 'string' && <CopyButton text={title} label={title} />}
        {chips}
      </div>
      {children !== undefined && (parent === undefined ? <div className={styles.actions}>{children}</div> : <ActBar>{children}</ActBar>)}
    </header>
  );
}
