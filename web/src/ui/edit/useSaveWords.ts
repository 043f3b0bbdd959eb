import { useFormat, useText } from '@/i18n';
import { useToasts } from '../feedback/toasts';
import type { Fields, FieldTexts } from './fields';
import { editMessages } from './messages';
import type { Saved } from './useGuardedSave';

/** Tells what came of a save, and whose change was kept beside it. */
export function useSaveWords<T extends Fields>(texts: FieldTexts<T>): (outcome: Saved<T>, theirs?: string) => void {
  const t = useText(editMessages);
  const toasts = useToasts();
  const { list } = useFormat();
  return (outcome, theirs) => {
    if (outcome.kind === 'contested') return;
    if (outcome.kind === 'nothing') {
      if (theirs !== undefined) toasts.info(t('nothing', { who: theirs }));
    } else if (outcome.kept !== undefined) {
      toasts.done(t('savedKept', { who: outcome.kept.by.name, fields: list(outcome.kept.fields.map((field) => texts[field].label)) }));
    } else toasts.done(t('saved'));
  };
}
