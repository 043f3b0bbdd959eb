import { Checkbox } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { StatusChip } from '@/ui';
import { accessMessages } from './messages';
import styles from './SetChoice.module.css';
import { placeOf } from './sets';

interface Props {
  /** Which member of the record the set is, and the name in it. */
  set: 'permissions' | 'scopes' | 'roles';
  name: string;
  label: ReactNode;
  /** What the box is called, where that is more than the name. */
  title?: string;
  /** What it means. */
  meaning: ReactNode;
  isChosen: boolean;
  /** It is in the set as that is saved. */
  wasChosen: boolean;
  /** The set is being made, so that all in it is new. */
  isNew?: boolean;
  /** Why the user cannot give it; undefined for what they can. */
  lacks: string | undefined;
  /** A chip about it. */
  mark?: ReactNode;
  /** Where it stands in no group that hears of its changes. */
  onChange?: (isChosen: boolean) => void;
}

/**
 * A name that is given with a set, or not. What is saved can be taken and given back by
 * everybody who edits; what is not can be given only by who has it.
 */
export function SetChoice({ set, name, label, title = name, meaning, isChosen, wasChosen, isNew = false, lacks, mark, onChange }: Props) {
  const t = useText(accessMessages);
  const id = useId();
  return (
    <Checkbox
      data-field={placeOf(set, name)}
      value={name}
      label={
        <span className={styles.name}>
          {label}
          <span id={`${id}-state`}>
            {isChosen && !wasChosen && !isNew && <StatusChip tone="ok">{t('added')}</StatusChip>}
            {!isChosen && wasChosen && <StatusChip tone="bad">{t('taken')}</StatusChip>}
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
      disabled={lacks !== undefined && !wasChosen && !isChosen}
      onChange={(event) => onChange?.(event.currentTarget.checked)}
    />
  );
}
