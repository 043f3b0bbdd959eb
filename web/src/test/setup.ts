import { cleanup, configure } from '@testing-library/react';
import { afterEach } from 'vitest';

// Drawing a table takes seconds where the tests of others run beside these. What never
// appears is still found out, by this limit and not by the test's.
configure({ asyncUtilTimeout: 15_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
