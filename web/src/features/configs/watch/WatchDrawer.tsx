import { Button, Drawer, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { followResumable } from '@/api';
import { useText } from '@/i18n';
import { When } from '@/ui';
import { cleared, emptyFeed, idOf, paused, received, type FeedLine } from './feed';
import { watchMessages } from './messages';
import styles from './Watch.module.css';

/** A pane beside the list with every change of a config, none left out, until it is closed. */
export function WatchDrawer({ onClose }: { onClose: () => void }) {
  const t = useText(watchMessages);
  const queries = useQueryClient();
  const [feed, setFeed] = useState(emptyFeed);
  const [connected, setConnected] = useState(false);
  useEffect(
    () =>
      followResumable({
        address: '/api/v1/configs/watch',
        onState: setConnected,
        onEvent: ({ event, data }) => {
          setFeed((before) => received(before, event, data));
          if (event === 'gone') void queries.invalidateQueries({ queryKey: ['configs'] });
        },
      }),
    [queries],
  );
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={380}
      title={t('title')}
      withOverlay={false}
      lockScroll={false}
      trapFocus={false}
      closeButtonProps={{ 'aria-label': t('close') }}
      classNames={{ content: styles.pane, header: styles.head }}
    >
      <Stack gap="sm">
        <Text className={connected ? styles.live : styles.lost} role="status">
          {t(connected ? 'connected' : 'lost')}
        </Text>
        <Group gap="xs">
          <Button size="xs" aria-pressed={feed.paused} onClick={() => setFeed((before) => paused(before, !before.paused))}>
            {!feed.paused ? t('pause') : feed.held.length === 0 ? t('resume') : t('resumeHeld', { n: feed.held.length })}
          </Button>
          <Button size="xs" onClick={() => setFeed(cleared)} disabled={feed.lines.length === 0}>
            {t('clear')}
          </Button>
          {feed.revision !== undefined && <span className={`${styles.quiet ?? ''} tabular`}>{t('revision', { revision: String(feed.revision) })}</span>}
        </Group>
        {feed.lines.length === 0 ? (
          <Text c="dimmed">{t('waiting')}</Text>
        ) : (
          <ol className={styles.lines} aria-label={t('lines')}>
            {feed.lines.map((line) => (
              <Line key={idOf(line)} line={line} />
            ))}
          </ol>
        )}
      </Stack>
    </Drawer>
  );
}

function Line({ line }: { line: FeedLine }) {
  const t = useText(watchMessages);
  if (line.kind === 'gone') return <li className={styles.lost}>{t('gone', { revision: String(line.revision) })}</li>;
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
        <span className="tabular" title={t('revision', { revision: String(revision) })}>{`#${revision}`}</span>
      </span>
    </li>
  );
}
