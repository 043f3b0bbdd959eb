import { Button, Group, Loader, Stack, Text, Textarea } from '@mantine/core';
import type { ReactNode, SubmitEvent } from 'react';
import { winnerOf, type PersonName } from '@/api';
import { useText } from '@/i18n';
import { useFaults } from '../edit/useFaults';
import { useKeyedForm } from '../edit/useKeyedForm';
import { OutcomeNotice, RestoredNotice } from '../edit/WriteNotices';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { useToasts } from '../feedback/toasts';
import { uiMessages } from '../messages';
import { Person } from '../Person';
import { When } from '../When';
import styles from './Comments.module.css';
import { commentMessages } from './commentMessages';
import { revisionsOf, type Paged } from './History';
import { Section } from './Section';

/** The longest comment, in characters. */
const maxCommentLength = 5000;

interface Comment {
  id: number;
  text: string;
  createdBy: PersonName;
  createdTime: string;
}

interface CommentForm {
  /** Path of the record, under which the draft is stored: "work-orders/17". */
  resource: string;
  /** The label of the record. */
  name: string;
  /** The topics of the queries that a comment invalidates. */
  topics: readonly string[];
  /** The further effects of a comment. */
  hint?: ReactNode;
  send: (text: string, key: string) => Promise<unknown>;
  onRejected?: (error: unknown) => void;
}

interface Props {
  /** The pages of comments read so far, newest first. */
  query: Paged<Comment>;
  /** The form for a new comment; undefined if the user may not comment. */
  newComment: CommentForm | undefined;
}

/** The comments of a record, oldest first, and the form for a new one. */
export function Comments({ query, newComment }: Props) {
  const t = useText(commentMessages);
  const ui = useText(uiMessages);
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
            <li key={id}>
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
      {newComment !== undefined && <NewComment {...newComment} />}
    </Section>
  );
}

/** The form for a comment. The draft and its key are stored until the service replies. */
function NewComment({ resource, name, topics, hint, send, onRejected }: CommentForm) {
  const t = useText(commentMessages);
  const toasts = useToasts();
  const keyed = useKeyedForm<{ text: string }, unknown>({
    scope: `${resource}/comment`,
    title: t('commentTitle', { name }),
    topics,
    open: () => ({ text: '' }),
    isComplete: ({ text }) => text.trim() !== '',
    send: ({ text }, key) => send(text.trim(), key),
    onDone: () => toasts.done(t('commentPosted')),
    onRejected,
  });
  const { form, change, error, outcome, isFixed, isTouched, restored, discard, submit } = keyed;
  const { errorOf, hasInput } = useFaults(keyed, ['text'], () => undefined);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm">
        <OutcomeNotice write={keyed} />
        {error !== null && !isFixed && (onRejected === undefined || winnerOf(error) === undefined) && <ProblemBanner error={error} hasInput={hasInput} />}
        {outcome !== 'unknown' && isTouched && <RestoredNotice at={restored} onDiscard={discard} />}
        <Textarea
          label={t('comment')}
          description={hint}
          autosize
          minRows={2}
          maxRows={12}
          maxLength={maxCommentLength}
          disabled={isFixed}
          value={form.text}
          error={errorOf('text')}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <Group justify="flex-end">
          <Button type="submit" disabled={form.text.trim() === '' && outcome !== 'unknown'} loading={outcome === 'sending'}>
            {t('postComment')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
