import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { isUnknown, proposalOf, useUser, type PersonName } from '@/api';
import { drafts } from '@/browser/drafts';
import { useText } from '@/i18n';
import { diff, editOf, encode, equal, parse, type Change, type Edit, type JsonObject } from '@/merge';
import { uiMessages } from '../messages';
import { saveUnderGuard, applyLaterInput, type Editable, type Edited, type SaveBase, type Saved, type Stamped } from './save';
import { sendOnce } from './slot';
import { useDraft, type Draft, type Versioned } from './useDraft';
import { useKeyedAction } from './useKeyedAction';
import type { Outcome } from './useKeyedMutation';
import type { Labels } from './labels';

/** A save that preserved changes by others. */
interface Merged {
  by: PersonName[];
  pointers: string[];
  fromVersion: number;
  version: number;
}

export interface EditingOptions<R extends Stamped, F extends object> extends Editable<R, F> {
  /** The path of the record, such as "items/TEA". The draft is stored under this path. */
  resource: string;
  /** The displayed name. */
  title: string;
  /** The latest version of the record. */
  current: R;
  labels: Labels;
  /** Whether the form can be saved. */
  isComplete?: (form: F) => boolean;
  /** Whether the form contains a secret, so that no draft is stored. */
  isSecret?: (form: F) => boolean;
  /** Sends an edit with If-Match. */
  send: (edit: Edit, etag: string, key: string) => Promise<Edited<R>>;
  /** Saves the form and discards the changes of others; undefined if the service does not support it. */
  overwrite?: (edit: Edit, etag: string, reason: string, key: string) => Promise<R>;
  /** The votes that a save needs; undefined if it needs none. */
  needs?: (record: R) => Needs | undefined;
  /** Undoes a save with a separate request; undefined to undo it with a patch. */
  undoWith?: (saved: R, key: string, before: JsonObject) => Promise<R> | undefined;
  /** The authors of the versions between two versions, both exclusive. */
  authorsBetween?: (after: number, before: number) => Promise<PersonName[]>;
  /** Called with each new version of the record. */
  onRecord: (record: R) => void;
}

/** A save is a proposal that needs `votes` votes; undefined while the number is unknown. */
export interface Needs {
  votes: number | undefined;
}

/** Callbacks for the outcome of a save. */
interface SaveCallbacks<R> {
  onSaved: (saved: Saved<R>, undo: () => void) => void;
  onUndone: (undone: R) => void;
}

/**
 * A pending save, stored until its response: the version and content of the base, and the new
 * content. Contents are encoded, so that numbers stay exact.
 */
interface Sent<F> extends Versioned {
  /** The form that was saved. */
  form: F;
  before: string;
  content: string;
  /** The user resolved a conflict. Further changes by others are displayed and never merged automatically. */
  isResolved: boolean;
  /** The reason for overwriting the changes of others; undefined for other saves. */
  reason?: string;
}

interface Request<R, F> {
  sent: F;
  /** The content that an undo restores. */
  before: JsonObject;
  run: () => Promise<Saved<R>>;
}

export interface Editing<R extends Stamped, F extends object> {
  /** Path and displayed name of the record. */
  resource: string;
  title: string;
  current: R;
  labels: Labels;
  draft: Draft<R, F>;
  change: (part: Partial<F>) => void;
  /** The content of the base, and the content of the form. */
  base: JsonObject;
  mine: JsonObject | Error;
  contentOf: (record: R) => JsonObject;
  /** The votes that a save of the current record needs; undefined if it needs none. */
  needs: Needs | undefined;
  /** The unsaved changes; undefined while the form is invalid. */
  changes: readonly Change[] | undefined;
  /** The latest version if others saved it since the base. A save of this user that is in flight does not count. */
  theirs: R | undefined;
  isComparing: boolean;
  setComparing: (comparing: boolean) => void;
  merged: Merged | undefined;
  /** The user tried to save: missing values are now marked. */
  strict: boolean;
  outcome: Outcome;
  key: string | undefined;
  /** The rejection of the current form. */
  error: Error | null;
  /** Saves the form, or retries a save with an unknown outcome. */
  save: () => void;
  saveResolved: (content: JsonObject, on: R) => void;
  overwrite: ((reason: string) => void) | undefined;
  /** Sets a recreated record as the base. */
  adopt: (record: R) => void;
  discard: () => void;
}

