import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { isProblem } from '@/api';
import { useText } from '@/i18n';
import type { Change } from '@/merge';
import { Banner, Dialog, OutcomeNotice, ProblemBanner, Proposed, useKeyedMutation, useProblemText, useRuleText } from '@/ui';
import { editMessages } from '@/ui/edit/messages';
import { replacement, type Encoding } from '@/ui/files/encoding';
import { EncodingChoice } from '@/ui/files/EncodingChoice';
import { useTextFile } from '@/ui/files/useTextFile';
import { csv, download } from '@/ui/table';
import { convertDocument, exportConfigs, importConfigs, type Conversion, type DocumentSource, type Imported, type OnExisting } from '../queries';
import { useConfigLabels } from '../useConfigWords';
import { base64Of, byKey, importOf, isZip, keyOf, maxDocumentBytes, reasonOf, rowsOf, type ImportRow } from './document';
import { DocumentNotes } from './DocumentNotes';
import { FilePicker } from './FilePicker';
import { ImportVerdicts } from './ImportVerdicts';
import { importMessages } from './messages';
import { readWritten, type Written } from './useImportUndo';

const policies: OnExisting[] = ['update', 'skip', 'fail'];

interface ChosenFile {
  /** Distinguishes files that were selected one after the other. */
  at: number;
  /** Undefined for a zip. */
  encoding: Encoding | undefined;
  source: DocumentSource & { file: string };
}

interface Chosen extends ChosenFile {
  document: Conversion;
}

/** The stored part of a pending import. It excludes the file, which may exceed the browser's storage. */
interface Importing {
  name: string;
  encoding: Encoding | undefined;
  environment: string;
  size: number;
  onExisting: OnExisting;
  note: string;
  preview: string;
}

interface Report {
  /** Identifies the previewed outcome. */
  preview?: string;
  rows: ImportRow[];
  counts: Imported['counts'];
}

interface Props {
  /** Undoes the import; the dialog is closed by then. */
  onUndo: (written: readonly Written[]) => void;
  onClose: () => void;
}

