import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { versionConflict } from '@/api';
import { useText } from '@/i18n';
import { ActButton, NeedsNotice, pathOf, useConfirm, useKeyedAction, useSlot, useNameLists, useToasts } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { programsOf } from '../owners';
import { createConfig, deleteConfig, needsOf, oneConfig, type Config } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { contentOf, formOf, type ConfigForm } from './form';
import { editorMessages } from './messages';

/** Deletes a config at the ETag that was displayed when the confirmation opened. */
export function DeleteConfig({ config }: { config: Config }) {
  const { key, etag, version } = config;
  const t = useText(editorMessages);
  const { who } = useNameLists(useConfigLabels());
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { slot } = useSlot(pathOf('configs', key), key);
  const edit = useText(editMessages);
  const needs = needsOf(config);
  const programs = programsOf(config, Object.keys(config.owner));
  // Creates the config again. The service rejects it if another user has created the key first. The
  // form is text, so that its numbers stay exact.
  const restore = useKeyedAction<ConfigForm, Config>({
    scope: `${pathOf('configs', key)}/restore`,
    title: `${edit('recreate')} · ${key}`,
    topics: ['configs'],
    send: (form, sentAs) => createConfig({ key, ...contentOf(form) }, sentAs),
    onDone: () => toasts.done(edit('recreated', { name: key })),
  });
  const remove = useKeyedAction({
    scope: `${pathOf('configs', key)}/remove`,
    title: `${t('removeConfirm')} · ${key}`,
    send: ({ guard, takeOver }: { guard: string; takeOver: string | undefined }) => deleteConfig(key, guard, { takeOver }),
    onDone: async () => {
      toasts.done(t('removed', { key }), () => restore.run(formOf(config)));
      await navigate({ to: '/configs' });
      slot.abandon();
      queries.removeQueries({ queryKey: oneConfig(key).queryKey });
      await queries.invalidateQueries({ queryKey: ['configs', 'list'] });
    },
    onRejected: (error) => {
      const theirs = versionConflict<Config>(error)?.current;
      if (theirs === undefined) {
        toasts.failed(error);
        return;
      }
      queries.setQueryData(oneConfig(key).queryKey, theirs);
      toasts.info(t('removeRaced', { who: who(theirs.updatedBy), version: String(theirs.version) }));
    },
  });
  const onClick = async () => {
    const sure = await ask({
      title: t('removeTitle', { key }),
      body: (
        <>
          {needs === undefined ? t('removeBody', { version: String(version) }) : <NeedsNotice needs={needs} />}
          {programs.length > 0 && <Text mt="sm">{t('removeOwned', { manager: programs.join(', ') })}</Text>}
        </>
      ),
      confirm: needs === undefined ? t('removeConfirm') : edit('propose'),
      tone: 'bad',
      reason: programs.length > 0 ? 'required' : undefined,
    });
    if (sure !== undefined) remove.run({ guard: etag, takeOver: programs.length > 0 ? sure.reason : undefined });
  };
  return (
    <ActButton color="bad" variant="subtle" loading={remove.outcome === 'sending'} disabled={remove.outcome === 'unknown'} onClick={() => void onClick()}>
      {t('remove')}
    </ActButton>
  );
}
