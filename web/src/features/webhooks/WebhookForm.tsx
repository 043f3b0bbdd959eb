import { Paper, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { DeletedRecord, RecordForm, useRecordForm } from '@/ui';
import { contentOf, formOf, isComplete, isWebhookInput, readFields, useWebhookLabels, type WebhookFields } from './fields';
import { webhookMessages } from './messages';
import { editWebhook, oneWebhook, type Webhook } from './queries';
import { WebhookInputs } from './WebhookInputs';

interface Props {
  webhook: Webhook;
  /** Whether the webhook was deleted while the page was open. */
  gone: boolean;
  /** The field with the focus. */
  onField: (field: string | undefined) => void;
}

export function WebhookForm({ webhook, gone, onField }: Props) {
  const t = useText(webhookMessages);
  const queries = useQueryClient();
  const mayWrite = useMay()('webhooks:write');
  const { id, url } = webhook;
  const labels = useWebhookLabels();
  const editing = useRecordForm<Webhook, WebhookFields>({
    resource: `webhooks/${id}`,
    title: url,
    current: webhook,
    labels,
    read: readFields,
    contentOf,
    formOf,
    isComplete,
    send: (patch, etag, key) => editWebhook(id, patch, etag, key),
    onRecord: (saved) => {
      queries.setQueryData(oneWebhook(id).queryKey, saved);
      void queries.invalidateQueries({ queryKey: ['webhooks'] });
    },
  });
  const { draft, strict, error } = editing;
  return (
    <Paper component="section" p="lg" aria-labelledby="settings">
      <RecordForm
        editing={editing}
        missingPermission={mayWrite ? undefined : 'webhooks:write'}
        hasInput={isWebhookInput}
        onField={onField}
        head={
          <Title order={2} id="settings">
            {t('settings')}
          </Title>
        }
        deletedNotice={gone ? <DeletedRecord content={contentOf(draft.value)} labels={labels} recreate={undefined} /> : undefined}
      >
        <WebhookInputs value={draft.value} strict={strict} error={error} readOnly={!mayWrite} onChange={editing.change} />
      </RecordForm>
    </Paper>
  );
}
