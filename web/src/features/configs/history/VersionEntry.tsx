import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Person, StatusChip, When } from '@/ui';
import { Difference } from '../editor/Difference';
import styles from './History.module.css';
import type { Step } from './lives';
import { historyMessages } from './messages';

interface Props {
  step: Step;
  /** The form stands on it. */
  isBase?: boolean;
  /** Others saved it after the form was opened. */
  isNewer?: boolean;
  isCurrent?: boolean;
  most?: number;
  children?: ReactNode;
}

/** A version: who, when, why, and what it changed. */
export function VersionEntry({ step: { revision, changes }, isBase = false, isNewer = false, isCurrent = false, most = 4, children }: Props) {
  const t = useText(historyMessages);
  return (
    <li className={styles.entry} data-newer={isNewer || undefined}>
      <div className={styles.head}>
        <strong>v{revision.version}</strong>
        <span>
          <Person person={revision.changedBy} /> {t(revision.action)}
        </span>
        <span className={styles.when}>
          <When time={revision.changedTime} />
        </span>
        {isBase && <StatusChip>{t('yourBase')}</StatusChip>}
        {isCurrent && <StatusChip tone="accent">{t('current')}</StatusChip>}
      </div>
      {revision.note !== '' && <q className={styles.note}>{revision.note}</q>}
      {changes !== undefined && changes.length > 0 && <Difference changes={changes} most={most} />}
      {changes?.length === 0 && <div className={styles.when}>{t('sameContent')}</div>}
      {children}
    </li>
  );
}
