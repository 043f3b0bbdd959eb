import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

declare global {
  interface Window {
    happyDOM: { setURL: (url: string) => void };
  }
}

/** Where each test begins. Files share a window. */
const start = location.href;

// Drawing a table takes seconds where the tests of others run beside these. What never
// appears is still found out, by this limit and not by the test's.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  notifications.clean();
  localStorage.clear();
  sessionStorage.clear();
  window.happyDOM.setURL(start);
});
