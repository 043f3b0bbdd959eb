import { useEffect, useEffectEvent } from 'react';

/** Elements in which a key press enters text. */
const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], .cm-editor';

/** Elements that cover the page. */
const onTop = '[role=dialog], [role=menu], [role=listbox]';

/** Calls a handler when its key, such as "j", is pressed. It does nothing while the user types or a dialog is open. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    const { target, key } = event;
    const handler = Object.hasOwn(keys, key) ? keys[key] : undefined;
    if (handler === undefined || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (target instanceof Element && target.closest(typing) !== null) return;
    if (document.querySelector(onTop) !== null) return;
    event.preventDefault();
    handler();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
