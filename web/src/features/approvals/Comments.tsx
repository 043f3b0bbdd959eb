import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import { useMay } from '@/api';
import { useText } from '@/i18n';
import { OutcomeNotice, Person, ProblemBanner, revisionsOf, Section, useKeyedForm, When } from '@/ui';
import styles from './Comments.module.css';
import { approvalMessages } from './messages';
import { approvalComments, comment, type ApprovalComment, type ApprovalRead } from './queries';
import { grantsOf } from './grants';

/** What was said of an approval, and a box for who takes part in it to say more. */
export function Comments({ approval: { id, kind, comments } }: { approval: ApprovalRead }) {
  const t = useText(approvalMessages);
  const may = useMay();
  const query = useInfiniteQuery(approvalComments(id));
  const said = revisionsOf(query);
  return (
    <Section title={`${t('comments')} · ${comments}`}>
      {query.error !== null && <ProblemBanner error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && said.length === 0 && <Text c="dimmed">{t('noComments')}</Text>}
      <ol className={styles.comments}>
        {said.map(({ id: number, text, createdBy, createdTime }) => (
          <li key={number}>
            <Group gap="xs">
              <Person person={createdBy} withAvatar />
              <Text c="dimmed" size="sm">
                <When time={createdTime} />
              </Text>
            </Group>
            <Text className={styles.text}>{text}</Text>
          </li>
        ))}
      </ol>
      {query.hasNextPage && (
        <Button loading={query.isFetching} onClick={() => void query.fetchNextPage()}>
          {t('moreComments')}
        </Button>
      )}
      {(may('approvals:decide') || may(grantsOf(kind).write)) && <Say id={id} />}
    </Section>
  );
}

function Say({ id }: { id: number }) {
  const t = useText(approvalMessages);
  const keyed = useKeyedForm<{ text: string }, ApprovalComment>({
    scope: `approvals/${id}/comments`,
    title: t('approval', { id: String(id) }),
    topics: ['approvals'],
    open: () => ({ text: '' }),
    isComplete: ({ text }) => text.trim() !== '',
    send: ({ text }, key) => comment(id, text.trim(), key),
    onDone: () => undefined,
  });
  const { form, change, strict, submit, outcome, error, isFixed } = keyed;
  const isEmpty = strict && form.text.trim() === '';
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="xs">
        <OutcomeNotice write={keyed} />
        {error !== null && !isFixed && <ProblemBanner error={error} />}
        <Textarea
          label={t('say')}
          autosize
          minRows={2}
          maxRows={10}
          maxLength={5000}
          disabled={isFixed}
          value={form.text}
          error={isEmpty && t('sayNeeded')}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={outcome === 'sending'}>
            {t('comment')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
