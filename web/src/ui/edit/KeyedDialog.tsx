import { Button, Group, Modal, Stack } from '@mantine/core';
import { useEffect, useRef, type ReactNode, type SubmitEvent } from 'react';
import { useText } from '@/i18n';
import { KeyedNotice } from '../feedback/KeyedNotice';
import { uiMessages } from '../messages';
import type { KeyedForm } from './useKeyedForm';

interface Props {
  keyed: Omit<KeyedForm<object>, 'form' | 'change'>;
  title: string;
  /** What the button that sends says. */
  confirm: string;
  color?: 'accent' | 'warn';
  /** Why it was refused, and what can be done. */
  refusal: (error: Error) => ReactNode;
  onClose: () => void;
  /** The inputs. */
  children: ReactNode;
}

/** The dialog of a form that is sent once. Closing it forgets what was typed, unless its outcome is open. */
export function KeyedDialog({ keyed, title, confirm, color, refusal, onClose, children }: Props) {
  const t = useText(uiMessages);
  const { error, isFixed, isOpen, isPending } = keyed;
  const isRefused = error !== null && !isFixed;
  const told = useRef<HTMLDivElement>(null);
  // The button stands at the end of what may be a long form, and the reason at its beginning.
  useEffect(() => {
    if (isRefused) told.current?.scrollIntoView({ block: 'center' });
  }, [isRefused, error]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    keyed.submit();
  };
  const close = () => {
    keyed.giveUp();
    onClose();
  };
  return (
    <Modal opened onClose={close} size="lg" title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <KeyedNotice keyed={keyed} />
          {isRefused && <div ref={told}>{refusal(error)}</div>}
          {children}
          <Group justify="flex-end">
            <Button onClick={close}>{t('cancel')}</Button>
            <Button type="submit" variant="filled" color={color} loading={isPending}>
              {isOpen ? t('askAgain') : confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
