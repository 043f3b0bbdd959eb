import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { PersonName } from '@/api';
import { useText } from '@/i18n';
import type { Change } from '@/merge';
import { Avatar, Difference, StatusChip } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { useConfigLabels } from '../useConfigWords';
import styles from './Field.module.css';
import { editorMessages } from './messages';

export interface FieldState {
  name: string;
  label: string;
  /** The changes by the user of this page, by JSON Pointer. The list is empty while the field cannot be parsed. */
  changes: readonly Change[];
  isChanged: boolean;
  /** The author of a change that this page has applied because the user had no edits. */
  followed: PersonName | undefined;
  /** The other users on this field. */
  here: readonly PersonName[];
  /** The program that owns the field, and its revision; undefined if none does. */
  owner: { manager: string; revision: string } | undefined;
  /** Reverts the user's changes of this field; undefined if there are none. */
  undo: (() => void) | undefined;
}

/** A field of a config: label, other users, input and changes. */
export function Field({ state, inputId, children }: { state: FieldState; inputId?: string; children: ReactNode }) {
  const t = useText(editMessages);
  const editor = useText(editorMessages);
  const labels = useConfigLabels();
  const { name, label, changes, isChanged, followed, here, owner, undo } = state;
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
        {owner !== undefined && <StatusChip>{editor(owner.revision === '' ? 'ownedBy' : 'ownedByRevision', { ...owner })}</StatusChip>}
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
      {changes.length > 0 && <Difference changes={changes} labels={labels} />}
    </div>
  );
}
