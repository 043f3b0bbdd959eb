import { Checkbox } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { accessMessages } from './messages';
import styles from './SetChoice.module.css';
import { pathOf } from './sets';

interface Props {
  /** The member of the record, and the name within the set. */
  set: 'permissions' | 'scopes' | 'roles';
  name: string;
  label: ReactNode;
  /** The accessible name of the checkbox, if it differs from the name. */
  title?: string;
  /** The meaning of the name. */
  meaning: ReactNode;
  isChosen: boolean;
  /** Whether the saved set contains the name. */
  wasChosen: boolean;
  /** Whether the set is being created, so that every name in it is new. */
  isNew?: boolean;
  /** The reason why the user can neither add nor remove the name; undefined if they can. */
  lacks: string | undefined;
  /** A chip next to the name. */
  mark?: ReactNode;
  /** For choices outside a Checkbox.Group. */
  onChange?: (isChosen: boolean) => void;
}

/** The checkbox of one name of a set. Only users who have the permission can change it, but every editor can undo an unsaved change. */
export function SetChoice({ set, name, label, title = name, meaning, isChosen, wasChosen, isNew = false, lacks, mark, onChange }: Props) {
  const t = useText(accessMessages);
  const id = useId();
  return (
    <Checkbox
      data-field={pathOf(set, name)}
      value={name}
      label={
        <span className={styles.name}>
          {label}
          <span id={`${id}-state`}>
            {isChosen && !wasChosen && !isNew && <StatusChip tone="ok">{t('added')}</StatusChip>}
            {!isChosen && wasChosen && <StatusChip tone="bad">{t('removedHere')}</StatusChip>}
            {mark}
          </span>
        </span>
      }
      description={
        <span id={id} className={styles.meaning}>
          {meaning}
          {lacks !== undefined && <span className={styles.why}>{lacks}</span>}
        </span>
      }
      aria-label={title}
      aria-describedby={`${id} ${id}-state`}
      checked={isChosen}
      disabled={lacks !== undefined && isChosen === wasChosen}
      onChange={(event) => onChange?.(event.currentTarget.checked)}
    />
  );
}
