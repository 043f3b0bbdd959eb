import { useText } from '@/i18n';
import { FormDialog, useKeyedForm, useToasts } from '@/ui';
import { blankWebhook, isComplete, isWebhookInput, requestOf, type WebhookFields } from './fields';
import { webhookMessages } from './messages';
import { createWebhook, type WebhookWithSecret } from './queries';
import { WebhookInputs } from './WebhookInputs';

interface Props {
  onClose: () => void;
  /** Called with the created webhook; the parent displays its secret. */
  onMade: (made: WebhookWithSecret) => void;
}

export function CreateWebhook({ onClose, onMade }: Props) {
  const t = useText(webhookMessages);
  const toasts = useToasts();
  const keyed = useKeyedForm<WebhookFields, WebhookWithSecret>({
    scope: 'webhooks/new',
    title: t('add'),
    topics: ['webhooks'],
    open: () => blankWebhook,
    isComplete,
    send: (form, key) => createWebhook(requestOf(form), key),
    onDone: (made) => {
      toasts.done(t('added'));
      onClose();
      onMade(made);
    },
  });
  const { form, change, strict, error, isFixed } = keyed;
  return (
    <FormDialog form={keyed} title={t('add')} confirm={t('create')} hasInput={isWebhookInput} onClose={onClose}>
      <WebhookInputs value={form} strict={strict} error={error} readOnly={isFixed} onChange={change} />
    </FormDialog>
  );
}
