import { render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { ItemList } from '@/features/items/ItemList';
import { sessionStore } from '@/api';
import { LanguageProvider } from '@/i18n';
import { renderPage, Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { FilterChips } from './FilterChips';

test('a filter chip has its name, also for a version', () => {
  render(<FilterChips state={{ search: { after: 3 } } as never} />, { wrapper: Surroundings });
  expect(screen.getByRole('group').textContent).toBe('After version: 3');
});

test('a filter chip shows its value in the list’s language', async () => {
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(JSON.stringify({ items: [], nextCursor: null }))));
  sessionStore.signedIn(session());
  await renderPage(
    () => (
      <LanguageProvider initial="zh">
        <ItemList search={{ status: 'active' }} />
      </LanguageProvider>
    ),
    () => ({}),
  );
  expect((await screen.findByRole('group', { name: '当前筛选' })).textContent).toBe('状态: 在售');
  vi.unstubAllGlobals();
});
