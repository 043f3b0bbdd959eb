import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { isProblem, useMay } from '@/api';
import { useText } from '@/i18n';
import { Gone, useKeyedMutation, useTelling, useToasts, When } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { configHistory, createConfig, type Config } from '../queries';
import { useConfigWords } from '../useConfigWords';
import { contentOf, contentOrError, FormError, type ConfigForm } from './form';

interface Props {
  configKey: string;
  /** What was typed. It is sent as it is, so that its numbers keep their digits while the answer is open. */
  form: ConfigForm;
  onRecreated: (record: Config) => void;
  /** It was deleted before the page was opened. */
  onForget?: () => void;
}

/** The config was deleted: who did it, and what can become of what was typed. */
export function DeletedConfig({ configKey, form, onRecreated, onForget }: Props) {
  const edit = useText(editMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const words = useConfigWords();
  const { who } = useTelling(words);
  const [last] = useInfiniteQuery(configHistory(configKey)).data?.pages[0]?.items ?? [];
  const mayWrite = useMay()('configs:write');
  const recreate = useKeyedMutation<ConfigForm, Config>({
    scope: `configs/${configKey}/recreate`,
    title: configKey,
    send: (typed, key) => createConfig({ key: configKey, ...contentOf(typed) }, key),
    onDone: (record) => {
      onRecreated(record);
      toasts.done(edit('recreated', { name: configKey }));
    },
    onRefused: (error) => {
      // Somebody else was faster: theirs is what is compared with now.
      if (isProblem(error, 'already_exists')) void queries.invalidateQueries({ queryKey: ['configs', 'one', configKey] });
    },
  });
  const content = contentOrError(form);
  // What was withheld cannot be created again.
  const isReadable = !(content instanceof FormError) && form.masked === '';
  const title = last?.action === 'delete' ? edit.rich('deletedBy', { who: who(last.changedBy), when: <When time={last.changedTime} /> }) : undefined;
  return (
    <Gone
      title={title}
      content={isReadable ? content : undefined}
      words={words}
      recreate={mayWrite ? { ...recreate, run: isReadable ? () => recreate.run(form) : undefined } : undefined}
      onForget={onForget}
    />
  );
}
