import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useId, useState, type ReactNode } from 'react';
import { useText } from '@/i18n';
import { encode, equal, inOrderOf, parse, type Choice, type Contested, type Json, type Value } from '@/merge';
import { CodeMerge } from '../code/Code';
import { BeforeAfter, brief } from '../edit/Difference';
import { isKeyPath, type Labels } from '../edit/labels';
import { Icon } from '../Icon';
import { StatusChip } from '../StatusChip';
import styles from './Conflict.module.css';
import { conflictMessages } from './messages';

interface Props {
  conflict: Contested;
  labels: Labels;
  baseVersion: string;
  theirVersion: string;
  who: string;
  /** Whether the user can write a value that differs from both sides. */
  withOther: boolean;
  onChoose: (choice: Choice | undefined) => void;
}

/** Longer texts, and texts with line breaks, are compared in an editor. */
const short = 80;

/** One conflict: base, theirs and yours, with buttons to keep yours, take theirs or write another value. */
export function ContestedField({ conflict, labels, baseVersion, theirVersion, who, withOther, onChoose }: Props) {
  const t = useText(conflictMessages);
  const { pointer, base, theirs, yours, choice } = conflict;
  const label = labels.field(pointer);
  const isText = [base, theirs, yours].every((value) => value === undefined || typeof value === 'string');
  const [editing, { open }] = useDisclosure(choice?.kind === 'other');
  const isLong = [theirs, yours].some((value) => spell(value, isText).length > short || spell(value, isText).includes('\n'));
  return (
    <div className={styles.place} data-contested role="group" aria-label={label}>
      <div className={styles.head}>
        <span className={isKeyPath(label) ? 'mono' : undefined}>{label}</span>
        <StatusChip tone="warn">{equal(yours, theirs) ? t('sameValue') : t('contested')}</StatusChip>
      </div>
      <div className={styles.sides}>
        <Side title={t('base', { version: baseVersion })}>
          <code className={styles.value}>{brief(labels.show(base, pointer)) || t('absent')}</code>
        </Side>
        <Side
          title={t('theirs', { who, version: theirVersion })}
          chosen={choice?.kind === 'theirs' ? t('taken') : undefined}
          action={
            <Button
              size="compact-sm"
              aria-pressed={choice?.kind === 'theirs'}
              aria-label={t('takeTheirsFor', { who, field: label })}
              onClick={() => onChoose({ kind: 'theirs', taken: theirs })}
            >
              {t('take')}
            </Button>
          }
        >
          <BeforeAfter pointer={pointer} before={base} after={theirs} labels={labels} />
        </Side>
        <Side
          title={t('yours')}
          chosen={choice?.kind === 'yours' ? t('kept') : undefined}
          action={
            <Button
              size="compact-sm"
              aria-pressed={choice?.kind === 'yours'}
              aria-label={t('keepYoursFor', { field: label })}
              onClick={() => onChoose({ kind: 'yours' })}
            >
              {t('keep')}
            </Button>
          }
        >
          <BeforeAfter pointer={pointer} before={base} after={yours} labels={labels} />
        </Side>
      </div>
      {withOther && isLong && !editing && (
        <Button mt="sm" onClick={open}>
          {t('editBoth')}
        </Button>
      )}
      {withOther && isLong && editing && (
        <LongValue conflict={conflict} isText={isText} theirLabel={t('theirs', { who, version: theirVersion })} onChoose={onChoose} />
      )}
      {withOther && !isLong && <OtherValue choice={choice} isText={isText} label={label} onChoose={onChoose} />}
    </div>
  );
}

function Side({ title, chosen, action, children }: { title: string; chosen?: string; action?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.side} data-chosen={chosen !== undefined || undefined}>
      <div className={styles.sideHead}>
        <span>{title}</span>
        {chosen === undefined ? (
          action
        ) : (
          <span className={styles.chosen}>
            <Icon name="check" size={14} /> {chosen}
          </span>
        )}
      </div>
      {children}
    </div>
  );
}

interface OtherProps {
  isText: boolean;
  onChoose: (choice: Choice | undefined) => void;
}

function OtherValue({ choice, isText, label, onChoose }: OtherProps & { choice: Choice | undefined; label: string }) {
  const t = useText(conflictMessages);
  const id = useId();
  const [text, setText] = useState(() => (choice?.kind === 'other' ? spell(choice.value, isText) : ''));
  const isChosen = choice?.kind === 'other';
  const isWrong = text !== '' && readAs(text, isText) === undefined;
  const type = (typed: string) => {
    setText(typed);
    const value = typed === '' ? undefined : readAs(typed, isText);
    if (value !== undefined) onChoose({ kind: 'other', value });
    else if (isChosen) onChoose(undefined);
  };
  return (
    <div className={styles.other}>
      <label htmlFor={id}>{t('other')}</label>
      <TextInput
        id={id}
        aria-label={t('otherOf', { field: label })}
        classNames={{ input: 'mono' }}
        value={text}
        error={isWrong && t('notJson')}
        onChange={(event) => type(event.currentTarget.value)}
      />
      {isChosen && (
        <span className={styles.chosen}>
          <Icon name="check" size={14} /> {t('entered')}
        </span>
      )}
    </div>
  );
}

function LongValue({ conflict, isText, theirLabel, onChoose }: OtherProps & { conflict: Contested; theirLabel: string }) {
  const t = useText(conflictMessages);
  const { choice, theirs, yours } = conflict;
  const [start] = useState(() => spell(choice?.kind === 'other' ? choice.value : yours, isText));
  const [isWrong, setWrong] = useState(false);
  return (
    <div className={styles.long}>
      <CodeMerge
        language={isText ? 'text' : 'json'}
        before={{ label: theirLabel, text: spell(ordered(yours, theirs), isText) }}
        after={{ label: t('result'), text: start }}
        onChange={(typed) => {
          const value = readAs(typed, isText);
          setWrong(value === undefined);
          onChoose(value === undefined ? undefined : { kind: 'other', value });
        }}
      />
      {isWrong && (
        <p className={styles.wrong} role="alert">
          {t('notJson')}
        </p>
      )}
      {choice?.kind === 'other' && (
        <span className={styles.chosen}>
          <Icon name="check" size={14} /> {t('entered')}
        </span>
      )}
    </div>
  );
}

const ordered = (like: Value, value: Value): Value => (like === undefined || value === undefined ? value : inOrderOf(like, value));

function spell(value: Value, isText: boolean): string {
  if (value === undefined) return '';
  return isText && typeof value === 'string' ? value : encode(value, 2);
}

function readAs(text: string, isText: boolean): Json | undefined {
  if (isText) return text;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
