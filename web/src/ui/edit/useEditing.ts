import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { isUnknown, proposalOf, useUser, type PersonName } from '@/api';
import { drafts } from '@/browser/drafts';
import { useText } from '@/i18n';
import { diff, encode, equal, isPatchable, parse, patchOf, type Change, type JsonObject } from '@/merge';
import { uiMessages } from '../messages';
import { saveUnderGuard, typedSince, type Editable, type Edited, type Ground, type Saved, type Stamped } from './save';
import { sendOnce } from './slot';
import { useDraft, type Draft, type Versioned } from './useDraft';
import { useKeyedAction } from './useKeyedAction';
import type { Outcome } from './useKeyedMutation';
import type { Words } from './words';

/** A save that kept what others had changed elsewhere. */
interface Merged {
  by: PersonName[];
  pointers: string[];
  fromVersion: number;
  version: number;
}

export interface EditingOptions<R extends Stamped, F extends object> extends Editable<R, F> {
  /** Path of the record: "items/TEA". Names the draft that is kept. */
  resource: string;
  /** What people call it. */
  title: string;
  /** The record as it was last read. */
  current: R;
  words: Words;
  /** Whether what is typed can be sent. */
  isComplete?: (form: F) => boolean;
  /** Whether what is in the form is secret, so that the browser keeps no draft of it. */
  isSecret?: (form: F) => boolean;
  /** Sends a merge patch under a tag. */
  send: (patch: JsonObject, etag: string, key: string) => Promise<Edited<R>>;
  /** Sends a JSON Patch, for an edit that a merge patch cannot express; undefined where no member of an object can be null. */
  sendOperations?: (operations: JsonObject[], etag: string, key: string) => Promise<Edited<R>>;
  /** Makes the record what is in the form, whatever others changed; undefined where that is not possible. */
  overwrite?: (patch: JsonObject, etag: string, reason: string, key: string) => Promise<R>;
  /** What a save of the record needs; undefined where it needs nothing. */
  needs?: (record: R) => Needs | undefined;
  /** Takes a save back to what was there before, by a save of its own. Undefined: by a patch. */
  takeBack?: (saved: R, key: string, before: JsonObject) => Promise<R> | undefined;
  /** Who saved the versions between two, neither counted. */
  authorsBetween?: (after: number, before: number) => Promise<PersonName[]>;
  /** There is another version of the record. */
  onRecord: (record: R) => void;
}

/** A save is a proposal: so many votes of others it takes, undefined while that is not known. */
export interface Needs {
  votes: number | undefined;
}

/** What is told of it as it happens. */
interface Told<R> {
  saved: (saved: Saved<R>, undo: () => void) => void;
  undone: (undone: R) => void;
}

/**
 * A save as it is kept until it is answered, and asked for again: the version that it
 * stands on, what that was, and what the record is to be. Contents hold numbers as they
 * were spelled, so they are kept as text.
 */
interface Sent<F> extends Versioned {
  /** What was typed. */
  form: F;
  before: string;
  content: string;
  /** Both sides were looked at: whatever others change meanwhile is shown first. */
  isResolved: boolean;
  /** Why it overwrites what others changed; undefined for one that does not. */
  reason?: string;
}

interface Request<R, F> {
  sent: F;
  /** The content that an undo leads back to. */
  before: JsonObject;
  run: () => Promise<Saved<R>>;
}

export interface Editing<R extends Stamped, F extends object> {
  /** Path of the record, and what people call it. */
  resource: string;
  title: string;
  current: R;
  words: Words;
  draft: Draft<R, F>;
  change: (part: Partial<F>) => void;
  /** The content that the editing began from, and what the form stands for. */
  base: JsonObject;
  mine: JsonObject | Error;
  contentOf: (record: R) => JsonObject;
  /** What a save of the record as it is now needs; undefined where it needs nothing. */
  needs: Needs | undefined;
  /** Undefined while what is typed cannot be read. */
  changes: readonly Change[] | undefined;
  /** What others saved since base; not one's own save that is under way. */
  theirs: R | undefined;
  isComparing: boolean;
  setComparing: (comparing: boolean) => void;
  merged: Merged | undefined;
  /** Somebody tried to save what is typed: now say what is missing. */
  strict: boolean;
  outcome: Outcome;
  key: string | undefined;
  /** What the service refused about what the form holds now. */
  error: Error | null;
  /** A merge patch cannot say what the form holds now. */
  isUnpatchable: boolean;
  /** Saves what is typed; while the outcome of a save is not known, asks for that again. */
  save: () => void;
  saveResolved: (content: JsonObject, on: R) => void;
  overwrite: ((reason: string) => void) | undefined;
  /** Goes on with a record that was made anew. */
  adopt: (record: R) => void;
  discard: () => void;
}

