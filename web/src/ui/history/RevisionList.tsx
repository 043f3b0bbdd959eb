import { Button, Paper, Text, Title } from '@mantine/core';
import { useText } from '@/i18n';
import type { PersonName } from '@/api';
import { changedFields, type Fields, type FieldTexts } from '../edit/fields';
import { editMessages } from '../edit/messages';
import { EtagVersion } from '../EtagVersion';
import { ProblemBanner } from '../feedback/ProblemBanner';
import styles from './RevisionList.module.css';
import { Timeline } from './Timeline';

export interface Revision<T> {
  version: number;
  action: string;
  changedBy: PersonName;
  changedTime: string;
  value: T;
}

interface Props<T> {
  revisions: readonly Revision<T>[] | undefined;
  texts: FieldTexts<T>;
  error: Error | null;
  retry: () => void;
  /** Reads on; undefined when all is shown. */
  older: (() => void) | undefined;
}

/** The versions of a record, newest first, each with what it changed. */
export function RevisionList<T extends Fields>({ revisions = [], texts, error, retry, older }: Props<T>) {
  const t = useText(editMessages);
  return (
    <Paper component="section" p="lg" aria-labelledby="history">
      <Title order={2} id="history">
        {t('history')}
      </Title>
      {error !== null && <ProblemBanner error={error} retry={retry} />}
      <Timeline
        label={t('history')}
        entries={revisions.map((revision, i) => {
          const before = revisions[i + 1];
          return {
            id: revision.version,
            by: revision.changedBy,
            time: revision.changedTime,
            action: (
              <>
                {revision.action} <EtagVersion version={revision.version} tone="neutral" />
              </>
            ),
            details: before === undefined ? undefined : <Changes before={before.value} after={revision.value} texts={texts} />,
          };
        })}
      />
      {older !== undefined && (
        <Button mt="xs" onClick={older}>
          {t('older')}
        </Button>
      )}
    </Paper>
  );
}

function Changes<T extends Fields>({ before, after, texts }: { before: T; after: T; texts: FieldTexts<T> }) {
  const t = useText(editMessages);
  const fields = changedFields(texts, before, after);
  if (fields.length === 0) return <Text size="sm">{t('unchanged')}</Text>;
  const show = (text: string) => (text === '' ? t('nothingHere') : text);
  return (
    <dl className={styles.changes}>
      {fields.map((field) => (
        <div key={field}>
          <dt>{texts[field].label}</dt>
          <dd>
            <del>{show(texts[field].show(before))}</del> <span aria-hidden="true">→</span> <ins>{show(texts[field].show(after))}</ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
