import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useText } from '@/i18n';
import { useConfirm, useToasts, type Versioned } from '@/ui';
import { editorMessages } from './messages';
import { deleteConfig, metMeanwhile, oneConfig } from './queries';
import { useWords } from './words';

interface Props {
  configKey: string;
  /** The version that is on the screen: another one is not deleted. */
  seen: Versioned;
  onDeleted: () => void;
}

/** Deletes a config as it is on the screen. */
export function DeleteConfig({ configKey, seen, onDeleted }: Props) {
  const t = useText(editorMessages);
  const { who } = useWords();
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: (etag: string) => deleteConfig(configKey, etag),
    onSuccess: async () => {
      onDeleted();
      toasts.done(t('removed', { key: configKey }));
      await navigate({ to: '/configs' });
      queries.removeQueries({ queryKey: ['configs', 'one', configKey] });
      await queries.invalidateQueries({ queryKey: ['configs', 'list'] });
    },
    onError: (error) => {
      const theirs = metMeanwhile(error);
      if (theirs === undefined) {
        toasts.failed(error);
        return;
      }
      queries.setQueryData(oneConfig(configKey).queryKey, theirs);
      toasts.info(t('removeRaced', { who: who(theirs.updatedBy), version: String(theirs.version) }));
    },
  });
  const onClick = async () => {
    const { etag, version } = seen;
    const sure = await ask({
      title: t('removeTitle', { key: configKey }),
      body: t('removeBody', { version: String(version) }),
      confirm: t('removeConfirm'),
      tone: 'bad',
    });
    if (sure !== undefined) remove.mutate(etag);
  };
  return (
    <Button color="bad" variant="light" loading={remove.isPending} onClick={() => void onClick()}>
      {t('remove')}
    </Button>
  );
}
