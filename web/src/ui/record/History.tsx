import { Button, Loader, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PersonName } from '@/api';
import { useText } from '@/i18n';
import { diff, type Change, type JsonObject } from '@/merge';
import { Difference } from '../edit/Difference';
import { editMessages } from '../edit/messages';
import type { Words } from '../edit/words';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { uiMessages } from '../messages';
import { Avatar, Person } from '../Person';
import { When } from '../When';
import styles from './History.module.css';
import { Section } from './Section';

/** A version of a record, as the service tells of it. */
interface Revision {
  version: number;
  changedBy: PersonName;
  changedTime: string;
  note?: string;
}

interface Entry extends Revision {
  id?: string | number;
  /** What was done, in a word or two. */
  action: ReactNode;
  /** What it changed; undefined where that cannot be told. */
  changes?: readonly Change[] | undefined;
  /** Chips about the version. */
  marks?: ReactNode;
  /** What came along with it. */
  details?: ReactNode;
  /** What can be done with the version. */
  actions?: ReactNode;
  /** A heading above it. */
  heading?: string | undefined;
}

export type Paged<T> = Pick<
  UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>,
  'data' | 'error' | 'hasNextPage' | 'isFetching' | 'fetchNextPage' | 'refetch'
>;

/** All versions that were read, newest first. */
export const revisionsOf = <T,>({ data }: Paged<T>): T[] => data?.pages.flatMap(({ items }) => items) ?? [];

/** What a version changed, given those that were read; undefined for the first, and while the one before is not read. */
export function changesOf<T>(revisions: readonly T[], i: number, contentOf: (revision: T) => JsonObject): readonly Change[] | undefined {
  const [revision, before] = [revisions[i], revisions[i + 1]];
  return revision === undefined || before === undefined ? undefined : diff(contentOf(before), contentOf(revision));
}

interface Props {
  title?: string;
  query: Paged<unknown>;
  entries: readonly Entry[];
  /** How changed places are read. */
  words?: Words;
  /** How many places of a version are shown. */
  most?: number;
  aside?: boolean;
  /** Stands in for the way to older ones. */
  foot?: ReactNode;
}

/** Who did what to a record, newest first, and what each version changed. */
export function History({ title, query, entries, words, most, aside, foot }: Props) {
  const t = useText(editMessages);
  const ui = useText(uiMessages);
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const first = entries.at(-1)?.version ?? 1;
  return (
    <Section title={title ?? t('history')} aside={aside}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      <ol className={styles.list}>
        {entries.map((entry) => (
          <HistoryEntry key={entry.id ?? entry.version} entry={entry} words={words} most={most} />
        ))}
      </ol>
      {foot ??
        (hasNextPage && (
          <Button mt="xs" loading={isFetching} onClick={() => void fetchNextPage()}>
            {t('older')}
          </Button>
        ))}
      {foot === undefined && !hasNextPage && first > 1 && (
        <Text c="dimmed" fz="sm" mt="xs">
          {t('notKept', { n: first })}
        </Text>
      )}
    </Section>
  );
}

function HistoryEntry({ entry, words, most }: { entry: Entry; words: Words | undefined; most: number | undefined }) {
  const t = useText(editMessages);
  const { version, changedBy, changedTime, action, changes, note = '', marks, details, actions, heading } = entry;
  return (
    <>
      {heading !== undefined && (
        <li className={styles.heading}>
          <Text fw={600}>{heading}</Text>
        </li>
      )}
      <li className={styles.entry}>
        <Avatar person={changedBy} size={26} />
        <div className={styles.words}>
          <div className={styles.head}>
            <span>
              <strong>
                <Person person={changedBy} />
              </strong>{' '}
              {action}
            </span>
            <span className={styles.version}>v{version}</span>
            {marks}
            <span className={styles.when}>
              <When time={changedTime} />
            </span>
          </div>
          {note !== '' && <q className={styles.note}>{note}</q>}
          {changes !== undefined && words !== undefined && changes.length > 0 && <Difference changes={changes} words={words} most={most} />}
          {changes?.length === 0 && details === undefined && <div className={styles.note}>{t('changedNothing')}</div>}
          {details !== undefined && <div className={styles.note}>{details}</div>}
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </div>
      </li>
    </>
  );
}
