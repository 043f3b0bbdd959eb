import { useEffect } from 'react';
import { productName } from './brand/Logo';

/** Names the window: what is open, where it belongs, and the product. Given nothing, it is named elsewhere. */
export function useWindowTitle(parts: readonly (string | undefined)[] | undefined): void {
  const title = parts && [...parts, productName].filter((part) => part !== undefined && part !== '').join(' · ');
  useEffect(() => {
    if (title !== undefined) document.title = title;
  }, [title]);
}
