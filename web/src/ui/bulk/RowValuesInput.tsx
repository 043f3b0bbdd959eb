import { Button, FileButton, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core';
import { useState, type DragEvent } from 'react';
import type { ImportPreview } from '@/api';
import { useFormat, useText } from '@/i18n';
import { EncodingChoice } from '../files/EncodingChoice';
import { useTextFile } from '../files/useTextFile';
import { bulkMessages } from './messages';
import { useDetection, type TableKind } from './preview';
import type { ChosenLayout, RowColumn, TableValues } from './rowValues';
import { TableLayout } from './TableLayout';

interface Props {
  own: TableValues & {
    columns: readonly RowColumn[];
    hasRowValues: boolean;
    setHasRowValues: (has: boolean) => void;
    table: string;
    setTable: (table: string) => void;
    /** Replaces the table by another one, of which no row is done. */
    openTable: (table: string) => void;
    setLayout: (layout: ChosenLayout) => void;
    /** The service reads the table. */
    isReading: boolean;
  };
  /** The labels of the selected rows; undefined if the table lists the rows. */
  labels: readonly string[] | undefined;
  file: TableKind | undefined;
}

/** The maximum number of displayed labels and lines. */
const maxNamed = 5;
const maxLines = 20;

/** An input for a pasted or uploaded table. The table contains values for the selected rows, or lists the rows themselves. */
export function RowValuesInput({ own, labels, file: kind }: Props) {
  const t = useText(bulkMessages);
  const { list } = useFormat();
  const { columns, hasRowValues } = own;
  const [given, setGiven] = useState('');
  const { file, take, choose } = useTextFile(
    (text) => {
      setGiven(text);
      own.openTable(text);
    },
    useDetection(kind, columns),
  );
  if (kind === undefined || (columns.length === 0 && labels !== undefined)) return null;
  const chosen = labels && new Set(labels);
  const unmatched = chosen === undefined ? [] : [...own.byLabel.keys()].filter((label) => !chosen.has(label));
  const named = (found: readonly string[]) =>
    `${found.slice(0, maxNamed).join(', ')}${found.length > maxNamed ? ` ${t('more', { n: found.length - maxNamed })}` : ''}`;
  const head = list([kind.label, ...columns.map(({ label }) => label)]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) void take(dropped);
  };
  return (
    <Stack gap="xs">
      <Group>
        {chosen !== undefined && (
          <SegmentedControl
            aria-label={t('valuesMode')}
            value={hasRowValues ? 'own' : 'one'}
            data={[
              { value: 'one', label: t('oneForAll') },
              { value: 'own', label: t('onePerRow') },
            ]}
            onChange={(way) => own.setHasRowValues(way === 'own')}
          />
        )}
        {hasRowValues && (
          <FileButton
            accept="text/csv,text/plain,.csv,.tsv,.txt"
            inputProps={{ 'aria-label': t('file') }}
            onChange={(chosenFile) => chosenFile !== null && void take(chosenFile)}
          >
            {(props) => <Button {...props}>{t('file')}</Button>}
          </FileButton>
        )}
      </Group>
      {hasRowValues && (
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
            // Without a handler the browser would replace the page with a dropped file.
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => event.dataTransfer.files.length > 0 && drop(event)}
            data-autofocus
          />
          {/* The encoding is fixed once the text was edited: reading the file again would discard the edits. */}
          <EncodingChoice file={file} onEncoding={choose} disabled={own.table !== given} />
          {own.isReading && <Text role="status">{t('readingTable')}</Text>}
          {own.shown !== undefined && <TableLayout shown={own.shown} columns={columns} rowName={kind.label} onLayout={own.setLayout} />}
          <MalformedLines rejected={own.rejected} column={kind.label} isFirst={own.shown === undefined && own.byLabel.size === 0} />
          {chosen !== undefined && <Text role="status">{t('matched', { n: own.byLabel.size - unmatched.length })}</Text>}
          {unmatched.length > 0 && <Text c="warn">{t('unmatched', { labels: named(unmatched) })}</Text>}
          {chosen !== undefined && own.twice.length > 0 && <Text c="warn">{t('twice', { labels: named(own.twice) })}</Text>}
          {chosen !== undefined && own.empty.length > 0 && <Text c="warn">{t('lacking', { labels: named(own.empty) })}</Text>}
        </>
      )}
    </Stack>
  );
}

/** The rejected lines by reason. All other lines are used, unless the first line is rejected. */
function MalformedLines({ rejected, column, isFirst }: { rejected: ImportPreview['rejected']; column: string; isFirst: boolean }) {
  const t = useText(bulkMessages);
  const lineOf = ({ line, lastLine, text }: ImportPreview['rejected'][number]) => `${line === lastLine ? line : `${line}–${lastLine}`}${text && ` “${text}”`}`;
  const codes = [...new Set(rejected.map(({ code }) => code))];
  return (
    <>
      {codes.map((fault) => {
        const lines = rejected.filter(({ code }) => code === fault).map(lineOf);
        const shown = `${lines.slice(0, maxLines).join(', ')}${lines.length > maxLines ? ` ${t('more', { n: lines.length - maxLines })}` : ''}`;
        return (
          <Text key={fault} c="warn">
            {t(`fault_${fault}`, { n: lines.length, lines: shown, column })}
          </Text>
        );
      })}
      {isFirst && rejected.length > 0 && <Text c="warn">{t('firstRefused')}</Text>}
    </>
  );
}
