import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import type { DragEvent } from 'react';
import { useFormat, useText } from '@/i18n';
import { readText } from './file';
import { bulkMessages } from './messages';
import type { OwnColumn, OwnValues } from './own';

interface Props {
  own: OwnValues & { columns: readonly OwnColumn[]; hasOwn: boolean; setHasOwn: (has: boolean) => void; table: string; setTable: (table: string) => void };
  /** What the chosen rows are called; undefined where the table names the rows. */
  labels: readonly string[] | undefined;
  /** What the column that names the row is called. */
  rowName: string | undefined;
}

/** How many labels are named. */
const most = 5;

/** Gives each row its own value from a table that is pasted or comes as a file; or names the rows that there are. */
export function OwnTable({ own, labels, rowName }: Props) {
  const t = useText(bulkMessages);
  const { list } = useFormat();
  const { columns, hasOwn } = own;
  if (columns.length === 0 && labels !== undefined) return null;
  const chosen = labels && new Set(labels);
  const unmatched = chosen === undefined ? [] : [...own.byLabel.keys()].filter((label) => !chosen.has(label));
  const named = (found: readonly string[]) => `${found.slice(0, most).join(', ')}${found.length > most ? ` ${t('more', { n: found.length - most })}` : ''}`;
  const head = list([rowName ?? t('tableRow'), ...columns.map(({ label }) => label)]);
  const take = (file: File | null | undefined) => void (file && readText(file).then(own.setTable));
  const drop = (event: DragEvent) => {
    event.preventDefault();
    take(event.dataTransfer.files[0]);
  };
  return (
    <Stack gap="xs">
      <Group>
        {chosen !== undefined && (
          <SegmentedControl
            aria-label={t('ownOrOne')}
            value={hasOwn ? 'own' : 'one'}
            data={[
              { value: 'one', label: t('oneForAll') },
              { value: 'own', label: t('ownForEach') },
            ]}
            onChange={(way) => own.setHasOwn(way === 'own')}
          />
        )}
        {hasOwn && (
          <FileButton accept="text/csv,text/plain,.csv,.tsv,.txt" inputProps={{ 'aria-label': t('file') }} onChange={take}>
            {(props) => <Button {...props}>{t('file')}</Button>}
          </FileButton>
        )}
      </Group>
      {hasOwn && (
        <>
          <Textarea
            label={t(columns.length === 0 ? 'list' : 'table')}
            description={columns.length === 0 ? t('listHint', { column: head }) : t(chosen === undefined ? 'rowsHint' : 'tableHint', { columns: head })}
            classNames={{ input: 'mono' }}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            value={own.table}
            onChange={(event) => own.setTable(event.currentTarget.value)}
            // A file that is dropped beside an input takes the place of the page.
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => event.dataTransfer.files.length > 0 && drop(event)}
            data-autofocus
          />
          {chosen !== undefined && <Text role="status">{t('matched', { n: own.byLabel.size - unmatched.length })}</Text>}
          {unmatched.length > 0 && <Text c="warn">{t('unmatched', { labels: named(unmatched) })}</Text>}
          {chosen !== undefined && own.twice.length > 0 && <Text c="warn">{t('twice', { labels: named(own.twice) })}</Text>}
          {chosen !== undefined && own.empty.length > 0 && <Text c="warn">{t('lacking', { labels: named(own.empty) })}</Text>}
        </>
      )}
    </Stack>
  );
}
