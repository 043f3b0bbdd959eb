import { useEffect, useEffectEvent } from 'react';

/** Elements in which a key press enters text. */
const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], .cm-editor';

/** Elements that cover the page. */
const onTop = '[role=dialog], [role=menu], [role=listbox]';

/** How long the first key of a sequence waits for the second, in ms. */
const sequenceTime = 1500;

export const isApple = /Mac|iP(hone|ad)/.test(navigator.userAgent);

/** Key bindings of the mounted components, oldest first. The binding of the newest component wins. */
const bound: (() => Readonly<Record<string, () => void>>)[] = [];
/** The first key of a sequence, such as "g" of "g o", and when it was pressed. */
let pending: { key: string; at: number } | undefined;

function onKeyDown(event: KeyboardEvent): void {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || key === 'Shift') return;
  const prefix = pending !== undefined && event.timeStamp - pending.at < sequenceTime ? `${pending.key} ` : '';
  pending = undefined;
  if (target instanceof Element && target.closest(typing) !== null) return;
  if (document.querySelector(onTop) !== null) return;
  const bindings = bound.map((read) => read()).reverse();
  const pressed = prefix + key;
  const handler = bindings.find((keys) => Object.hasOwn(keys, pressed))?.[pressed];
  if (handler !== undefined) {
    event.preventDefault();
    handler();
  } else if (bindings.some((keys) => Object.keys(keys).some((name) => name.startsWith(`${pressed} `)))) {
    pending = { key: pressed, at: event.timeStamp };
  }
}

/**
 * Calls a handler when its key, such as "j", or its sequence of keys, such as "g o", is pressed. It
 * does nothing while the user types or a dialog is open.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const read = useEffectEvent(() => keys);
  useEffect(() => {
    const binding = () => read();
    if (bound.push(binding) === 1) document.addEventListener('keydown', onKeyDown);
    return () => {
      bound.splice(bound.indexOf(binding), 1);
      if (bound.length === 0) document.removeEventListener('keydown', onKeyDown);
    };
  }, []);
}
