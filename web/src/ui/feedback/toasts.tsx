import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { randomId } from '@/browser/id';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import { uiMessages } from '../messages';
import { useProblemText } from './useProblemText';

/** How long a toast stays, in ms; one about a failure waits until it is closed. */
const stays = 6000;

export interface Toasts {
  /** What was done. Undo takes it back by a guarded write of its own, sent at once. */
  done: (message: ReactNode, undo?: () => void) => void;
  info: (message: ReactNode) => void;
  failed: (error: unknown) => void;
}

/** Short messages in the corner, for what needs no answer. */
export function useToasts(): Toasts {
  const text = useProblemText();
  const t = useText(uiMessages);
  const show = (message: ReactNode, color: 'ok' | 'info' | 'bad', icon: 'check' | 'info' | 'alert', id?: string) =>
    notifications.show({
      id,
      message,
      color,
      icon: <Icon name={icon} />,
      autoClose: color === 'bad' ? false : stays,
      withBorder: true,
      closeButtonProps: { 'aria-label': t('close') },
    });
  return {
    done: (message, undo) => {
      if (undo === undefined) {
        show(message, 'ok', 'check');
        return;
      }
      const id = randomId();
      const takeBack = () => {
        notifications.hide(id);
        undo();
      };
      const withUndo = (
        <Group gap="xs" justify="space-between" wrap="nowrap">
          <span>{message}</span>
          <Button size="compact-sm" onClick={takeBack}>
            {t('undo')}
          </Button>
        </Group>
      );
      show(withUndo, 'ok', 'check', id);
    },
    info: (message) => show(message, 'info', 'info'),
    failed: (error) => show(text(error), 'bad', 'alert'),
  };
}
