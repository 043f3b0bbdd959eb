import { useEffect, useEffectEvent } from 'react';
import { useToasts } from '../feedback/toasts';
import { useKeyedMutation, type KeyedMutation, type KeyedOptions } from './useKeyedMutation';

/**
 * A write without a dialog of its own, by a button. What came of it is told in the
 * corner, and while that is not known, so is the way to ask again; also when the page is
 * opened anew.
 */
export function useKeyedAction<V, R>({ onRefused, ...options }: Omit<KeyedOptions<V, R>, 'onUnknown'>): KeyedMutation<V, R> {
  const toasts = useToasts();
  const action: KeyedMutation<V, R> = useKeyedMutation<V, R>({
    ...options,
    onRefused: onRefused ?? toasts.failed,
    onUnknown: (error, request) => toasts.unknown(error, () => action.run(request), options.title),
  });
  const { outcome, sent } = action;
  const tellAgain = useEffectEvent(() => {
    if (outcome === 'unknown' && sent !== undefined) toasts.unknown(undefined, () => action.run(sent), options.title);
  });
  useEffect(() => tellAgain(), []);
  return action;
}
