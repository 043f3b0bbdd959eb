// Proves G6.6.

import { fireEvent, render, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { sessionStore } from '@/api';
import { session } from '@/test/service';
import { Surroundings } from '@/test/render';
import { LanguageProvider } from '@/i18n';
import { convertDocument, importConfigs, type Conversion, type Imported } from '../queries';
import { DocumentNotes } from './DocumentNotes';
import { ImportDialog } from './ImportDialog';

const counts = { create: 0, update: 0, unchanged: 0, skip: 0, invalid: 0, conflict: 0 };
const converted: Conversion = {
  format: 'launchdarkly',
  configs: [],
  notes: [],
  noteCount: 0,
  rejected: [],
  rejectedCount: 0,
  environments: ['production', 'test'],
  environment: '',
};

vi.mock(import('../queries'), async (original) => ({ ...(await original()), convertDocument: vi.fn(), importConfigs: vi.fn() }));

beforeEach(() => {
  sessionStore.signedIn(session());
  vi.mocked(convertDocument).mockReset();
  vi.mocked(importConfigs).mockReset();
});

const choose = (name: string, text: string) =>
  fireEvent.change(screen.getByLabelText('Choose a file', { selector: 'input' }), { target: { files: [new File([text], name)] } });

test('a file of another program is converted, previewed and imported as previewed', async () => {
  const row = { key: 'dark-mode', value: true, valueOnly: true };
  vi.mocked(convertDocument).mockImplementation(({ environment = '' }) =>
    Promise.resolve(
      environment === ''
        ? converted
        : {
            ...converted,
            environment,
            configs: [row],
            notes: [{ key: 'dark-mode', at: 'flags.json#/items/0', code: 'dropped', message: 'dropped: 1 targeting rule' }],
            noteCount: 1,
            rejected: [{ key: 'theme', at: 'flags.json#/items/1', code: 'percentage', message: 'has several values by percentage' }],
            rejectedCount: 1,
          },
    ),
  );
  vi.mocked(importConfigs).mockImplementation((_, dryRun) =>
    Promise.resolve({ dryRun, preview: dryRun ? 'p1' : undefined, verdicts: [], rows: { create: [0] }, counts: { ...counts, create: 1 } } as Imported),
  );
  render(<ImportDialog onUndo={() => undefined} onClose={() => undefined} />, { wrapper: Surroundings });
  choose('flags.json', '{"items":[]}');
  fireEvent.change(await screen.findByRole('combobox', { name: 'Environment' }), { target: { value: 'production' } });
  await screen.findByText('Format: launchdarkly');
  await screen.findByText('1 entry cannot be imported');
  await screen.findByText(/has several values by percentage/);
  await screen.findByText(/dropped: 1 targeting rule/);
  const go = await screen.findByRole('button', { name: 'Import 1 config' });
  await waitFor(() => expect(go).toHaveProperty('disabled', false));
  fireEvent.click(go);
  await waitFor(() =>
    expect(importConfigs).toHaveBeenLastCalledWith({ onExisting: 'update', note: '', preview: 'p1', configs: [row] }, false, expect.any(String)),
  );
});

test('entries that the reply does not list are counted', async () => {
  const rejected = [{ key: 'theme', at: 'flags.json#/items/1', code: 'percentage', message: 'has several values by percentage' }];
  vi.mocked(convertDocument).mockResolvedValue({ ...converted, rejected, rejectedCount: 900 });
  render(<ImportDialog onUndo={() => undefined} onClose={() => undefined} />, { wrapper: Surroundings });
  choose('flags.json', '{"items":[]}');
  await screen.findByText('900 entries cannot be imported');
  await screen.findByText('and 800 more');
});

test('a note is in the language of the page', () => {
  const note = { key: 'theme', at: 'flags.json#/items/1', code: 'percentage', message: 'has several values by percentage' };
  render(
    <LanguageProvider initial="zh">
      <DocumentNotes rejected={[note]} rejectedCount={1} notes={[]} noteCount={0} />
    </LanguageProvider>,
    { wrapper: Surroundings },
  );
  screen.getByText(/按百分比有多个值/);
  expect(screen.queryByText(/percentage/)).toBeNull();
});

test('a zip is sent in base64', async () => {
  vi.mocked(convertDocument).mockResolvedValue({ ...converted, format: 'nacos', environments: [] });
  render(<ImportDialog onUndo={() => undefined} onClose={() => undefined} />, { wrapper: Surroundings });
  choose('nacos.zip', 'PK\u0003\u0004');
  await screen.findByText('The file contains no configs.');
  expect(vi.mocked(convertDocument).mock.lastCall?.[0]).toEqual({ file: 'nacos.zip', zip: 'UEsDBA==', environment: '' });
});

test('a file with invalid bytes is not sent', async () => {
  render(<ImportDialog onUndo={() => undefined} onClose={() => undefined} />, { wrapper: Surroundings });
  const broken = new File(['a: Müller\nb: Größe ', new Uint8Array([0xff])], 'c.yaml');
  fireEvent.change(screen.getByLabelText('Choose a file', { selector: 'input' }), { target: { files: [broken] } });
  await screen.findByText(/Line 2 contains bytes that are invalid/);
  expect(convertDocument).not.toHaveBeenCalled();
});
