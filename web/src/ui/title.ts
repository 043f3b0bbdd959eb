import { useEffect } from 'react';
import { productName } from './brand/Logo';

/** Sets the window title from its parts and the product name. Does nothing for undefined, if another component sets the title. */
export function useWindowTitle(parts: readonly (string | undefined)[] | undefined): void {
  const title = parts && [...parts, productName].filter((part) => part !== undefined && part !== '').join(' · ');
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
}
