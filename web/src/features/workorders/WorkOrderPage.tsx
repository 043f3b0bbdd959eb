import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay, useUser, type Winner } from '@/api';
import { useFormat, useText } from '@/i18n';
import { ActButton, Facts, History, LostRace, Person, RecordLink, RecordPage, revisionsOf, Section, StatusMove, useSteps, When, stepKeys } from '@/ui';
import styles from '@/ui/record/Columns.module.css';
import { PriorityChip, WorkOrderStatusChip } from './Chips';
import { Comments } from './Comments';
import { Due } from './Due';
import { stepsOf, winnerAs } from './holding';
import { workOrderMessages } from './messages';
import { oneWorkOrder, workOrderHistory, type DialogAction, type WorkOrder, type WorkOrderAction, type WorkOrderEvent } from './queries';
import { StepDialog } from './StepDialog';
import { useHold } from './useHold';
import labels from './WorkOrder.module.css';

/** The page of a work order: task, records, holder, comments and actions. */
export function WorkOrderPage({ id }: { id: number }) {
  const t = useText(workOrderMessages);
  const query = useQuery(oneWorkOrder(id));
  const [open, setOpen] = useState<{ order: WorkOrder; action: DialogAction }>();
  const [winner, setWinner] = useState<Winner<WorkOrder>>();
  const onLost = (lost: Winner<WorkOrder>) => setWinner(winnerAs(lost));
  return (
    <RecordPage
      query={query}
      name={query.data?.title ?? t('workOrder', { id: String(id) })}
      parent={{ to: '/work-orders', label: t('title') }}
      resource={`work-orders/${id}`}
      chips={({ status, priority }) => (
        <>
          <WorkOrderStatusChip status={status} />
          <PriorityChip priority={priority} />
        </>
      )}
      actions={(order) => (
        <Steps
          order={order}
          onLost={onLost}
          onBegin={() => setWinner(undefined)}
          onOpen={(action) => {
            setWinner(undefined);
            setOpen({ order, action });
          }}
        />
      )}
    >
      {(order) => (
        <>
          {winner !== undefined && (
            <LostRace
              winner={winner}
              status={t(winner.current.status)}
              actions={winner.current.allowedTransitions.map((action) => t(action))}
              onClose={() => setWinner(undefined)}
            />
          )}
          <Holder order={order} />
          <div className={styles.columns}>
            <div className={styles.main}>
              <About order={order} />
              <Comments order={order} onLost={onLost} />
            </div>
            <Past id={id} />
          </div>
          {open !== undefined && <StepDialog {...open} onClose={() => setOpen(undefined)} onLost={onLost} />}
        </>
      )}
    </RecordPage>
  );
}

/** The primary steps, in order of preference. */
const onwards: readonly WorkOrderAction[] = ['claim', 'resolve', 'close'];

interface StepsProps {
  order: WorkOrder;
  onLost: (winner: Winner<WorkOrder>) => void;
  onBegin: () => void;
  onOpen: (action: DialogAction) => void;
}

function Steps({ order, onLost, onBegin, onOpen }: StepsProps) {
  const t = useText(workOrderMessages);
  const me = useUser().id;
  const may = useMay();
  const steps = useSteps(`work-orders/${order.id}/steps`, stepsOf(order, me, may));
  const action = useHold(order.id, onLost);
  const next = onwards.find((step) => steps.includes(step));
  return steps.map((step) => {
    const isHeld = step === 'claim' || step === 'release';
    return (
      <ActButton
        key={step}
        hotkey={stepKeys[step]}
        variant={step === next ? 'filled' : 'default'}
        loading={isHeld && action.outcome === 'sending' && action.sent === step}
        disabled={isHeld && (action.outcome === 'sending' || action.outcome === 'unknown')}
        onClick={() => {
          if (isHeld) {
            onBegin();
            action.run(step);
          } else onOpen(step);
        }}
      >
        {t(step)}
      </ActButton>
    );
  });
}

/** Explains which user can perform the next step, if it is another user. */
function Holder({ order: { holder, status, offered } }: { order: WorkOrder }) {
  const t = useText(workOrderMessages);
  const me = useUser().id;
  if (status !== 'claimed' || holder === null || holder.id === me) return null;
  return <Text c="dimmed">{t(offered ? 'disabledHint' : 'othersHint', { who: holder.name })}</Text>;
}

function About({ order }: { order: WorkOrder }) {
  const t = useText(workOrderMessages);
  const { dateTime } = useFormat();
  const { id, body, holder, heldTime, dueTime, links, createdBy, createdTime, resolution } = order;
  return (
    <Section title={t('facts')}>
      {body === '' ? (
        <Text c="dimmed" mb="md">
          {t('bodyNone')}
        </Text>
      ) : (
        <p className={labels.text}>{body}</p>
      )}
      <Facts
        facts={[
          [t('number'), <span key="number" className="mono" children={id} />],
          [t('holder'), holder === null ? t('unassigned') : <Person key="holder" person={holder} withAvatar />],
          heldTime !== null && [t('since'), <When key="since" time={heldTime} />],
          dueTime !== null && [t('due'), <Due key="due" order={order} />],
          links.length > 0 && [
            t('about'),
            <ul key="about" className={`${labels.links ?? ''} mono`}>
              {links.map((link) => (
                <li key={link}>
                  <RecordLink path={link} />
                </li>
              ))}
            </ul>,
          ],
          [t('openedBy'), <Person key="opened" person={createdBy} withAvatar />],
          [t('opened'), dateTime(createdTime)],
        ]}
      />
      {resolution !== null && (
        <div className={labels.resolution}>
          <h3>{t('resolution')}</h3>
          <p className={labels.text}>{resolution}</p>
        </div>
      )}
    </Section>
  );
}

/** The history of a work order, newest first. */
function Past({ id }: { id: number }) {
  const t = useText(workOrderMessages);
  const query = useInfiniteQuery(workOrderHistory(id));
  return (
    <History
      title={t('history')}
      query={query}
      aside
      entries={revisionsOf(query).map((event) => ({
        ...event,
        action: t(`did_${event.action}`),
        marks: <StatusMove event={event} name={(status) => t(status)} />,
        details: <Detail detail={event.detail} />,
      }))}
    />
  );
}

/** The readable details of a step, shortened; the page has the complete texts. */
function Detail({ detail }: { detail: WorkOrderEvent['detail'] }) {
  const given = detail as Readonly<Record<string, unknown>>;
  const said = [given.text, given.resolution].find((text) => typeof text === 'string');
  return said === undefined ? null : <div className={labels.said}>{said}</div>;
}
