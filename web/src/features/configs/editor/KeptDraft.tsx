import { Paper, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useUser } from '@/api';
import { useText } from '@/i18n';
import { forgetDraft } from '@/ui';
import { CodeEditor } from '../code/Code';
import type { Config } from '../queries';
import { Deleted } from './Deleted';
import type { ConfigForm } from './form';
import { editorMessages } from './messages';
import { oneConfig } from './queries';
import { useWords } from './words';

interface Props {
  configKey: string;
  form: ConfigForm;
  /** It was made again, or is not wanted any more. */
  onSettled: () => void;
}

/** What was typed into a config that was deleted before it was opened again. */
export function KeptDraft({ configKey, form, onSettled }: Props) {
  const t = useText(editorMessages);
  const { place } = useWords();
  const user = useUser();
  const queries = useQueryClient();
  const forget = () => {
    forgetDraft(user.id, `configs/${configKey}`);
    onSettled();
  };
  const adopt = (record: Config) => {
    queries.setQueryData(oneConfig(configKey).queryKey, record);
    forget();
  };
  return (
    <Stack gap="md">
      <Deleted configKey={configKey} form={form} hint={t('deletedKept')} onRecreated={adopt} onForget={forget} />
      {(['value', 'remark', 'schema'] as const).map(
        (field) =>
          form[field] !== '' && (
            <Paper key={field} component="section" p="md" aria-label={place(`/${field}`)}>
              <strong>{place(`/${field}`)}</strong>
              <CodeEditor
                label={place(`/${field}`)}
                language={form.valueType === 'json' || field === 'schema' ? 'json' : 'text'}
                value={form[field]}
                readOnly
                faults={[]}
                onChange={() => undefined}
              />
            </Paper>
          ),
      )}
    </Stack>
  );
}
