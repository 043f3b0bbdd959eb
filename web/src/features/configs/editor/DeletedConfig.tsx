import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { isProblem, useMay } from '@/api';
import { useText } from '@/i18n';
import { DeletedRecord, pathOf, useKeyedMutation, useNameLists, useToasts, When } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { configHistory, createConfig, type Config } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { contentOf, contentOrError, FormError, type ConfigForm } from './form';

interface Props {
  configKey: string;
  /** The draft. It is sent as text, so that its numbers stay exact while the outcome is unknown. */
  form: ConfigForm;
  onRecreated: (record: Config) => void;
  /** Set if the config was already deleted when the page opened. */
  onForget?: () => void;
}

/** Shown for a deleted config: its author and time of deletion, and the draft with the possible actions. */
export function DeletedConfig({ configKey, form, onRecreated, onForget }: Props) {
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const labels = useConfigLabels();
  const { who } = useNameLists(labels);
  const [last] = useInfiniteQuery(configHistory(configKey)).data?.pages[0]?.items ?? [];
  const mayWrite = useMay()('configs:write');
  const recreate = useKeyedMutation<ConfigForm, Config>({
    scope: `${pathOf('configs', configKey)}/recreate`,
    title: configKey,
    send: (typed, key) => createConfig({ key: configKey, ...contentOf(typed) }, key),
    onDone: (record) => {
      onRecreated(record);
      toasts.done(edit('recreated', { name: configKey }));
    },
    onRejected: (error) => {
      // Another user created the key first. Load that config.
      if (isProblem(error, 'already_exists')) void queries.invalidateQueries({ queryKey: ['configs', 'one', configKey] });
    },
  });
  const content = contentOrError(form);
  // A masked value cannot be created again.
  const isReadable = !(content instanceof FormError) && form.masked === '';
  const title = last?.action === 'delete' ? edit.rich('deletedBy', { who: who(last.changedBy), when: <When time={last.changedTime} /> }) : undefined;
  return (
    <DeletedRecord
      title={title}
      content={isReadable ? content : undefined}
      labels={labels}
      recreate={mayWrite ? { ...recreate, run: isReadable ? () => recreate.run(form) : undefined } : undefined}
      onDiscard={onForget}
    />
  );
}
