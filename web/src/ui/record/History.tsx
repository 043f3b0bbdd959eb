import { Button, Loader, Text } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PersonName } from '@/api';
import { useText } from '@/i18n';
import { diff, type Change, type JsonObject } from '@/merge';
import { Difference } from '../edit/Difference';
import { editMessages } from '../edit/messages';
import type { Labels } from '../edit/labels';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { uiMessages } from '../messages';
import { Avatar, Person } from '../Person';
import { When } from '../When';
import styles from './History.module.css';
import { Section } from './Section';

/** A version of a record, as the service returns it. */
interface Revision {
  version: number;
  changedBy: PersonName;
  changedTime: string;
  note?: string;
}

interface Entry extends Revision {
  id?: string | number;
  /** The action, in one or two words. */
  action: ReactNode;
  /** The changes of the version; undefined if they are unknown. */
  changes?: readonly Change[] | undefined;
  /** Chips about the version. */
  marks?: ReactNode;
  /** Further details. */
  details?: ReactNode;
  /** The actions for the version. */
  actions?: ReactNode;
  /** A heading above the version. */
  heading?: string | undefined;
}

export type Paged<T> = Pick<
  UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>,
  'data' | 'error' | 'hasNextPage' | 'isFetching' | 'fetchNextPage' | 'refetch'
>;

/** All versions that were loaded, newest first. */
export const revisionsOf = <T,>({ data }: Paged<T>): T[] => data?.pages.flatMap(({ items }) => items) ?? [];

/**
 * The changes of a version compared with the one before; undefined for the first version, and while
 * the one before is not loaded.
 */
export function changesOf<T>(revisions: readonly T[], i: number, contentOf: (revision: T) => JsonObject): readonly Change[] | undefined {
  const [revision, before] = [revisions[i], revisions[i + 1]];
  return revision === undefined || before === undefined ? undefined : diff(contentOf(before), contentOf(revision));
}

interface Props {
  title?: string;
  query: Paged<unknown>;
  entries: readonly Entry[];
  /** The labels of the changed fields. */
  labels?: Labels;
  /** The maximum number of changes displayed per version. */
  maxPaths?: number;
  aside?: boolean;
  /** Replaces the button that loads older versions. */
  foot?: ReactNode;
}

/** The history of a record, newest first, with the author and the changes of each version. */
export function History({ title, query, entries, labels, maxPaths, aside, foot }: Props) {
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
          <HistoryEntry key={entry.id ?? entry.version} entry={entry} labels={labels} maxPaths={maxPaths} />
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
          {t('versionsDeleted', { n: first })}
        </Text>
      )}
    </Section>
  );
}

function HistoryEntry({ entry, labels, maxPaths }: { entry: Entry; labels: Labels | undefined; maxPaths: number | undefined }) {
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
          {changes !== undefined && labels !== undefined && changes.length > 0 && <Difference changes={changes} labels={labels} max={maxPaths} />}
          {changes?.length === 0 && details === undefined && <div className={styles.note}>{t('changedNothing')}</div>}
          {details !== undefined && <div className={styles.note}>{details}</div>}
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </div>
      </li>
    </>
  );
}
