import { useEffect, useEffectEvent } from 'react';
import { useToasts } from '../feedback/toasts';
import { useKeyedMutation, type KeyedMutation, type KeyedOptions } from './useKeyedMutation';

/**
 * A write without a dialog of its own, by a button. What came of it is told in the
 * corner, and while that is not known, so is the way to ask again; also when the page is
 * opened anew, or another request has to wait for it.
 */
export function useKeyedAction<V, R>({ onRefused, ...options }: Omit<KeyedOptions<V, R>, 'onUnknown'>): KeyedMutation<V, R> {
  const toasts = useToasts();
  const action: KeyedMutation<V, R> = useKeyedMutation<V, R>({
    ...options,
    onRefused: onRefused ?? toasts.failed,
    onUnknown: (error) => toasts.unknown(error, () => action.again(), options.title),
  });
  const { outcome, again } = action;
  const tellAgain = useEffectEvent(() => {
    if (outcome === 'unknown') toasts.unknown(undefined, again, options.title);
  });
  useEffect(() => tellAgain(), []);
  return action;
}
