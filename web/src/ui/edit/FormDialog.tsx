import { Button, Group, Modal, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { uiMessages } from '../messages';
import { editMessages } from './messages';
import { useGiveUp } from './useGiveUp';
import type { KeyedForm } from './useKeyedForm';
import { OutcomeNotice, RestoredNotice, StorageNotice } from './WriteNotices';

interface Props {
  form: Omit<KeyedForm<object>, 'form' | 'change'>;
  title: string;
  /** What the button that sends says. */
  confirm: string;
  color?: 'accent' | 'warn' | 'bad';
  size?: 'md' | 'lg' | 'xl';
  onClose: () => void;
  /** Which places of a refused request have an input that says what is wrong. */
  told?: (pointer: string) => boolean;
  /** Why it was refused, and what can be done; undefined leaves it to the general words. */
  refusal?: (error: Error) => ReactNode;
  /** What asking again means while the outcome is open, for a write that no key makes one of. */
  unknown?: { hint: string; again?: string };
  /** It cannot be sent as things stand. */
  disabled?: boolean;
  /** Nothing is left to send: the button is gone. */
  finished?: boolean;
  /** What else can be done. */
  actions?: ReactNode;
  /** What is said, and the inputs. */
  children: ReactNode;
}

/**
 * The dialog of a form that is sent once. Closing it keeps what was typed; a click
 * beside it does nothing. While the outcome is unknown it asks for the same again; a
 * question goes before giving that up.
 */
export function FormDialog({
  form,
  title,
  confirm,
  color,
  size = 'lg',
  onClose,
  told,
  refusal,
  unknown,
  disabled = false,
  finished = false,
  actions,
  children,
}: Props) {
  const t = useText(editMessages);
  const ui = useText(uiMessages);
  const asksToGiveUp = useGiveUp();
  const { error, outcome, isTouched, discard, submit } = form;
  const isUnknown = outcome === 'unknown';
  const refused = error !== null && !form.isFixed ? error : null;
  const place = useRef<HTMLDivElement>(null);
  // The button stands at the end of what may be a long form, and the reason at its beginning.
  useEffect(() => {
    if (refused !== null) place.current?.scrollIntoView({ block: 'center' });
  }, [refused]);
  const inputs = useRef<HTMLFormElement>(null);
  const [tries, setTries] = useState(0);
  // What is wrong with what was typed stands at the inputs, of which the first may be out of sight.
  useEffect(() => {
    if (tries > 0) inputs.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid]')?.focus();
  }, [tries]);
  const send = () => {
    setTries((n) => n + 1);
    submit();
  };
  const giveUp = async () => {
    if (await asksToGiveUp()) discard();
  };
  const close = useEffectEvent(onClose);
  useEffect(() => {
    // It is told in the corner, and nothing is left in the form.
    if (outcome === 'proposed') close();
  }, [outcome]);
  useHotkeys([['mod+S', () => !finished && (!disabled || isUnknown) && send()]], [], true);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <Modal opened onClose={onClose} size={size} title={title} closeButtonProps={{ 'aria-label': ui('close') }}>
      <form ref={inputs} onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <OutcomeNotice write={form} hint={unknown?.hint} />
          <StorageNotice />
          {refused !== null && (
            <div ref={place}>
              {refusal?.(refused) ?? <ProblemBanner error={refused} told={told} retry={isProblem(refused, 'resource_locked') ? submit : undefined} />}
            </div>
          )}
          {isTouched && <RestoredNotice at={form.restored} onDiscard={discard} />}
          {children}
          <Group justify="flex-end">
            {(isUnknown || (isTouched && outcome !== 'sending')) && (
              <Button mr="auto" variant="subtle" color="gray" onClick={isUnknown ? () => void giveUp() : discard}>
                {t(isUnknown ? 'askNoMore' : 'discard')}
              </Button>
            )}
            {actions}
            <Button onClick={onClose}>{ui('close')}</Button>
            {!finished && (
              <Button type="submit" variant="filled" color={color} disabled={disabled && !isUnknown} loading={outcome === 'sending'}>
                {isUnknown ? (unknown?.again ?? t('askAgain')) : confirm}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
