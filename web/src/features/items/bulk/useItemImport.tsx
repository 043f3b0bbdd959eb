import { useText } from '@/i18n';
import { type BulkAction, type Watched } from '@/ui';
import { itemMessages } from '../messages';
import { bulkItemMessages } from './messages';
import { isWhy, itemOf, lineOf, type Line } from './plan';
import { atOnce, Becomes, makeChange, maxItems, rowOf, resultsOnError, useOthers, useReading, useReason, useUndo, watchedItem } from './useItemChanges';

/** Detects changes by other users to the items that the pasted or uploaded table lists. */
export const watchedLines: Watched<Line> = {
  topic: watchedItem.topic,
  key: ({ sku }) => sku,
  etag: (line) => itemOf(line)?.etag ?? '',
  read: ({ sku }) => readLine(sku),
};

const readLine = async (sku: string, signal?: AbortSignal): Promise<Line> => (await watchedItem.read(sku, signal)) ?? { sku, isNew: true };

/** Imports items from a pasted or uploaded table: creates missing items and updates existing ones. */
export function useItemImport(): BulkAction<Line> {
  const t = useText(bulkItemMessages);
  const items = useText(itemMessages);
  const reading = useReading();
  const reason = useReason();
  const others = useOthers();
  const undo = useUndo();
  return {
    id: 'import',
    labels: {
      title: (n) => t('importTitle', { n }),
      hint: t('importHint'),
      confirm: (n) => t('importGo', { n }),
      done: (n) => t('imported', { n }),
    },
    size: 1,
    maxRows: maxItems,
    concurrency: atOnce,
    file: { kind: 'items', key: 'sku', label: items('sku') },
    table: {
      button: t('import'),
      find: readLine,
    },
    open: () => ({}),
    columns: () => [
      { name: 'name', label: items('name'), isNeeded: false },
      { name: 'price', label: items('price'), isNeeded: false },
      { name: 'status', label: items('status'), isNeeded: false },
      { name: 'ownedByUserId', label: items('owner'), isNeeded: false },
      { name: 'product', label: t('product'), isNeeded: false },
    ],
    skip: (line, _, own = {}) => reason(lineOf(line, own, reading)),
    preview: (line, _, own = {}) => <Becomes change={lineOf(line, own, reading)} />,
    item: (line, _, own = {}) => {
      const change = lineOf(line, own, reading);
      // Lines without a change have nothing to send.
      return { ...rowOf(line.sku, change), ...(isWhy(change) && { values: '' }) };
    },
    send: (rows, _, key) => makeChange(rows, key),
    resultsOnError,
    describe: others,
    undo,
  };
}
