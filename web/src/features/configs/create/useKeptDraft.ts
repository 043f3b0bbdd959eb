import { useEffect, useState } from 'react';
import { useUser } from '@/api';
import { forget, recall, remember } from '@/browser/storage';
import { emptyDraft, type ConfigDraft } from './draft';

/** A new config as far as it has been typed. It survives a reload, a crash and the end of the session. */
export function useKeptDraft() {
  const user = useUser();
  const storedAs = `interlock.draft.${user.id}.configs/new`;
  const [draft, setDraft] = useState(() => read(storedAs) ?? emptyDraft);
  const [restored, setRestored] = useState(() => read(storedAs) !== undefined);
  const isEmpty = isUntouched(draft);
  useEffect(() => {
    if (isEmpty) forget(storedAs);
    else remember(storedAs, JSON.stringify(draft));
  }, [storedAs, draft, isEmpty]);
  return {
    draft,
    /** What is shown was typed on an earlier visit. */
    restored: restored && !isEmpty,
    change: (change: Partial<ConfigDraft>) => setDraft((before) => ({ ...before, ...change })),
    discard: () => {
      forget(storedAs);
      setRestored(false);
      setDraft(emptyDraft);
    },
  };
}

function isUntouched({ key, text, remark, schema }: ConfigDraft): boolean {
  return [key, text, remark, schema].every((typed) => typed === '');
}

function read(name: string): ConfigDraft | undefined {
  try {
    const kept = JSON.parse(recall(name) ?? 'null') as ConfigDraft | null;
    return kept === null ? undefined : { ...emptyDraft, ...kept };
  } catch {
    return undefined;
  }
}
