import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PersonName } from '@/api';
import { useText } from '@/i18n';
import type { Change } from '@/merge';
import { Avatar, Difference, StatusChip } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { useConfigWords } from '../useConfigWords';
import styles from './Field.module.css';

export interface FieldState {
  name: string;
  label: string;
  /** What was typed here, place by place; a field that cannot be read yet is changed without a list. */
  changes: readonly Change[];
  isChanged: boolean;
  /** Who changed it just now, while nothing was typed. */
  followed: PersonName | undefined;
  /** Who else is on it. */
  here: readonly PersonName[];
  /** Takes back what was typed here; undefined where nothing can be. */
  undo: (() => void) | undefined;
}

/** A field of a config: its name, who is on it, its input, and what was changed in it. */
export function Field({ state, inputId, children }: { state: FieldState; inputId?: string; children: ReactNode }) {
  const t = useText(editMessages);
  const words = useConfigWords();
  const { name, label, changes, isChanged, followed, here, undo } = state;
  return (
    <div className={styles.field} data-field={name} data-changed={isChanged || undefined} data-followed={followed !== undefined || undefined}>
      <div className={styles.head}>
        {inputId === undefined ? (
          <span className={styles.label}>{label}</span>
        ) : (
          <label htmlFor={inputId} className={styles.label}>
            {label}
          </label>
        )}
        {isChanged && <StatusChip tone="info">{t('changed')}</StatusChip>}
        {followed !== undefined && <StatusChip tone="ok">{t('changedBy', { who: followed.name })}</StatusChip>}
        {here.map((person) => (
          <span key={person.id} className={styles.here}>
            <Avatar person={person} size={20} />
            {t('isHere', { who: person.name })}
          </span>
        ))}
        {isChanged && undo !== undefined && (
          <Button className={styles.undo} size="compact-xs" variant="subtle" onClick={undo}>
            {t('undoField', { field: label })}
          </Button>
        )}
      </div>
      {children}
      {changes.length > 0 && <Difference changes={changes} words={words} />}
    </div>
  );
}
