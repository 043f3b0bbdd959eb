import { Button, Stack } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useEffect, useEffectEvent, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import { ProblemBanner } from '../feedback/ProblemBanner';
import { Dialog } from '../Dialog';
import { uiMessages } from '../messages';
import { FormFoot } from './FormFoot';
import { editMessages } from './messages';
import { useConfirmAbandon } from './useConfirmAbandon';
import type { KeyedForm } from './useKeyedForm';
import { OutcomeNotice, RestoredNotice, StorageNotice } from './WriteNotices';

interface Props {
  form: Omit<KeyedForm<object>, 'form' | 'change'>;
  title: string;
  /** The label of the submit button. */
  confirm: string;
  color?: 'accent' | 'warn' | 'bad';
  size?: 'md' | 'lg' | 'xl';
  onClose: () => void;
  /** Whether an input shows the violation at a JSON Pointer; the banner omits it. */
  hasInput?: (pointer: string) => boolean;
  /** An error message with its actions; undefined for the default message. */
  renderRejection?: (error: Error) => ReactNode;
  /** The explanation and button label of a retry, for a write without an idempotency key. */
  unknown?: { hint: string; again?: string };
  /** The form cannot be submitted in the current state. */
  disabled?: boolean;
  /** Nothing is left to submit: the submit button is hidden. */
  finished?: boolean;
  /** Additional buttons. */
  actions?: ReactNode;
  /** The explanation and the inputs. */
  children: ReactNode;
}

/**
 * The dialog of a form that is submitted once. Closing it preserves the input; a click outside does
 * nothing. While the outcome is unknown, the submit button retries the same request, and abandoning
 * that request needs a confirmation.
 */
export function FormDialog({
  form,
  title,
  confirm,
  color,
  size = 'lg',
  onClose,
  hasInput,
  renderRejection,
  unknown,
  disabled = false,
  finished = false,
  actions,
  children,
}: Props) {
  const t = useText(editMessages);
  const ui = useText(uiMessages);
  const confirmAbandon = useConfirmAbandon();
  const { error, outcome, isTouched, discard, submit } = form;
  const isUnknown = outcome === 'unknown';
  const rejection = error !== null && !form.isFixed ? error : null;
  const banner = useRef<HTMLDivElement>(null);
  // The error is at the start of the form, possibly out of sight of the submit button at its end.
  useEffect(() => {
    if (rejection !== null) banner.current?.scrollIntoView({ block: 'center' });
  }, [rejection]);
  const inputs = useRef<HTMLFormElement>(null);
  const [attempts, setAttempts] = useState(0);
  // Validation messages are next to the inputs; the first one may be out of sight.
  useEffect(() => {
    if (attempts > 0) inputs.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid]')?.focus();
  }, [attempts]);
  const send = () => {
    setAttempts((n) => n + 1);
    submit();
  };
  const abandon = async () => {
    if (await confirmAbandon()) discard();
  };
  const close = useEffectEvent(onClose);
  useEffect(() => {
    // A toast reports the proposal, and the form is empty.
    if (outcome === 'proposed') close();
  }, [outcome]);
  useHotkeys([['mod+S', () => !finished && (!disabled || isUnknown) && send()]], [], true);
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <Dialog onClose={onClose} size={size} title={title}>
      <form ref={inputs} onSubmit={onSubmit} noValidate>
        <Stack gap="md">
          <OutcomeNotice write={form} hint={unknown?.hint} />
          <StorageNotice />
          {rejection !== null && (
            <div ref={banner}>
              {renderRejection?.(rejection) ?? (
                <ProblemBanner error={rejection} hasInput={hasInput} retry={isProblem(rejection, 'resource_locked') ? submit : undefined} />
              )}
            </div>
          )}
          {isTouched && <RestoredNotice at={form.restored} onDiscard={discard} />}
          {children}
          <FormFoot>
            {(isUnknown || (isTouched && outcome !== 'sending')) && (
              <Button mr="auto" variant="subtle" color="gray" onClick={isUnknown ? () => void abandon() : discard}>
                {t(isUnknown ? 'abandon' : 'discard')}
              </Button>
            )}
            {actions}
            <Button onClick={onClose}>{ui('close')}</Button>
            {!finished && (
              <Button type="submit" variant="filled" color={color} disabled={disabled && !isUnknown} loading={outcome === 'sending'}>
                {isUnknown ? (unknown?.again ?? t('retryRequest')) : confirm}
              </Button>
            )}
          </FormFoot>
        </Stack>
      </form>
    </Dialog>
  );
}
