import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { versionConflict } from '@/api';
import { useText } from '@/i18n';
import { diff } from '@/merge';
import { Difference, NeedsNotice, pathOf, useConfirm, useKeyedMutation, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { contentOfConfig } from '../editor/form';
import { editorMessages } from '../editor/messages';
import { programsOf } from '../owners';
import { needsOf, oneConfig, rollBackConfig, type Config, type ConfigRevision } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { historyMessages } from './messages';

interface RollbackTarget {
  version: number;
  note: string;
  etag: string;
  takeOver?: string;
  isUndo?: boolean;
}

/** Rolls a config back to one of its versions, after a dialog that shows the changes and requests a reason. */
export function useRollback(config: Config, onDone: (record: Config) => void) {
  const t = useText(historyMessages);
  const edit = useText(editMessages);
  const editor = useText(editorMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const labels = useConfigLabels();
  const [raced, setRaced] = useState<Config>();
  const { key, etag } = config;
  const needs = needsOf(config);
  const write = useKeyedMutation<RollbackTarget, Config>({
    scope: `${pathOf('configs', key)}/rollback`,
    title: `${t('rollBackConfirm')} · ${key}`,
    topics: ['configs'],
    send: (wanted, sentAs) => rollBackConfig(key, wanted.etag, wanted.version, wanted.note, sentAs, wanted.takeOver),
    onDone: (record, { version, isUndo }) => {
      setRaced(undefined);
      onDone(record);
      queries.setQueryData(oneConfig(key).queryKey, record);
      const undo = () =>
        write.run({ version: record.version - 1, note: t('undoRollback', { version: String(record.version) }), etag: record.etag, isUndo: true });
      toasts.done(t('rolledBack', { next: String(record.version), version: String(version) }), isUndo === true ? undefined : undo);
    },
    onRejected: (error) => {
      const theirs = versionConflict<Config>(error)?.current;
      if (theirs !== undefined) queries.setQueryData(oneConfig(key).queryKey, theirs);
      setRaced(theirs);
    },
  });
  return {
    write,
    /** The config that another user saved first. In that case nothing was rolled back. */
    raced,
    ask: async (revision: ConfigRevision) => {
      const version = String(revision.version);
      const changes = diff(contentOfConfig(config), contentOfConfig({ ...revision, protected: config.protected, secret: config.secret }));
      // A masked value may differ.
      if (changes.length === 0 && revision.masked !== true) {
        toasts.info(t('alreadySame', { version }));
        return;
      }
      const members = changes.map(({ pointer }) => pointer.split('/')[1] ?? '');
      const programs = programsOf(config, revision.masked === true ? [...members, 'value'] : members);
      const isOwned = programs.length > 0;
      const answer = await ask({
        title: t('rollBackTitle', { version }),
        body: (
          <>
            {needs === undefined ? t('rollBackBody', { version, next: String(config.version + 1) }) : <NeedsNotice needs={needs} />}
            <Difference changes={changes} labels={labels} />
            {isOwned && <Text mt="sm">{editor('takeOverHint', { manager: programs.join(', ') })}</Text>}
          </>
        ),
        confirm: needs === undefined ? t('rollBackConfirm') : edit('propose'),
        reason: isOwned ? 'required' : 'optional',
      });
      if (answer === undefined) return;
      setRaced(undefined);
      write.run({ version: revision.version, note: answer.reason, etag, takeOver: isOwned ? answer.reason : undefined });
    },
  };
}