/** Imports a document of configs: shows the effect on each entry, then applies all entries or none. */
export function ImportDialog({ onUndo, onClose }: Props) {
  const t = useText(importMessages);
  const ruleText = useRuleText();
  const edit = useText(editMessages);
  const labels = useConfigLabels();
  const [file, setFile] = useState<ChosenFile>();
  const [environment, setEnvironment] = useState('');
  const [unusable, setUnusable] = useState<string>();
  const [onExisting, setOnExisting] = useState<OnExisting>('update');
  const [note, setNote] = useState('');
  const conversion = useQuery({
    queryKey: ['config-document', file?.at, environment],
    queryFn: ({ signal }) => convertDocument({ ...file?.source, environment }, signal),
    enabled: file !== undefined,
    // The environments of the same file remain displayed while another one is read.
    placeholderData: (previous, query) => (query?.queryKey[1] === file?.at ? previous : undefined),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  const read = file === undefined ? undefined : conversion.data;
  const chosen: Chosen | undefined =
    file === undefined || read === undefined || read.configs.length === 0 || conversion.isPlaceholderData ? undefined : { ...file, document: read };
  const run = useKeyedMutation<Importing, Imported>({
    scope: 'configs/import',
    title: t('title'),
    topics: ['configs'],
    // Only the original file can settle an import with an unknown outcome.
    send: (asked, key) =>
      chosen !== undefined && isOf(chosen, asked)
        ? importConfigs(importOf(chosen.document, asked.onExisting, asked.note, asked.preview), false, key)
        : Promise.reject(new Error(t('otherFile'))),
    onDone: () => undefined,
    onProposed: () => undefined,
  });
  const { outcome, sent, error } = run;
  const [isSending, isUnknown] = [outcome === 'sending', outcome === 'unknown'];
  /** The import was done or became a proposal, so nothing is left to send. */
  const isAnswered = outcome === 'done' || outcome === 'proposed';
  const check = useQuery({
    queryKey: ['config-import', chosen?.at, environment, onExisting],
    queryFn: async (): Promise<Report> => {
      const { configs } = chosen?.document ?? { configs: [] };
      return reportOf(await importConfigs(importOf({ configs }, onExisting, ''), true), { configs });
    },
    enabled: chosen !== undefined && !isUnknown && !isAnswered,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });

  const choose = (source: ChosenFile['source'], encoding?: Encoding) => setFile({ at: Date.now(), encoding, source });
  const text = useTextFile((content, { name, encoding }) => {
    const broken = content.indexOf(replacement);
    setUnusable(broken < 0 ? undefined : t('replaced', { line: String(content.slice(0, broken).split('\n').length) }));
    setFile(undefined);
    if (broken < 0) choose({ file: name, text: content }, encoding);
  });
  const take = async (taken: File) => {
    run.reset();
    setFile(undefined);
    setEnvironment('');
    setUnusable(taken.size > maxDocumentBytes ? t('tooLong') : undefined);
    if (taken.size > maxDocumentBytes) return;
    if (await isZip(taken)) choose({ file: taken.name, zip: await base64Of(taken) });
    else await text.take(taken);
  };
  const choosePolicy = (policy: OnExisting) => {
    setOnExisting(policy);
    run.reset();
  };
  const chooseEnvironment = (name: string) => {
    setEnvironment(name);
    run.reset();
  };
  const checkAgain = () => {
    run.reset();
    void check.refetch();
  };

  const done = outcome === 'done' ? run.reply : undefined;
  const written = done === undefined ? 0 : done.counts.create + done.counts.update;
  const undo = useQuery({
    queryKey: ['config-import-undo', done?.time],
    queryFn: () => readWritten(done?.time ?? '', report?.rows ?? []),
    enabled: false,
    gcTime: 0,
    retry: false,
  });
  const readAndUndo = async () => {
    const { data } = await undo.refetch();
    if (data !== undefined) onUndo(data);
  };
  const rejected = outcome === 'rejected' ? rejectionOf(error) : undefined;
  const report = chosen === undefined ? undefined : rejected === undefined ? check.data : { ...rejected, rows: rowsOf(rejected, chosen.document, new Map()) };
  const changes = report === undefined ? 0 : report.counts.create + report.counts.update;
  const inTheWay = report === undefined ? 0 : report.counts.invalid + report.counts.conflict;
  const isSameFile = chosen !== undefined && sent !== undefined && isOf(chosen, sent);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (chosen === undefined || (isUnknown ? !isSameFile : changes === 0 || inTheWay > 0 || rejected !== undefined)) return;
    if (isUnknown) run.retry();
    else {
      const { source, encoding, document } = chosen;
      const { environment: selected, configs } = document;
      run.run({ name: source.file, encoding, environment: selected, size: configs.length, onExisting, note: note.trim(), preview: check.data?.preview ?? '' });
    }
  };
  const changeText = ({ pointer, before, after }: Change) => `${labels.field(pointer)}: ${labels.show(before, pointer)} → ${labels.show(after, pointer)}`;
  const save = () =>
    download(
      'configs-import.csv',
      csv([
        [t('key'), t('verdicts'), t('detail')],
        ...(report?.rows ?? []).map((row) => [
          row.key,
          t(`verdict_${row.verdict}`),
          [...row.changes.map(changeText), reasonOf(row, ruleText)].filter(Boolean).join('; '),
        ]),
      ]),
    );
  const close = () => {
    if (!isSending) onClose();
  };
  return (
    <Dialog onClose={close} withCloseButton={false} size="xl" title={t('title')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <OutcomeNotice write={{ outcome, key: run.key }} />
          {isUnknown && !isSameFile && <Banner tone="warn" title={t('sameFile', { name: sent?.name ?? '' })} />}
          {!isAnswered && <FilePicker chosen={file !== undefined} onFile={(taken) => void take(taken)} />}
          {!isAnswered && file?.source.zip === undefined && <EncodingChoice file={text.file} onEncoding={text.choose} disabled={isSending} />}
          {unusable !== undefined && <Banner tone="bad" title={unusable} />}
          {conversion.isFetching && <Text role="status">{t('checking')}</Text>}
          {conversion.error !== null && <Rejection error={conversion.error} />}
          {read !== undefined && !isAnswered && read.environments.length > 0 && (environment !== '' || read.environment === '') && (
            <NativeSelect
              label={t('environment')}
              description={read.configs.length === 0 && t('chooseEnvironment')}
              data={[{ value: '', label: '–' }, ...read.environments]}
              value={environment}
              disabled={isSending}
              onChange={(event) => chooseEnvironment(event.currentTarget.value)}
            />
          )}
          {read?.configs.length === 0 && read.environments.length === 0 && <Banner tone="bad" title={t('empty')} />}
          {read !== undefined && !isAnswered && <DocumentNotes {...read} />}
          {check.error !== null && <Rejection error={check.error} />}
          {outcome === 'rejected' &&
            (rejected === undefined ? (
              <ProblemBanner error={error} />
            ) : (
              <Banner tone="warn" title={t('refused')} action={<Button onClick={checkAgain}>{t('checkAgain')}</Button>} />
            ))}
          {undo.error !== null && <ProblemBanner error={undo.error} />}
          {run.proposal !== undefined && <Proposed approval={run.proposal} />}
          {done !== undefined && (
            <Banner tone="ok" title={t('done', { created: done.counts.create, changed: done.counts.update, same: done.counts.unchanged + done.counts.skip })} />
          )}
          {chosen !== undefined && (
            <div>
              <Text fw={600}>{t('file', { name: chosen.source.file, n: chosen.document.configs.length })}</Text>
              <Text c="dimmed">{t('format', { format: chosen.document.format })}</Text>
            </div>
          )}
          {chosen !== undefined && !isAnswered && (
            <>
              <NativeSelect
                label={t('onExisting')}
                data={policies.map((value) => ({ value, label: t(`existing_${value}`) }))}
                value={onExisting}
                disabled={isSending}
                onChange={(event) => choosePolicy(event.currentTarget.value as OnExisting)}
              />
              <TextInput label={t('note')} description={t('noteHint')} maxLength={500} value={note} onChange={(event) => setNote(event.currentTarget.value)} />
              {check.isFetching && <Text role="status">{t('checking')}</Text>}
              {inTheWay > 0 && (
                <Banner tone="warn" title={t('inTheWay', { n: inTheWay })}>
                  {t('inTheWayHint')}
                </Banner>
              )}
              {report !== undefined && inTheWay === 0 && changes === 0 && <Banner tone="info" title={t('nothingToDo')} />}
            </>
          )}
          {report !== undefined && <ImportVerdicts rows={report.rows} counts={report.counts} done={done !== undefined} />}
          <Group justify="flex-end">
            {report !== undefined && <Button onClick={save}>{t('csv')}</Button>}
            {written > 0 && done?.time !== undefined && report !== undefined && (
              <Button loading={undo.isFetching} onClick={() => void readAndUndo()}>
                {t('undo', { n: written })}
              </Button>
            )}
            <Button onClick={close} disabled={isSending}>
              {t(isAnswered ? 'close' : 'cancel')}
            </Button>
            {chosen !== undefined && !isAnswered && (
              <Button
                type="submit"
                variant="filled"
                loading={isSending}
                disabled={isUnknown ? !isSameFile : changes === 0 || inTheWay > 0 || rejected !== undefined || check.isFetching}
              >
                {isUnknown ? edit('askAgain') : t('go', { n: changes })}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Whether the chosen file is the file of the pending import. */
const isOf = ({ source, encoding, document }: Chosen, sent: Importing): boolean =>
  source.file === sent.name && encoding === sent.encoding && document.environment === sent.environment && document.configs.length === sent.size;

/** Shows the reason for which a file cannot be read; other problems use the default banner. */
function Rejection({ error }: { error: unknown }) {
  const t = useText(importMessages);
  const text = useProblemText();
  if (!isProblem(error, 'malformed_request', 'validation_failed')) return <ProblemBanner error={error} />;
  return (
    <Banner tone="bad" title={t('malformed')}>
      {error.fields.map(({ message }) => message).join('; ') || text(error)}
    </Banner>
  );
}

/** The verdicts in the rejection of an import; undefined for other errors. */
function rejectionOf(error: unknown): Pick<Imported, 'verdicts' | 'counts'> | undefined {
  if (!isProblem(error, 'batch_conflict', 'validation_failed')) return undefined;
  const { verdicts, counts } = error.as<Partial<Imported>>();
  return verdicts === undefined || counts === undefined ? undefined : { verdicts, counts };
}

/** Returns the verdicts with the value before and after. If the current configs cannot be read, it returns only the verdicts. */
async function reportOf(imported: Imported, document: Pick<Conversion, 'configs'>): Promise<Report> {
  const { counts, preview } = imported;
  const differs = counts.update + counts.conflict + counts.skip > 0;
  const now = differs ? await exportConfigs(commonPrefix(document.configs.map(keyOf))).then(byKey, () => new Map<string, never>()) : new Map<string, never>();
  return { counts, preview, rows: rowsOf(imported, document, now) };
}

/** The longest common prefix of the keys, which limits the export; undefined if there is none. */
function commonPrefix(keys: readonly string[]): string | undefined {
  const [first = '', ...rest] = keys;
  let length = first.length;
  for (const key of rest) while (!key.startsWith(first.slice(0, length))) length--;
  return length === 0 ? undefined : first.slice(0, length);
}
