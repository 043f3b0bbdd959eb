import type { ReactNode } from 'react';
import { isCustomerId, isProblem, orMissing, versionConflict, type ApiProblem } from '@/api';
import { useFormat, useText } from '@/i18n';
import { diff } from '@/merge';
import { contentOfFields, Difference, Money, When, type Item as Row, type Result } from '@/ui';
import { minorOf } from '@/ui/MoneyInput';
import { useItemLabels } from '../fields';
import { ItemStatusChip } from '../ItemStatusChip';
import { createItem, deleteItem, editItem, readItem, type Item } from '../queries';
import { bulkItemMessages } from './messages';
import { isWhy, itemOf, undoOf, type Change, type Line, type Reading, type Why } from './plan';

/** Limits of all runs over items. Each item needs a separate guarded request with its key, so several are sent concurrently. */
export const atOnce = 4;
export const maxItems = 1000;

/** Parsers for the cells of a table. */
export function useReading(): Reading {
  const { minorDigits } = useFormat();
  return {
    money: (text) => minorOf(text, minorDigits),
    isOwner: isCustomerId,
  };
}

/** Returns the reason why an item stays unchanged; undefined if it changes. */
export function useReason(): (planned: Change | Why) => string | undefined {
  const t = useText(bulkItemMessages);
  return (planned) => {
    if (!isWhy(planned)) return undefined;
    return 'text' in planned ? t(`skip_${planned.why}`, { text: planned.text }) : t(`skip_${planned.why}`);
  };
}

export const rowOf = (sku: string, change: Change | Why): Row => ({ id: sku, label: sku, values: isWhy(change) ? undefined : JSON.stringify(change) });

/** Sends one change, guarded by the displayed ETag. */
export async function makeChange([row]: readonly Row[], key: string): Promise<Result<Item>[]> {
  if (row?.values === undefined) return [];
  const { id: sku } = row;
  const change = JSON.parse(row.values) as Change;
  switch (change.op) {
    case 'edit':
      return [{ id: sku, verdict: 'done', etag: (await editItem(sku, change.patch, change.etag, key)).etag }];
    case 'add':
      return [{ id: sku, verdict: 'done', etag: (await createItem(change.item, key)).etag }];
    case 'delete':
      await deleteItem(sku, change.etag);
      return [{ id: sku, verdict: 'done' }];
  }
}

/** The verdict of a rejection: another user changed the item, or it was deleted. */
export function resultsOnError(error: ApiProblem, [row]: readonly Row[]): Result<Item>[] | undefined {
  if (row === undefined) return undefined;
  const conflict = versionConflict<Item>(error);
  if (conflict !== undefined) return [{ id: row.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: conflict.current }];
  return isProblem(error, 'not_found') ? [{ id: row.id, verdict: 'gone' }] : undefined;
}

/** The differences of an item, field by field. */
export function Becomes({ change }: { change: Change | Why }) {
  const labels = useItemLabels();
  const t = useText(bulkItemMessages);
  if (isWhy(change)) return null;
  switch (change.op) {
    case 'edit':
      return <Difference changes={diff({ ...change.before }, { ...change.patch })} labels={labels} />;
    case 'add': {
      const { name, price, status } = change.item;
      return (
        <>
          <strong>{t('willBeAdded')}</strong>
          <span>{name}</span>
          <Money minor={price} />
          <ItemStatusChip status={status} />
        </>
      );
    }
    case 'delete':
      return null;
  }
}

/** The changes by another user to an item that the run did not change. */
export function useOthers(): (result: Result<Line>, before: Line | undefined) => ReactNode {
  const t = useText(bulkItemMessages);
  const labels = useItemLabels();
  return ({ verdict, current: line }, seen) => {
    const [before, current] = [seen && itemOf(seen), line && itemOf(line)];
    if (verdict !== 'changed' || current === undefined) return undefined;
    return (
      <>
        {t.rich('changedBy', { who: current.updatedBy.name, when: <When time={current.updatedTime} /> })}
        {before !== undefined && <Difference changes={diff(content(before), content(current))} labels={labels} />}
      </>
    );
  };
}

const content = ({ name, price, ownedByUserId, status }: Item) => contentOfFields({ name, price, ownedByUserId, status });

/** The undo of a run: each item returns to its earlier state, unless another user has changed it since. */
export function useUndo() {
  const t = useText(bulkItemMessages);
  return {
    item: ({ item, etag }: Result & { item: Row }) => {
      const change = item.values === undefined ? undefined : undoOf(JSON.parse(item.values) as Change, etag);
      return change && rowOf(item.id, change);
    },
    done: (n: number) => t('undone', { n }),
  };
}

/** How a run detects that other users change items. */
export const watchedItem = {
  topic: 'items' as const,
  etag: ({ etag }: Item) => etag,
  read: (sku: string, signal?: AbortSignal): Promise<Item | undefined> => orMissing(readItem(sku, signal)),
};
