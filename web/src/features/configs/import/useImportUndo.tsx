import { isProblem, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { When, type BulkAction, type Item } from '@/ui';
import { deleteConfig, readConfigs, rollBackConfig, type Config } from '../queries';
import type { ImportRow } from './document';
import { importMessages } from './messages';

const atOnce = 4;

/** A config in the version that an import wrote. */
export interface Written {
  key: string;
  /** The version that the import wrote. The previous version contains the earlier content; a created config has none. */
  version: number;
  etag: string;
  isNew: boolean;
  /** The current config, if other users have changed it since. */
  current?: Config;
}

/** Returns the configs that an import wrote at a time, except those that were deleted since. `rows` contains the verdicts of the import. */
export async function readWritten(time: string, rows: readonly Pick<ImportRow, 'key' | 'verdict'>[]): Promise<Written[]> {
  const requested = new Map(rows.map(({ key, verdict }) => [key, verdict]));
  const written: Written[] = [];
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await readConfigs({ sort: '-updatedTime', limit: 200, cursor });
    for (const config of items) {
      const { key, version, etag, updatedTime } = config;
      const verdict = requested.get(key);
      if (updatedTime < time || (verdict !== 'create' && verdict !== 'update')) continue;
      written.push({ key, version, etag, isNew: verdict === 'create', ...(updatedTime > time && { current: config }) });
    }
    cursor = (items.at(-1)?.updatedTime ?? '') < time ? undefined : (nextCursor ?? undefined);
  } while (cursor !== undefined);
  return written;
}

/**
 * Undoes an import config by config: restores the previous version of changed configs and deletes
 * created ones. Configs that others changed since stay.
 */
export function useImportUndo(): BulkAction<Written> {
  const t = useText(importMessages);
  return {
    id: 'undo-import',
    labels: {
      title: (n) => t('undoTitle', { n }),
      hint: t('undoHint'),
      confirm: (n) => t('undo', { n }),
      done: (n) => t('undone', { n }),
    },
    size: 1,
    concurrency: atOnce,
    open: () => ({}),
    skip: ({ current }) => current && t('changedSince', { who: current.updatedBy.name }),
    preview: ({ isNew, version }) => (isNew ? t('undoDeletes') : t('undoRollsBack', { version: version - 1 })),
    item: ({ key, ...written }) => ({ id: key, label: key, values: JSON.stringify(written) }),
    send: async ([row], _, key) => {
      if (row === undefined) return [];
      const { etag, version, isNew } = JSON.parse(row.values ?? '{}') as Omit<Written, 'key'>;
      if (isNew) await deleteConfig(row.id, etag);
      else await rollBackConfig(row.id, etag, version - 1, t('undoNote'), key);
      return [{ id: row.id, verdict: 'done' }];
    },
    resultsOnError: (error, [row]: readonly Item[]) => {
      if (row === undefined) return undefined;
      if (isProblem(error, 'not_found')) return [{ id: row.id, verdict: 'gone' }];
      const conflict = versionConflict<Config>(error);
      if (conflict === undefined) return undefined;
      const { currentVersion: version, currentEtag: etag, current } = conflict;
      return [
        { id: row.id, verdict: 'changed', said: { code: error.code, text: error.message }, current: { key: row.id, version, etag, isNew: false, current } },
      ];
    },
    describe: ({ verdict, current: left }) => {
      const current = left?.current;
      return verdict === 'changed' && current !== undefined && t.rich('changedBy', { who: current.updatedBy.name, when: <When time={current.updatedTime} /> });
    },
  };
}
