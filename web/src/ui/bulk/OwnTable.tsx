import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useFormat, useText } from '@/i18n';
import { bulkMessages } from './messages';
import type { OwnColumn, OwnValues } from './own';

interface Props {
  own: OwnValues & { columns: readonly OwnColumn[]; hasOwn: boolean; setHasOwn: (has: boolean) => void; table: string; setTable: (table: string) => void };
  /** What the chosen rows are called. */
  labels: readonly string[];
}

/** How many labels are named. */
const most = 5;

/** Gives each row its own value from a table that is pasted or comes as a file. */
export function OwnTable({ own, labels }: Props) {
  const t = useText(bulkMessages);
  const { list } = useFormat();
  const { columns } = own;
  if (columns.length === 0) return null;
  const chosen = new Set(labels);
  const unmatched = [...own.byLabel.keys()].filter((label) => !chosen.has(label));
  const named = (found: readonly string[]) => `${found.slice(0, most).join(', ')}${found.length > most ? ` ${t('more', { n: found.length - most })}` : ''}`;
  return (
    <Stack gap="xs">
      <Group>
        <SegmentedControl
          aria-label={t('ownOrOne')}
          value={own.hasOwn ? 'own' : 'one'}
          data={[
            { value: 'one', label: t('oneForAll') },
            { value: 'own', label: t('ownForEach') },
          ]}
          onChange={(way) => own.setHasOwn(way === 'own')}
        />
        {own.hasOwn && (
          <FileButton
            accept="text/csv,text/plain,.csv,.tsv,.txt"
            inputProps={{ 'aria-label': t('file') }}
            onChange={(file) => void file?.text().then(own.setTable)}
          >
            {(props) => <Button {...props}>{t('file')}</Button>}
          </FileButton>
        )}
      </Group>
      {own.hasOwn && (
        <>
          <Textarea
            label={t('table')}
            description={t('tableHint', { columns: list([t('tableRow'), ...columns.map(({ label }) => label)]) })}
            classNames={{ input: 'mono' }}
            autosize
            minRows={4}
            maxRows={10}
            spellCheck={false}
            value={own.table}
            onChange={(event) => own.setTable(event.currentTarget.value)}
          />
          <Text role="status">{t('matched', { n: own.byLabel.size - unmatched.length })}</Text>
          {unmatched.length > 0 && <Text c="warn">{t('unmatched', { labels: named(unmatched) })}</Text>}
          {own.twice.length > 0 && <Text c="warn">{t('twice', { labels: named(own.twice) })}</Text>}
          {own.empty.length > 0 && <Text c="warn">{t('lacking', { labels: named(own.empty) })}</Text>}
        </>
      )}
    </Stack>
  );
}
