import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { ActButton, useConfirm, useKeyedAction, useToasts } from '@/ui';
import { webhookMessages } from './messages';
import { deleteWebhook, editWebhook, oneWebhook, rotateSecret, testWebhook, type Delivery, type Webhook, type WebhookWithSecret } from './queries';
import { ReplayWebhook } from './ReplayWebhook';
import { WebhookSecret } from './WebhookSecret';

/** Tests, enables, replays and deletes a webhook, and replaces its secret. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, url, enabled, etag } = webhook;
  const t = useText(webhookMessages);
  const ask = useConfirm();
  const toasts = useToasts();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [replaying, replay] = useDisclosure();
  const [rotated, setRotated] = useState<WebhookWithSecret>();
  const topics = ['webhooks'] as const;
  const test = useKeyedAction<null, Delivery>({
    scope: `webhooks/${id}/test`,
    title: `${t('test')} · ${url}`,
    topics,
    send: (_, key) => testWebhook(id, key),
    onDone: ({ delivered, status, error }) => {
      void queries.invalidateQueries({ queryKey: ['webhooks', 'one', String(id)] });
      if (delivered) toasts.done(t('tested', { status: String(status) }));
      else toasts.info(status === null ? t('testedNoReply', { reason: error ?? '' }) : t('testedRejected', { status: String(status) }));
    },
  });
  const enable = useKeyedAction<boolean, Webhook>({
    scope: `webhooks/${id}/enabled`,
    title: `${t(enabled ? 'disable' : 'enable')} · ${url}`,
    topics,
    send: (to, key) => editWebhook(id, { enabled: to }, etag, key),
    onDone: (saved) => {
      queries.setQueryData(oneWebhook(id).queryKey, saved);
      toasts.done(t(saved.enabled ? 'enabledNow' : 'disabledNow'));
    },
  });
  const rotate = useKeyedAction<string, WebhookWithSecret>({
    scope: `webhooks/${id}/rotate-secret`,
    title: `${t('rotate')} · ${url}`,
    topics,
    send: (guard, key) => rotateSecret(id, guard, key),
    onDone: setRotated,
  });
  const remove = useKeyedAction({
    scope: `webhooks/${id}/remove`,
    title: `${t('remove')} · ${url}`,
    send: (guard: string) => deleteWebhook(id, guard),
    onDone: async () => {
      toasts.done(t('removed'));
      await navigate({ to: '/webhooks' });
      queries.removeQueries({ queryKey: ['webhooks', 'one', String(id)] });
      await queries.invalidateQueries({ queryKey: ['webhooks', 'list'] });
    },
  });
  if (!useMay()('webhooks:write')) return null;
  const onRotate = async () => {
    if ((await ask({ title: t('rotateQuestion'), body: t('rotateBody'), confirm: t('rotate') })) !== undefined) rotate.run(etag);
  };
  const onRemove = async () => {
    if ((await ask({ title: t('removeQuestion'), body: t('removeBody', { url }), confirm: t('remove'), tone: 'bad' })) !== undefined) remove.run(etag);
  };
  const stateOf = ({ outcome }: { outcome: string }) => ({ loading: outcome === 'sending', disabled: outcome === 'unknown' });
  return (
    <>
      <ActButton {...stateOf(test)} onClick={() => test.run(null)}>
        {t('test')}
      </ActButton>
      <ActButton {...stateOf(enable)} onClick={() => enable.run(!enabled)}>
        {t(enabled ? 'disable' : 'enable')}
      </ActButton>
      <ActButton onClick={replay.open}>{t('replay')}</ActButton>
      <ActButton {...stateOf(rotate)} onClick={() => void onRotate()}>
        {t('rotate')}
      </ActButton>
      <ActButton color="bad" variant="subtle" {...stateOf(remove)} onClick={() => void onRemove()}>
        {t('remove')}
      </ActButton>
      {replaying && <ReplayWebhook webhook={webhook} onClose={replay.close} />}
      {rotated !== undefined && (
        <WebhookSecret
          made={rotated}
          onStored={() => setRotated(undefined)}
          again={
            <ActButton
              variant="filled"
              onClick={() => {
                setRotated(undefined);
                rotate.run(rotated.etag);
              }}
            >
              {t('rotate')}
            </ActButton>
          }
        />
      )}
    </>
  );
}
