import { Button, Group, Loader, Paper, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { Banner, PageHeader, ProblemBanner } from '@/ui';
import { uiMessages } from '@/ui/messages';
import type { TimelineKind } from '@/features/descriptor';
import { found, maxQueryLength } from '@/features/search/queries';
import { isUnreadable, type Raw, type TableSearch } from '@/ui/table';
import { useWindowTitle } from '@/ui/title';
import { Chained } from './Chained';
import { timelineMessages } from './messages';
import { nearHits, subjectsIn, type Named } from './subjects';
import styles from './Timeline.module.css';

export interface TimelineSearch extends TableSearch {
  /** The kind of the subject, if several subjects have the name. */
  as?: TimelineKind;
}

/** The page that finds an order, customer, SKU, coupon, ticket or idempotency key, and shows the complete timeline. */
export function TimelinePage({ search }: { search: Raw<TimelineSearch> }) {
  const t = useText(timelineMessages);
  const ui = useText(uiMessages);
  const navigate = useNavigate();
  const q = typeof search.q === 'string' ? search.q.trim() : '';
  const as = isUnreadable(search.as) ? undefined : search.as;
  const [typed, setTyped] = useState(q);
  const [shown, setShown] = useState(q);
  if (shown !== q) {
    setShown(q);
    setTyped(q);
  }
  useWindowTitle([q, t('title')]);
  const hits = useQuery(found(q));
  const subjects = subjectsIn(hits.data ?? [], q);
  const subject = subjects.find(({ kind }) => kind === as) ?? subjects[0];
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    if (typed.trim() !== '') void navigate({ to: '/timeline', search: { q: typed.trim() } });
  };
  return (
    <>
      <PageHeader title={t('title')} />
      <Stack gap="md">
        <form role="search" className={styles.form} onSubmit={go}>
          <TextInput
            type="search"
            aria-label={t('search')}
            placeholder={t('search')}
            maxLength={maxQueryLength}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="filled">
            {t('show')}
          </Button>
        </form>
        {q === '' && <Banner tone="info" title={t('hint')} />}
        {hits.error !== null && <ProblemBanner error={hits.error} retry={() => void hits.refetch()} />}
        {hits.isFetching && hits.data === undefined && <Loader role="img" aria-label={ui('loading')} />}
        {hits.data !== undefined && subject === undefined && <Nothing q={q} near={nearHits(hits.data)} />}
        {subjects.length > 1 && (
          <SegmentedControl
            aria-label={t('as')}
            value={subject?.kind}
            data={subjects.map(({ kind }) => ({ value: kind, label: t(kind) }))}
            onChange={(kind) => void navigate({ to: '/timeline', search: { q, as: kind } })}
          />
        )}
        {subject !== undefined && <Chain key={`${subject.kind} ${subject.id}`} subject={subject} />}
      </Stack>
    </>
  );
}

function Chain({ subject }: { subject: Named }) {
  const t = useText(timelineMessages);
  return (
    <Paper component="section" p="lg" aria-label={t('title')}>
      <Group justify="space-between" mb="xs">
        <span>
          {t(subject.kind)} <strong className="mono">{subject.name}</strong>
        </span>
        <Link to={subject.href}>{t('open')}</Link>
      </Group>
      <Chained subject={subject} />
    </Paper>
  );
}

function Nothing({ q, near }: { q: string; near: readonly Named[] }) {
  const t = useText(timelineMessages);
  return (
    <Banner tone="info" title={t('none', { q })}>
      {t('noneHint')}
      {near.length > 0 && (
        <div className={styles.near}>
          {t('nearly')}:{' '}
          {near.map(({ kind, id, name }) => (
            <span key={`${kind} ${id}`}>
              <Link to="/timeline" search={{ q: name, as: kind }}>
                {name}
              </Link>{' '}
            </span>
          ))}
        </div>
      )}
    </Banner>
  );
}
