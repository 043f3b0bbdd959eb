import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useText } from '@/i18n';
import { FormDialog, useFieldErrorText, useKeyedForm, useToasts } from '@/ui';
import { TimeInput } from '@/ui/TimeInput';
import { webhookMessages } from './messages';
import { oneWebhook, replayWebhook, type Webhook } from './queries';

const day = 86_400_000;

/** The dialog that delivers the messages after a time again. */
export function ReplayWebhook({ webhook: { id, failingSince }, onClose }: { webhook: Webhook; onClose: () => void }) {
  const t = useText(webhookMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const keyed = useKeyedForm<{ after: string | null }, Webhook>({
    scope: `webhooks/${id}/replay`,
    title: t('replay'),
    topics: ['webhooks'],
    open: () => ({ after: failingSince ?? new Date(Date.now() - day).toISOString() }),
    isComplete: ({ after }) => after !== null,
    send: ({ after }, key) => replayWebhook(id, after ?? '', key),
    onDone: (saved) => {
      queries.setQueryData(oneWebhook(id).queryKey, saved);
      toasts.done(t('replaying'));
      onClose();
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  const rejected = useFieldErrorText(error);
  return (
    <FormDialog form={keyed} title={t('replay')} confirm={t('replayConfirm')} size="md" hasInput={(pointer) => pointer === '/after'} onClose={onClose}>
      <Text>{t('replayHint')}</Text>
      <TimeInput
        label={t('after')}
        disabled={isFixed}
        time={form.after}
        error={strict && form.after === null ? t('afterNeeded') : rejected('/after')}
        onTime={(after) => change({ after })}
      />
    </FormDialog>
  );
}
