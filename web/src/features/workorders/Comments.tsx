import { Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { useMay, winnerOf, type Winner } from '@/api';
import { useText } from '@/i18n';
import { OutcomeNotice, Person, ProblemBanner, RestoredNotice, revisionsOf, Section, useFaults, useKeyedForm, useToasts, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { workOrderMessages } from './messages';
import { longestText } from './opening';
import { comment, oneWorkOrder, workOrderComments, type WorkOrder, type WorkOrderComment } from './queries';
import styles from './WorkOrder.module.css';

interface Props {
  order: WorkOrder;
  /** Somebody else was first. */
  onLost: (winner: Winner<WorkOrder>) => void;
}

/** What was said of a work order, oldest first, and the way to say something. */
export function Comments({ order, onLost }: Props) {
  const t = useText(workOrderMessages);
  const ui = useText(uiMessages);
  const may = useMay()('work-orders:write');
  const query = useInfiniteQuery(workOrderComments(order.id));
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = query;
  const comments = revisionsOf(query).toReversed();
  return (
    <Section title={t('comments')}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {hasNextPage && (
        <Button mb="sm" loading={isFetching} onClick={() => void fetchNextPage()}>
          {t('earlier')}
        </Button>
      )}
      {data !== undefined && comments.length === 0 && (
        <Text c="dimmed" mb="sm">
          {t('noComments')}
        </Text>
      )}
      {comments.length > 0 && (
        <ul className={styles.comments}>
          {comments.map(({ id, text, createdBy, createdTime }) => (
            <li key={id} className={styles.comment}>
              <div className={styles.head}>
                <Person person={createdBy} withAvatar />
                <span className={styles.when}>
                  <When time={createdTime} />
                </span>
              </div>
              <p className={styles.text}>{text}</p>
            </li>
          ))}
        </ul>
      )}
      {may && <Say order={order} onLost={onLost} />}
    </Section>
  );
}

/** Says something; what is typed, and the key, are kept until it is answered. */
function Say({ order: { id, status }, onLost }: Props) {
  const t = useText(workOrderMessages);
  const toasts = useToasts();
  const queries = useQueryClient();
  const keyed = useKeyedForm<{ text: string }, WorkOrderComment>({
    scope: `work-orders/${id}/comment`,
    title: t('sayTitle', { id: String(id) }),
    topics: ['work-orders', 'overview'],
    open: () => ({ text: '' }),
    isComplete: ({ text }) => text.trim() !== '',
    send: ({ text }, key) => comment(id, text.trim(), key),
    onDone: () => toasts.done(t('said')),
    onRefused: (error) => {
      const winner = winnerOf<WorkOrder>(error);
      if (winner === undefined) return;
      queries.setQueryData(oneWorkOrder(id).queryKey, winner.current);
      onLost(winner);
    },
  });
  const { form, change, error, outcome, isFixed, isTouched, restored, discard, submit } = keyed;
  const { wrong, told } = useFaults(keyed, ['text'], () => undefined);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        <OutcomeNotice write={keyed} />
        {error !== null && !isFixed && winnerOf(error) === undefined && <ProblemBanner error={error} told={told} />}
        {outcome !== 'unknown' && isTouched && <RestoredNotice at={restored} onDiscard={discard} />}
        <Textarea
          label={t('say')}
          description={status === 'open' ? t('sayHint') : undefined}
          autosize
          minRows={2}
          maxRows={12}
          maxLength={longestText}
          disabled={isFixed}
          value={form.text}
          error={wrong('text')}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <Group justify="flex-end">
          <Button type="submit" disabled={form.text.trim() === '' && outcome !== 'unknown'} loading={outcome === 'sending'}>
            {t('sayConfirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
