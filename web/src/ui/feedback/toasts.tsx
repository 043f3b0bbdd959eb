import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useRouter } from '@tanstack/react-router';
import { randomId } from '@/browser/id';
import type { ReactNode } from 'react';
import { isProblem, votesLeft, type Approval } from '@/api';
import { useFormat, useText } from '@/i18n';
import { Icon } from '../Icon';
import { uiMessages } from '../messages';
import { useProblemText } from './problemText';

/** How long a toast stays, in ms. A failure stays until it is closed. */
const stays = 6000;

export interface Toasts {
  /** Confirms a write. `undo` immediately sends a separate guarded write that reverses it. */
  done: (message: ReactNode, undo?: () => void) => void;
  /** Shows information. Toasts with the same id appear once. */
  info: (message: ReactNode, id?: string) => void;
  /** Shows a message about an event that the user did not cause but has to know. It stays until it is closed or its button is clicked. */
  warn: (message: ReactNode, label: string, act: () => void) => void;
  /** The change was not made; it waits for approval. */
  proposed: (approval: Approval) => void;
  failed: (error: unknown) => void;
  /** A write had no reply; the button retries it. Toasts with the same title appear once. */
  unknown: (error: unknown, again: () => void, title: string) => void;
  /** Hides the toast of `unknown` with this title, once the outcome of the write is known. */
  settled: (title: string) => void;
}

const unknownId = (title: string): string => `unknown ${title}`;

/** Short messages in the corner that need no response. */
export function useToasts(): Toasts {
  const text = useProblemText();
  const t = useText(uiMessages);
  const { dateTime } = useFormat();
  const router = useRouter({ warn: false });
  const show = (message: ReactNode, color: 'ok' | 'info' | 'warn' | 'bad', icon: 'check' | 'info' | 'alert', id?: string) =>
    notifications.show({
      id,
      message,
      color,
      icon: <Icon name={icon} />,
      autoClose: color === 'bad' || color === 'warn' ? false : stays,
      withBorder: true,
      closeButtonProps: { 'aria-label': t('close') },
    });
  const withButton = (
    message: ReactNode,
    label: string,
    act: () => void,
    color: 'ok' | 'info' | 'warn' | 'bad',
    icon: 'check' | 'info' | 'alert',
    id = randomId(),
  ) => {
    const press = () => {
      notifications.hide(id);
      act();
    };
    const both = (
      <Group gap="xs" justify="space-between" wrap="nowrap">
        <span>{message}</span>
        <Button size="compact-sm" flex="none" onClick={press}>
          {label}
        </Button>
      </Group>
    );
    show(both, color, icon, id);
  };
  return {
    done: (message, undo) => (undo === undefined ? show(message, 'ok', 'check') : withButton(message, t('undo'), undo, 'ok', 'check')),
    info: (message, id) => show(message, 'info', 'info', id),
    warn: (message, label, act) => withButton(message, label, act, 'warn', 'alert'),
    proposed: (approval) => {
      // Toasts are rendered outside the pages, where a Link has no router.
      const open = () => router.history.push(`/approvals/${approval.id}`);
      const { status, effectiveTime } = approval;
      const waits =
        status === 'scheduled' && effectiveTime !== null ? t('scheduledFor', { when: dateTime(effectiveTime) }) : t('proposed', { n: votesLeft(approval) });
      withButton(waits, t('showApproval'), open, 'info', 'info');
    },
    failed: (error) => show(text(error), 'bad', 'alert'),
    unknown: (error, again, title) => {
      notifications.hide(unknownId(title));
      withButton(error === undefined || isProblem(error) ? t('unknownOf', { title }) : text(error), t('retryRequest'), again, 'bad', 'alert', unknownId(title));
    },
    settled: (title) => notifications.hide(unknownId(title)),
  };
}
