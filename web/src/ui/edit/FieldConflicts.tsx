import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useText } from '@/i18n';
import { Banner } from '../feedback/Banner';
import { When } from '../When';
import styles from './FieldConflicts.module.css';
import type { Fields, FieldTexts } from './fields';
import { editMessages } from './messages';
import type { Versioned } from './useDraft';
import type { Choice, FieldConflict } from './useGuardedSave';

interface Props<R, T> {
  conflict: FieldConflict<R, T>;
  /** What the form holds now. */
  mine: T;
  texts: FieldTexts<T>;
  onChoose: (field: keyof T & string, choice: Choice) => void;
  onResolve: () => void;
  onLater: () => void;
  saving: boolean;
}

/** Asks, for each field that both sides changed, whose value stays. */
export function FieldConflicts<R extends Versioned, T extends Fields>({ conflict, mine, texts, onChoose, onResolve, onLater, saving }: Props<R, T>) {
  const t = useText(editMessages);
  const { by, time, base, theirs, fields, choices, current } = conflict;
  const value = (record: T, field: keyof T & string) => {
    const text = texts[field].show(record);
    return text === '' ? t('nothingHere') : text;
  };
  const undecided = fields.some((field) => choices[field] === undefined);
  return (
    <Banner tone="warn" title={t.rich('raced', { who: by.name, theirs: String(current.version), when: <When time={time} />, mine: String(base.version) })}>
      <Stack gap="sm">
        <Text size="sm">{t('racedHint')}</Text>
        {fields.map((field) => (
          <Radio.Group
            key={field}
            className={styles.field}
            label={texts[field].label}
            description={`${t('was')}: ${value(base.value, field)}`}
            value={choices[field] ?? ''}
            onChange={(choice) => onChoose(field, choice as Choice)}
          >
            <Stack gap={6} mt={8}>
              <Radio value="theirs" label={<Side words={t('take', { who: by.name })} value={value(theirs, field)} />} />
              <Radio value="mine" label={<Side words={t('keep')} value={value(mine, field)} />} />
            </Stack>
          </Radio.Group>
        ))}
        <Text size="sm">{t('editHint')}</Text>
        <Group gap="xs">
          <Button variant="filled" disabled={undecided} loading={saving} onClick={onResolve}>
            {t('saveDecided')}
          </Button>
          <Button onClick={onLater}>{t('later')}</Button>
        </Group>
      </Stack>
    </Banner>
  );
}

function Side({ words, value }: { words: string; value: string }) {
  return (
    <>
      {words}: <strong className={styles.value}>{value}</strong>
    </>
  );
}
