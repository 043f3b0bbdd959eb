import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { CreateButton } from '@/features/CreateButton';
import { useCreation } from '@/features/useCreation';
import { useFormat, useText } from '@/i18n';
import { PageHeader } from '@/ui';
import { DataTable, useColumn, useList, type Column, type Raw } from '@/ui/table';
import { CreateWebhook } from './CreateWebhook';
import { useTopicName } from './fields';
import { webhookMessages } from './messages';
import { readWebhooks, type Webhook, type WebhookSearch, type WebhookWithSecret } from './queries';
import { webhookResource } from './resource';
import { WebhookSecret } from './WebhookSecret';
import { WebhookStatusChip } from './WebhookStatusChip';

/** The webhooks with their progress. */
export function WebhookList({ search }: { search: Raw<WebhookSearch> }) {
  const t = useText(webhookMessages);
  const list = useList<WebhookSearch, Webhook>({ search, queryKey: ['webhooks', 'list'], read: readWebhooks });
  const navigate = useNavigate();
  const { isOpen, open, close } = useCreation(list.state);
  const [made, setMade] = useState<WebhookWithSecret>();
  const show = ({ id }: Pick<Webhook, 'id'>) => void navigate({ to: '/webhooks/$id', params: { id: String(id) } });
  const add = <CreateButton of={webhookResource} onClick={open} />;
  return (
    <>
      <PageHeader title={t('title')}>{add}</PageHeader>
      <DataTable
        id="webhooks"
        label={t('title')}
        columns={useColumns()}
        rowId={({ id }) => String(id)}
        rowLabel={({ url }) => url}
        list={list}
        searchable={false}
        open={show}
        empty={{ title: t('empty'), hint: t('emptyHint'), action: add }}
      />
      {isOpen && <CreateWebhook onClose={close} onMade={setMade} />}
      {made !== undefined && (
        <WebhookSecret
          made={made}
          onStored={() => {
            // The dialog blocks navigation while it is open.
            flushSync(() => setMade(undefined));
            show(made);
          }}
          again={
            <Button variant="filled" onClick={() => show(made)} data-autofocus>
              {t('openIt')}
            </Button>
          }
        />
      )}
    </>
  );
}

function useColumns(): Column<Webhook>[] {
  const t = useText(webhookMessages);
  const { list } = useFormat();
  const topicName = useTopicName();
  const column = useColumn<Webhook>();
  return [
    column.text('url', t('url'), (w) => w.url, {
      cell: ({ id, url }) => (
        <Link to="/webhooks/$id" params={{ id: String(id) }}>
          {url}
        </Link>
      ),
      mono: true,
      narrow: true,
    }),
    column.text('topics', t('topics'), (w) => w.topics.join(' '), { cell: (w) => list(w.topics.map(topicName)) }),
    column.text('status', t('status'), (w) => w.status, { cell: (w) => <WebhookStatusChip webhook={w} />, narrow: true }),
    column.time('failingSince', t('failingSince'), (w) => w.failingSince),
    column.time('updated', t('updated'), (w) => w.updatedTime, { sort: 'id' }),
    column.person('savedBy', t('savedBy'), (w) => w.savedBy),
  ];
}