/**
 * Edits one record. The base stays at the opened version until a save has a response, also during
 * the resolution of a conflict: further changes by others only replace `theirs`, and the input and
 * choices stay.
 *
 * Each save has an idempotency key, stored with the request until the response. While the outcome
 * is unknown, `save` retries the stored request and ignores later input and choices.
 */
export function useEditing<R extends Stamped, F extends object>(options: EditingOptions<R, F>, callbacks: SaveCallbacks<R>): Editing<R, F> {
  const { resource, title, current, labels, read, contentOf, formOf, isComplete, send, overwrite, undoWith: takeBack, authorsBetween, onRecord } = options;
  const t = useText(uiMessages);
  const me = useUser().id;
  const draft = useDraft({ resource, title, current, read, isSecret: options.isSecret });
  const [conflicting, setConflicting] = useState<R>();
  const [isComparing, setComparing] = useState(false);
  const [merged, setMerged] = useState<Merged>();
  const [strict, setStrict] = useState(false);
  const [lastSent, setLastSent] = useState<F>();
  /** The form of the attempt in flight; after a merge it differs from the input. */
  const attempted = useRef<F>(undefined);
  const latest = useRef(draft);
  useEffect(() => {
    latest.current = draft;
  });

  // A saved form is valid.
  const contentOfSaved = (form: F) => contentOf(form) as JsonObject;
  const contentOfRecord = (record: R) => contentOfSaved(read(record));
  // eslint-disable-next-line react-hooks/exhaustive-deps -- how content is read does not change
  const base = useMemo(() => contentOfSaved(draft.base.value), [draft.base.value]);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- how content is read does not change
  const mine = useMemo(() => contentOf(draft.value), [draft.value]);
  const changes = useMemo(() => (mine instanceof Error ? undefined : diff(base, mine)), [base, mine]);
  const theirs = newest(draft.newer, conflicting?.etag === draft.base.etag ? undefined : conflicting);

  /** Rebases the form on a record, and preserves the input since `sent`. Leaves the form unchanged if both changed the same field. */
  const rebaseOn = (sent: F, record: R, form: F) => {
    const { value: now, saved, rebase, slot } = latest.current;
    const next = equalForms(now, sent) ? form : applyLaterInput({ contentOf, formOf }, sent, now, form);
    if (next === undefined) return;
    if (equalForms(next, read(record))) {
      saved(record);
      // A dialog can close before the effect that drops the draft.
      slot.drop();
    } else rebase(record, next);
  };

  /** Applies the outcome of a save. */
  const finish = async (sent: F, saved: Saved<R>) => {
    if (saved.kind === 'proposed') {
      const { value: now, base, proposed } = latest.current;
      // A proposal does not change the record, so the form shows the base. Only later input stays.
      proposed(equalForms(now, sent) ? base.value : (applyLaterInput({ contentOf, formOf }, sent, now, base.value) ?? now));
      setConflicting(undefined);
      setComparing(false);
      setStrict(false);
      return;
    }
    if (saved.kind === 'contested') {
      setConflicting(saved.record);
      setComparing(true);
    } else {
      rebaseOn(sent, saved.record, read(saved.record));
      setConflicting(undefined);
      setComparing(false);
      setStrict(false);
    }
    onRecord(saved.record);
    if (saved.kind !== 'saved' || saved.preserved === undefined) return;
    const { by, pointers, fromVersion } = saved.preserved;
    const { version } = saved.record;
    const authors = (await authorsBetween?.(fromVersion, version).catch(() => [])) ?? [];
    setMerged({ by: authors.length > 0 || by === undefined ? authors : [by], pointers, fromVersion, version });
  };

  const undo = useKeyedAction<{ saved: R; before: string }, R>({
    scope: `${resource}/undo`,
    title: `${t('undo')} · ${title}`,
    send: ({ saved, before }, key) => {
      const content = parse(before) as JsonObject;
      return takeBack?.(saved, key, content) ?? send(editOf(contentOfRecord(saved), content), saved.etag, key);
    },
    onDone: (back, { saved }) => {
      rebaseOn(read(saved), back, read(back));
      onRecord(back);
      callbacks.onUndone(back);
    },
  });
  /** Undoes a save. It abandons an earlier undo without a response: each undo is guarded by the ETag of the version that it undoes. */
  const undoSave = (saved: Saved<R>, before: JsonObject) => {
    if (!('record' in saved)) return;
    undo.abandon();
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
      callbacks.onSaved(saved, () => undoSave(saved, before));
      return saved;
    },
    onMutate: ({ sent }) => {
      attempted.current = sent;
      setLastSent(sent);
      setMerged(undefined);
    },
    onError: (error) => {
      if (isUnknown(error)) draft.slot.retryOnReconnect(() => retry(draft.slot.get()?.sent as Sent<F>));
    },
  });

  const attempt = (saveBase: SaveBase, content: JsonObject, isResolved: boolean, sent: F) => {
    let [form, to, before] = [sent, content, saveBase.content];
    const sendTyped = ({ etag, version }: Versioned, sendWith: (key: string) => Promise<Edited<R>>) => {
      attempted.current = form;
      setLastSent(form);
      const request: Sent<F> = { etag, version, form, before: encode(before), content: encode(to), isResolved };
      return sendOnce(draft.slot, request, sendWith);
    };
    return saveUnderGuard({
      base: saveBase,
      mine: content,
      me,
      mergesAutomatically: !isResolved,
      contentOf: contentOfRecord,
      send: (edit, on) => sendTyped(on, (key) => send(edit, on.etag, key)),
      onRebase: (record, next) => {
        rebaseOn(form, record, formOf(next));
        [form, to, before] = [formOf(next), next, contentOfRecord(record)];
      },
    });
  };
  const overwriteOnce = async (
    overwriteWith: NonNullable<typeof overwrite>,
    saveBase: SaveBase,
    content: JsonObject,
    reason: string,
    form: F,
  ): Promise<Saved<R>> => {
    const { etag, version } = saveBase;
    const request: Sent<F> = { etag, version, form, before: encode(saveBase.content), content: encode(content), isResolved: true, reason };
    const record = await sendOnce(draft.slot, request, (key) => overwriteWith(editOf(saveBase.content, content), etag, reason, key));
    return { kind: 'saved', record, preserved: undefined };
  };
  const retry = ({ etag, version, form, isResolved, reason, ...texts }: Sent<F>) => {
    const content = parse(texts.content) as JsonObject;
    const saveBase = { etag, version, content: parse(texts.before) as JsonObject };
    saving.mutate({
      sent: form,
      before: saveBase.content,
      run: () =>
        reason === undefined || overwrite === undefined
          ? attempt(saveBase, content, isResolved, form)
          : overwriteOnce(overwrite, saveBase, content, reason, form),
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
    labels,
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
    outcome: isSending ? 'sending' : open !== undefined ? 'unknown' : error !== null ? 'rejected' : 'idle',
    key: draft.key,
    error: isAboutForm && error !== null && !isUnknown(error) ? error : null,
    save: () => {
      setStrict(true);
      if (isSending) return;
      if (open !== undefined) {
        retry(open);
        return;
      }
      if (mine instanceof Error || equal(base, mine) || isComplete?.(draft.value) === false) return;
      saving.mutate({ sent: draft.value, before: base, run: () => attempt({ ...draft.base, content: base }, mine, false, draft.value) });
    },
    saveResolved: (content, on) => {
      if (isSending || open !== undefined) return;
      const theirContent = contentOfRecord(on);
      const sent = draft.value;
      // If the user chose all of theirs, nothing is left to send.
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
        const run = () => overwriteOnce(overwrite, { ...draft.base, content: base }, mine, reason, draft.value);
        saving.mutate({ sent: draft.value, before: contentOfRecord(theirs ?? current), run });
      }),
    adopt: (record) => {
      draft.saved(record);
      setConflicting(undefined);
      setComparing(false);
      setMerged(undefined);
      onRecord(record);
    },
    discard: () => {
      if (isSending) return;
      draft.slot.abandon();
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
