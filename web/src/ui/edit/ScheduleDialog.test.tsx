import { act, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import { ScheduleDialog, type Schedule } from './ScheduleDialog';
import type { Stamped } from './save';
import type { Editing } from './useEditing';

test('a scheduled change sets a member to null', async () => {
  sessionStore.signedIn(session());
  const schedule = vi.fn<Schedule>(() => Promise.resolve());
  const editing = {
    draft: { base: { version: 1, etag: '"e1"' } },
    base: { value: { n: 1 } },
    mine: { value: { n: null } },
    resource: 'configs/a',
    title: 'a',
  } as unknown as Editing<Stamped, object>;
  render(<ScheduleDialog editing={editing} schedule={schedule} onClose={() => undefined} />, { wrapper: Surroundings });
  fireEvent.change(await screen.findByLabelText('Apply at'), { target: { value: '2126-01-31T09:30' } });
  act(() => screen.getByRole('button', { name: 'Schedule' }).click());
  await waitFor(() => expect(schedule).toHaveBeenCalled());
  expect(schedule.mock.calls[0]?.slice(0, 2)).toEqual([[{ op: 'add', path: '/value/n', value: null }], '"e1"']);
});
