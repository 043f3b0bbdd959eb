import { useEffect, useEffectEvent } from 'react';
import { useToasts } from '../feedback/toasts';
import { useKeyedMutation, type KeyedMutation, type KeyedOptions } from './useKeyedMutation';

/**
 * A write from a button without a dialog. A toast reports its outcome and offers a retry while the
 * outcome is unknown, also after a reload or if another request has to wait for it.
 */
export function useKeyedAction<V, R>({ onRejected, ...options }: Omit<KeyedOptions<V, R>, 'onUnknown'>): KeyedMutation<V, R> {
  const toasts = useToasts();
  const action: KeyedMutation<V, R> = useKeyedMutation<V, R>({
    ...options,
    onRejected: onRejected ?? toasts.failed,
    onUnknown: (error) => toasts.unknown(error, () => action.retry(), options.title),
  });
  const { outcome, retry } = action;
  const showRetry = useEffectEvent(() => {
    if (outcome === 'unknown') toasts.unknown(undefined, retry, options.title);
  });
  useEffect(() => showRetry(), []);
  return action;
}
