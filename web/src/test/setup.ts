import { notifications } from '@mantine/notifications';
import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

declare global {
  interface Window {
    happyDOM: { setURL: (url: string) => void };
  }
}

/** The address at which each test starts. All files share a window. */
const start = location.href;

// On a busy machine, rendering a table needs seconds. This limit, not the test's timeout, reports an
// element that never appears.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  notifications.clean();
  localStorage.clear();
  sessionStorage.clear();
  window.happyDOM.setURL(start);
});

// A growing text area observes the fonts, which happy-dom lacks.
Object.assign(document, { fonts: new EventTarget() });
