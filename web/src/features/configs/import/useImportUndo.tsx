import { isProblem, versionConflict } from '@/api';
import { useText } from '@/i18n';
import { When, type BulkAction, type Item } from '@/ui';
import { deleteConfig, rollBackConfig, type Config, type ImportVerdict } from '../queries';
import { importMessages } from './messages';

const atOnce = 4;

/** A config that an import wrote, as it left it. */
export interface Written {
  key: string;
  /** What was there is the version before; one that was created had none. */
  version: number;
  etag: string;
  isNew: boolean;
  /** As others left it since. */
  current?: Config;
}

/** What an import wrote, and so can be taken back. */
export const writtenBy = (verdicts: readonly ImportVerdict[]): Written[] =>
  verdicts.flatMap(({ key, verdict, version, etag }) =>
    version === undefined || etag === undefined ? [] : [{ key, version, etag, isNew: verdict === 'create' }],
  );

/** Takes an import back, config by config: what was changed goes back to the version before, what was new goes; what others changed since stays. */
export function useImportUndo(): BulkAction<Written> {
  const t = useText(importMessages);
  return {
    id: 'undo-import',
    words: {
      title: (n) => t('undoTitle', { n }),
      hint: t('undoHint'),
      confirm: (n) => t('undo', { n }),
      done: (n) => t('undone', { n }),
    },
    size: 1,
    atOnce,
    open: () => ({}),
    skip: () => undefined,
    preview: ({ isNew, version }) => (isNew ? t('undoDeletes') : t('undoRollsBack', { version: version - 1 })),
    item: ({ key, ...written }) => ({ id: key, label: key, own: JSON.stringify(written) }),
    send: async ([row], _, key) => {
      if (row === undefined) return [];
      const { etag, version, isNew } = JSON.parse(row.own ?? '{}') as Omit<Written, 'key'>;
      if (isNew) await deleteConfig(row.id, etag);
      else await rollBackConfig(row.id, etag, version - 1, t('undoNote'), key);
      return [{ id: row.id, verdict: 'done' }];
    },
    told: (error, [row]: readonly Item[]) => {
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
