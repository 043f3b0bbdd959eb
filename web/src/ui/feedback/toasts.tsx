import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { useText } from '@/i18n';
import { Icon } from '../Icon';
import { uiMessages } from '../messages';
import { useProblemText } from './useProblemText';

/** How long a toast stays, in ms; one about a failure waits until it is closed. */
const stays = 6000;

export interface Toasts {
  done: (message: ReactNode) => void;
  info: (message: ReactNode) => void;
  failed: (error: unknown) => void;
}

/** Short messages in the corner, for what needs no answer. */
export function useToasts(): Toasts {
  const text = useProblemText();
  const t = useText(uiMessages);
  const show = (message: ReactNode, color: 'ok' | 'info' | 'bad', icon: 'check' | 'info' | 'alert') =>
    notifications.show({
      message,
      color,
      icon: <Icon name={icon} />,
      autoClose: color === 'bad' ? false : stays,
      withBorder: true,
      closeButtonProps: { 'aria-label': t('close') },
    });
  return {
    done: (message) => show(message, 'ok', 'check'),
    info: (message) => show(message, 'info', 'info'),
    failed: (error) => show(text(error), 'bad', 'alert'),
  };
}
