import { useEffect, useEffectEvent } from 'react';

/** Elements in which a letter is text, not a command. */
const typing = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true], .cm-editor';

/** Elements that cover the page. */
const onTop = '[role=dialog], [role=menu], [role=listbox]';

/** Calls a handler when its key is pressed, such as "j"; not while the user types, and not behind a dialog. */
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
