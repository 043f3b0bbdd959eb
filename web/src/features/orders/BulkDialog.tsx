import { Button, Group, Modal, Progress, ScrollArea, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { useIdempotencyKey } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner, useRefusalText, type Said } from '@/ui';
import { csv, download, type Selection } from '@/ui/table';
import { failedIds, planOf, readMatching, runBulk, type RowVerdict } from './bulk';
import { orderMessages } from './messages';
import { emptyStep, takeBatch, type Order, type OrderAction, type OrderSearch } from './queries';
import { statuses } from './search-params';
import { missingOf, StepFields } from './StepFields';
import styles from './BulkDialog.module.css';

interface Props {
  action: OrderAction;
  search: OrderSearch;
  selection: Selection<Order>;
  onClose: () => void;
}

/** Takes one action with many orders: says first what will be sent and what skipped, then a verdict for each. */
export function BulkDialog({ action, search, selection, onClose }: Props) {
  const t = useText(orderMessages);
  const refusalText = useRefusalText();
  const reason = (said: Said | undefined) => (said === undefined ? '' : refusalText(said));
  const queries = useQueryClient();
  const { key, renew } = useIdempotencyKey(`orders/bulk/${action}`);
  // What was chosen when the dialog opened.
  const [chosen] = useState(selection);
  const [orders, setOrders] = useState<readonly Order[] | undefined>(selection.all ? undefined : selection.rows);
  const [read, setRead] = useState(0);
  const [step, setStep] = useState(emptyStep);
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const [verdicts, setVerdicts] = useState<RowVerdict[]>([]);
  const [phase, setPhase] = useState<'preview' | 'running' | 'done'>('preview');
  const [stopping, setStopping] = useState(false);
  const [error, setError] = useState<unknown>();
  const stop = useRef<AbortController>(undefined);

  useEffect(() => {
    if (!chosen.all) return undefined;
    const abort = new AbortController();
    readMatching(search, chosen.except, setRead, abort.signal).then(
      (found) => {
        chosen.setMany(found, true);
        setOrders(found);
      },
      (problem: unknown) => {
        if (!abort.signal.aborted) setError(problem);
      },
    );
    return () => abort.abort();
    // The choice is frozen, and the filters cannot change below the dialog.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [chosen]);

  const { eligible, skipped } = planOf(orders ?? [], action);
  const start = async (event: SubmitEvent) => {
    event.preventDefault();
    const needed = missingOf(action, step);
    setMissing(needed);
    if (needed.size > 0) return;
    setPhase('running');
    stop.current = new AbortController();
    const run = await runBulk({
      orders: eligible,
      send: (ids, chunk) => takeBatch(action, ids, step, `${key}-${chunk}`),
      onVerdicts: setVerdicts,
      signal: stop.current.signal,
    });
    setError(run.error);
    setPhase('done');
    selection.keep(failedIds(run.verdicts));
    renew();
    void queries.invalidateQueries({ queryKey: ['orders'] });
  };
  const close = () => {
    if (phase !== 'running') onClose();
  };
  const done = verdicts.filter(({ verdict }) => verdict === 'done').length;
  const failed = verdicts.filter(({ verdict }) => verdict !== 'done');
  const save = () =>
    download(
      `orders-${action}.csv`,
      csv([
        [t('number'), t('verdict'), t('detail')],
        ...verdicts.map(({ order, verdict, said }) => [order.orderNo, t(`verdict_${verdict}`), reason(said)]),
        ...skipped.map((order) => [order.orderNo, t('skippedTitle'), t(order.status)]),
      ]),
    );
  return (
    <Modal opened onClose={close} withCloseButton={false} size="lg" title={t(`${action}Title`, { what: t('orders', { n: orders?.length ?? read }) })}>
      <form onSubmit={(event) => void start(event)} noValidate>
        <Stack gap="md">
          {error !== undefined && <ProblemBanner error={error} />}
          {orders === undefined && error === undefined && <Text role="status">{t('reading', { n: read })}</Text>}
          {phase === 'preview' && orders !== undefined && (
            <>
              <Text c="dimmed">{t(`${action}Hint`)}</Text>
              <Text fw={600}>{eligible.length === 0 ? t('nothingEligible') : t('eligible', { n: eligible.length })}</Text>
              {skipped.length > 0 && (
                <div>
                  <Text>{t('skipped', { n: skipped.length })}</Text>
                  <Reasons orders={skipped} />
                </div>
              )}
              <StepFields
                action={action}
                step={step}
                onChange={setStep}
                errors={Object.fromEntries([...missing].map((name) => [name, t('needed')]))}
                disabled={eligible.length === 0}
              />
              {action === 'ship' && <Text c="dimmed">{t('trackingBulkHint')}</Text>}
            </>
          )}
          {phase !== 'preview' && (
            <>
              <Progress value={(100 * verdicts.length) / Math.max(1, eligible.length)} aria-label={t('progressLabel')} />
              <Text role="status" className="tabular">
                {phase === 'running' ? t('progress', { done: verdicts.length, total: eligible.length }) : t('finished', { done, failed: failed.length })}
              </Text>
            </>
          )}
          {phase === 'done' && failed.length > 0 && <Text>{t('stillChosen')}</Text>}
          {phase === 'done' && (
            <ScrollArea.Autosize mah={280} viewportProps={{ tabIndex: 0, 'aria-label': t('verdict'), role: 'region' }}>
              <ul className={styles.list}>
                {[...failed, ...verdicts.filter(({ verdict }) => verdict === 'done')].map(({ order, verdict, said }) => (
                  <li key={order.id}>
                    <span className="mono">{order.orderNo}</span> {t(`verdict_${verdict}`)} {reason(said)}
                  </li>
                ))}
              </ul>
            </ScrollArea.Autosize>
          )}
          <Group justify="flex-end">
            {phase === 'done' && <Button onClick={save}>{t('verdictsCsv')}</Button>}
            {phase === 'running' && (
              <Button
                disabled={stopping}
                onClick={() => {
                  setStopping(true);
                  stop.current?.abort();
                }}
              >
                {t(stopping ? 'stopping' : 'stop')}
              </Button>
            )}
            {phase !== 'running' && <Button onClick={close}>{t(phase === 'done' ? 'close' : 'back')}</Button>}
            {phase === 'preview' && (
              <Button type="submit" variant="filled" color={action === 'cancel' ? 'bad' : 'accent'} disabled={eligible.length === 0}>
                {t('start', { action: t(action), n: eligible.length })}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Reasons({ orders }: { orders: readonly Order[] }) {
  const t = useText(orderMessages);
  const counts = statuses.map((status) => ({ status, n: orders.filter((order) => order.status === status).length }));
  return (
    <ul className={styles.list}>
      {counts
        .filter(({ n }) => n > 0)
        .map(({ status, n }) => (
          <li key={status}>{t('skippedAs', { n, status: t(status).toLowerCase() })}</li>
        ))}
    </ul>
  );
}
