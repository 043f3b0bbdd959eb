import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, Facts, Person, RecordDrawer, RecordLink, When } from '@/ui';
import { idempotencyMessages } from './messages';
import { oneKey, type IdempotencyKey } from './queries';
import { ReplyChip } from './ReplyChip';
import { subjectOf } from './subject';

/** The details of an idempotency key: user, request and stored reply. */
export function KeyDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useText(idempotencyMessages);
  return (
    <RecordDrawer query={useQuery(oneKey(id))} title={t('one')} missing={<Banner tone="info" title={t('expired')} />} onClose={onClose}>
      {(entry) => <About entry={entry} />}
    </RecordDrawer>
  );
}

function About({ entry }: { entry: IdempotencyKey }) {
  const t = useText(idempotencyMessages);
  const { dateTime, duration } = useFormat();
  const seesAudit = useMay()('audit:read');
  const { key, method, path, status, replyKept, actor, actorKind, onBehalfOf, createdTime, durationMs, replays, lastReplayTime, expiresTime, requestId } =
    entry;
  const subject = subjectOf(path);
  const mono = (text: string) => <span className="mono">{text}</span>;
  const who = (
    <>
      <Person person={actor} withAvatar />
      <Text size="sm" c="dimmed">
        {t(actorKind)}
      </Text>
    </>
  );
  const again = (
    <>
      {replays === 0 ? t('never') : t('replayedTimes', { n: replays })}
      {lastReplayTime !== null && (
        <>
          {' · '}
          {t('lastReplay')} <When time={lastReplayTime} />
        </>
      )}
    </>
  );
  return (
    <>
      <Facts
        layout="list"
        facts={[
          [t('key'), mono(key)],
          [t('request'), mono(`${method} ${path}`)],
          subject !== undefined && [t('record'), <RecordLink key="record" path={subject} />],
          [t('status'), <ReplyChip key="status" status={status} />],
          [t('reply'), t(replyKept ? 'replyStored' : 'replyTooLarge')],
          [t('who'), who],
          [t('onBehalfOf'), onBehalfOf],
          [t('when'), dateTime(createdTime)],
          [t('duration'), duration(Math.max(1, Math.round(durationMs)))],
          [t('replays'), again],
          [t('expires'), dateTime(expiresTime)],
          [t('requestId'), mono(requestId)],
        ]}
      />
      <p>
        <Link to="/timeline" search={{ q: key, as: 'idempotency-key' }}>
          {t('timeline')}
        </Link>
      </p>
      {seesAudit && (
        <p>
          <Link to="/audit-log" search={{ actor: String(actor.id), resource: subject }}>
            {t('audit')}
          </Link>
        </p>
      )}
    </>
  );
}
