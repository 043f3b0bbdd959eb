import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import type { JsonObject } from '@/merge';
import { editMessages } from '../edit/messages';
import type { KeyedMutation } from '../edit/useKeyedMutation';
import type { Labels } from '../edit/labels';
import { OutcomeNotice } from '../edit/WriteNotices';
import { useCopy } from '../CopyText';
import { Banner } from '../feedback/Banner';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { Facts } from './Facts';

/** How a record is created again, and whether the draft allows it. */
interface Recreation extends Pick<KeyedMutation<never, unknown>, 'retry' | 'outcome' | 'key' | 'error'> {
  /** Creates the record again from the draft; undefined while the draft is incomplete. */
  run: (() => void) | undefined;
}

interface Props {
  /** The user who deleted the record, and the time, if known. */
  title?: ReactNode;
  /** The draft as content; undefined while it cannot be read. */
  content: JsonObject | undefined;
  labels: Labels;
  /** Creates the record again; undefined if the user has no permission. */
  recreate: Recreation | undefined;
  /** Deletes the draft. Set if the record was already deleted when the page opened. */
  onDiscard?: () => void;
  /** Further actions for the draft. */
  children?: ReactNode;
}

/** Shown for a record that was deleted during or before an edit: the draft, with the possible actions. */
export function DeletedRecord({ title, content, labels, recreate, onDiscard, children }: Props) {
  const t = useText(editMessages);
  const copy = useCopy();
  const shown = Object.entries(content ?? {}).map(([name, value]) => [`/${name}`, labels.show(value, `/${name}`)] as const);
  const text = shown.map(([pointer, value]) => `${labels.field(pointer)}: ${value}`).join('\n');
  const isUnknown = recreate?.outcome === 'unknown';
  const error = recreate?.outcome === 'rejected' ? recreate.error : null;
  return (
    <Stack gap="md">
      {recreate !== undefined && <OutcomeNotice write={{ outcome: recreate.outcome, key: recreate.key }} />}
      {error !== null && <ProblemBanner error={error} />}
      <Banner
        tone="bad"
        title={title ?? t('deleted')}
        action={
          <Group gap="xs">
            <Button disabled={content === undefined} onClick={() => void copy(text)}>
              {t('copyTyped')}
            </Button>
            {onDiscard !== undefined && <Button onClick={onDiscard}>{t('forget')}</Button>}
            {children}
            {recreate !== undefined && (
              <Button
                variant="filled"
                disabled={recreate.run === undefined && !isUnknown}
                loading={recreate.outcome === 'sending'}
                onClick={isUnknown ? recreate.retry : recreate.run}
              >
                {t(isUnknown ? 'retryRequest' : 'recreate')}
              </Button>
            )}
          </Group>
        }
      >
        {t(onDiscard === undefined ? 'deletedHint' : 'draftOfDeleted')}
      </Banner>
      {onDiscard !== undefined && <Facts layout="list" facts={shown.map(([pointer, value]) => [labels.field(pointer), <code key={pointer}>{value}</code>])} />}
    </Stack>
  );
}
