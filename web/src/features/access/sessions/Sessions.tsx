import { Button, Loader, Tooltip } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useUser } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner, Section, StatusChip, useConfirm, useKeyedAction, useToasts, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { Empty } from '@/ui/table';
import { RemoveButton } from '../RemoveButton';
import { deviceOf } from './device';
import { sessionMessages } from './messages';
import { endOtherSessions, endSession, openSessions, reread, type OpenSession } from './queries';
import styles from './Sessions.module.css';

/** The sessions of a user, each with a button that ends it. Users can also end all their other sessions together. */
export function Sessions({ userId }: { userId: number }) {
  const t = useText(sessionMessages);
  const ui = useText(uiMessages);
  const isOwn = useUser().id === userId;
  const query = useInfiniteQuery({ ...openSessions(userId), refetchInterval: reread });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const sessions = data?.pages.flatMap(({ items }) => items) ?? [];
  const ordered = [...sessions.filter(({ current }) => current), ...sessions.filter(({ current }) => !current)];
  return (
    <Section title={t('title')} hint={t(isOwn ? 'ownHint' : 'hint')} action={isOwn && sessions.some(({ current }) => !current) && <EndOthers />}>
      {error !== null && <ProblemBanner error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data !== undefined && sessions.length === 0 && <Empty title={t('none')} hint={t('noneHint')} />}
      {sessions.length > 0 && (
        <ul className={styles.list} aria-label={t('list')}>
          {ordered.map((session) => (
            <Session key={session.id} session={session} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button mt="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </Section>
  );
}

function Session({ session }: { session: OpenSession }) {
  const t = useText(sessionMessages);
  const { id, address, userAgent, current, lastUsedTime, createdTime } = session;
  const device = useDevice()(userAgent);
  const place = address === '' ? t('unknownAddress') : address;
  return (
    <li className={styles.session}>
      <div className={styles.about}>
        <div className={styles.head}>
          <Tooltip label={userAgent === '' ? t('noUserAgent') : t('userAgent', { text: userAgent })} multiline maw={360}>
            <span className={styles.device} tabIndex={0}>
              {device}
            </span>
          </Tooltip>
          {current && <StatusChip tone="accent">{t('thisOne')}</StatusChip>}
        </div>
        <div className={styles.facts}>
          <span className={address === '' ? undefined : 'mono'}>{place}</span>
          <span>{t.rich('since', { when: <When time={createdTime} /> })}</span>
          <span>{lastUsedTime === null ? t('notUsed') : t.rich('used', { when: <When time={lastUsedTime} /> })}</span>
        </div>
      </div>
      {!current && (
        <RemoveButton
          scope={`sessions/${id}/end`}
          label={t('endOne', { name: `${device} · ${place}` })}
          text={t('end')}
          question={{ title: t('endQuestion'), body: t.rich('endBody', { device, address: place, when: <When time={createdTime} /> }) }}
          send={() => endSession(id)}
          done={t('ended')}
          already={t('endedAlready')}
        />
      )}
    </li>
  );
}

/** Returns the name of a session's device. */
function useDevice(): (userAgent: string) => string {
  const t = useText(sessionMessages);
  return (userAgent) => {
    const { program, system } = deviceOf(userAgent);
    if (program === undefined) return system ?? t('unknownProgram');
    return system === undefined ? program : t('programOn', { program, system });
  };
}

function EndOthers() {
  const t = useText(sessionMessages);
  const confirm = useConfirm();
  const toasts = useToasts();
  const end = useKeyedAction<null, unknown>({
    scope: 'sessions/end-others',
    title: t('others'),
    topics: ['users'],
    send: () => endOtherSessions(),
    onDone: () => toasts.done(t('othersDone')),
  });
  const ask = async () => {
    if ((await confirm({ title: t('endOthersQuestion'), body: t('othersBody'), confirm: t('others'), tone: 'bad' })) !== undefined) end.run(null);
  };
  return (
    <Button loading={end.outcome === 'sending'} disabled={end.outcome === 'unknown'} onClick={() => void ask()}>
      {t('others')}
    </Button>
  );
}
