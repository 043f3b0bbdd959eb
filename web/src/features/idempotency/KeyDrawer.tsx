import { Drawer, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isProblem, useMay } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Banner, Person, ProblemBanner, RecordLink, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import styles from './KeyDrawer.module.css';
import { idempotencyMessages } from './messages';
import { oneKey, type IdempotencyKey } from './queries';
import { ReplyChip } from './ReplyChip';
import { subjectOf } from './subject';

/** All that is known of one key: who used it, for what, and what became of it. */
export function KeyDrawer({ id, onClose }: { id: number; onClose: () => void }) {
  const t = useText(idempotencyMessages);
  const ui = useText(uiMessages);
  const { data, error, refetch } = useQuery(oneKey(id));
  return (
    <Drawer opened onClose={onClose} position="right" size="md" title={t('one')} closeButtonProps={{ 'aria-label': ui('close') }}>
      {isProblem(error, 'not_found') ? (
        <Banner tone="info" title={t('gone')} />
      ) : (
        error !== null && <ProblemBanner error={error} retry={() => void refetch()} />
      )}
      {data === undefined && error === null && <Loader role="img" aria-label={ui('loading')} />}
      {data !== undefined && <Facts entry={data} />}
    </Drawer>
  );
}

function Facts({ entry }: { entry: IdempotencyKey }) {
  const t = useText(idempotencyMessages);
  const { dateTime, duration } = useFormat();
  const seesAudit = useMay()('audit:read');
  const subject = subjectOf(entry.path);
  return (
    <>
      <dl className={styles.facts}>
        <Fact name={t('key')}>
          <span className="mono">{entry.key}</span>
        </Fact>
        <Fact name={t('request')}>
          <span className="mono">
            {entry.method} {entry.path}
          </span>
        </Fact>
        {subject !== undefined && (
          <Fact name={t('record')}>
            <RecordLink path={subject} />
          </Fact>
        )}
        <Fact name={t('status')}>
          <ReplyChip status={entry.status} />
        </Fact>
        <Fact name={t('kept')}>{t(entry.replyKept ? 'keptYes' : 'keptNo')}</Fact>
        <Fact name={t('who')}>
          <Person person={entry.actor} withAvatar />
          <div className={styles.dimmed}>{t(entry.actorKind)}</div>
        </Fact>
        {entry.onBehalfOf !== null && <Fact name={t('onBehalfOf')}>{entry.onBehalfOf}</Fact>}
        <Fact name={t('when')}>{dateTime(entry.createdTime)}</Fact>
        <Fact name={t('duration')}>{duration(Math.max(1, Math.round(entry.durationMs)))}</Fact>
        <Fact name={t('replays')}>
          {entry.replays === 0 ? t('never') : t('replayedTimes', { n: entry.replays })}
          {entry.lastReplayTime !== null && (
            <>
              {' · '}
              {t('lastReplay')} <When time={entry.lastReplayTime} />
            </>
          )}
        </Fact>
        <Fact name={t('expires')}>{dateTime(entry.expiresTime)}</Fact>
        <Fact name={t('requestId')}>
          <span className="mono">{entry.requestId}</span>
        </Fact>
      </dl>
      {seesAudit && (
        <p>
          <Link to="/audit-log" search={{ actor: String(entry.actor.id), resource: subject }}>
            {t('audit')}
          </Link>
        </p>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
