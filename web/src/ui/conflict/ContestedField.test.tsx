import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { useState } from 'react';
import { sessionStore } from '@/api';
import { Surroundings } from '@/test/render';
import { session } from '@/test/service';
import type { Choice } from '@/merge';
import { ContestedField } from './ContestedField';

const labels = { field: (pointer: string) => pointer.slice('/value'.length), show: (value: unknown) => JSON.stringify(value) };

let chosen: Choice | undefined;

function Place() {
  const [choice, setChoice] = useState<Choice>();
  const choose = (next: Choice | undefined) => {
    chosen = next;
    setChoice(next);
  };
  return (
    <ContestedField
      conflict={{ pointer: '/value/timeoutMs', base: 3000, yours: 5000, theirs: 8000, choice }}
      labels={labels}
      baseVersion="17"
      theirVersion="19"
      withOther
      who="Li"
      onChoose={choose}
    />
  );
}

beforeEach(() => {
  sessionStore.signedIn(session());
  chosen = undefined;
  render(<Place />, { wrapper: Surroundings });
});

test('a contested field shows base, theirs and yours, without a choice', () => {
  expect(screen.getByRole('group', { name: '/timeoutMs' }).textContent).toMatch(/Base · v17.*3000.*Theirs · Li · v19.*8000.*Yours.*5000/);
  expect(screen.queryByText('kept')).toBeNull();
  expect(chosen).toBeUndefined();
});

test('accepting theirs stores its value, and yours stays available', async () => {
  await userEvent.click(screen.getByRole('button', { name: 'Take Li’s for /timeoutMs' }));
  expect(chosen).toEqual({ kind: 'theirs', taken: 8000 });
  await userEvent.click(screen.getByRole('button', { name: 'Keep yours for /timeoutMs' }));
  expect(chosen).toEqual({ kind: 'yours' });
  expect(screen.getByText('kept')).toBeDefined();
});

test('another value is valid only as JSON', async () => {
  const input = screen.getByRole('textbox', { name: 'Another value for /timeoutMs' });
  await userEvent.type(input, '6000');
  expect(chosen).toEqual({ kind: 'other', value: 6000 });
  await userEvent.type(input, ',');
  expect(chosen).toBeUndefined();
  expect(screen.getByText('This is not JSON.')).toBeDefined();
});
