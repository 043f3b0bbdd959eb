import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '@/i18n';
import { diff } from '@/merge';
import { useConfirm, useToasts } from '@/ui';
import { Difference } from '../editor/Difference';
import { contentOfConfig } from '../editor/form';
import { metMeanwhile, oneConfig, rollBackConfig, type ConfigRevision } from '../editor/queries';
import type { Config } from '../queries';
import { historyMessages } from './messages';

interface Wanted {
  version: number;
  note: string;
  etag: string;
}

/** Rolls a config back to one of its versions, after showing what that changes and asking why. */
export function useRollback(config: Config, onDone: (record: Config) => void) {
  const t = useText(historyMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const [raced, setRaced] = useState<Config>();
  const { key } = config;
  const rollback = useMutation({
    mutationFn: ({ version, note, etag }: Wanted) => rollBackConfig(key, etag, version, note),
    onMutate: () => setRaced(undefined),
    onSuccess: (record, { version }) => {
      onDone(record);
      queries.setQueryData(oneConfig(key).queryKey, record);
      toasts.done(t('rolledBack', { next: String(record.version), version: String(version) }));
    },
    onError: (error) => {
      const theirs = metMeanwhile(error);
      if (theirs === undefined) return;
      queries.setQueryData(oneConfig(key).queryKey, theirs);
      setRaced(theirs);
      rollback.reset();
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['configs'] }),
  });
  return {
    ...rollback,
    raced,
    ask: async (revision: ConfigRevision) => {
      const version = String(revision.version);
      const changes = diff(contentOfConfig(config), contentOfConfig(revision));
      if (changes.length === 0) {
        toasts.info(t('alreadySame', { version }));
        return;
      }
      const { etag } = config;
      const answer = await ask({
        title: t('rollBackTitle', { version }),
        body: (
          <>
            {t('rollBackBody', { version, next: String(config.version + 1) })}
            <Difference changes={changes} />
          </>
        ),
        confirm: t('rollBackConfirm'),
        reason: 'optional',
      });
      if (answer !== undefined) rollback.mutate({ version: revision.version, note: answer.reason, etag });
    },
  };
}
