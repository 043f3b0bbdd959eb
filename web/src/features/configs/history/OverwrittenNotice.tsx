import { Button, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useUser } from '@/api';
import { readStored, writeStored } from '@/browser/storage';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { Banner, Difference, revisionsOf, When } from '@/ui';
import { uiMessages } from '@/ui/messages';
import { configHistory } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { historyMessages } from './messages';
import { overwrittenOf, withLost } from './overwritten';

interface Props {
  configKey: string;
  /** The content of the form; undefined while it cannot be parsed. */
  content: JsonObject | undefined;
  /** Puts a content into the form, to be saved like any edit; undefined if the user may not edit. */
  onPutBack: ((content: JsonObject) => void) | undefined;
}

/**
 * Shows that another user has overwritten the user's change: who, why, which values were lost, and
 * a button that restores them.
 */
export function OverwrittenNotice({ configKey, content, onPutBack }: Props) {
  const t = useText(historyMessages);
  const ui = useText(uiMessages);
  const labels = useConfigLabels();
  const me = useUser().id;
  const overwritten = overwrittenOf(revisionsOf(useInfiniteQuery(configHistory(configKey))), me);
  const storedAs = `interlock.overwritten.${me}.${configKey}`;
  const [seen, setSeen] = useState(() => readStored(storedAs));
  if (overwritten === undefined || seen === String(overwritten.by.revision)) return null;
  const { by, mine, lost } = overwritten;
  const close = () => {
    writeStored(storedAs, String(by.revision));
    setSeen(String(by.revision));
  };
  return (
    <Banner
      tone="warn"
      title={t.rich('overwritten', { who: by.changedBy.name, version: String(mine.version), when: <When time={by.changedTime} /> })}
      action={
        <Group gap="xs">
          {onPutBack !== undefined && content !== undefined && (
            <Button
              variant="filled"
              onClick={() => {
                onPutBack(withLost(content, lost));
                close();
              }}
            >
              {t('putBack')}
            </Button>
          )}
          <Button onClick={close}>{ui('understood')}</Button>
        </Group>
      }
    >
      {by.note !== '' && <q>{by.note}</q>}
      <Difference changes={lost.map(({ pointer, before, after }) => ({ pointer, before: after, after: before }))} labels={labels} />
      <div>{t('putBackHint')}</div>
      <Link to="/configs/$key" params={{ key: configKey }} search={{ tab: 'history', from: by.version - 1, to: by.version }}>
        {t('compareTitle')}
      </Link>
    </Banner>
  );
}
