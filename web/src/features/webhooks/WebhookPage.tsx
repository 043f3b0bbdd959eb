import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useText } from '@/i18n';
import { Banner, changesOf, DeletedRecord, Facts, History, Person, RecordPage, revisionsOf, Section, When } from '@/ui';
import type { Raw, TableSearch } from '@/ui/table';
import { Deliveries } from './Deliveries';
import { contentOf, readFields, useWebhookLabels, type WebhookFields } from './fields';
import { webhookMessages } from './messages';
import { oneWebhook, webhookHistory, type Webhook } from './queries';
import { WebhookActions } from './WebhookActions';
import { WebhookForm } from './WebhookForm';
import { WebhookStatusChip } from './WebhookStatusChip';

interface Props {
  id: number;
  /** The search parameters of the deliveries. */
  search: Raw<TableSearch>;
}

/** The page of a webhook: progress, settings, deliveries and history. */
export function WebhookPage({ id, search }: Props) {
  const t = useText(webhookMessages);
  const labels = useWebhookLabels();
  const query = useQuery(oneWebhook(id));
  const [field, setField] = useState<string>();
  return (
    <RecordPage
      query={query}
      name={query.data?.url ?? `#${id}`}
      mono
      parent={{ to: '/webhooks', label: t('title') }}
      resource={`webhooks/${id}`}
      field={field}
      fieldLabel={(name) => labels.field(`/${name}`)}
      chips={(webhook) => <WebhookStatusChip webhook={webhook} />}
      actions={(webhook) => <WebhookActions webhook={webhook} />}
      renderDraft={(form: WebhookFields, forget) => <DeletedRecord content={contentOf(form)} labels={labels} recreate={undefined} onDiscard={forget} />}
    >
      {(webhook, { isDeleted: gone }) => (
        <>
          {!gone && <Progress webhook={webhook} />}
          <WebhookForm webhook={webhook} gone={gone} onField={setField} />
          {!gone && <Deliveries id={id} search={search} />}
          {!gone && <Revisions id={id} />}
        </>
      )}
    </RecordPage>
  );
}

/** Whether messages arrive, and since when not. */
function Progress({ webhook: { pauseReason, failingSince, failures, nextAttemptTime, savedBy, oldSecretUntil } }: { webhook: Webhook }) {
  const t = useText(webhookMessages);
  return (
    <>
      {pauseReason !== null && (
        <Banner tone="bad" title={t('pausedTitle')}>
          {pauseReason} {t('pausedHint')}
        </Banner>
      )}
      <Section title={t('progress')}>
        <Facts
          facts={[
            [t('failingSince'), failingSince === null ? t('notFailing') : <When time={failingSince} />],
            failingSince !== null && [t('failures'), failures],
            [t('nextAttempt'), nextAttemptTime !== null && <When time={nextAttemptTime} />],
            [t('savedBy'), <Person key="savedBy" person={savedBy} />],
            [t('oldSecretUntil'), oldSecretUntil !== null && <When time={oldSecretUntil} />],
          ]}
        />
      </Section>
    </>
  );
}

const actions = { create: 'created', update: 'edited', 'rotate-secret': 'rotated', pause: 'pausedBy' } as const;

/** Every version of a webhook, with its changes. */
function Revisions({ id }: { id: number }) {
  const t = useText(webhookMessages);
  const query = useInfiniteQuery(webhookHistory(id));
  const revisions = revisionsOf(query);
  return (
    <History
      query={query}
      labels={useWebhookLabels()}
      entries={revisions.map((revision, i) => ({
        ...revision,
        action: t(actions[revision.action]),
        changes: changesOf(revisions, i, (one) => contentOf(readFields(one))),
      }))}
    />
  );
}
