import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { isProblem, useUser, type PersonName } from '@/api';
import { useDraft } from '@/ui';
import { diff, equal, isPatchable, patchOf } from '@/merge';
import type { Config } from '../queries';
import { contentOf, contentOfConfig, contentOrError, FormError, formOf, type ConfigForm } from './form';
import { authorsBetween, oneConfig, overwriteConfig, rollBackConfig, saveConfig } from './queries';
import { saveUnderGuard, typedSince, type Ground, type Outcome } from './save';

/** A save that kept what others had changed elsewhere. */
export interface Merged {
  by: PersonName[];
  pointers: string[];
  fromVersion: number;
  version: number;
}

interface Request {
  sent: ConfigForm;
  run: (latest: ConfigForm) => Promise<Outcome>;
}

/**
 * The editing of one config. The base stands where the form was opened until a save is
 * answered, also while both sides are brought together: a further change by others
 * only moves `theirs`, and what was typed and chosen stays.
 */
export function useConfigEditing(config: Config) {
  const { key } = config;
  const me = useUser().id;
  const queries = useQueryClient();
  const draft = useDraft({ resource: `configs/${key}`, current: config, read: formOf });
  const [met, setMet] = useState<Config>();
  const [isComparing, setComparing] = useState(false);
  const [merged, setMerged] = useState<Merged>();
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });

  const base = useMemo(() => contentOf(draft.base.value), [draft.base.value]);
  const mine = useMemo(() => contentOrError(draft.value), [draft.value]);
  const changes = useMemo(() => (mine instanceof FormError ? undefined : diff(base, mine)), [base, mine]);
  const theirs = newest(draft.newer, met?.etag === draft.base.etag ? undefined : met);

  const finish = (sent: ConfigForm, record: Config) => {
    const { value, saved, rebase } = latest.current;
    const after = value === sent ? undefined : typedSince(sent, value, formOf(record));
    // What was typed meanwhile and cannot be put on top stays on its old base.
    if (value === sent) saved(record);
    else if (after !== undefined) rebase(record, after);
    queries.setQueryData(oneConfig(key).queryKey, record);
    void queries.invalidateQueries({ queryKey: ['configs'], predicate: ({ queryKey }) => queryKey[1] !== 'one' || queryKey.length > 3 });
    setMet(undefined);
    setComparing(false);
  };

  const save = useMutation({
    mutationFn: async ({ sent, run }: Request): Promise<Outcome> => {
      const outcome = await run(sent);
      if (outcome.kind === 'unpatchable') return outcome;
      if (outcome.kind === 'contested') {
        queries.setQueryData(oneConfig(key).queryKey, outcome.record);
        setMet(outcome.record);
        setComparing(true);
        return outcome;
      }
      finish(sent, outcome.record);
      if (outcome.kind === 'saved' && outcome.kept !== undefined) {
        const { by, pointers, fromVersion } = outcome.kept;
        const { version } = outcome.record;
        const authors = await authorsBetween(key, fromVersion, version).catch(() => []);
        setMerged({ by: authors.length > 0 || by === undefined ? authors : [by], pointers, fromVersion, version });
      }
      return outcome;
    },
    onMutate: () => setMerged(undefined),
    onError: (error) => {
      if (isProblem(error, 'not_found')) void queries.invalidateQueries({ queryKey: ['configs', 'one', key] });
    },
  });

  const order = (ground: Ground, content: typeof base, mergesAlone: boolean) =>
    saveUnderGuard({ ground, mine: content, me, mergesAlone, send: (etag, patch) => saveConfig(key, etag, patch) });

  return {
    draft,
    base,
    mine,
    /** Undefined while what is typed cannot be read. */
    changes,
    /** What others saved since base; not one's own save that is under way. */
    theirs: save.isPending && !isComparing && theirs?.updatedBy.id === me ? undefined : theirs,
    isComparing: isComparing && theirs !== undefined && !(mine instanceof FormError),
    setComparing,
    merged,
    save,
    /** Whether the service's last refusal is about what the form holds now. */
    isRefusalCurrent: save.variables?.sent === draft.value,
    saveForm: (onDone: (outcome: Outcome) => void) => {
      if (save.isPending || mine instanceof FormError || changes === undefined || changes.length === 0) return;
      const ground = { etag: draft.base.etag, version: draft.base.version, content: base };
      save.mutate({ sent: draft.value, run: () => order(ground, mine, true) }, { onSuccess: onDone });
    },
    saveResolved: (content: typeof base, on: Config, onDone: (outcome: Outcome) => void) => {
      if (save.isPending) return;
      const ground = { etag: on.etag, version: on.version, content: contentOfConfig(on) };
      // With all of theirs taken there is nothing to send.
      const run = () => (equal(ground.content, content) ? Promise.resolve<Outcome>({ kind: 'same', record: on }) : order(ground, content, false));
      save.mutate({ sent: draft.value, run }, { onSuccess: onDone });
    },
    /** Makes the record what is in the form, whatever others changed since its base. */
    overwrite: (reason: string, onDone: (outcome: Outcome) => void) => {
      if (save.isPending || mine instanceof FormError) return;
      const run = async (): Promise<Outcome> => {
        if (!isPatchable(base, mine)) return { kind: 'unpatchable' };
        const edited = await overwriteConfig(key, draft.base.etag, patchOf(base, mine), reason);
        const record: Config = Object.fromEntries(Object.entries(edited).filter(([name]) => name !== 'overwrote' && name !== 'merged')) as unknown as Config;
        return { kind: 'saved', record, kept: undefined };
      };
      save.mutate({ sent: draft.value, run }, { onSuccess: onDone });
    },
    /** Undoes a save by a version with the content before it. What was typed since stays. */
    takeBack: async (record: Config, note: string) => {
      const back = await rollBackConfig(key, record.etag, record.version - 1, note);
      const { value, saved } = latest.current;
      if (equal({ ...value }, { ...formOf(record) })) saved(back);
      queries.setQueryData(oneConfig(key).queryKey, back);
      await queries.invalidateQueries({ queryKey: ['configs'] });
    },
    adopt: (record: Config) => {
      draft.saved(record);
      setMet(undefined);
      setComparing(false);
      setMerged(undefined);
      queries.setQueryData(oneConfig(key).queryKey, record);
      void queries.invalidateQueries({ queryKey: ['configs'] });
    },
    discard: () => {
      if (theirs === undefined) draft.discard();
      else draft.saved(theirs);
      setComparing(false);
      save.reset();
    },
  };
}

export type Editing = ReturnType<typeof useConfigEditing>;

function newest(a: Config | undefined, b: Config | undefined): Config | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.version > a.version ? b : a;
}
