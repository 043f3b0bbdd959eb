import { ActionIcon, Button, Group, Paper, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { configFeed, useLiveState, useOwner } from '@/api';
import { useText } from '@/i18n';
import { Icon, When } from '@/ui';
import { cleared, emptyFeed, idOf, paused, placeOf, received, type FeedLine } from './feed';
import { watchMessages } from './messages';
import styles from './Watch.module.css';

/** A pane next to the list that shows every config change, without gaps, until it is closed. */
export function WatchPane({ onClose }: { onClose: () => void }) {
  const t = useText(watchMessages);
  const queries = useQueryClient();
  const [feed, setFeed] = useState(emptyFeed);
  const owner = useOwner();
  const connected = useLiveState(configFeed).status === 'live';
  useEffect(() => {
    const stop = configFeed.onEvent(({ event, data }) => {
      setFeed((before) => received(before, event, data));
      if (event === 'gone') void queries.invalidateQueries({ queryKey: ['configs'] });
    });
    configFeed.start(owner);
    return () => {
      stop();
      configFeed.stop();
    };
  }, [owner, queries]);
  return (
    <Paper component="aside" className={styles.pane} aria-label={t('title')}>
      <div className={styles.head}>
        <h2 className={styles.title}>{t('title')}</h2>
        <ActionIcon variant="subtle" aria-label={t('close')} onClick={onClose}>
          <Icon name="cross" />
        </ActionIcon>
      </div>
      <Text className={connected ? styles.live : styles.lost} role="status">
        {t(connected ? 'connected' : 'lost')}
      </Text>
      <Group gap="xs">
        <Button size="xs" onClick={() => setFeed((before) => paused(before, !before.paused))}>
          {!feed.paused ? t('pause') : feed.held.length === 0 ? t('resume') : t('resumeHeld', { n: feed.held.length })}
        </Button>
        <Button size="xs" onClick={() => setFeed(cleared)} disabled={feed.lines.length === 0}>
          {t('clear')}
        </Button>
        {feed.revision !== undefined && <span className={`${styles.quiet ?? ''} tabular`}>{t('revision', { revision: placeOf(feed.revision) })}</span>}
      </Group>
      {feed.lines.length === 0 ? (
        <Text c="dimmed">{t('waiting')}</Text>
      ) : (
        <ol className={styles.lines} aria-label={t('lines')} tabIndex={0}>
          {feed.lines.map((line) => (
            <Line key={idOf(line)} line={line} />
          ))}
        </ol>
      )}
    </Paper>
  );
}

function Line({ line }: { line: FeedLine }) {
  const t = useText(watchMessages);
  if (line.kind === 'gone') return <li className={styles.lost}>{t('tooOld', { revision: placeOf(line.revision) })}</li>;
  const { key, version, action, changedBy, changedTime, revision } = line.event;
  return (
    <li data-action={action}>
      <span className={styles.key}>
        <code>{key}</code>
        <span className="tabular">{`v${version}`}</span>
      </span>
      <span className={styles.what}>
        <span>
          {t(`did_${action}`, { who: changedBy.name })} · <When time={changedTime} />
        </span>
        <span className="tabular" title={t('revision', { revision })}>{`#${placeOf(revision)}`}</span>
      </span>
    </li>
  );
}