/**
 * The editing of one record. The base stands where the form was opened until a save is
 * answered, also while both sides are brought together: a further change by others
 * only moves `theirs`, and what was typed and chosen stays.
 *
 * Each attempt of a save has a key of its own, kept with what was sent until it is
 * answered. While the outcome is unknown, saving asks for the same again, whatever was
 * typed or chosen since.
 */
export function useEditing<R extends Stamped, F extends object>(options: EditingOptions<R, F>, told: Told<R>): Editing<R, F> {
  const { resource, title, current, words, read, contentOf, formOf, isComplete, send, sendOperations, overwrite, takeBack, authorsBetween, onRecord } = options;
  const t = useText(uiMessages);
  const me = useUser().id;
  const draft = useDraft({ resource, title, current, read, isSecret: options.isSecret });
  const [met, setMet] = useState<R>();
  const [isComparing, setComparing] = useState(false);
  const [merged, setMerged] = useState<Merged>();
  const [strict, setStrict] = useState(false);
  const [lastSent, setLastSent] = useState<F>();
  /** What the attempt that is under way was made with: after a merge, not what was typed. */
  const attempted = useRef<F>(undefined);
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });

  // What was saved can be read.
  const contentOfSaved = (form: F) => contentOf(form) as JsonObject;
  const contentOfRecord = (record: R) => contentOfSaved(read(record));
  // eslint-disable-next-line react-hooks/exhaustive-deps -- how content is read does not change
  const base = useMemo(() => contentOfSaved(draft.base.value), [draft.base.value]);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- how content is read does not change
  const mine = useMemo(() => contentOf(draft.value), [draft.value]);
  const changes = useMemo(() => (mine instanceof Error ? undefined : diff(base, mine)), [base, mine]);
  const theirs = newest(draft.newer, met?.etag === draft.base.etag ? undefined : met);

  /** Goes on from a record with a form, and with what was typed since `sent`; stays where both touched one place. */
  const goOn = (sent: F, record: R, form: F) => {
    const { value: now, saved, rebase } = latest.current;
    const next = equalForms(now, sent) ? form : typedSince({ contentOf, formOf }, sent, now, form);
    if (next === undefined) return;
    if (equalForms(next, read(record))) saved(record);
    else rebase(record, next);
  };

  /** Takes over what came of a save. */
  const finish = async (sent: F, saved: Saved<R>) => {
    if (saved.kind === 'unpatchable') return;
    if (saved.kind === 'proposed') {
      const { value: now, base, proposed } = latest.current;
      // Nothing of the record was changed, so that the form is what it was; only what was typed since stays.
      proposed(equalForms(now, sent) ? base.value : (typedSince({ contentOf, formOf }, sent, now, base.value) ?? now));
      setMet(undefined);
      setComparing(false);
      setStrict(false);
      return;
    }
    if (saved.kind === 'contested') {
      setMet(saved.record);
      setComparing(true);
    } else {
      goOn(sent, saved.record, read(saved.record));
      setMet(undefined);
      setComparing(false);
      setStrict(false);
    }
    onRecord(saved.record);
    if (saved.kind !== 'saved' || saved.kept === undefined) return;
    const { by, pointers, fromVersion } = saved.kept;
    const { version } = saved.record;
    const authors = (await authorsBetween?.(fromVersion, version).catch(() => [])) ?? [];
    setMerged({ by: authors.length > 0 || by === undefined ? authors : [by], pointers, fromVersion, version });
  };

  const undo = useKeyedAction<{ saved: R; before: string }, R>({
    scope: `${resource}/undo`,
    title: `${t('undo')} · ${title}`,
    send: ({ saved, before }, key) => {
      const content = parse(before) as JsonObject;
      return takeBack?.(saved, key, content) ?? send(patchOf(contentOfRecord(saved), content), saved.etag, key);
    },
    onDone: (back, { saved }) => {
      goOn(read(saved), back, read(back));
      onRecord(back);
      told.undone(back);
    },
  });
  /** Takes a save back. One before it that was not answered is asked for no more: the tag of its version guards each. */
  const takeBackSave = (saved: Saved<R>, before: JsonObject) => {
    if (!('record' in saved)) return;
    undo.giveUp();
    undo.run({ saved: saved.record, before: encode(before) });
  };
  const saving = useMutation({
    mutationFn: async ({ sent, before, run }: Request<R, F>) => {
      const saved = await run().catch((error: unknown): Saved<R> => {
        const approval = proposalOf(error);
        if (approval === undefined) throw error;
        return { kind: 'proposed', approval };
      });
      await finish(attempted.current ?? sent, saved);
      told.saved(saved, () => takeBackSave(saved, before));
      return saved;
    },
    onMutate: ({ sent }) => {
      attempted.current = sent;
      setLastSent(sent);
      setMerged(undefined);
    },
    onError: (error) => {
      if (isUnknown(error)) draft.slot.settleLater(() => again(draft.slot.get()?.sent as Sent<F>));
    },
  });

  const attempt = (ground: Ground, content: JsonObject, isResolved: boolean, sent: F) => {
    let [form, to, before] = [sent, content, ground.content];
    const sendTyped = ({ etag, version }: Versioned, sendWith: (key: string) => Promise<Edited<R>>) => {
      attempted.current = form;
      setLastSent(form);
      const request: Sent<F> = { etag, version, form, before: encode(before), content: encode(to), isResolved };
      return sendOnce(draft.slot, request, sendWith);
    };
    return saveUnderGuard({
      ground,
      mine: content,
      me,
      mergesAlone: !isResolved,
      contentOf: contentOfRecord,
      send: (patch, on) => sendTyped(on, (key) => send(patch, on.etag, key)),
      sendOperations: sendOperations && ((operations, on) => sendTyped(on, (key) => sendOperations(operations, on.etag, key))),
      onRebase: (record, next) => {
        goOn(form, record, formOf(next));
        [form, to, before] = [formOf(next), next, contentOfRecord(record)];
      },
    });
  };
  const overwriteOnce = async (ground: Ground, content: JsonObject, reason: string, form: F): Promise<Saved<R>> => {
    if (overwrite === undefined || !isPatchable(ground.content, content)) return { kind: 'unpatchable' };
    const { etag, version } = ground;
    const request: Sent<F> = { etag, version, form, before: encode(ground.content), content: encode(content), isResolved: true, reason };
    const record = await sendOnce(draft.slot, request, (key) => overwrite(patchOf(ground.content, content), etag, reason, key));
    return { kind: 'saved', record, kept: undefined };
  };
  const again = ({ etag, version, form, isResolved, reason, ...texts }: Sent<F>) => {
    const content = parse(texts.content) as JsonObject;
    const ground = { etag, version, content: parse(texts.before) as JsonObject };
    saving.mutate({
      sent: form,
      before: ground.content,
      run: () => (reason === undefined ? attempt(ground, content, isResolved, form) : overwriteOnce(ground, content, reason, form)),
    });
  };

  const isInFlight = useSyncExternalStore(drafts.subscribe, draft.slot.isSending);
  const isSending = saving.isPending || isInFlight;
  const open = draft.sent as Sent<F> | undefined;
  const { error } = saving;
  const isAboutForm = lastSent !== undefined && equalForms(lastSent, draft.value);
  return {
    resource,
    title,
    current,
    words,
    draft,
    change: (part) => draft.setValue((before) => ({ ...before, ...part })),
    base,
    mine,
    contentOf: contentOfRecord,
    needs: options.needs?.(current),
    changes,
    theirs: isSending && !isComparing && theirs?.updatedBy.id === me ? undefined : theirs,
    isComparing: isComparing && theirs !== undefined && !(mine instanceof Error),
    setComparing,
    merged,
    strict,
    outcome: isSending ? 'sending' : open !== undefined ? 'unknown' : error !== null ? 'refused' : 'idle',
    key: draft.key,
    error: isAboutForm && error !== null && !isUnknown(error) ? error : null,
    isUnpatchable: isAboutForm && saving.data?.kind === 'unpatchable',
    save: () => {
      setStrict(true);
      if (isSending) return;
      if (open !== undefined) {
        again(open);
        return;
      }
      if (mine instanceof Error || equal(base, mine) || isComplete?.(draft.value) === false) return;
      saving.mutate({ sent: draft.value, before: base, run: () => attempt({ ...draft.base, content: base }, mine, false, draft.value) });
    },
    saveResolved: (content, on) => {
      if (isSending || open !== undefined) return;
      const theirContent = contentOfRecord(on);
      const sent = draft.value;
      // With all of theirs taken there is nothing to send.
      const run = () =>
        equal(theirContent, content)
          ? Promise.resolve<Saved<R>>({ kind: 'same', record: on })
          : attempt({ etag: on.etag, version: on.version, content: theirContent }, content, true, sent);
      saving.mutate({ sent, before: theirContent, run });
    },
    overwrite:
      overwrite &&
      ((reason) => {
        if (isSending || open !== undefined || mine instanceof Error) return;
        const run = () => overwriteOnce({ ...draft.base, content: base }, mine, reason, draft.value);
        saving.mutate({ sent: draft.value, before: contentOfRecord(theirs ?? current), run });
      }),
    adopt: (record) => {
      draft.saved(record);
      setMet(undefined);
      setComparing(false);
      setMerged(undefined);
      onRecord(record);
    },
    discard: () => {
      if (isSending) return;
      draft.slot.giveUp();
      if (theirs === undefined) draft.discard();
      else draft.saved(theirs);
      setComparing(false);
      saving.reset();
    },
  };
}

const equalForms = <F extends object>(a: F, b: F): boolean => (Object.keys(b) as (keyof F)[]).every((field) => a[field] === b[field]);

function newest<R extends { version: number }>(a: R | undefined, b: R | undefined): R | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return b.version > a.version ? b : a;
}
